"""What a source defines: its classes and functions, statements and imports."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["MAX_LEVEL", "Definition", "Outline"]

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
