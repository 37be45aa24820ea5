"""JSON of unknown origin, its depth checked before it is read."""

from __future__ import annotations

import json
import math
import re
from typing import Any

__all__ = ["DEEPEST", "check_depth", "read_json"]

_STRINGS_AND_BRACKETS = re.compile(r'(?s)"(?:[^"\\]|\\.)*+"?|[][{}]')
DEEPEST = 100
"""Brackets inside of brackets; what this program and the servers it asks write has ten at most."""


def read_json(text: str | bytes) -> Any:
    """What `json.loads` makes of it.

    Python gives up at the end of its recursion, which is nearer the deeper the caller stands: what one reader took as
    right, the next one could not read. So depth is looked at first, and is the same for all.

    Raises:
        ValueError: it is no JSON, nests deeper than `DEEPEST`, or has a number that is infinite, which no whole number
            can be made of.

    >>> read_json('{"a": [1, "[[["]}')
    {'a': [1, '[[[']}
    """
    if isinstance(text, bytes):
        text = text.decode(json.detect_encoding(text), "surrogatepass")
    check_depth(text)
    return json.loads(text, parse_float=_finite, parse_constant=_finite)


def check_depth(text: str) -> None:
    """Raises ValueError for JSON that nests deeper than `DEEPEST`."""
    if _depth(text) > DEEPEST:
        raise ValueError(f"it nests deeper than {DEEPEST} levels")


def _finite(number: str) -> float:
    if math.isinf(value := float(number)):
        raise ValueError("it has a number that is infinite")
    return value


def _depth(text: str) -> int:
    """How deep brackets stand in one another; no deeper than one more than is allowed.

    >>> _depth('{"a": [1, "[[["]}'), _depth("[" * 500)
    (2, 101)
    """
    depth = deepest = 0
    for found in _STRINGS_AND_BRACKETS.finditer(text):
        bracket = found[0][:1]
        depth += (bracket in "[{") - (bracket in "]}")
        deepest = max(deepest, depth)
        if deepest > DEEPEST:
            break
    return deepest
