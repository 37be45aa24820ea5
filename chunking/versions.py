"""Hand-raised versions of the code that determines results: equal versions, equal results.

Golden files of the tests (`tests/golden`) hold what each version covers: results for the sample documents. They
fail when a result changes and its version does not; `make golden` accepts new results once the version is raised.
Cluster trees and cross-encoder scores are not covered, because they differ between library versions: raise the version
by hand after changing their code.
"""

from __future__ import annotations

import hashlib

__all__ = [
    "CONTEXT_VERSION",
    "PARSING_VERSION",
    "RETRIEVAL_VERSION",
    "SCORING_VERSION",
    "SPLITTING_VERSION",
    "chunks_version",
    "results_version",
]

PARSING_VERSION = 7
"""Version of parsing: text, blocks, sections and their positions (`parsing`)."""

SPLITTING_VERSION = 4
"""Version of the boundaries of chunks, parents and larger chunks (`splitting`)."""

CONTEXT_VERSION = 4
"""Version of prefixes, table texts, summaries and the RAPTOR tree (`context`, `enrichment`)."""

RETRIEVAL_VERSION = 5
"""Version of the hits and their order (`embedding`, `store`, `retrieval`)."""

SCORING_VERSION = 4
"""Version of metrics and failure causes (`evaluation`)."""

_DIGITS = 16
_FIRST = {
    (1, 1, 1): "2b47de02c78fd8f1",
    (1, 1, 1, 1, 1): "179ad964c5af2d5e",
}
"""Hashes used before there were version numbers.

They stand for versions 1, so that old indexes and runs stay current.
"""


def chunks_version() -> str:
    """Return 16 hex digits made from the version numbers of parsing, splitting and context."""
    return _digest(PARSING_VERSION, SPLITTING_VERSION, CONTEXT_VERSION)


def results_version() -> str:
    """Return 16 hex digits made from all five version numbers; a run's metrics depend on them."""
    return _digest(PARSING_VERSION, SPLITTING_VERSION, CONTEXT_VERSION, RETRIEVAL_VERSION, SCORING_VERSION)


def _digest(*versions: int) -> str:
    return _FIRST.get(versions) or hashlib.sha256(repr(versions).encode()).hexdigest()[:_DIGITS]
