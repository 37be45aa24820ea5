"""The number in front of a heading, and the depth of headings from their numbers.

Parsers of layouts find headings but not their levels. Numbers tell them: `1.1` is one below `1`, and the Chinese forms
have an order of their own (第一章 > 第一节 > 一、 > （一） > 1. > (1) > ①).
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

__all__ = ["Kind", "Numbering", "assign_levels", "is_top_label", "levels_of", "numbering_of"]

_READ = 80
"""Characters of a label that are looked at."""
_DEEPEST = 6


class Kind(StrEnum):
    """How a heading is numbered."""

    PART = "part"
    CHAPTER = "chapter"
    APPENDIX = "appendix"
    SECTION = "section"
    ARTICLE = "article"
    HAN = "han"
    """一、"""
    HAN_PAREN = "han_paren"
    """（一）"""
    DECIMAL = "decimal"
    """1, 1., 1、, 1.1, 1.1.1"""
    PAREN = "paren"
    """(1)"""
    BRACKET = "bracket"
    """1)"""
    CIRCLED = "circled"
    """①"""
    ROMAN = "roman"
    """IV."""
    UPPER = "upper"
    """A."""
    LETTERED = "lettered"
    """A.1"""
    LOWER = "lower"
    """a), a., (a)"""


@dataclass(frozen=True, slots=True)
class Numbering:
    """The number of a heading."""

    kind: Kind
    numbers: tuple[int, ...]
    """`1.2.3` is (1, 2, 3), `第二章` is (2,), `A.1` is (1, 1)."""
    text: str
    """As it stands, with its marks, without the space after it."""

    @property
    def depth(self) -> int:
        """How many numbers: 3 for `1.2.3`."""
        return len(self.numbers)


_HAN_DIGITS = {digit: n for n, digit in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000}
_ROMAN_DIGITS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_WORDS = {word: n for n, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)}  # noqa: SIM905
_FULL_WIDTH = {0xFF10 + n: ord("0") + n for n in range(10)} | {ord("．"): ord("."), ord("　"): ord(" ")}

_HAN = "[一二三四五六七八九十百千零〇两]{1,7}"
_ROMAN = r"(?=[IVXLC])(?:C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})"
_NUMBER = rf"(?P<number>\d{{1,3}}(?:\.\d{{1,2}}){{0,5}}|{_ROMAN}|[A-Z](?:\.\d{{1,2}}){{0,5}}|{'|'.join(_WORDS)})"
_AFTER_WORD = r"(?:[.:：、—–-]\s*+|\s++|(?=[\u3400-\u9fff《“])|\Z)(?![a-z])"
"""After `Chapter 2`: a mark, a space or nothing more, and no small letter (`Part I played`)."""

_UNITS = r"(?:[VW]|[KMGT]i?[Bb](?:ps)?|[KMGT]?Hz|[KMG]Wh?|[KMG]?Pa|[µμ]\w|USD|EUR|RMB|CNY|AM|PM)(?![\w.-])"
_MEASURES = (
    r"年(?!度|报|表)|月(?!度|报)|日(?!志|常|程)|号|时(?!间|序|钟|效)|秒|分钟|小时|天(?!气|线|然)|周(?!期|边|报)|岁|个(?!人|体|性|案)|只|条(?!件|款|例)"
    r"|件|次(?!要|级)|人(?!员|事|工|力|机|才|物|口|类|体)|名(?!称|词|单|录)|元(?!素|件|数)|万|亿|千|百|倍|米|公里|公斤|克|斤|吨|升|度(?!量)|台(?!账)|套|种(?!类|植)"
    r"|项(?!目)|位(?!置|移|于|点)|届|页|篇|[%％℃‰]"
)
"""What is counted or measured, unless the character begins another word."""

_FORMS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    (Kind.PART, re.compile(rf"第\s?(?P<han>{_HAN}|\d{{1,3}})\s?(?:部分|编|篇|卷|部(?!门|队|电|手|长))")),
    (Kind.CHAPTER, re.compile(rf"第\s?(?P<han>{_HAN}|\d{{1,3}})\s?(?:章(?!程)|回(?!合))")),
    (Kind.SECTION, re.compile(rf"第\s?(?P<han>{_HAN}|\d{{1,3}})\s?节(?!课|目|点)")),
    (Kind.ARTICLE, re.compile(rf"第\s?(?P<han>{_HAN}|\d{{1,3}})\s?条(?!路|线|腿|件)")),
    (Kind.APPENDIX, re.compile(rf"(?:附录|附件|附錄)\s?(?P<han>{_HAN}|\d{{1,3}}|[A-Z](?![a-z]))")),
    (Kind.PART, re.compile(rf"(?i:part|book|volume)\s+(?i:{_NUMBER}){_AFTER_WORD}")),
    (Kind.CHAPTER, re.compile(rf"(?i:chapter|unit|lecture|lesson|module)\s+(?i:{_NUMBER}){_AFTER_WORD}")),
    (Kind.APPENDIX, re.compile(rf"(?i:appendix|annexe?|schedule|exhibit)\s+(?i:{_NUMBER}){_AFTER_WORD}")),
    (Kind.SECTION, re.compile(rf"(?:(?i:section)\s+|§+\s?)(?i:{_NUMBER}){_AFTER_WORD}")),
    (Kind.ARTICLE, re.compile(rf"(?i:article|clause)\s+(?i:{_NUMBER}){_AFTER_WORD}")),
    (Kind.HAN_PAREN, re.compile(rf"[（(]\s?(?P<han>{_HAN})\s?[)）]|(?P<code>[㈠-㈩])")),
    (Kind.HAN, re.compile(rf"(?P<han>{_HAN})[、.]|(?P<spaced>[一二三四五六七八九十]{1, 3})(?=\s+\S)")),
    (Kind.PAREN, re.compile(r"[（(]\s?(?P<number>\d{1,2})\s?[)）]|(?P<code>[⑴-⒇])")),
    (Kind.CIRCLED, re.compile(r"(?P<code>[①-⑳])")),
    (Kind.BRACKET, re.compile(r"(?P<number>\d{1,2})[)）]")),
    (Kind.DECIMAL, re.compile(rf"(?P<number>\d{{1,2}}(?:\.\s?\d{{1,2}}){{1,5}})(?=\s*(?!{_MEASURES})[\u3400-\u9fff])")),  # OCR: `1. 2 背景`
    (Kind.DECIMAL, re.compile(r"(?P<number>\d{1,3}(?:\.\d{1,2}){0,5})(?:\.(?!\d)|、)(?=\s*\S|\Z)")),
    (Kind.DECIMAL, re.compile(r"(?P<number>\d{1,3}(?:\.\d{1,2}){2,5})(?=\s+\S|[\u3400-\u9fff]|\Z)")),
    (
        Kind.DECIMAL,
        re.compile(
            rf"(?P<number>\d{{1,3}}(?:\.\d{{1,2}})?)(?:(?=\s+(?!{_UNITS}|{_MEASURES})[^\W\d_a-z]|\s+[“\"‘《（(\[$])|(?=(?!{_MEASURES})[\u3400-\u9fff《“])|\Z)"
        ),
    ),
    (Kind.LETTERED, re.compile(r"(?P<number>[A-Z](?:\.\d{1,2}){1,5})(?:\.(?!\d))?(?=\s+\S|[\u3400-\u9fff]|\Z)")),
    (Kind.ROMAN, re.compile(r"(?P<code>[Ⅰ-Ⅻ])(?:[.、)]|(?=\s+\S)|\Z)")),
    (Kind.ROMAN, re.compile(rf"(?P<number>(?![CDLM][.、)]){_ROMAN})[.、)](?=\s*[^\W\d_a-z]|\s*\Z)")),
    (Kind.UPPER, re.compile(r"(?P<number>[A-Z])[.、)）](?=\s*[^\W\d_a-z]|\s*\Z)(?![A-Z]\.)|[（(](?P<letter>[A-Z])[)）]")),
    (Kind.LOWER, re.compile(r"(?P<number>[a-z])[.)）](?=\s+\S)|[（(](?P<letter>[a-z]|[ivx]{1,4})[)）]")),
)
"""Forms of numbers, the plainer ones later."""

_RANKS: dict[Kind, int] = {
    Kind.PART: 0,
    Kind.CHAPTER: 1,
    Kind.SECTION: 2,
    Kind.ARTICLE: 3,
    Kind.HAN: 5,
    Kind.HAN_PAREN: 6,
    Kind.DECIMAL: 7,
    Kind.PAREN: 8,
    Kind.BRACKET: 9,
    Kind.CIRCLED: 10,
    Kind.LOWER: 11,
}
"""The order that holds whatever is seen first. Kinds that are not here are ordered by what is seen first."""
_FREE = 4
"""Ranks below this, those of words such as `Chapter`, are above any kind without a rank."""

_TOP = re.compile(
    r"(?:abstract|(?:executive )?summary|introduction|foreword|preface|(?:table of )?contents|acknowledge?ments?|references|bibliography"
    r"|literature|conclusions?(?: and .{3,30})?|glossary|index|appendix|appendices|annex(?:es)?|supplementary materials?"
    r"|摘\s*要|关键词|前\s*言|引\s*言|绪\s*论|序\s*言?|目\s*[录次]|结\s*论|结\s*语|总\s*结|参\s*考\s*文\s*献|致\s*谢|附\s*[录件錄]|后\s*记|索\s*引|术语表)\s*[:：.]?",
    re.IGNORECASE,
)


def is_top_label(label: str) -> bool:
    """Whether an unnumbered heading stands at the top by its name: Abstract, References, 结论.

    >>> is_top_label("References"), is_top_label("参考文献"), is_top_label("Results")
    (True, True, False)
    """
    return bool(_TOP.fullmatch(label[:_READ].strip()))


def numbering_of(label: str) -> Numbering | None:
    """The number a heading starts with, if it does; years, amounts and decimals with a unit are none.

    >>> [one and (one.kind.value, one.numbers) for one in map(numbering_of, ("1.2 Aims", "第十二章 总则", "（三）范围", "2024 in short"))]
    [('decimal', (1, 2)), ('chapter', (12,)), ('han_paren', (3,)), None]
    """
    label = label.strip()[:_READ].translate(_FULL_WIDTH)
    for kind, form in _FORMS:
        match = form.match(label)
        if match:
            numbers = _numbers(match)
            return Numbering(kind, numbers, match[0].strip()) if numbers else None
    return None


def levels_of(labels: Sequence[str]) -> list[int]:
    """The levels, 1 to 6, of a document's headings, from their labels alone; see `assign_levels`.

    >>> levels_of(["Abstract", "1 Aims", "1.1 Scope", "2 Means", "References"])
    [1, 1, 2, 1, 1]
    """
    seen = Counter(label.strip().lower() for label in labels)
    tops = {n for n, label in enumerate(labels) if seen[label.strip().lower()] == 1 and is_top_label(label)}
    return assign_levels([numbering_of(label) for label in labels], tops)


def assign_levels(numberings: Sequence[Numbering | None], tops: Collection[int] = ()) -> list[int]:
    """The levels, 1 to 6, of a document's headings in order; headings numbered alike get the same level.

    A kind of number is outer to those seen after it, except where the forms have an order that always holds.

    Args:
        numberings: one a heading; None for one without a number.
        tops: places of unnumbered headings that stand at the top by their name. The others stand where the heading
            before them stands, because a parent that is guessed wrong does more harm than a sibling.
    """
    numberings = _appendices(_letters(numberings), tops)
    bases = _bases([numbering for numbering in numberings if numbering])
    levels: list[int] = []
    for n, numbering in enumerate(numberings):
        if numbering:
            level = bases[numbering.kind] + numbering.depth
        else:
            level = 1 if n in tops or not levels else levels[-1]
        levels.append(min(max(level, 1), _DEEPEST))
    return levels


def _letters(numberings: Sequence[Numbering | None]) -> list[Numbering | None]:
    """`I.` after `H.` is a letter; letters without an `A.` anywhere are initials of a name."""
    found: list[Numbering | None] = []
    before: Numbering | None = None
    for numbering in numberings:
        if numbering and numbering.kind is Kind.ROMAN and len(numbering.text) == 2 and before and before.kind is Kind.UPPER:
            letter = ord(numbering.text[0]) - ord("A") + 1
            if before.numbers == (letter - 1,):
                numbering = replace(numbering, kind=Kind.UPPER, numbers=(letter,))
        if numbering and numbering.kind in (Kind.UPPER, Kind.ROMAN):
            before = numbering
        found.append(numbering)
    started = any(one and one.kind is Kind.UPPER and one.numbers == (1,) for one in found)
    return [one if started or not one or one.kind is not Kind.UPPER else None for one in found]


def _appendices(numberings: Sequence[Numbering | None], tops: Collection[int]) -> list[Numbering | None]:
    """`A.` is an appendix where nothing but letters follows other numbers, and `A.1` or a heading such as References says so."""
    letters = [n for n, one in enumerate(numberings) if one and one.kind is Kind.UPPER]
    others = [n for n, one in enumerate(numberings) if one and one.kind not in (Kind.UPPER, Kind.LETTERED)]
    if not letters or not others or others[-1] > letters[0]:
        return list(numberings)
    told = letters[0] - 1 in tops or any(one and one.kind is Kind.LETTERED for one in numberings)
    return [replace(one, kind=Kind.LETTERED) if told and one and one.kind is Kind.UPPER else one for one in numberings]


def _bases(numberings: Sequence[Numbering]) -> dict[Kind, int]:
    """What is added to a number's depth to get its level, for each kind."""
    depths: dict[Kind, list[int]] = {}
    for numbering in numberings:
        depths.setdefault(numbering.kind, []).append(numbering.depth)
    dotted = max(depths.get(Kind.DECIMAL, [1])) > 1
    order: list[Kind] = []
    for kind in depths:
        if kind not in (Kind.APPENDIX, Kind.LETTERED):
            place = next((n for n, other in enumerate(order) if _outer(kind, other, dotted)), len(order))
            order.insert(place, kind)
    bases = {Kind.APPENDIX: 0, Kind.LETTERED: 0}
    level = 1
    for kind in order:
        least, most = min(depths[kind]), max(depths[kind])
        bases[kind] = level - least
        level += most - least + 1
    if Kind.UPPER in bases:
        bases[Kind.LETTERED] = bases[Kind.UPPER]
    return bases


def _outer(kind: Kind, other: Kind, dotted: bool) -> bool:
    """Whether the order that always holds puts `kind` above `other`.

    1.1 beside 一、 comes from a standard, not from the Chinese order: then what is seen first is outer.
    """
    if dotted and {kind, other} in ({Kind.DECIMAL, Kind.HAN}, {Kind.DECIMAL, Kind.HAN_PAREN}):
        return False
    mine, its = _RANKS.get(kind), _RANKS.get(other)
    if mine is None or its is None:
        return (mine is not None and mine < _FREE) or other is Kind.LOWER
    return mine < its


def _numbers(match: re.Match[str]) -> tuple[int, ...]:
    """What the number of a form says."""
    groups = {name: text for name, text in match.groupdict().items() if text}
    if "code" in groups:
        return (int(unicodedata.numeric(groups["code"])),)
    text = groups.get("han") or groups.get("spaced") or groups.get("number") or groups.get("letter") or ""
    return tuple(_number(part.strip(), len(text) == 1) for part in text.split("."))


def _number(text: str, alone: bool) -> int:
    if text.isdecimal():
        return int(text)
    if text.lower() in _WORDS:
        return _WORDS[text.lower()]
    if text.isascii():
        roman = [_ROMAN_DIGITS.get(letter, 0) for letter in text.upper()]
        if all(roman) and not (alone and text.upper() not in "IVX"):
            return sum(-one if any(later > one for later in roman[n + 1 :]) else one for n, one in enumerate(roman))
        return ord(text[0].upper()) - ord("A") + 1
    return _han_number(text)


def _han_number(text: str) -> int:
    """
    >>> _han_number("二十一"), _han_number("十"), _han_number("一百零三"), _han_number("一〇")
    (21, 10, 103, 10)
    """
    if not any(unit in text for unit in _HAN_UNITS):
        return int("".join(str(_HAN_DIGITS[digit]) for digit in text))
    total, digit = 0, 0
    for character in text:
        if character in _HAN_UNITS:
            total += (digit or 1) * _HAN_UNITS[character]
            digit = 0
        else:
            digit = _HAN_DIGITS[character]
    return total + digit
