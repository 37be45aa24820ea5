"""Where a document is cut: measured once, cut as often as a slider moves.

    marks.py       where a cut is allowed, and how good a place it is
    measure.py     the running token count at each of these places
    pack.py        places to chunks, by binary search
    strategies.py  the table of strategies
    chunker.py     a document measured once, cut many times

`characters.py`, `sentences.py` and `runs.py` say what marks and counts are made of; `prefixing.py` what a prefix costs;
`boundaries.py` and `building.py` what comes out.
"""

from __future__ import annotations

from chunking.cutting.boundaries import FLAG_BITS, Achieved, Boundaries
from chunking.cutting.chunker import Chunker, chunk_document
from chunking.cutting.strategies import STRATEGIES, StrategyRow
from chunking.cutting.tokens import TokenCounter, token_counter

__all__ = [
    "FLAG_BITS",
    "STRATEGIES",
    "Achieved",
    "Boundaries",
    "Chunker",
    "StrategyRow",
    "TokenCounter",
    "chunk_document",
    "token_counter",
]
