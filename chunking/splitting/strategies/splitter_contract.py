"""The lengths that a splitter may fill, and the error of a strategy that does not suit a document."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from chunking.errors import ChunkscopeError

__all__ = ["CannotSplitError", "Lengths"]


class CannotSplitError(ChunkscopeError, ValueError):
    """A strategy does not suit a document; a warning quotes the message in brackets."""


class Lengths(NamedTuple):
    """How much a splitter may put into a chunk."""

    size: int
    """Most units of a chunk, its prefix not included."""
    overlap: int
    """Most units repeated from the chunk before."""
    count: Callable[[str], int]
    """Units of a text: the model's tokens, or characters."""
