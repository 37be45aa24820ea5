"""Format numbers as displayed (ECMA-376 part 1, 18.8.30), with dates in ISO 8601."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta

from chunking.parsing.formats.office.xlsx.number_patterns import (
    NumberPattern,
    Token,
    general,
    literals,
    section_chooser,
    sections_of,
)

__all__ = ["BUILT_IN", "MAX_FORMAT", "formatter", "general", "text_frame"]

BUILT_IN: dict[int, str] = {
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    9: "0%",
    10: "0.00%",
    11: "0.00E+00",
    12: "# ?/?",
    13: "# ??/??",
    **dict.fromkeys((14, 15, 16, 27, 28, 29, 30, 31, 36, 50, 51, 54, 57, 58), "yyyy-mm-dd"),
    **dict.fromkeys((17, 52, 53), "yyyy-mm"),
    **dict.fromkeys((18, 20, 32, 34, 55), "h:mm"),
    **dict.fromkeys((19, 21, 33, 35, 56), "h:mm:ss"),
    22: "yyyy-mm-dd h:mm",
    37: "#,##0;-#,##0",
    38: "#,##0;-#,##0",
    39: "#,##0.00;-#,##0.00",
    40: "#,##0.00;-#,##0.00",
    45: "mm:ss",
    46: "[h]:mm:ss",
    47: "mm:ss.0",
    48: "##0.0E+0",
}
"""Formats stored as a number only; those of dates depend on the country and are ISO 8601 here."""

MAX_FORMAT = 500
"""Most characters of a number format; Excel accepts 255."""
_ELAPSED = re.compile(r"[hms]+", re.IGNORECASE)
_LAST_DAY = 2_958_466
"""Day number of 1 January 10000, the first one that is no date."""
_EPOCHS = {False: datetime(1899, 12, 30), True: datetime(1904, 1, 1)}


def formatter(code: str, *, since_1904: bool = False) -> Callable[[float], str]:
    """Compile a number format to a function from number to text.

    A negative number keeps its sign, even if the format shows it by brackets or colour only. Dates and times become ISO
    8601. `general` writes numbers that the format cannot show, and all numbers if it is longer than `MAX_FORMAT`.

    >>> [formatter(code)(-1234.5) for code in ("General", "#,##0.00", "#,##0;(#,##0)", "0.0%", '0.00" kg"')]
    ['-1234.5', '-1,234.50', '-1,235', '-123450.0%', '-1234.50 kg']
    >>> formatter("d.m.yy")(45000), formatter("[h]:mm")(1.5), formatter("(000) 000-0000")(5551234567)
    ('2023-03-15', '36:00', '(555) 123-4567')
    """
    if len(code) > MAX_FORMAT:
        return general
    sections = sections_of(code)[:3]
    writers = [_writer(section, number, since_1904) for number, section in enumerate(sections)]
    if len(writers) == 1:
        return lambda value: writers[0](value) or general(value)
    choose = section_chooser(sections)
    return lambda value: writers[choose(value)](value) or general(value)


def text_frame(code: str) -> tuple[str, str] | None:
    """Text that a format puts before and after a text (`"No. "@`); None if it adds none.

    >>> text_frame('0;0;0;"No. "@'), text_frame("0.00"), text_frame("@")
    (('No. ', ''), None, None)
    """
    sections = sections_of(code) if "@" in code and len(code) <= MAX_FORMAT else []
    last = sections[-1] if len(sections) in (1, 4) else []
    place = next((number for number, (kind, _) in enumerate(last) if kind == "whole"), None)
    if place is None or any(kind == "plain" and text in "0#?" for kind, text in last):
        return None
    before, after = literals(last[:place]), literals(last[place + 1 :])
    return (before.lstrip(), after.rstrip()) if (before + after).strip() else None


def _writer(section: Sequence[Token], number: int, since_1904: bool) -> Callable[[float], str | None]:
    kind = _date_kind(section)
    if kind:
        return lambda value: _date(value, kind, since_1904)
    pattern = NumberPattern(section, negative=number == 1)
    return pattern.write


def _date_kind(section: Sequence[Token]) -> str:
    """Date parts of a format, of `y m d h s`, and `e` for elapsed time beyond 24 hours."""
    plain = "".join(text for kind, text in section if kind == "plain").lower().replace("am/pm", "")
    if any(kind == "bracket" and _ELAPSED.fullmatch(text) for kind, text in section):
        return "e" + ("s" if "s" in plain else "")
    if re.search(r"[0#?]", plain.replace(".0", "")) or not re.search(r"[ymdhs]", plain):
        return ""
    return "".join(letter for letter in "ymdhs" if letter in plain)


def _date(value: float, kind: str, since_1904: bool) -> str | None:
    """Write a date in ISO 8601; None for a negative number, past the year 9999, or no realistic time."""
    if abs(value) >= _LAST_DAY:
        return None
    if "e" in kind:
        seconds = round(abs(value) * 86400)
        clock = f"{'-' if value < 0 else ''}{seconds // 3600}:{seconds // 60 % 60:02}"
        return clock + (f":{seconds % 60:02}" if "s" in kind else "")
    if value < 0:
        return None
    days = value + (1 if value < 60 and not since_1904 else 0)  # 1900 is a leap year there: day 60 is 29 February
    try:
        moment = _EPOCHS[since_1904] + timedelta(seconds=round(days * 86400))
    except OverflowError:
        return None
    timed = "h" in kind or "s" in kind
    dated = "y" in kind or "d" in kind or not timed
    clock = moment.strftime("%H:%M:%S" if "s" in kind or moment.second else "%H:%M")
    if not dated:
        return clock
    day = f"{moment.year:04}-{moment.month:02}-{moment.day:02}"
    if "d" not in kind and not timed:
        return day[:7] if "m" in kind else day[:4]
    return f"{day} {clock}" if timed else day
