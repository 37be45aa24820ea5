"""Chunks of another way of splitting, for a second track over the same lines: sent to the browser once."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from chunking.splitting import BoundaryComparison
from chunking.viewing.messages.packing import pack_columns, steps

__all__ = ["OtherChunks", "other_chunks_message", "other_message"]

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True, eq=False)
class OtherChunks:
    """n chunks of the document that the viewer shows; all arrays have n entries and ascend, but for the tokens."""

    starts: Ints
    ends: Ints
    begins: Ints
    """Where the text begins that the chunk before does not hold (`splitting.new_text`): the boundaries, but for the first."""
    tokens: Ints
    """Prefix and content; 0 where nothing was counted."""
    packed: str = field(init=False, repr=False)
    """What the browser gets."""
    key: str = field(init=False)
    """The name under which they are kept in the browser: 16 hex digits over them."""

    def __post_init__(self) -> None:
        """Packed once: they do not change."""
        columns = (steps(self.starts), steps(self.ends), steps(self.begins), self.tokens)
        object.__setattr__(self, "packed", pack_columns(columns, {}))
        object.__setattr__(self, "key", hashlib.sha256(self.packed.encode()).hexdigest()[:16])

    def __len__(self) -> int:
        return len(self.starts)


def other_chunks_message(other: OtherChunks) -> dict[str, Any]:
    """The chunks as the component `other_chunks` takes them, once."""
    return {"key": other.key, "packed": other.packed, "n": len(other)}


def other_message(other: OtherChunks, found: BoundaryComparison, fates: str = "") -> dict[str, Any]:
    """What the viewer is told about them with each of its messages: the boundaries that only one of the two has.

    Args:
        found: the viewer's chunks as A, these as B.
        fates: `letters` of what becomes of the viewer's answers in these.
    """
    n = max(len(found.only_a), len(found.only_b))
    columns = [steps(np.pad(some, (0, n - len(some)), mode="edge" if len(some) else "constant")) for some in (found.only_a, found.only_b)]
    packed = pack_columns(columns, {}) if n else ""
    counts = {"n": n, "a": len(found.only_a), "b": len(found.only_b), "shared": len(found.shared)}
    return {"key": other.key, "packed": packed, "fates": fates} | counts
