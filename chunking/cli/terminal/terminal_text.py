"""Safe text for a terminal: control characters, width in columns, clipping, wrapping; durations.

East Asian characters take two columns.
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

__all__ = [
    "UNSAFE_IN_JSON",
    "clip",
    "clip_front",
    "duration",
    "encodable",
    "line_spans",
    "pad",
    "safe_record",
    "safe_text",
    "width",
]

_INVISIBLE = ("Mn", "Me", "Cf")
"""Unicode categories without a column: marks, and format characters such as the joiner of emoji."""
_JAMO = range(0x1160, 0x1200)
"""Vowels and finals of Hangul, drawn into the syllable before them."""
_SOFT_HYPHEN = "\u00ad"

_MINUTE, _HOUR = 60, 3600
_PICTURES = 0x2400
"""Control pictures: a visible character for each control code."""
_UNKNOWN = "\ufffd"
_OVERRIDES = (*range(0x202A, 0x202F), *range(0x2066, 0x206A))
"""Direction overrides, which also affect text beyond a line that ends before they are closed."""
_LINE_ENDS = (0x0A, 0x85, 0x2028, 0x2029)
_SPACES = (0x09, 0x0B, 0x0C, 0x0D)

_SAFE = {
    **{code: chr(_PICTURES + code) for code in range(0x20)},
    0x7F: "\u2421",
    **dict.fromkeys(range(0x80, 0xA0), _UNKNOWN),
    **dict.fromkeys(range(0xD800, 0xE000), _UNKNOWN),
    **dict.fromkeys(_OVERRIDES, _UNKNOWN),
    **dict.fromkeys(_LINE_ENDS, "\n"),
    **dict.fromkeys(_SPACES, " "),
}
UNSAFE_IN_JSON = {code: f"\\u{code:04x}" for code in (*range(0x7F, 0xA0), 0x2028, 0x2029, *_OVERRIDES)}
"""Escapes of characters that JSON keeps and terminals may act on (JSON escapes codes below 0x20)."""


# -- harmless


def safe_text(text: str) -> str:
    r"""Replace control characters by visible ones; the length stays, so offsets still hold.

    >>> safe_text("a\x1b[2Jb\tc\r\n")
    'a␛[2Jb c \n'
    """
    return text.translate(_SAFE)


def safe_record(value: Any, encoding: str = "utf-8") -> Any:
    """Make every text of a record harmless and encodable, keys included; numbers stay."""
    if isinstance(value, str):
        return encodable(safe_text(value), encoding)
    if isinstance(value, Mapping):
        return {safe_record(key, encoding): safe_record(item, encoding) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [safe_record(item, encoding) for item in value]
    return value


def encodable(text: str, encoding: str) -> str:
    """Replace characters that an encoding does not have by question marks.

    >>> encodable("5 °C · 温度", "latin-1")
    '5 °C · ??'
    """
    return text.encode(encoding, "replace").decode(encoding)


# -- columns


def width(text: str) -> int:
    """Count the columns of a line without control characters.

    >>> width("chunk"), width("分块"), width("e\u0301")
    (5, 4, 1)
    """
    return len(text) if text.isascii() else sum(map(_columns, text))


@lru_cache(maxsize=8192)
def _columns(character: str) -> int:
    if ord(character) in _JAMO or (unicodedata.category(character) in _INVISIBLE and character != _SOFT_HYPHEN):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def clip(text: str, columns: int, ellipsis: str = "…") -> str:
    """Shorten a line to a width by dropping its end.

    Args:
        columns: at least the width of the ellipsis.

    >>> clip("操作手册.md", 8)
    '操作手…'
    """
    if width(text) <= columns:
        return text
    room, used = columns - width(ellipsis), 0
    for at, character in enumerate(text):
        used += _columns(character)
        if used > room:
            return text[:at] + ellipsis
    return text


def clip_front(text: str, columns: int, ellipsis: str = "…") -> str:
    """Shorten a line to a width by dropping its front, so that a path keeps its file name.

    >>> clip_front("handbook/operations/intake.md", 12)
    '…s/intake.md'
    """
    if width(text) <= columns:
        return text
    room, used = columns - width(ellipsis), 0
    for at in range(len(text) - 1, -1, -1):
        used += _columns(text[at])
        if used > room:
            return ellipsis + text[at + 1 :]
    return text


def pad(text: str, columns: int, *, right: bool = False) -> str:
    """Fill a line with spaces up to a width; `right` aligns the text to the right.

    >>> pad("分块", 6) + "|", pad("42", 4, right=True)
    ('分块  |', '  42')
    """
    spaces = " " * max(columns - width(text), 0)
    return spaces + text if right else text + spaces


def line_spans(text: str, columns: int) -> Iterator[tuple[int, int]]:
    """Yield (start, end) of each line of a text wrapped to a width, without spaces at the breaks.

    Lines break at spaces and between wide characters, and within a word only where it is longer than a line.

    Args:
        columns: 2 or more.

    >>> text = "Switch the pump off"
    >>> [text[start:end] for start, end in line_spans(text, 11)]
    ['Switch the', 'pump off']
    """
    start = 0
    for line in text.split("\n"):
        for first, after in _break_line(line, columns):
            yield start + first, start + after
        start += len(line) + 1


def _break_line(line: str, columns: int) -> Iterator[tuple[int, int]]:
    first = used = 0
    last_break = 0
    """End of the current line if it is broken here."""
    for at, character in enumerate(line):
        size = _columns(character)
        if used + size > columns and at > first:
            if character == " ":
                yield first, at
                first = last_break = at + 1
                used = 0
                continue
            after = at if size == 2 or last_break <= first else last_break
            yield first, first + len(line[first:after].rstrip(" "))
            first, used = after, width(line[after:at])
        used += size
        if character == " " or size == 2:
            last_break = at + 1
    yield first, len(line)


def duration(seconds: float) -> str:
    """Format a duration in seconds below 2 minutes, in minutes below 2 hours, then with hours.

    >>> duration(0.3), duration(42), duration(250), duration(7500)
    ('1 s', '42 s', '4 min', '2 h 5 min')
    """
    rounded = max(math.ceil(seconds), 1)
    if rounded < 2 * _MINUTE:
        return f"{rounded} s"
    if rounded < 2 * _HOUR:
        return f"{rounded // _MINUTE} min"
    return f"{rounded // _HOUR} h {rounded % _HOUR // _MINUTE} min"
