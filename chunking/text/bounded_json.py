"""JSON of unknown origin, parsed with a limit on its depth."""

from __future__ import annotations

import json
import math
import re
from typing import Any

__all__ = ["DEEPEST", "check_depth", "read_json"]

_STRINGS_AND_BRACKETS = re.compile(r'(?s)"(?:[^"\\]|\\.)*+"?|[][{}]')
DEEPEST = 100
"""Maximum depth of nested brackets; this program and the servers it uses need at most ten."""


def read_json(text: str | bytes) -> Any:
    """Parse JSON of limited depth and without infinite numbers; NaN is accepted.

    The limit is fixed, because the depth at which `json.loads` hits Python's recursion limit depends on the caller's
    stack.

    Raises:
        ValueError: it is no JSON, nests deeper than `DEEPEST`, or has an infinite number.

    >>> read_json('{"a": [1, "[[["]}')
    {'a': [1, '[[[']}
    """
    if isinstance(text, bytes):
        text = text.decode(json.detect_encoding(text), "surrogatepass")
    check_depth(text)
    return json.loads(text, parse_float=_finite, parse_constant=_finite)


def check_depth(text: str) -> None:
    """Raise ValueError if JSON nests deeper than `DEEPEST`."""
    if _depth(text) > DEEPEST:
        raise ValueError(f"it nests deeper than {DEEPEST} levels")


def _finite(number: str) -> float:
    if math.isinf(value := float(number)):
        raise ValueError("it has a number that is infinite")
    return value


def _depth(text: str) -> int:
    """Return the depth of nested brackets, counted up to one more than the limit.

    >>> _depth('{"a": [1, "[[["]}'), _depth("[" * 500)
    (2, 101)
    """
    depth = deepest = 0
    for match in _STRINGS_AND_BRACKETS.finditer(text):
        bracket = match[0][:1]
        depth += (bracket in "[{") - (bracket in "]}")
        deepest = max(deepest, depth)
        if deepest > DEEPEST:
            break
    return deepest
