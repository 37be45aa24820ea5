"""Numbers as a person sees them: number formats of Office Open XML (ECMA-376 part 1, 18.8.30), dates as ISO 8601."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache

__all__ = ["BUILT_IN", "formatter"]

BUILT_IN: dict[int, str] = {
    1: "0",
    2: "0.00",
    3: "#,##0",
    4: "#,##0.00",
    9: "0%",
    10: "0.00%",
    11: "0.00E+00",
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
}
"""Formats that a file names by number only; those of dates depend on the reader's country and are ISO here."""

_TOKEN = re.compile(r'"(?P<quoted>[^"]*)"|\\(?P<escaped>.)|_(?P<space>.)|\*(?P<fill>.)|\[(?P<bracket>[^\]]*)\]|(?P<plain>.)', re.DOTALL)
_ELAPSED = re.compile(r"[hms]+", re.IGNORECASE)
_LAST_DAY = 2_958_466
"""1 January 10000, the first day that is no date."""
_EPOCHS = {False: datetime(1899, 12, 30), True: datetime(1904, 1, 1)}


def formatter(code: str, *, since_1904: bool = False) -> Callable[[float], str]:
    """What makes a number the text that its format shows.

    A negative number has its sign, also where the format shows it by brackets or colour only. Formats that this does not
    know (fractions, digits with letters between them) show the number as it is.

    >>> [formatter(code)(-1234.5) for code in ("General", "#,##0.00", "#,##0;(#,##0)", "0.0%", '0.00" kg"')]
    ['-1234.5', '-1,234.50', '-1,235', '-123450.0%', '-1234.50 kg']
    >>> formatter("d.m.yy")(45000), formatter("[h]:mm")(1.5)
    ('2023-03-15', '36:00')
    """
    sections = _sections(code)
    kind = _date_kind(sections[0])
    if kind:
        return lambda value: _date(value, kind, since_1904) or general(value)
    shown = [_number_format(section) for section in sections[:3]]
    return lambda value: _shown(value, shown)


def general(value: float) -> str:
    """A number without a format: 15 digits, which is what the files keep.

    >>> general(3.0), general(0.1 + 0.2), general(12345678901234.0)
    ('3', '0.3', '12345678901234')
    """
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else f"{value:.15g}"


@dataclass(frozen=True, slots=True)
class _NumberFormat:
    """One section of a format."""

    before: str = ""
    after: str = ""
    least: int = 0
    """Digits before the point at least."""
    decimals: int = 0
    needed: int = 0
    """Of them, those that are shown though they are zero."""
    grouped: bool = False
    scale: int = 0
    """Powers of ten by which it is multiplied."""
    digits: bool = True
    """Shows the number at all: a section may be a word or a dash."""
    known: bool = True


Token = tuple[str, str]
"""A group of `_TOKEN` and what it holds."""


@lru_cache(maxsize=1024)
def _sections(code: str) -> list[list[Token]]:
    sections: list[list[Token]] = [[]]
    for match in _TOKEN.finditer(code[:500]):
        kind = match.lastgroup or "plain"
        if kind == "plain" and match["plain"] == ";":
            sections.append([])
        else:
            sections[-1].append((kind, match[kind]))
    return sections


def _date_kind(section: list[Token]) -> str:
    """The parts of a date that a format shows, of `y m d h s` and `e` for a time that goes on over 24 hours."""
    plain = "".join(text for kind, text in section if kind == "plain").lower().replace("am/pm", "").replace("general", "")
    if any(kind == "bracket" and _ELAPSED.fullmatch(text) for kind, text in section):
        return "e" + ("s" if "s" in plain else "")
    if re.search(r"[0#?]", plain.replace(".0", "")) or not re.search(r"[ymdhs]", plain):
        return ""
    return "".join(letter for letter in "ymdhs" if letter in plain)


def _date(value: float, kind: str, since_1904: bool) -> str | None:
    """None where the number is no date (negative, or past the year 9999) or no time that anything takes."""
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


def _number_format(section: list[Token]) -> _NumberFormat:
    before, pattern, after = "", "", ""
    for kind, text in section:
        if kind == "plain" and text in "0#?.,":
            if after.strip() and text not in ".,":
                return _NumberFormat(known=False)
            pattern += text
            continue
        if kind in ("plain", "quoted", "escaped"):
            shown = text
        elif kind == "bracket" and text.startswith("$"):
            shown = text[1:].split("-")[0]
        else:
            shown = "" if kind in ("bracket", "fill") else " "
        if pattern:
            after += shown
        else:
            before += shown
    plain = "".join(text for kind, text in section if kind == "plain")
    if re.search(r"[Gg]eneral|E[+-]|/|@", plain):
        return _NumberFormat(known=False)
    whole, _, part = pattern.partition(".")
    thousands = len(whole) - len(whole.rstrip(",")) if not part else len(part) - len(part.rstrip(","))
    return _NumberFormat(
        before=before.replace("(", "").replace("-", ""),
        after=after.replace(")", "").rstrip(),
        least=whole.count("0"),
        decimals=len(re.findall(r"[0#?]", part)),
        needed=len(part.rstrip(",").rstrip("#?")),
        grouped="," in whole.rstrip(","),
        scale=2 * plain.count("%") - 3 * thousands,
        digits=bool(re.search(r"[0#?]", pattern)),
    )


def _shown(value: float, sections: list[_NumberFormat]) -> str:
    number = 1 if value < 0 and len(sections) > 1 else 2 if value == 0 and len(sections) > 2 else 0
    chosen = sections[number]
    if not chosen.known:
        return general(value)
    if not chosen.digits:
        return (chosen.before + chosen.after).strip() or general(value)
    scaled = Decimal(repr(abs(value))).scaleb(chosen.scale)
    if scaled.adjusted() + chosen.decimals > 25:  # more digits than are kept
        return general(value)
    digits = f"{scaled.quantize(Decimal(1).scaleb(-chosen.decimals), ROUND_HALF_UP):{',' if chosen.grouped else ''}f}"
    whole, _, part = digits.partition(".")
    part = part[: chosen.needed] + part[chosen.needed :].rstrip("0")
    text = whole.rjust(chosen.least, "0") + ("." + part if part else "")
    minus = "-" if value < 0 and re.search("[1-9]", text) else ""
    return f"{minus}{chosen.before.lstrip()}{text}{chosen.after}".strip()
