"""Objects as lines of JSON, one a line whatever stands in them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator

__all__ = ["json_line", "json_lines"]

_LINE_ENDS = str.maketrans({end: f"\\u{ord(end):04x}" for end in "\x7f\x85\u2028\u2029\ufeff"})
"""JSON leaves these as they are, and some readers take them for the end of a line."""


def json_line(row: object) -> str:
    """An object as a line. A lone surrogate, which has no UTF-8 form, becomes U+FFFD.

    >>> json_line({"text": "a\\u2028b\\n蓝"})
    '{"text": "a\\\\u2028b\\\\n蓝"}\\n'
    """
    text = json.dumps(row, ensure_ascii=False, allow_nan=False).translate(_LINE_ENDS)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") + "\n"


def json_lines(rows: Iterable[object]) -> Iterator[str]:
    """A line each."""
    return map(json_line, rows)
