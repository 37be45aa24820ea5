"""Parse the number in front of a heading: `1.2`, `Chapter 3`, `Item 1A`, `2.3.59.1.4`, `第三章`."""

from __future__ import annotations

import re
import string
import unicodedata
from dataclasses import dataclass
from enum import StrEnum

from chunking.text.byte_caches import word_cache

__all__ = ["WORDED", "Numbering", "NumberingKind", "is_number", "is_top_label", "numbering_of"]

_READ = 80
"""Characters examined of a label."""


class NumberingKind(StrEnum):
    """Number formats of headings."""

    PART = "part"
    CHAPTER = "chapter"
    APPENDIX = "appendix"
    SECTION = "section"
    ARTICLE = "article"
    ITEM = "item"
    """Item of an annual report: Item 1, Item 1A"""
    HAN = "han"
    """一、"""
    HAN_PAREN = "han_paren"
    """（一）"""
    DECIMAL = "decimal"
    """1, 1., 1、, 1.1, 1.1.1, 2.3.59-4"""
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


WORDED = frozenset(
    {
        NumberingKind.PART,
        NumberingKind.CHAPTER,
        NumberingKind.APPENDIX,
        NumberingKind.SECTION,
        NumberingKind.ARTICLE,
        NumberingKind.ITEM,
    }
)
"""Number formats with a word before them, or Chinese ones that name what they count."""


@dataclass(frozen=True, slots=True)
class Numbering:
    """Number at the start of a heading, parsed."""

    kind: NumberingKind
    numbers: tuple[int, ...]
    """`1.2.3` is (1, 2, 3), `第二章` (2,), `A.1` (1, 1), `Exhibit 2.3-4` (2, 3, 4); `Item 1A` (1,), as `Item 1`."""
    text: str
    """Number as printed, with its punctuation, without the space after it."""

    @property
    def depth(self) -> int:
        """Number of parts: 3 for `1.2.3`."""
        return len(self.numbers)


_HAN_DIGITS = {digit: n for n, digit in enumerate("〇一二三四五六七八九")} | {"零": 0, "两": 2}
_HAN_UNITS = {"十": 10, "百": 100, "千": 1000}
_ROMAN_DIGITS = {"I": 1, "V": 5, "X": 10, "L": 50, "C": 100}
_WORDS = {word: n for n, word in enumerate("one two three four five six seven eight nine ten eleven twelve".split(), 1)}  # noqa: SIM905
_FULL_WIDTH = {0xFF10 + n: ord("0") + n for n in range(10)} | {ord("．"): ord("."), ord("　"): ord(" ")}

_HAN = "[一二三四五六七八九十百千零〇两]{1,7}"
_ROMAN = r"(?=[IVXLC])(?:C{0,3})(?:XC|XL|L?X{0,3})(?:IX|IV|V?I{0,3})"
_NUMBER = (
    rf"(?P<number>\d{{1,3}}(?:(?:\.\d{{1,2}}){{1,5}}(?:[-–]\d{{1,3}})?)?"
    rf"|{_ROMAN}|[A-Z](?:\.\d{{1,2}}){{0,5}}|{'|'.join(_WORDS)})"
)
_AFTER_WORD = r"(?:[.:：、—–-]\s*+|\s++|(?=[\u3400-\u9fff《“])|\Z)(?![a-zа-я])"
"""After `Chapter 2`: punctuation, space or the end, and no small letter (`Part I played`)."""

_UNITS = r"(?:[VW]|[KMGT]i?[Bb](?:ps)?|[KMGT]?Hz|[KMG]Wh?|[KMG]?Pa|[µμ]\w|USD|EUR|RMB|CNY|AM|PM)(?![\w.-])"
_MEASURES = (
    r"年(?!度|报|表)|月(?!度|报)|日(?!志|常|程)|号|时(?!间|序|钟|效)|秒|分钟|小时|天(?!气|线|然)|周(?!期|边|报)|岁|个(?!人|体|性|案)|只|条(?!件|款|例)"
    r"|件|次(?!要|级)|人(?!员|事|工|力|机|才|物|口|类|体)|名(?!称|词|单|录)|元(?!素|件|数)|万|亿|千|百|倍|米|公里|公斤|克|斤|吨|升|度(?!量)|台(?!账)|套|种(?!类|植)"
    r"|项(?!目)|位(?!置|移|于|点)|届|页|篇|[%％℃‰]"
)
"""Units of counted or measured things, unless the character begins another word."""

_PARTS = re.compile(r"[.\-–]")

_DIGITS, _UPPER, _LOWER = string.digits, string.ascii_uppercase, string.ascii_lowercase
_FORMS: tuple[tuple[NumberingKind, str, re.Pattern[str]], ...] = (
    (
        NumberingKind.PART,
        "",
        re.compile(rf"第\s?(?P<han>{_HAN}|\d{{1,3}})\s?(?:部分|编|編|篇|卷|部(?!门|队|电|手|长))"),
    ),
    (NumberingKind.CHAPTER, "", re.compile(rf"第\s?(?P<han>{_HAN}|\d{{1,3}})\s?(?:章(?!程)|回(?!合))")),
    (NumberingKind.SECTION, "", re.compile(rf"第\s?(?P<han>{_HAN}|\d{{1,3}})\s?[节節](?!课|目|点)")),
    (NumberingKind.ARTICLE, "", re.compile(rf"第\s?(?P<han>{_HAN}|\d{{1,3}})\s?[条條](?!路|线|腿|件)")),
    (NumberingKind.APPENDIX, "", re.compile(rf"(?:附录|附件|附錄)\s?(?P<han>{_HAN}|\d{{1,3}}|[A-Z](?![a-z]))")),
    (NumberingKind.PART, "", re.compile(r"제\s?(?P<number>\d{1,3})\s?[편부](?![가-힣])")),
    (NumberingKind.CHAPTER, "", re.compile(r"제\s?(?P<number>\d{1,3})\s?[장과](?![가-힣])")),
    (NumberingKind.SECTION, "", re.compile(r"제\s?(?P<number>\d{1,3})\s?절(?![가-힣])")),
    (NumberingKind.ARTICLE, "", re.compile(r"제\s?(?P<number>\d{1,3})\s?조(?![가-힣])")),
    (NumberingKind.PART, "", re.compile(rf"(?i:часть|книга|том|частина)\s+(?i:{_NUMBER}){_AFTER_WORD}")),
    (NumberingKind.CHAPTER, "", re.compile(rf"(?i:глава|розділ|урок|лекция|κεφάλαιο)\s+(?i:{_NUMBER}){_AFTER_WORD}")),
    (NumberingKind.SECTION, "", re.compile(rf"(?i:раздел|параграф)\s+(?i:{_NUMBER}){_AFTER_WORD}")),
    (NumberingKind.ARTICLE, "", re.compile(rf"(?i:статья|стаття|пункт|άρθρο)\s+(?i:{_NUMBER}){_AFTER_WORD}")),
    (NumberingKind.APPENDIX, "", re.compile(rf"(?i:приложение|додаток)\s+№?\s?(?i:{_NUMBER}){_AFTER_WORD}")),
    (NumberingKind.PART, "BbPpTtVv", re.compile(rf"(?i:part|book|volume|teil|partie)\s+(?i:{_NUMBER}){_AFTER_WORD}")),
    (
        NumberingKind.CHAPTER,
        "CcKkLlMmUu",
        re.compile(
            rf"(?i:chapter|unit|lecture|lesson|module|kapitel|chapitre|cap[ií]tulo|capitolo)\s+(?i:{_NUMBER}){_AFTER_WORD}"
        ),
    ),
    (
        NumberingKind.APPENDIX,
        "AaEeSs",
        re.compile(rf"(?i:appendix|annexe?|schedule|exhibit|anhang|anexo|allegato)\s+(?i:{_NUMBER}){_AFTER_WORD}"),
    ),
    (
        NumberingKind.SECTION,
        "AaSs",
        re.compile(rf"(?:(?i:section|abschnitt|secci[oó]n|sezione)\s+|§+\s?)(?i:{_NUMBER}){_AFTER_WORD}"),
    ),
    (
        NumberingKind.ARTICLE,
        "AaCc",
        re.compile(rf"(?i:article|clause|artikel|art[ií]culo|articolo)\s+(?i:{_NUMBER}){_AFTER_WORD}"),
    ),
    (NumberingKind.ITEM, "Ii", re.compile(rf"(?i:item)\s+(?P<number>\d{{1,2}})(?:[A-Ca-c](?!\w))?{_AFTER_WORD}")),
    (NumberingKind.HAN_PAREN, "(", re.compile(rf"[（(]\s?(?P<han>{_HAN})\s?[)）]|(?P<code>[㈠-㈩])")),
    (NumberingKind.HAN, "", re.compile(rf"(?P<han>{_HAN})[、.]|(?P<spaced>[一二三四五六七八九十]{1, 3})(?=\s+\S)")),
    (NumberingKind.PAREN, "(", re.compile(r"[（(]\s?(?P<number>\d{1,2})\s?[)）]|(?P<code>[⑴-⒇])")),
    (NumberingKind.CIRCLED, "", re.compile(r"(?P<code>[①-⑳])")),
    (NumberingKind.BRACKET, _DIGITS, re.compile(r"(?P<number>\d{1,2})[)）]")),
    (
        NumberingKind.DECIMAL,
        _DIGITS,
        re.compile(rf"(?P<number>\d{{1,2}}(?:\.\s?\d{{1,2}}){{1,5}})(?=\s*(?!{_MEASURES})[\u3400-\u9fff])"),
    ),  # OCR: `1. 2 背景`
    (NumberingKind.DECIMAL, _DIGITS, re.compile(r"(?P<number>\d{1,3}(?:\.\d{1,2}){0,5})(?:\.(?!\d)|、)(?=\s*\S|\Z)")),
    (
        NumberingKind.DECIMAL,
        _DIGITS,
        re.compile(r"(?P<number>\d{1,3}(?:\.\d{1,2}){2,5}(?:-\d{1,3})?)(?=\s+\S|[\u3400-\u9fff]|\Z)"),
    ),
    (
        NumberingKind.DECIMAL,
        _DIGITS,
        re.compile(
            rf"(?P<number>\d{{1,3}}(?:\.\d{{1,2}})?)(?:(?=\s+(?!{_UNITS}|{_MEASURES})[^\W\d_a-z]|\s+[“\"‘《（(\[$])|(?=(?!{_MEASURES})[\u3400-\u9fff《“])|\Z)"
        ),
    ),
    (
        NumberingKind.LETTERED,
        _UPPER,
        re.compile(r"(?P<number>[A-Z](?:\.\d{1,2}){1,5})(?:\.(?!\d))?(?=\s+\S|[\u3400-\u9fff]|\Z)"),
    ),
    (NumberingKind.ROMAN, "", re.compile(r"(?P<code>[Ⅰ-Ⅻ])(?:[.、)]|(?=\s+\S)|\Z)")),
    (NumberingKind.ROMAN, "CILVX", re.compile(rf"(?P<number>(?![CDLM][.、)]){_ROMAN})[.、)](?=\s*[^\W\d_a-z]|\s*\Z)")),
    (
        NumberingKind.UPPER,
        _UPPER + "(",
        re.compile(r"(?P<number>[A-Z])[.、)）](?=\s*[^\W\d_a-z]|\s*\Z)(?![A-Z]\.)|[（(](?P<letter>[A-Z])[)）]"),
    ),
    (
        NumberingKind.LOWER,
        _LOWER + "(",
        re.compile(r"(?P<number>[a-z])[.)）](?=\s+\S)|[（(](?P<letter>[a-z]|[ivx]{1,4})[)）]"),
    ),
)
"""Number forms, the plainer ones later; each with the ASCII characters it may start with."""
_BY_FIRST = {
    first: [(kind, form) for kind, begins, form in _FORMS if first in begins] for first in map(chr, range(128))
}
_ALL = [(kind, form) for kind, _, form in _FORMS]
"""Forms tried for labels that start with any other character."""
_MAY_BEGIN = re.compile(
    r"[\d第附제§（(①-⑳⑴-⒇㈠-㈩Ⅰ-Ⅻ一二三四五六七八九十百千零〇两]|[A-Za-z][.、)）]|[IVXLC]{2,}[.、)]"
    r"|(?i:part|book|volume|teil|partie|chapter|unit|lecture|lesson|module|kapitel|chapitre|cap[ií]tulo|capitolo|appendix|annexe?|schedule"
    r"|exhibit|anhang|anexo|allegato|section|abschnitt|secci[oó]n|sezione|article|clause|artikel|art[ií]culo|articolo|item"
    r"|часть|книга|том|частина|глава|розділ|урок|лекция|κεφάλαιο|раздел|параграф|статья|стаття|пункт|άρθρο|приложение|додаток)\s"
)
"""Cheap test for the start of a numbered label, which nearly no line of a text passes."""

_TOP = re.compile(
    r"(?:abstract|(?:executive )?summary|introduction|foreword|preface|(?:table of "
    r")?contents|acknowledge?ments?|references|bibliography"
    r"|literature|conclusions?(?: and "
    r".{3,30})?|glossary|index|appendix|appendices|annex(?:es)?|supplementary materials?"
    r"|摘\s*要|关键词|前\s*言|引\s*言|绪\s*论|序\s*言?|目\s*[录次]|结\s*论|结\s*语|总\s*结|参\s*考\s*文\s*献|致\s*谢|附\s*[录件錄]|后\s*记|索\s*引|术语表)\s*[:：.]?",
    re.IGNORECASE,
)


def is_top_label(label: str) -> bool:
    """True if an unnumbered heading is at the top level by its name: Abstract, References, 结论.

    >>> is_top_label("References"), is_top_label("参考文献"), is_top_label("Results")
    (True, True, False)
    """
    return bool(_TOP.fullmatch(label[:_READ].strip()))


def numbering_of(label: str) -> Numbering | None:
    """Parse the number at the start of a heading; None without one, and for years and amounts.

    >>> labels = ("1.2 Aims", "第十二章 总则", "（三）范围", "2024 in short")
    >>> [one and (one.kind.value, one.numbers) for one in map(numbering_of, labels)]
    [('decimal', (1, 2)), ('chapter', (12,)), ('han_paren', (3,)), None]
    """
    label = label.strip()[:_READ]
    if not label.isascii():
        label = label.translate(_FULL_WIDTH)
    return _numbered(label) if _MAY_BEGIN.match(label) else None


def is_number(text: str) -> bool:
    """True if a line is nothing but a heading's number, such as `1.2` or `Chapter 3`."""
    number = numbering_of(text)
    return number is not None and number.text == text


@word_cache(maxsize=1 << 13, each=1_000)
def _numbered(label: str) -> Numbering | None:
    """Cached parse of a label.

    Contents lists, headings and levels ask for the same lines.
    """
    for kind, form in _BY_FIRST.get(label[0], _ALL):
        match = form.match(label)
        if match:
            numbers = _numbers(match)
            return Numbering(kind, numbers, match[0].strip()) if numbers else None
    return None


def _numbers(match: re.Match[str]) -> tuple[int, ...]:
    groups = {name: text for name, text in match.groupdict().items() if text}
    if "code" in groups:
        return (int(unicodedata.numeric(groups["code"])),)
    text = groups.get("han") or groups.get("spaced") or groups.get("number") or groups.get("letter") or ""
    return tuple(_number(part.strip(), len(text) == 1) for part in _PARTS.split(text))


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
