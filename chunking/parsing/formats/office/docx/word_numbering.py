"""Numbers of Word lists: levels from `numbering.xml`, and the counting along a text.

Lists (`num`) made from one definition (`abstractNum`) share their counts, unless one restarts (`startOverride`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

from chunking.parsing.builder.numerals import LevelCounter, numeral
from chunking.parsing.formats.office.office_parts import attribute, whole_number

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["LEVELS", "ListCounts", "ListDefinitions", "Marker"]

LEVELS = 9
"""List levels; deeper ones are read as the last."""
_LONGEST = 255
"""Maximum characters of a marker, and of its pattern."""
_PLACE = re.compile(r"%([1-9])")
_WIDEST = 10

_SYSTEMS = {
    "decimal": "decimal",
    "decimalHalfWidth": "decimal",
    "decimalZero": "decimal-zero",
    "lowerLetter": "lower-letter-repeated",
    "upperLetter": "upper-letter-repeated",
    "lowerRoman": "lower-roman",
    "upperRoman": "upper-roman",
    "ordinal": "ordinal",
    "cardinalText": "words",
    "ordinalText": "ordinal-words",
    "hex": "hexadecimal",
    "chicago": "footnote-sign",
    "numberInDash": "dashes",
    "russianLower": "lower-russian",
    "russianUpper": "upper-russian",
    "hebrew1": "hebrew",
    "hebrew2": "hebrew-letter",
    "arabicAlpha": "arabic-letter",
    "arabicAbjad": "arabic-abjad",
    "hindiVowels": "hindi-consonant",  # the standard has the two the wrong way round, and so has Word
    "hindiConsonants": "hindi-vowel",
    "hindiNumbers": "hindi-digit",
    "thaiLetters": "thai-letter",
    "thaiNumbers": "thai-digit",
    "vietnameseCounting": "vietnamese",
    "chineseCounting": "chinese-ring",
    "chineseCountingThousand": "chinese-ring",
    "chineseLegalSimplified": "chinese-formal",
    "taiwaneseCounting": "taiwanese",
    "taiwaneseCountingThousand": "taiwanese",
    "taiwaneseDigital": "ideograph-digit",
    "ideographDigital": "ideograph-digit",
    "ideographLegalTraditional": "taiwanese-formal",
    "ideographTraditional": "heavenly-stem",
    "ideographZodiac": "earthly-branch",
    "ideographZodiacTraditional": "stem-branch",
    "ideographEnclosedCircle": "circled-ideograph",
    "japaneseCounting": "japanese",
    "japaneseLegal": "japanese-formal",
    "japaneseDigitalTenThousand": "ideograph-digit",
    "aiueo": "katakana",
    "aiueoFullWidth": "katakana",
    "iroha": "katakana-iroha",
    "irohaFullWidth": "katakana-iroha",
    "koreanDigital": "korean-digit",
    "koreanDigital2": "ideograph-digit",
    "koreanCounting": "korean",
    "koreanLegal": "korean-words",
    "ganada": "korean-syllable",
    "chosung": "korean-consonant",
    "decimalFullWidth": "full-width",
    "decimalFullWidth2": "full-width",
    "decimalEnclosedCircle": "circled",
    "decimalEnclosedCircleChinese": "circled",
    "decimalEnclosedFullstop": "full-stop",
    "decimalEnclosedParen": "parenthesised",
}
"""Number formats of the standard (17.18.59) to systems of `NUMERALS`; others are decimal."""


class Marker(NamedTuple):
    """Number or bullet before a list paragraph."""

    text: str = ""
    bullet: bool = False
    joined: bool = False
    """True if no space follows it."""
    level: int = 0
    """Level in its list, from 0."""


@dataclass(frozen=True, slots=True)
class _Level:
    start: int = 1
    write: Callable[[int], str] | None = None
    """None: its number is not shown."""
    pattern: str = ""
    restart: int | None = None
    """Deepest level (from 1) whose items restart it, 0 for none; None: any level above it."""
    legal: bool = False
    """True if the numbers of all levels are decimal."""
    bullet: bool = False
    joined: bool = False
    style: str = ""
    """Paragraph style of the level."""


_Levels = Mapping[int, _Level]
_NO_LEVEL = _Level()


@dataclass(frozen=True, slots=True)
class _List:
    definition: str
    levels: _Levels
    overrides: Mapping[int, int]
    """First numbers of levels that this list restarts."""


class ListDefinitions:
    """Lists of a file by `numId`: formats of their levels, and levels that they restart."""

    def __init__(self, root: _Element | None, list_styles: Mapping[str, str]) -> None:
        """
        Args:
            root: of `numbering.xml`; None for a file without one.
            list_styles: ids of list styles, and the lists (`numId`) they name.
        """
        self._definitions: dict[str, _Levels] = {}
        self._linked: dict[str, str] = {}
        """Definitions that only refer to the style of another list."""
        self._styles = list_styles
        self._numbers: dict[str, _Element] = {}
        self._lists: dict[str, _List | None] = {}
        for definition in () if root is None else root.iterchildren("{*}abstractNum"):
            identity = attribute(definition, "abstractNumId") or ""
            self._definitions.setdefault(identity, _levels(definition))
            if link := _value(definition, "numStyleLink"):
                self._linked[identity] = link
        for number in () if root is None else root.iterchildren("{*}num"):
            self._numbers.setdefault(attribute(number, "numId") or "", number)

    def level_of_style(self, identity: str, style: str) -> int | None:
        """Return the level (from 0) of a list tied to a paragraph style; None if there is none."""
        one = self.list(identity)
        return None if one is None else next((level for level, its in one.levels.items() if its.style == style), None)

    def list(self, identity: str) -> _List | None:
        """Return a list by its `numId`; None if unknown."""
        if identity not in self._lists:
            self._lists[identity] = self._read(identity)
        return self._lists[identity]

    def _read(self, identity: str) -> _List | None:
        number = self._numbers.get(identity)
        if number is None:
            return None
        definition = self._defined(identity)
        levels = dict(self._definitions.get(definition, {}))
        overrides = {}
        for override in number.iterchildren("{*}lvlOverride"):
            place = _place(override)
            own = override.find("{*}lvl")
            if place is not None and own is not None:
                levels[place] = _level(own)
            start = _value(override, "startOverride")
            if place is not None and start is not None:
                overrides[place] = whole_number(start, 1)
                levels[place] = replace(levels.get(place, _NO_LEVEL), start=overrides[place])
        return _List(definition, levels, overrides)

    def _defined(self, identity: str) -> str:
        """Definition of a list, through linked styles; a cycle is followed once."""
        definition, visited = "", set[str]()
        while identity in self._numbers and identity not in visited:
            visited.add(identity)
            definition = _value(self._numbers[identity], "abstractNumId") or ""
            identity = self._styles.get(self._linked.get(definition, ""), "")
        return definition


class ListCounts:
    """Counters of all lists along one text; lists of one definition share theirs."""

    def __init__(self, definitions: ListDefinitions) -> None:
        self._definitions = definitions
        self._counters: dict[str, LevelCounter] = {}
        self._started: set[tuple[str, int]] = set()

    def next(self, identity: str, level: int) -> Marker | None:
        """Advance a list by one paragraph and return its marker; None if there is no such list.

        Args:
            identity: `numId` of the list.
            level: of the paragraph, from 0.
        """
        one = self._definitions.list(identity)
        if one is None:
            return None
        counter = self._counters.setdefault(one.definition, LevelCounter(LEVELS))
        if level in one.overrides and (identity, level) not in self._started:
            counter.restart(level)
        self._started.add((identity, level))
        its = one.levels.get(level, _NO_LEVEL)
        starts = [one.levels.get(place, _NO_LEVEL).start for place in range(LEVELS)]
        continued = [
            deeper for deeper, other in one.levels.items() if other.restart is not None and level >= other.restart
        ]
        numbers = counter.advance(level, starts, continued)
        if its.bullet:
            return Marker(bullet=True, level=level)

        def number(match: re.Match[str]) -> str:
            place = int(match[1]) - 1
            write = one.levels.get(place, _NO_LEVEL).write
            if place > level or write is None:
                return ""
            return str(numbers[place]) if its.legal else write(numbers[place])

        return Marker(_PLACE.sub(number, its.pattern)[:_LONGEST].strip(), joined=its.joined, level=level)


def _levels(definition: _Element) -> _Levels:
    levels: dict[int, _Level] = {}
    for element in definition.iterchildren("{*}lvl"):
        place = _place(element)
        if place is not None:
            levels.setdefault(place, _level(element))
    return levels


def _place(element: _Element) -> int | None:
    """Level of an element, from 0; None for a level that no list has."""
    place = whole_number(attribute(element, "ilvl"), LEVELS)
    return place if place < LEVELS else None


def _level(element: _Element) -> _Level:
    number_format = _value(element, "numFmt")
    name, custom = number_format or "decimal", ""
    for choice in element.iterfind("{*}AlternateContent/{*}Choice/{*}numFmt") if number_format is None else ():
        name, custom = attribute(choice, "val") or name, attribute(choice, "format") or ""
    restart, legal = _value(element, "lvlRestart"), element.find("{*}isLgl")
    pattern = _value(element, "lvlText")
    if pattern is None:  # not as Word writes it: a plain list from 1
        pattern = f"%{(_place(element) or 0) + 1}."
    return _Level(
        start=whole_number(_value(element, "start"), int(element.find("{*}lvlText") is None)),
        write=None if name in ("none", "bullet") else _writer(name, custom),
        pattern=pattern[:_LONGEST],
        restart=None if restart is None else whole_number(restart),
        legal=legal is not None and attribute(legal, "val") not in ("0", "false", "off"),
        bullet=name == "bullet",
        joined=_value(element, "suff") == "nothing",
        style=_value(element, "pStyle") or "",
    )


def _writer(name: str, custom: str) -> Callable[[int], str]:
    """Return the writer of a number format; a custom one lists its first numbers: `001, 002, ...`."""
    width = len(custom.partition(",")[0].strip())
    if name == "custom" and custom[:1] == "0" and width <= _WIDEST:
        return lambda number: f"{number:0{width}}"
    system = _SYSTEMS.get(name, "decimal")
    return lambda number: numeral(number, system)


def _value(element: _Element, name: str) -> str | None:
    child = element.find(f"{{*}}{name}")
    return None if child is None else attribute(child, "val") or ""
