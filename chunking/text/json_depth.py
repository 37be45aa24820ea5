"""How deep JSON nests, seen before it is read: read to the end of Python's recursion, whatever else runs there would fail, too."""

from __future__ import annotations

import re

__all__ = ["is_too_deep"]

_STRINGS_AND_BRACKETS = re.compile(rb'(?s)"(?:[^"\\]|\\.)*+"?|[][{}]')
_DEEPEST = 100
"""Brackets inside of brackets; what programs write for one another has six."""


def is_too_deep(body: bytes) -> bool:
    """Whether brackets stand in more than a hundred others; those in strings do not count.

    >>> is_too_deep(b'{"a": [1, "[[["]}'), is_too_deep(b"[" * 500)
    (False, True)
    """
    depth = 0
    for found in _STRINGS_AND_BRACKETS.finditer(body):
        bracket = found[0][:1]
        depth += (bracket in b"[{") - (bracket in b"]}")
        if depth > _DEEPEST:
            return True
    return False
