"""Where a document is cut: measured once, cut as often as a slider moves.

    marks.py       where a cut is allowed, and how good a place it is
    measure.py     the running token count at each of these places
    pack.py        places to chunks, by binary search
    strategies.py  the table of strategies
    regions.py     what several of them share; layout.py, semantic.py, own.py: strategies that ask others where to cut
    embedded.py    what is embedded of a chunk: descriptions of tables, placeholders; embedded_sizes.py: how long that is
    grouping.py    whole neighbouring chunks to parents and larger sizes
    written.py     room in a prefix for what is written when an index is built
    chunker.py     a document measured once, cut many times; kept.py: for as long as a sweep takes

`characters.py`, `sentences.py` and `runs.py` say what marks and counts are made of; `prefixing.py` what a prefix costs;
`boundaries.py` and `building.py` what comes out.
"""

from __future__ import annotations

from chunking.cutting.answers import CannotCutError
from chunking.cutting.boundaries import FLAG_BITS, Achieved, Boundaries
from chunking.cutting.chunker import Above, Chunker, chunk_document, cut_document, model_sentences
from chunking.cutting.flagging import flagged_by_size
from chunking.cutting.kept import KeptMeasures, keeping_measures
from chunking.cutting.levels import Levels
from chunking.cutting.locating import located
from chunking.cutting.strategies import STRATEGIES, StrategyRow
from chunking.cutting.tokens import TokenCounter, token_counter
from chunking.cutting.written import Room, room_for, with_written

__all__ = [
    "FLAG_BITS",
    "STRATEGIES",
    "Above",
    "Achieved",
    "Boundaries",
    "CannotCutError",
    "Chunker",
    "KeptMeasures",
    "Levels",
    "Room",
    "StrategyRow",
    "TokenCounter",
    "chunk_document",
    "cut_document",
    "flagged_by_size",
    "keeping_measures",
    "located",
    "model_sentences",
    "room_for",
    "token_counter",
    "with_written",
]
