"""Typography of a Word file's paragraphs, from their runs and styles: bold, centred, size."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple, TypeVar

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["LookSheet", "ParagraphLook"]

_POINTS = 10.0
"""Default size in points (ECMA-376 part 1, 17.3.2.38)."""
_Value = TypeVar("_Value")
_OFF = frozenset({"0", "false", "off"})


class ParagraphLook(NamedTuple):
    """Typography of a paragraph: bold if all its visible text is, and the size of most of it."""

    bold: bool = False
    centred: bool = False
    size: float = _POINTS
    """Size in points, of most of the text."""


class _Own(NamedTuple):
    """Settings of a style or run itself; None where unset."""

    bold: bool | None = None
    size: float | None = None
    centred: bool | None = None
    based_on: str = ""


class LookSheet:
    """Typography of a file's styles, from which `look` finds that of a paragraph."""

    def __init__(self, root: _Element | None) -> None:
        """Read `styles.xml`; None for a file without one."""
        self._styles: dict[str, _Own] = {}
        self._cache: dict[str, _Own] = {}
        self._default = ""
        self._defaults = _Own()
        if root is None:
            return
        word = root.tag[: root.tag.index("}") + 1]
        for looks in root.iterfind(f"{word}docDefaults/{word}rPrDefault/{word}rPr"):
            self._defaults = _own(looks, None, word)
        for style in root.iterchildren(f"{word}style"):
            identity, based = style.get(f"{word}styleId") or "", style.find(f"{word}basedOn")
            own = _own(style.find(f"{word}rPr"), style.find(f"{word}pPr"), word)
            self._styles.setdefault(
                identity, own._replace(based_on="" if based is None else based.get(f"{word}val") or "")
            )
            if style.get(f"{word}default") in ("1", "true", "on") and style.get(f"{word}type") in (None, "paragraph"):
                self._default = identity

    def look(self, paragraph: _Element, word: str) -> ParagraphLook:
        """Return a paragraph's typography: of its runs, else its styles, else the file's defaults.

        Args:
            word: the file's namespace in braces.
        """
        properties = paragraph.find(f"{word}pPr")
        own, style = _own(None, properties, word), self._default
        if properties is not None and (named := properties.find(f"{word}pStyle")) is not None:
            style = named.get(f"{word}val") or style
        base = self._resolved(style)
        sizes: Counter[float] = Counter()
        bold = True
        for looks, length in _visible_runs(paragraph, word):
            run = _own(looks, None, word)
            named = None if looks is None else looks.find(f"{word}rStyle")
            character = _Own() if named is None else self._resolved(named.get(f"{word}val") or "")
            bold = bold and bool(_first(run.bold, character.bold, base.bold, self._defaults.bold))
            sizes[_first(run.size, character.size, base.size, self._defaults.size) or _POINTS] += length
        size = max(sizes, key=lambda one: sizes[one], default=_POINTS)
        return ParagraphLook(bold and bool(sizes), bool(_first(own.centred, base.centred)), size)

    def _resolved(self, identity: str) -> _Own:
        """Settings of a style, inherited ones included; a cycle is followed once."""
        settings = self._cache.get(identity)
        if settings is None:
            settings, visited, place = _Own(), set[str](), identity
            while place in self._styles and place not in visited:
                visited.add(place)
                own = self._styles[place]
                settings = _Own(
                    _first(settings.bold, own.bold),
                    _first(settings.size, own.size),
                    _first(settings.centred, own.centred),
                )
                place = own.based_on
            self._cache[identity] = settings
        return settings


def _first(*values: _Value | None) -> _Value | None:
    return next((value for value in values if value is not None), None)


def _visible_runs(paragraph: _Element, word: str) -> Iterator[tuple[_Element | None, int]]:
    """Yield properties (None if it has none) and number of letters of each visible run."""
    for run in paragraph.iter(f"{word}r"):
        length = sum(len((text.text or "").strip()) for text in run.iterchildren(f"{word}t"))
        if length:
            yield run.find(f"{word}rPr"), length


def _own(looks: _Element | None, properties: _Element | None, word: str) -> _Own:
    bold = size = centred = None
    if looks is not None:
        if (weight := looks.find(f"{word}b")) is not None:
            bold = weight.get(f"{word}val") not in _OFF
        height = looks.find(f"{word}sz")
        value = "" if height is None else height.get(f"{word}val") or ""
        size = int(value) / 2 if value.isdecimal() and len(value) < 5 and int(value) else None
    if properties is not None and (placed := properties.find(f"{word}jc")) is not None:
        centred = placed.get(f"{word}val") == "center"
    return _Own(bold, size, centred)
