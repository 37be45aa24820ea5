"""What a hit can be: each way in a name and a line, and what an index must hold for it."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from chunking.config import Retrieval
from chunking.model import CLUSTER, DOCUMENT, PARENT, SECTION, larger_level

__all__ = ["MODES", "Mode", "lacking"]


class Mode(NamedTuple):
    """A way of retrieval, for people."""

    name: str
    good_for: str
    """One line: what comes back, and when that helps."""
    levels: frozenset[str] = frozenset()
    """It wants an index with one of these; none: every index will do."""
    build: str = ""
    """Where the index has none of them: what takes their place, and what to set before it is built again."""


_PARENTS = (
    "has no parents, so whole sections take their place: set a Parent size on the Chunks page (600, say) and build it again for "
    "smaller ones"
)

MODES: dict[Retrieval, Mode] = {
    Retrieval.CHUNK: Mode(
        "Chunks", "The chunks that were found, as they are: exact, and short to read. For questions with one short answer."
    ),
    Retrieval.PARENT: Mode(
        "Parent document",
        "Searches small chunks and returns the parents around them: small pieces are easy to find, larger ones good to read.",
        frozenset({PARENT}),
        _PARENTS,
    ),
    Retrieval.MERGE: Mode(
        "Auto-merging",
        "A parent replaces its chunks where enough of them were found: for answers that run over several chunks.",
        frozenset({PARENT}),
        _PARENTS,
    ),
    Retrieval.HIERARCHICAL: Mode(
        "Hierarchical",
        "Searches the summary tree along with the chunks (summaries of sections, documents and clusters): for broad questions.",
        frozenset({SECTION, DOCUMENT, CLUSTER}),
        "holds no summaries, so only chunks are searched: turn on Summaries or RAPTOR summary tree on the Index page and build it again",
    ),
    Retrieval.MULTISIZE: Mode(
        "Multi-granularity",
        "A chunk also scores through the larger chunks that contain it (small-to-big): for facts that only make sense in context.",
        frozenset(map(larger_level, range(2, 9))),
        "holds one granularity, so only chunks are searched: choose Granularities on the Chunks page (2 and 4, say) and build it again",
    ),
}


def lacking(retrieval: Retrieval, levels: Collection[str]) -> str:
    """What an index lacks for this way of retrieval, what happens instead, and what to build; empty where it lacks nothing.

    >>> lacking(Retrieval.CHUNK, {"chunk"}), lacking(Retrieval.MULTISIZE, {"chunk", "x2"})
    ('', '')
    >>> lacking(Retrieval.HIERARCHICAL, {"chunk"})[:18]
    'holds no summaries'
    """
    mode = MODES[retrieval]
    return "" if not mode.levels or mode.levels & set(levels) else mode.build
