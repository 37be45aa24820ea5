"""Splitting: a document is measured once and split as often as a slider moves.

A size passes three immutable steps, each of which knows only the one before:

    measure/measured_document.py   MeasuredDocument: text, allowed cuts, token counts, tables; once a document
    document_view.py               DocumentView: under patterns and pins; once for each change of those
    split.py                       Split: one configuration; boundaries, then chunks and levels when asked for

Imports run downhill, from the last row to the first (`tests/splitting/test_import_order.py`):

    rendering/             prefixes, tables as sentences, text without markup
    measure/               where a cut is allowed and how good it is (`cut_marks`), tokens up to it (`token_positions`)
    pins/                  boundaries that people decided (`pin_places`), and their effect on tables and code
    packing/               the inputs of a split (`split_inputs`); places to boundaries by binary search
    strategies/            the table of strategies, its fallback, custom splitters and those of other packages
    chunks/                boundaries to chunks (`chunk_building`), and the text embedded of each (`embedded_text`)
    document_splitting.py  `chunk_document`, `split_document`, and caches of a document's measure, views and splits
"""

from __future__ import annotations

from chunking.splitting.chunks.generated_prefix import PrefixRoom, flagged_by_size, room_for, with_generated_text
from chunking.splitting.document_splitting import (
    Chunker,
    Chunks,
    MeasureCache,
    cached_measures,
    chunk_document,
    model_sentences,
    split_document,
    with_measure_cache,
)
from chunking.splitting.document_view import DocumentView, Patterned, headings_key, patterned, shaped
from chunking.splitting.measure.token_counter import TokenCounter, block_tokens, token_counter
from chunking.splitting.packing.boundaries import (
    FLAG_BITS,
    Achieved,
    Boundaries,
    BoundaryComparison,
    ChunkSpans,
    compare_boundaries,
    new_text,
)
from chunking.splitting.split import LargerLevel, Levels, Split
from chunking.splitting.strategies.custom_splitters import register_splitter
from chunking.splitting.strategies.splitter_contract import CannotSplitError, located
from chunking.splitting.strategies.strategy_table import STRATEGIES, StrategyRow

__all__ = [
    "FLAG_BITS",
    "STRATEGIES",
    "Achieved",
    "Boundaries",
    "BoundaryComparison",
    "CannotSplitError",
    "ChunkSpans",
    "Chunker",
    "Chunks",
    "DocumentView",
    "LargerLevel",
    "Levels",
    "MeasureCache",
    "Patterned",
    "PrefixRoom",
    "Split",
    "StrategyRow",
    "TokenCounter",
    "block_tokens",
    "cached_measures",
    "chunk_document",
    "compare_boundaries",
    "flagged_by_size",
    "headings_key",
    "located",
    "model_sentences",
    "new_text",
    "patterned",
    "register_splitter",
    "room_for",
    "shaped",
    "split_document",
    "token_counter",
    "with_generated_text",
    "with_measure_cache",
]
