"""Numbering of OpenDocument list and outline levels."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from chunking.parsing.builder.numerals import numeral
from chunking.parsing.formats.office.odt.odt_elements import attribute, count, full_name

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["LEVELS", "ListStyle", "read_list_style"]

LEVELS = 10
"""Levels of a list and of the outline; deeper ones are read as the last."""
_LAST_START = 10**9
_LONGEST = 255
"""Maximum characters of a marker, and of each part of it."""
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


@dataclass(frozen=True, slots=True)
class _Level:
    system: str = ""
    """Empty: its number is not shown."""
    prefix: str = ""
    suffix: str = ""
    levels_shown: int = 1
    """Levels whose numbers are shown: its own and those above it."""
    start: int = 1
    pattern: str = ""
    """LibreOffice's replacement of the four: `%1%.%2%`."""


_NO_LEVEL = _Level()


@dataclass(frozen=True, slots=True)
class ListStyle:
    """Numbered levels of a list, from 0."""

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
        """Marker of an item, from the numbers of its level and those above."""
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
