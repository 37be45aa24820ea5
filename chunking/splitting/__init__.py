"""Where a document is cut: measured once, cut as often as a slider moves.

chunker.py     a document measured once, cut many times; splitting_job.py: one configuration of it
measure/       cut_marks.py: where a cut is allowed, and how good a place it is; token_positions.py: the running token count there
strategies/    strategy_table.py: a row each; regions.py: what several share; foreign and custom splitters
packing/       size_and_overlap.py: places to boundaries, by binary search; parent_grouping.py: parents, larger sizes
pins/          pin_places.py: what people decided about boundaries, settled; pinned_blocks.py: what that does to tables and code
document_patterns.py  what regular expressions of a configuration make of a document: headings, boundaries
chunks/        chunk_building.py: boundaries to chunks; embedded_text.py: what the model reads of them
boundary_comparison.py  which boundaries two ways of splitting share
"""

from __future__ import annotations

from chunking.splitting.boundary_comparison import BoundaryComparison, ChunkSpans, compare_boundaries, new_text
from chunking.splitting.chunker import Chunker, LargerLevel, chunk_document, model_sentences, split_document
from chunking.splitting.chunks.chunk_list import Chunks
from chunking.splitting.chunks.generated_prefix import Room, room_for, with_generated_text
from chunking.splitting.chunks.levels import Levels
from chunking.splitting.chunks.size_flags import flagged_by_size
from chunking.splitting.document_patterns import Patterned, headings_key, patterned, shaped
from chunking.splitting.measure.measure_cache import MeasureCache, cached_measures, with_measure_cache
from chunking.splitting.measure.token_counter import TokenCounter, block_tokens, token_counter
from chunking.splitting.packing.boundaries import FLAG_BITS, Achieved, Boundaries
from chunking.splitting.strategies.custom_spans import located
from chunking.splitting.strategies.strategy_inputs import CannotSplitError
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
    "LargerLevel",
    "Levels",
    "MeasureCache",
    "Patterned",
    "Room",
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
    "room_for",
    "shaped",
    "split_document",
    "token_counter",
    "with_generated_text",
    "with_measure_cache",
]
