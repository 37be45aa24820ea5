"""Effects of an OpenDocument text's styles: heading, code, quote, hidden, numbering."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from chunking.parsing.formats.office.odt.list_styles import ListStyle, read_list_style
from chunking.parsing.formats.office.odt.odt_elements import attribute, full_name
from chunking.parsing.formats.office.style_names import level_of, role_of
from chunking.text.raised_text import SUBSCRIPT, SUPERSCRIPT

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["OdtStyleEffect", "OdtStyles"]

_BULLETS = ListStyle()
_OUTLINE = "Outline"
_ANY_HEADING = "Heading"
"""Ancestor of all headings, titles and subtitles; means nothing by itself."""


class OdtStyleEffect(NamedTuple):
    """Effect of a style on a paragraph."""

    level: int = 0
    """1 to 9 of a heading, else 0."""
    role: str = ""
    """contents, code, quote, or empty."""
    hidden: bool = False


class OdtStyles:
    """Styles of a file; those of its content win over those of its `styles.xml`."""

    def __init__(self, roots: Iterable[_Element]) -> None:
        self._parents: dict[str, str] = {}
        self._hidden: set[str] = set()
        self._raised: dict[str, str] = {}
        self._looks: dict[str, OdtStyleEffect] = {}
        self._lists: dict[str, ListStyle] = {}
        self._list_names: dict[str, str] = {}
        """List style of paragraph styles; empty: none."""
        self.outline = ListStyle()
        """Numbering of headings."""
        for root in roots:
            for style in root.iter(full_name("style:style")):
                self._read(style)
            for style in root.iter(full_name("text:list-style")):
                self._lists.setdefault(attribute(style, "style:name"), read_list_style(style))
            for style in root.iter(full_name("text:outline-style")):
                self.outline = read_list_style(style)

    def look(self, name: str) -> OdtStyleEffect:
        if name not in self._looks:
            names = [one.replace("_20_", " ") for one in self._chain(name) if one != _ANY_HEADING]
            role = next(filter(None, map(role_of, names)), "")
            level = next(filter(None, map(level_of, names)), 0)
            self._looks[name] = OdtStyleEffect(0 if role else level, role, name in self._hidden)
        return self._looks[name]

    def is_hidden(self, name: str) -> bool:
        return name in self._hidden

    def raised(self, name: str) -> str:
        """`SUPERSCRIPT` or `SUBSCRIPT` of a character style, else empty."""
        if not self._raised:
            return ""
        return next((opening for one in self._chain(name) if (opening := self._raised.get(one)) is not None), "")

    def list_style(self, name: str) -> ListStyle:
        """Numbering of a list style."""
        return self._lists.get(name, _BULLETS)

    def is_outlined(self, name: str) -> bool:
        """True if headings of a style are numbered by the outline, not by a list or not at all."""
        named = next((self._list_names[one] for one in self._chain(name) if one in self._list_names), None)
        return named is None or named == _OUTLINE

    def _read(self, style: _Element) -> None:
        name = attribute(style, "style:name")
        self._parents.setdefault(name, attribute(style, "style:parent-style-name"))
        if (named := style.get(full_name("style:list-style-name"))) is not None:
            self._list_names.setdefault(name, str(named))
        for look in style.iterchildren(full_name("style:text-properties")):
            if attribute(look, "text:display") == "none":
                self._hidden.add(name)
            if position := attribute(look, "style:text-position"):
                self._raised.setdefault(name, _raised_by(position))

    def _chain(self, name: str) -> Iterator[str]:
        """A style and its ancestors; a cycle is followed once."""
        visited: set[str] = set()
        while name and name not in visited:
            visited.add(name)
            yield name
            name = self._parents.get(name, "")


def _raised_by(position: str) -> str:
    """Parse `super 58%`, `sub`, `33% 58%` or `-8% 58%`."""
    place = position.split()[0] if position.split() else ""
    if place in ("super", "sub"):
        return SUPERSCRIPT if place == "super" else SUBSCRIPT
    if not place.strip("-0.%"):
        return ""
    return SUBSCRIPT if place.startswith("-") else SUPERSCRIPT
