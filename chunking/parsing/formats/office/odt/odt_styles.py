"""Effects of an OpenDocument text's styles, and the numbers of its lists and headings."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, NamedTuple

from chunking.parsing.builder.numerals import LevelCounter, numeral
from chunking.parsing.formats.office.odt.odt_elements import attribute, count, full_name
from chunking.parsing.formats.office.style_names import level_of, role_of
from chunking.text.raised_text import SUBSCRIPT, SUPERSCRIPT

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["LEVELS", "ListNumbers", "ListStyle", "OdtStyleEffect", "OdtStyles"]

LEVELS = 10
"""Levels of a list and of the outline; deeper ones are read as the last."""
_LAST_START = 10**9
_LONGEST = 255
"""Maximum characters of a marker, and of each part."""
_PATTERN = "{urn:org:documentfoundation:names:experimental:office:xmlns:loext:1.0}num-list-format"
_PLACE = re.compile(r"%(\d{1,2})%")
_NUMBERED = tuple(f"text:{name}" for name in ("list-level-style-number", "outline-level-style"))

_SYSTEMS = {
    "1": "decimal",
    "a": "lower-letter",
    "A": "upper-letter",
    "i": "lower-roman",
    "I": "upper-roman",
    "01": "decimal-zero",
    "1st": "ordinal",
    "First": "ordinal-words",
    "One": "words",
    "１": "full-width",
    "①": "circled",
    "⑴": "parenthesised",
    "⒈": "full-stop",
    "一": "chinese",
    "壹": "chinese-formal",
    "壱": "japanese-formal",
    "甲": "heavenly-stem",
    "子": "earthly-branch",
    "ア": "katakana",
    "ｱ": "katakana",
    "イ": "katakana-iroha",
    "ｲ": "katakana-iroha",
    "일": "korean",
    "하나": "korean-words",
    "가": "korean-syllable",
    "ㄱ": "korean-consonant",
    "א": "hebrew",
    "أ": "arabic-letter",
    "١": "arabic-digit",
    "۱": "persian-digit",
    "१": "hindi-digit",
    "क": "hindi-consonant",
    "ก": "thai-letter",
    "๑": "thai-digit",
    "α": "lower-greek",
    "Α": "upper-greek",
    "а": "lower-russian",
    "А": "upper-russian",
}
"""First number of a format, which names it (`i`; `一, 二, 三, ...`), and the systems of `NUMERALS`."""
_REPEATED = ("lower-letter", "upper-letter")

_IDENTITY = "{http://www.w3.org/XML/1998/namespace}id"


@dataclass(frozen=True, slots=True)
class _Level:
    system: str = ""
    """System of `NUMERALS`; empty if the number is not shown."""
    prefix: str = ""
    suffix: str = ""
    levels_shown: int = 1
    """Number of levels shown in a marker, from its own upwards."""
    start: int = 1
    pattern: str = ""
    """LibreOffice's pattern instead of the other fields: `%1%.%2%`."""


_NO_LEVEL = _Level()


@dataclass(frozen=True, slots=True)
class ListStyle:
    """Number formats of a list or the outline by level, from 0; a level without one has bullets."""

    levels: Mapping[int, _Level] = field(default_factory=dict)

    @property
    def starts(self) -> list[int]:
        """First number of each level."""
        return [self.levels.get(level, _NO_LEVEL).start for level in range(LEVELS)]

    def is_numbered(self, level: int) -> bool:
        """True if items of a level have numbers or fixed words instead of bullets."""
        one = self.levels.get(level, _NO_LEVEL)
        return bool(one.system or one.prefix or one.suffix)

    def marker(self, numbers: tuple[int, ...]) -> str:
        """Return a marker, such as `2.1.`, from the numbers of the outer levels and its own."""
        own = len(numbers) - 1
        level = self.levels.get(own, _NO_LEVEL)

        def number(place: int) -> str:
            system = self.levels.get(place, _NO_LEVEL).system
            return numeral(numbers[place], system) if system and place <= own else ""

        if level.pattern:
            return _PLACE.sub(lambda match: number(int(match[1]) - 1), level.pattern)[:_LONGEST].strip()
        visible = range(max(own + 1 - level.levels_shown, 0), own + 1) if level.system else ()
        return f"{level.prefix}{'.'.join(filter(None, map(number, visible)))}{level.suffix}"[:_LONGEST].strip()


def read_list_style(style: _Element) -> ListStyle:
    """Parse a `text:list-style` or `text:outline-style`."""
    levels: dict[int, _Level] = {}
    for element in style.iterchildren(*map(full_name, _NUMBERED)):
        place = count(element, "text:level", LEVELS + 1) - 1
        if place < LEVELS:
            levels.setdefault(place, _level(element))
    return ListStyle(levels)


def _level(element: _Element) -> _Level:
    number_format = attribute(element, "style:num-format")
    system = _SYSTEMS.get(number_format.partition(",")[0].strip(), "decimal") if number_format else ""
    if system in _REPEATED and attribute(element, "style:num-letter-sync") == "true":
        system = f"{system}-repeated"
    return _Level(
        system=system,
        prefix=attribute(element, "style:num-prefix")[:_LONGEST],
        suffix=attribute(element, "style:num-suffix")[:_LONGEST],
        levels_shown=count(element, "text:display-levels", LEVELS),
        start=count(element, "text:start-value", _LAST_START, least=0),
        pattern=str(element.get(_PATTERN) or "")[:_LONGEST],
    )


_BULLETS = ListStyle()
_OUTLINE = "Outline"
_ANY_HEADING = "Heading"
"""Common ancestor style of all headings, titles and subtitles; no heading by itself."""


class OdtStyleEffect(NamedTuple):
    """Effect of a style on a paragraph: heading level, role, and whether it hides the text."""

    level: int = 0
    """Heading level 1 to 9, else 0."""
    role: str = ""
    """Role: contents, code, quote, or empty."""
    hidden: bool = False


class OdtStyles:
    """Styles of a file by name; of two with one name, that of the first root wins.

    Args:
        roots: of `content.xml`, then of `styles.xml`. Of outlines, the last one wins.
    """

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
        """Return the effect of a paragraph style, by its name and those it is based on."""
        if name not in self._looks:
            names = [one.replace("_20_", " ") for one in self._chain(name) if one != _ANY_HEADING]
            role = next(filter(None, map(role_of, names)), "")
            level = next(filter(None, map(level_of, names)), 0)
            self._looks[name] = OdtStyleEffect(0 if role else level, role, name in self._hidden)
        return self._looks[name]

    def is_hidden(self, name: str) -> bool:
        """True if a style hides its text by itself; the styles it is based on do not count."""
        return name in self._hidden

    def raised(self, name: str) -> str:
        """`SUPERSCRIPT` or `SUBSCRIPT` of a character style, else empty."""
        if not self._raised:
            return ""
        return next((opening for one in self._chain(name) if (opening := self._raised.get(one)) is not None), "")

    def list_style(self, name: str) -> ListStyle:
        """Return the number formats of a list style; bullets if it is unknown."""
        return self._lists.get(name, _BULLETS)

    def is_outlined(self, name: str) -> bool:
        """True if the outline numbers the headings of a style, rather than a list or nothing.

        True for a style that names no list.
        """
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


@dataclass(slots=True)
class _OpenList:
    style: ListStyle
    name: str
    start: int | None = None
    """Number that the current item states."""
    fresh: bool = False
    """True if an item began and has no paragraph yet: it is counted with its first."""


class ListNumbers:
    """Counters of lists and headings along a text; items are counted at their first paragraph.

    So an item that only holds another list has no number.
    """

    def __init__(self, styles: OdtStyles) -> None:
        self._styles = styles
        self._open: list[_OpenList] = []
        self._counter = LevelCounter(LEVELS)
        """Counter of the open list."""
        self._outline = LevelCounter(LEVELS)
        self._by_style: dict[str, LevelCounter] = {}
        self._by_identity: dict[str, LevelCounter] = {}

    def open_list(self, element: _Element) -> None:
        """Enter a list; the outermost restarts, unless it states a continuation."""
        name = attribute(element, "text:style-name") or (self._open[-1].name if self._open else "")
        if not self._open:
            before = self._by_identity.get(attribute(element, "text:continue-list"))
            if before is None and attribute(element, "text:continue-numbering") == "true":
                before = self._by_style.get(name)
            self._counter = before or LevelCounter(LEVELS)
            self._by_style[name] = self._counter
            if identity := element.get(_IDENTITY):
                self._by_identity[identity] = self._counter
        self._open.append(_OpenList(self._styles.list_style(name), name))

    def close_list(self) -> None:
        """Leave the innermost list."""
        self._open.pop()

    def open_item(self, element: _Element) -> None:
        """Enter an item of the innermost list; its first paragraph counts it."""
        if self._open:
            here = self._open[-1]
            here.fresh, here.start = True, _start(element)

    def item_marker(self) -> str:
        """Count an item at its first paragraph; return its number, empty later and for bullets."""
        if not self._open or not self._open[-1].fresh:
            return ""
        here, level = self._open[-1], min(len(self._open), LEVELS) - 1
        here.fresh = False
        return _count(self._counter, here.style, level, here.start)

    def heading_marker(self, element: _Element) -> str:
        """Count a heading in its list, else in the outline, and return its number; may be empty."""
        if self._open and self._open[-1].fresh:
            return self.item_marker()
        if attribute(element, "text:is-list-header") == "true" or not self._styles.is_outlined(
            attribute(element, "text:style-name")
        ):
            return ""
        level = count(element, "text:outline-level", LEVELS) - 1
        if not self._styles.outline.is_numbered(level):
            return ""
        start = _start(element)
        if start is None and attribute(element, "text:restart-numbering") == "true":
            self._outline.restart(level)
        return _count(self._outline, self._styles.outline, level, start)


def _start(element: _Element) -> int | None:
    return count(element, "text:start-value", _LAST_START, least=0) if attribute(element, "text:start-value") else None


def _count(counter: LevelCounter, style: ListStyle, level: int, start: int | None) -> str:
    """Count an item, from `start` if given."""
    starts = style.starts
    if start is not None:
        counter.restart(level)
        starts[level] = start
    numbers = counter.advance(level, starts)
    return style.marker(numbers) if style.is_numbered(level) else ""
