"""Versions of the code that decides results, raised by hand: equal versions, equal results, wherever the code has
moved.

What each covers is held by golden files of the tests (`tests/golden`): they hold what is made of the sample documents,
and fail when that changes while its version stays. `make golden` takes new results over once the version is raised.
They do not hold the cluster tree and cross-encoders, which differ with the libraries they are made with: who changes
those raises the version unasked.
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
"""What a file is read as: text, blocks, sections and their places (`parsing`)."""

SPLITTING_VERSION = 4
"""Where chunks, parents and larger chunks begin and end (`splitting`)."""

CONTEXT_VERSION = 4
"""What is embedded beside a chunk's own text: prefixes, table texts, summaries, the RAPTOR tree (`context`,
`enrichment`).
"""

RETRIEVAL_VERSION = 3
"""What is found, and in which order (`embedding`, `store`, `retrieval`)."""

SCORING_VERSION = 3
"""What a question's results are worth, and why one failed (`evaluation`)."""

_DIGITS = 16
_FIRST = {
    (1, 1, 1): "2b47de02c78fd8f1",
    (1, 1, 1, 1, 1): "179ad964c5af2d5e",
}
"""Versions 1 stand for sources that were hashed before there were versions: what was indexed and measured with them
stays current.
"""


def chunks_version() -> str:
    """16 hex digits: the version of the code that decides where chunks begin and end, and what is embedded of them."""
    return _digest(PARSING_VERSION, SPLITTING_VERSION, CONTEXT_VERSION)


def results_version() -> str:
    """16 hex digits: the version of the code that decides the numbers of a measurement."""
    return _digest(PARSING_VERSION, SPLITTING_VERSION, CONTEXT_VERSION, RETRIEVAL_VERSION, SCORING_VERSION)


def _digest(*versions: int) -> str:
    return _FIRST.get(versions) or hashlib.sha256(repr(versions).encode()).hexdigest()[:_DIGITS]
