"""What a source defines: its classes and functions, statements and imports."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = ["MAX_LEVEL", "Definition", "Outline", "merged_definitions"]

MAX_LEVEL = 6
"""Deepest level of a section; what is defined deeper belongs to it."""


@dataclass(slots=True)
class Definition:
    """A class or function."""

    start: int
    """With the comments and decorators before it."""
    end: int
    title: str
    level: int
    """1 at the top of the file."""
    body: int
    """Where its body begins; its end where it has none."""
    plain: bool
    """Nothing but its signature stands before its body."""
    holds: bool = False
    """It may have members; a function has none, for what is defined in it is part of it."""
    faulty: bool = False
    """Something in it is not of the grammar."""


@dataclass(slots=True)
class Outline:
    """What a source defines, in order; all offsets are characters, of trees bytes in UTF-8."""

    definitions: list[Definition] = field(default_factory=list)
    statements: list[int] = field(default_factory=list)
    """Starts of the statements at the top of the file and in bodies of functions, with the comments before them."""
    imports: list[tuple[int, int]] = field(default_factory=list)
    """Spans of statements that import."""
    complete: bool = True
    """Every node was looked at."""
    faulty: bool = False
    """Something in it is not of the grammar."""


def merged_definitions(by_tree: Sequence[Definition], by_lines: Sequence[Definition]) -> list[Definition]:
    """What a faulty tree and the lines of its source say, as one, in order.

    Of a definition that both know its lines count where the tree has a fault in it. Levels are counted anew.
    """
    known = _Known(by_lines)
    faulty = [one for one in by_tree if one.faulty and known.find(one)]
    doubled = {id(known.find(one)) for one in by_tree if not one.faulty}
    dropped = doubled | {id(one) for one in faulty}
    merged: list[Definition] = []
    stack: list[Definition] = []
    for one in sorted(
        (one for one in (*by_tree, *by_lines) if id(one) not in dropped), key=lambda one: (one.start, -one.end)
    ):
        while stack and stack[-1].end <= one.start:
            stack.pop()
        if stack and not stack[-1].holds:
            continue
        for outer in stack:
            outer.end = max(outer.end, one.end)
        if len(stack) < MAX_LEVEL:
            one.level = len(stack) + 1
            merged.append(one)
            stack.append(one)
    return merged


class _Known:
    """Definitions by their titles and places."""

    def __init__(self, definitions: Sequence[Definition]) -> None:
        self._by_title: dict[str, list[Definition]] = defaultdict(list)
        for one in definitions:
            self._by_title[one.title].append(one)

    def find(self, other: Definition) -> Definition | None:
        """The one of the same title whose signature stands where that of the other does; they may differ in comments."""
        same = self._by_title.get(other.title, [])
        place = bisect_right(same, other.start, key=lambda one: max(one.body, one.start + 1))
        found = same[place] if place < len(same) else None
        return found if found is not None and found.start < max(other.body, other.start + 1) else None
