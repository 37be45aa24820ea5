"""Comparison keys of labels: letters and digits only, with and without the leading number."""

from __future__ import annotations

import re
import unicodedata

from chunking.parsing.headings.numbering import numbering_of

__all__ = ["deep_number", "keys_of", "squeezed"]

_DECIMAL = re.compile(r"\d{1,3}(?:\.\d{1,3}){0,5}\.?\s+")
"""A number before a small letter: `8.2 warning`."""
_MARKS = bytes(code for code in range(128) if not chr(code).isalnum())
_PARTS = re.compile(r"[A-Z\d](?:[.\-–]\d+)+")


def squeezed(text: str) -> str:
    """Its letters and digits, in one case and width.

    >>> squeezed("1.2  Ｓcope – “of” it")
    '12scopeofit'
    """
    if text.isascii():
        return text.encode().lower().translate(None, _MARKS).decode()
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", text).casefold()))


def keys_of(text: str) -> tuple[str, str]:
    """A text squeezed, with and without its number (with, if it is nothing else).

    >>> keys_of("1.2 Aims"), keys_of("Aims"), keys_of("1.2")
    (('12aims', 'aims'), ('aims', 'aims'), ('12', '12'))
    """
    text, full = text.strip(), squeezed(text)
    number = numbering_of(text)
    decimal = None if number else _DECIMAL.match(text)
    start = len(number.text) if number else decimal.end() if decimal else 0
    return full, (squeezed(text[start:]) or full) if start else full


def deep_number(text: str) -> str:
    """The multi-part number of a label as printed, without the word before it; empty if it has none.

    >>> deep_number("Exhibit 2.3.59-4 (2019) Display"), deep_number("1.2. Aims"), deep_number("3 Means")
    ('2.3.59-4', '1.2', '')
    """
    number = numbering_of(text)
    parts = _PARTS.search(number.text) if number and number.depth > 1 else None
    return parts[0] if parts else ""
