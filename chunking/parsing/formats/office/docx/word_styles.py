"""Effects of a Word file's styles: heading, code, quote, contents line, list item, raised text."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chunking.parsing.formats.office.style_names import is_caption, is_title, level_of, role_of
from chunking.text.raised_text import END, SUBSCRIPT, SUPERSCRIPT

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["DocxStyleEffect", "StyleSheet", "mark_raised_runs", "outline_level"]

_BODY_TEXT = 9
"""Outline level of body text."""

_ALIGNED = {"superscript": SUPERSCRIPT, "subscript": SUBSCRIPT}
_BETWEEN = frozenset(
    {"proofErr", "bookmarkStart", "bookmarkEnd", "lastRenderedPageBreak", "commentRangeStart", "commentRangeEnd"}
)
"""Elements allowed between two runs that form one text."""


@dataclass(frozen=True, slots=True)
class DocxStyleEffect:
    """Effect of a style on a paragraph: heading level, role, and numbering of list items."""

    level: int = 0
    """Heading level 1 to 9, else 0."""
    role: str = ""
    """Role: contents, code, quote, or empty."""
    number: str | None = None
    """Numbering id, for styles of list items."""
    depth: str | None = None
    """Level in that numbering, from 0; None if only the numbering knows the style's level."""
    numbered_by: str = ""
    """Id of the style, this or an ancestor, that names the numbering."""


@dataclass(frozen=True, slots=True)
class _Style:
    name: str
    based_on: str | None
    outline: int | None
    number: str | None
    depth: str | None


class StyleSheet:
    """Effects of a file's paragraph styles, its raising character styles, and its list styles."""

    def __init__(self, root: _Element | None) -> None:
        """Read `styles.xml`; None for a file without one."""
        self._styles: dict[str, _Style] = {}
        self._looks: dict[str, DocxStyleEffect] = {}
        self.default: str | None = None
        self.raised = {} if root is None else raising_styles(root)
        """Openings of raised text (`chunking.text.raised_text`) by the ids of the character styles that raise it."""
        self.list_styles: dict[str, str] = {}
        """Ids of list styles to the numberings they name."""
        for element in () if root is None else root.iterchildren("{*}style"):
            if _value(element, "type") in (None, "paragraph"):
                identity = _value(element, "styleId") or ""
                self._styles.setdefault(identity, _read(element))
                if _value(element, "default") in ("1", "true", "on"):
                    self.default = identity
            elif _value(element, "type") == "numbering" and (number := _read(element).number):
                self.list_styles.setdefault(_value(element, "styleId") or "", number)

    def look(self, identity: str | None) -> DocxStyleEffect:
        """Return the effect of a style, inherited or its own; None: of the default style.

        An unknown id is read as the style's name.
        """
        identity = identity or self.default or ""
        if identity not in self._looks:
            self._looks[identity] = self._resolve(identity)
        return self._looks[identity]

    def is_title(self, identity: str | None) -> bool:
        """True if a style is that of a document title, by itself or by the style it is based on."""
        return is_title(next((name for name in self._names(identity) if level_of(name) is not None), ""))

    def is_caption(self, identity: str | None) -> bool:
        """True if a style, or one it is based on, is that of a picture or table caption."""
        return any(map(is_caption, self._names(identity)))

    def _names(self, identity: str | None) -> list[str]:
        identity = identity or self.default or ""
        return [self._styles[one].name for one in self._chain(identity)] or [identity]

    def _resolve(self, identity: str) -> DocxStyleEffect:
        ids = list(self._chain(identity))
        chain = [self._styles[one] for one in ids] or [_Style(identity, None, None, None, None)]
        role = next(filter(None, (role_of(style.name) for style in chain)), "")
        numbered_by, number = next(
            ((one, style.number) for one, style in zip(ids, chain, strict=False) if style.number is not None),
            ("", None),
        )
        depth = next((style.depth for style in chain if style.depth is not None), None)
        level = 0 if role == "contents" else next((level for style in chain if (level := _level(style)) is not None), 0)
        return DocxStyleEffect(level, role, number if number != "0" else None, depth, numbered_by)

    def _chain(self, identity: str | None) -> Iterator[str]:
        """Ids of a style and its ancestors; a cycle is followed once."""
        visited: set[str] = set()
        while identity and identity in self._styles and identity not in visited:
            visited.add(identity)
            yield identity
            identity = self._styles[identity].based_on


def outline_level(properties: _Element | None) -> int | None:
    """Return the outline level in properties: 1 to 9, 0 for body text; None if unset.

    Args:
        properties: `w:pPr` of a paragraph or style; None if it has none.
    """
    outline = None if properties is None else properties.find("{*}outlineLvl")
    value = "" if outline is None else _value(outline, "val") or ""
    return (
        None
        if not value.isdecimal()
        else (int(value[:2]) + 1) % (_BODY_TEXT + 1)
        if int(value[:2]) <= _BODY_TEXT
        else 0
    )


def _level(style: _Style) -> int | None:
    return level_of(style.name) if style.outline is None else style.outline


def _read(element: _Element) -> _Style:
    properties = element.find("{*}pPr")
    numbering = None if properties is None else properties.find("{*}numPr")
    return _Style(
        name=_child(element, "name") or _value(element, "styleId") or "",
        based_on=_child(element, "basedOn"),
        outline=outline_level(properties),
        number=None if numbering is None else _child(numbering, "numId"),
        depth=None if numbering is None else _child(numbering, "ilvl"),
    )


def _child(element: _Element, name: str) -> str | None:
    child = element.find(f"{{*}}{name}")
    return None if child is None else _value(child, "val")


def _value(element: _Element, name: str) -> str | None:
    """Value of an attribute in the element's own namespace."""
    value: str | None = element.get(element.tag[: element.tag.index("}") + 1] + name)
    return value


def raising_styles(root: _Element) -> dict[str, str]:
    """Return the opening mark by id of the character styles that raise or lower text."""
    word = root.tag[: root.tag.index("}") + 1]
    own: dict[str, str | None] = {}
    parents: dict[str, str] = {}
    for style in root.iterchildren(f"{word}style"):
        if style.get(f"{word}type") == "character":
            identity, looks, parent = (
                style.get(f"{word}styleId") or "",
                style.find(f"{word}rPr"),
                style.find(f"{word}basedOn"),
            )
            own[identity] = None if looks is None else _own_opening(looks, word)
            parents[identity] = "" if parent is None else parent.get(f"{word}val") or ""
    openings = {}
    for identity in own:
        chain = [identity]
        while own.get(chain[-1]) is None and (parent_id := parents.get(chain[-1], "")) and parent_id not in chain:
            chain.append(parent_id)
        if opening := own.get(chain[-1]):
            openings[identity] = opening
    return openings


def mark_raised_runs(root: _Element, word: str, styles: Mapping[str, str]) -> None:
    """Put marks around raised and lowered texts, in place; adjacent runs share one pair.

    Args:
        styles: from `raising_styles`.
    """
    telling_tags = [f"{word}vertAlign", f"{word}position", *([f"{word}rStyle"] if styles else [])]
    last: tuple[_Element | None, str] = None, ""
    for looks in dict.fromkeys(element.getparent() for element in root.iter(*telling_tags)):
        run = None if looks is None or looks.tag != f"{word}rPr" else looks.getparent()
        if run is None or run.tag != f"{word}r":
            continue
        opening = _own_opening(looks, word)
        if opening is None:
            named = looks.find(f"{word}rStyle")
            opening = "" if named is None else styles.get(named.get(f"{word}val") or "", "")
        texts = [text for text in run.iterchildren(f"{word}t") if text.text]
        if not opening or not texts:
            continue
        goes_on = last[0] is not None and last[1] == opening and _run_before(run) is last[0].getparent()
        if goes_on and last[0] is not None:
            last[0].text = (last[0].text or "").removesuffix(END)
        else:
            texts[0].text = opening + (texts[0].text or "")
        texts[-1].text = (texts[-1].text or "") + END
        last = texts[-1], opening


def _own_opening(looks: _Element, word: str) -> str | None:
    """Opening set by the properties of a run or style, empty if reset; None if unset."""
    aligned = looks.find(f"{word}vertAlign")
    if aligned is not None:
        return _ALIGNED.get(aligned.get(f"{word}val") or "", "")
    placed = looks.find(f"{word}position")
    height = "" if placed is None else (placed.get(f"{word}val") or "").removesuffix("pt")
    if not height.lstrip("-").isdecimal() or not height.strip("-0"):
        return None
    return SUBSCRIPT if height.startswith("-") else SUPERSCRIPT


def _run_before(run: _Element) -> _Element | None:
    before = run.getprevious()
    while before is not None and isinstance(before.tag, str) and before.tag.rpartition("}")[2] in _BETWEEN:
        before = before.getprevious()
    return before
