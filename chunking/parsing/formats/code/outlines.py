"""The outline of a source: classes, functions, statements and imports."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

__all__ = ["MAX_LEVEL", "Definition", "Outline", "merged_definitions"]

MAX_LEVEL = 6
"""Deepest section level; deeper definitions belong to their outer one."""


@dataclass(slots=True)
class Definition:
    """A class or function."""

    start: int
    """Includes the comments and decorators before it."""
    end: int
    title: str
    level: int
    """1 at the top of the file."""
    body: int
    """Start of its body; its end if it has none."""
    plain: bool
    """Only its signature precedes its body."""
    holds: bool = False
    """It may have members; definitions in a function belong to it."""
    faulty: bool = False
    """It contains a syntax error."""


@dataclass(slots=True)
class Outline:
    """Definitions of a source in order; offsets are characters, of trees bytes in UTF-8."""

    definitions: list[Definition] = field(default_factory=list)
    statements: list[int] = field(default_factory=list)
    """Starts of statements at top level and in function bodies, with the comments before them."""
    imports: list[tuple[int, int]] = field(default_factory=list)
    """Spans of import statements."""
    complete: bool = True
    """Every node was visited."""
    faulty: bool = False
    """It contains a syntax error."""


def merged_definitions(by_tree: Sequence[Definition], by_lines: Sequence[Definition]) -> list[Definition]:
    """Merge the definitions of a faulty tree and of the source's lines, in order.

    For a definition in both, the lines win if its tree has an error. Levels are recomputed.
    """
    index = _DefinitionIndex(by_lines)
    faulty = [one for one in by_tree if one.faulty and index.find(one)]
    doubled = {id(index.find(one)) for one in by_tree if not one.faulty}
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


class _DefinitionIndex:
    """Definitions by title and place."""

    def __init__(self, definitions: Sequence[Definition]) -> None:
        self._by_title: dict[str, list[Definition]] = defaultdict(list)
        for one in definitions:
            self._by_title[one.title].append(one)

    def find(self, other: Definition) -> Definition | None:
        """The one with the same title and an overlapping signature; their comments may differ."""
        same = self._by_title.get(other.title, [])
        place = bisect_right(same, other.start, key=lambda one: max(one.body, one.start + 1))
        candidate = same[place] if place < len(same) else None
        return candidate if candidate is not None and candidate.start < max(other.body, other.start + 1) else None
