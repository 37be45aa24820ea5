"""Shift the offsets in a block's meta along with its text."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

__all__ = ["shifted"]

_OFFSETS = ("header_end", "question_end")
_LISTS_OF_OFFSETS = ("row_starts", "joined_at", "statement_starts")


def shifted(meta: Mapping[str, Any], by: int) -> dict[str, Any]:
    """The meta of a block whose text starts `by` characters later.

    >>> shifted({"rows": 1, "header_end": 8, "row_starts": (8,)}, 2)
    {'rows': 1, 'header_end': 10, 'row_starts': (10,)}
    """
    moved = dict(meta)
    for key in _OFFSETS:
        if key in moved:
            moved[key] += by
    for key in _LISTS_OF_OFFSETS:
        if key in moved:
            moved[key] = tuple(place + by for place in moved[key])
    return moved
