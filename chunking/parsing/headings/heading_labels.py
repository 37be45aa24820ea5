"""Headings that are only a label (`Article 1`, `Q1 2023`, 第一条), and comparison keys of headings.

The words of a label prove little, so a reader accepts one only if it is set and placed like a heading.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from enum import StrEnum

from chunking.parsing.headings.numbering import WORDED, is_top_label, numbering_of

__all__ = ["LabelParts", "bare_label", "deep_number", "keys_of", "names_part", "squeezed"]

_LONGEST = 40
"""Most characters of a label."""
_SECTION = re.compile(r"§+\s?\d{1,4}[a-z]?(?:\s?[-–]\s?\d{1,4}[a-z]?)?")
_YEAR = r"(?:1[5-9]|20)\d\d"
_TIME = re.compile(
    rf"(?:FY|AY|SY|CY)?\s?{_YEAR}(?:\s?[-–—/]\s?(?:\d\d|{_YEAR}))?s?(?:\s?[年년]度?|\s?г\.)?"
    rf"|(?:[QTHSK]|KW|CW|WK|W)\s?\d{{1,2}}(?:\s?[-–/ "
    rf"]\s?['’]?(?:{_YEAR}|\d\d))?|[1-4]\s?[QTH]\s?['’/-]?\s?(?:{_YEAR}|\d\d)"
    rf"|{_YEAR}\s?[-–/ ]?\s?(?:[QTH]\s?[1-4]|W\d\d)"
    rf"|{_YEAR}[-/.]\d{{1,2}}(?:[-/.]\d{{1,2}})?|\d{{1,2}}[-/.]\s?(?:\d{{1,2}}[-/.]\s?)?{_YEAR}|{_YEAR}\s?年\s?\d{{1,2}}\s?月(?:\s?\d{{1,2}}\s?日)?"
)
"""Years, quarters, weeks and dates."""
_CODE = re.compile(
    r"(?=\S*\s?\S*\d)(?=[^A-Z]*[A-Z])[A-Z\d]{1,12}(?:[-–./ ][A-Z\d]{1,12}){0,4}[a-z]?|(?:No|Nr|Nº|N°|№|#)\.?\s?\d{1,9}"
)
"""Numbers of goods, cases and drawings: capitals, digits and dashes."""
_DIGITS = re.compile(r"\d+")
_NUMBER = re.compile(r"\d{1,3}\.?|[IVXLC]{1,7}\.?|[一二三四五六七八九十百]{1,4}")

_DECIMAL = re.compile(r"\d{1,3}(?:\.\d{1,3}){0,5}\.?\s+")
"""A number before a small letter: `8.2 warning`."""
_MARKS = bytes(code for code in range(128) if not chr(code).isalnum())
_PARTS = re.compile(r"[A-Z\d](?:[.\-–]\d+)+")


class LabelParts(StrEnum):
    """Kinds of headings that are only a label (`Chapter 2`, `2021`, `IV`), most certain first."""

    WORD = "word"
    """A word and its number: Chapter 2, § 12, 第一条."""
    TIME = "time"
    """2021, Q1 2023, 2023-05-01"""
    CODE = "code"
    """WX-100, A-17"""
    NUMBER = "number"
    """12, IV"""


def bare_label(text: str) -> LabelParts | None:
    """Return the kind of label that is all of a line; None for other lines.

    >>> [str(bare_label(one)) for one in ("Article 1", "§ 12", "第一条", "Глава 2", "2021", "Q1 2023", "WX-100", "IV")]
    ['word', 'word', 'word', 'word', 'time', 'time', 'code', 'number']
    >>> [bare_label(one) for one in ("Article 1 Scope", "12.5", "35 %", "In 2021", "AND")]
    [None, None, None, None, None]
    """
    text = text.strip()
    if not 0 < len(text) <= _LONGEST:
        return None
    number = numbering_of(text)
    if (number and number.text == text and number.kind in WORDED) or _SECTION.fullmatch(text):
        return LabelParts.WORD
    if _NUMBER.fullmatch(text):
        return LabelParts.NUMBER
    if _TIME.fullmatch(text):
        return LabelParts.TIME
    return LabelParts.CODE if _CODE.fullmatch(text) else None


def names_part(name: str, others: Sequence[str]) -> bool:
    """True if a heading names a part of a document: numbered, a label, or a usual section name.

    Also if the next heading of its level, the first of `others`, differs from it in figures only.

    >>> names_part("第一章 总则", ["第二章 机构"]), names_part("Bill 17", ["Bill 18"]), names_part("Valves", ["Pumps"])
    (True, True, False)
    """
    if numbering_of(name) or bare_label(name) or is_top_label(name):
        return True
    return any(_DIGITS.search(name) and _DIGITS.sub("#", name) == _DIGITS.sub("#", other) for other in others[:1])


def squeezed(text: str) -> str:
    """Return the letters and digits of a text in lower case and normal width, to compare texts.

    >>> squeezed("1.2  Ｓcope – “of” it")
    '12scopeofit'
    """
    if text.isascii():
        return text.encode().lower().translate(None, _MARKS).decode()
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def keys_of(text: str) -> tuple[str, str]:
    """Return two comparison keys of a heading: `squeezed` with its number, and without it.

    The keys are equal if it has no number, or nothing else.

    >>> keys_of("1.2 Aims"), keys_of("Aims"), keys_of("1.2")
    (('12aims', 'aims'), ('aims', 'aims'), ('12', '12'))
    """
    text, full = text.strip(), squeezed(text)
    number = numbering_of(text)
    decimal = None if number else _DECIMAL.match(text)
    start = len(number.text) if number else decimal.end() if decimal else 0
    return full, (squeezed(text[start:]) or full) if start else full


def deep_number(text: str) -> str:
    """Return a label's number of two or more parts, as printed, without its word; empty if none.

    >>> deep_number("Exhibit 2.3.59-4 (2019) Display"), deep_number("1.2. Aims"), deep_number("3 Means")
    ('2.3.59-4', '1.2', '')
    """
    number = numbering_of(text)
    parts = _PARTS.search(number.text) if number and number.depth > 1 else None
    return parts[0] if parts else ""
