"""Boundaries of a document's chunks as arrays, and statistics of their sizes and overlaps.

Two ways of splitting are compared by their boundaries: where a chunk ends and new text begins. Overlap moves none, as
repeated text is not new, and white space does not count: two splitters agree if they part the text before the same
visible character.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from chunking.config import Keep, Prefix, Unit
from chunking.model import Flag
from chunking.splitting.measure.prefix_costs import free_tokens, free_units
from chunking.splitting.packing.size_and_overlap import ChunkColumns
from chunking.splitting.packing.split_inputs import SplitInputs

__all__ = [
    "FLAG_BITS",
    "Achieved",
    "Boundaries",
    "BoundaryComparison",
    "ChunkSpans",
    "compare_boundaries",
    "make_boundaries",
    "new_text",
]

Ints = NDArray[np.int32]

FLAG_BITS: dict[Flag, int] = {flag: 1 << place for place, flag in enumerate(Flag)}
"""Bit of each flag in `Boundaries.flags`."""

_CUT_FLAGS: dict[Keep, Flag] = {Keep.CODE: Flag.CODE_CUT, Keep.TABLE: Flag.TABLE_CUT, Keep.QA: Flag.QA_CUT}


@dataclass(frozen=True, slots=True)
class Achieved:
    """Statistics of the chunks; sizes and overlaps in the unit of the configuration."""

    chunks: int
    size_min: int
    size_median: float
    size_max: int
    overlap_requested: int
    overlap_mean: float
    """Mean over all chunks but the first."""
    overlap_max: int
    overlap_share: float
    """Characters repeated from the previous chunk, as a share of the text: the cost of overlap."""
    fences_cut: int
    """Number of code blocks that no chunk contains completely."""
    tables_cut: int
    qa_cut: int
    over_size: int
    """Number of chunks over the size, for want of a place to cut."""
    over_model_limit: int
    small: int
    """Number of chunks whose content is under the minimum size."""
    description_over_size: int = 0
    """Number of chunks that fit, but not with a table's description or a placeholder."""
    embedded_max: int = 0
    """Units of the longest embedded text of these chunks."""
    description_shortened: int = 0
    """Number of chunks with table descriptions that the model's limit shortens."""
    free_mean: float = 0.0
    """Mean room reserved for text generated when the index is built; part of the size."""


@dataclass(frozen=True, slots=True, eq=False)
class Boundaries:
    """Boundaries of n chunks in order, used by viewers and indexes (law 5). Arrays are (n,) int32."""

    starts: Ints
    ends: Ints
    tokens: Ints
    """Tokens of prefix and content; an upper bound for tokenizers that cross white space."""
    prefix_tokens: Ints
    sizes: Ints
    """Prefix, content and reserved room in the unit of the configuration, for histograms."""
    free_tokens: Ints
    """Maximum tokens of text generated into the reserved room; not part of `tokens`."""
    sections: Ints
    """Index into `document.sections`; -1 without sections, and for chunks over several with no common one."""
    flags: Ints
    """Bits of FLAG_BITS."""
    units: Ints
    """Index into `document.blocks` of the large table that each chunk is, or is part of; -1 for others."""
    prefixes: list[str]
    content_types: list[str]
    strategy_used: str
    warnings: tuple[str, ...]
    achieved: Achieved
    embedded_tokens: Ints
    """Tokens of the embedded text: exact for a chunk with a table or a placeholder, else an upper bound."""

    def __len__(self) -> int:
        return len(self.starts)


def make_boundaries(
    inputs: SplitInputs,
    pieces: ChunkColumns,
    strategy_used: str,
    *,
    max_tokens: int | None,
    beyond: Flag = Flag.OVER_MODEL_LIMIT,
    warnings: tuple[str, ...] = (),
    fallback: bool = False,
) -> Boundaries:
    """Turn chunks, given by numbers of cuts, into offsets, prefixes, counts, flags and statistics.

    Args:
        max_tokens: the model's limit without special tokens; None: no limit.
        beyond: flag of chunks over that limit.
        warnings: earlier ones, which come first.
        fallback: True if a simpler strategy than the configured one made the pieces.
    """
    columns = (pieces.first, pieces.after, pieces.section, pieces.table)
    first, after, section, header = (np.array(column, np.int32) for column in columns)
    places = inputs.marks.places
    starts, ends = places.at[first], places.stop[after]
    prefixes, prefix_tokens, prefix_units, shortened = _prefixes(inputs, starts, section, header)
    content = inputs.positions.tokens(first, after)
    tokens = content + prefix_tokens
    content = content if inputs.config.unit is Unit.TOKENS else ends - starts
    free = free_units(inputs.config, prefix_units, content)
    sizes = content + prefix_units + free
    cut_flags, cut = _cut_blocks(inputs, starts, ends)
    conditions = (
        (Flag.OVER_SIZE, sizes > inputs.config.size),
        (Flag.KEPT_OVER_SIZE, _kept_over_size(inputs, first, after, sizes)),
        (
            beyond,
            tokens + free_tokens(inputs.config, free)
            > (max_tokens if max_tokens is not None else np.iinfo(np.int32).max),
        ),
        (Flag.PREFIX_SHORTENED, shortened),
        (Flag.FALLBACK, np.full(len(starts), fallback)),
    )
    flags = cut_flags + sum(
        (condition * np.int32(FLAG_BITS[flag]) for flag, condition in conditions), np.zeros(len(starts), np.int32)
    )
    achieved = _achieve(inputs, pieces, sizes, content, free, flags, cut)
    return Boundaries(
        starts=starts,
        ends=ends,
        tokens=tokens,
        prefix_tokens=prefix_tokens,
        sizes=sizes,
        free_tokens=free_tokens(inputs.config, free),
        sections=section if inputs.document.sections else np.full(len(starts), -1, np.int32),
        flags=flags.astype(np.int32),
        units=_large_tables(inputs, pieces),
        prefixes=prefixes,
        content_types=inputs.survey.type_sums.types(starts, ends),
        strategy_used=strategy_used,
        warnings=(*warnings, *_warnings(inputs, flags)),
        achieved=achieved,
        embedded_tokens=tokens,
    )


def _kept_over_size(inputs: SplitInputs, first: Ints, after: Ints, sizes: Ints) -> NDArray[np.bool_]:
    """Return (n,) True for chunks over the size with a span kept together by a pin."""
    over = sizes > inputs.config.size
    if inputs.pins is None or not over.any() or not len(inputs.pins.keeps.first):
        return np.zeros(len(sizes), np.bool_)
    keeps = inputs.pins.keeps
    span = np.searchsorted(keeps.first, first)
    holds: NDArray[np.bool_] = (
        over & (span < len(keeps.first)) & (keeps.after[np.minimum(span, len(keeps.first) - 1)] <= after)
    )
    return holds


def _large_tables(inputs: SplitInputs, pieces: ChunkColumns) -> Ints:
    """Return (n,) values of `Boundaries.units`: tables that are alone because of their size."""
    numbers = np.array([*(np.where(inputs.large, inputs.marks.keeps.block, -1)), -1], np.int32)
    return numbers[np.array(pieces.unit, np.int32)]


def _prefixes(
    inputs: SplitInputs, starts: Ints, section: Ints, header: Ints
) -> tuple[list[str], Ints, Ints, NDArray[np.bool_]]:
    """Return text, tokens, units and shortening of each chunk's prefix."""
    fitted = inputs.prefixes
    has = np.ones(len(starts), np.bool_)
    if inputs.config.prefix is Prefix.HEADER and inputs.document.sections:
        has = starts >= inputs.survey.section_offset[section]  # else the content has the heading
    every = np.array([*fitted.texts, ""], dtype=object)
    rows = np.where(section < 0, len(fitted.texts) - 1, section)
    texts: list[str] = every[np.where(has, rows, len(fitted.texts))].tolist()
    tokens, units = fitted.tokens[section] * has, fitted.units[section] * has
    shortened = fitted.shortened[section] & has
    for row in np.flatnonzero(header >= 0).tolist():
        one = inputs.table_prefixes[int(header[row])]
        texts[row], tokens[row], units[row], shortened[row] = one.text, one.tokens, one.units, one.shortened
    return texts, tokens, units, shortened


def _cut_blocks(inputs: SplitInputs, starts: Ints, ends: Ints) -> tuple[Ints, dict[Keep, int]]:
    """Return flags of chunks with part of a block that no chunk contains, and the number of these blocks."""
    keeps, places = inputs.marks.keeps, inputs.marks.places
    flags = np.zeros(len(starts), np.int32)
    cut = dict.fromkeys(Keep, 0)
    if not len(starts):
        return flags, cut
    block_start, block_end = places.first[keeps.first], places.stop[keeps.after]
    holder = np.searchsorted(ends, block_end)  # the first chunk that reaches its end starts earliest
    low, high = np.searchsorted(ends, block_start, side="right"), np.searchsorted(starts, block_end)
    parted = (holder == len(starts)) | (starts[np.minimum(holder, len(starts) - 1)] > block_start)
    parted &= low < high  # else it is left out
    for kind, flag in _CUT_FLAGS.items():
        blocks = parted & keeps.of([kind])
        cut[kind] = int(blocks.sum())
        if cut[kind]:
            edge = np.zeros(len(starts) + 1, np.int32)
            np.add.at(edge, low[blocks], 1)
            np.add.at(edge, high[blocks], -1)
            flags[np.cumsum(edge[:-1]) > 0] |= FLAG_BITS[flag]
    return flags, cut


def _achieve(
    inputs: SplitInputs, pieces: ChunkColumns, sizes: Ints, content: Ints, free: Ints, flags: Ints, cut: dict[Keep, int]
) -> Achieved:
    first, after = np.array(pieces.first[1:], np.int32), np.array(pieces.after[:-1], np.int32)
    shared = np.array(pieces.shared[1:], np.int32) > 0
    places = inputs.marks.places
    characters = np.where(shared, places.stop[after] - places.at[first], 0)
    overlaps = characters.copy()
    if inputs.config.unit is Unit.TOKENS:
        overlaps[shared] = inputs.positions.tokens(first[shared], after[shared])
    return Achieved(
        chunks=len(sizes),
        size_min=int(sizes.min()) if len(sizes) else 0,
        size_median=float(np.median(sizes)) if len(sizes) else 0.0,
        size_max=int(sizes.max(initial=0)),
        overlap_requested=inputs.config.overlap_amount,
        overlap_mean=float(overlaps.mean()) if len(overlaps) else 0.0,
        overlap_max=int(overlaps.max(initial=0)),
        overlap_share=float(characters.sum()) / max(len(inputs.document.text), 1),
        fences_cut=cut[Keep.CODE],
        tables_cut=cut[Keep.TABLE],
        qa_cut=cut[Keep.QA],
        over_size=_count(flags, Flag.OVER_SIZE),
        over_model_limit=_count(flags, Flag.OVER_MODEL_LIMIT),
        small=int((content < inputs.config.min_amount).sum()),
        free_mean=float(free.mean()) if len(free) else 0.0,
    )


def _count(flags: Ints, flag: Flag) -> int:
    return int(((flags & np.int32(FLAG_BITS[flag])) != 0).sum())


def _warnings(inputs: SplitInputs, flags: Ints) -> list[str]:
    number = _count(flags, Flag.PREFIX_SHORTENED)
    if not number:
        return []
    noun = "chunk has a prefix that was" if number == 1 else "chunks have a prefix that was"
    reason = f"because it would take more than half of the size {inputs.config.size}"
    return [f"{number:,} {noun} shortened, {reason}; raise the size to keep it whole."]


class ChunkSpans(Protocol):
    """Starts and ends of chunks, such as `Boundaries`; both ascend strictly (law 3)."""

    @property
    def starts(self) -> Ints: ...
    @property
    def ends(self) -> Ints: ...


@dataclass(frozen=True, slots=True, eq=False)
class BoundaryComparison:
    """Shared and separate boundaries of the splits A and B: ascending offsets in characters."""

    shared: Ints
    only_a: Ints
    only_b: Ints


def new_text(text: str, spans: ChunkSpans) -> Ints:
    """Return where the text begins that each chunk does not share with the previous one.

    Args:
        text: of the document.
        spans: n chunks, each with some visible text of its own.
    Returns:
        (n,) strictly ascending; all but the first are boundaries.

    >>> from types import SimpleNamespace
    >>> new_text("One two. Three.", SimpleNamespace(starts=np.int32([0, 4]), ends=np.int32([8, 15]))).tolist()
    [0, 9]
    """
    starts, ends = np.asarray(spans.starts, np.int32), np.asarray(spans.ends, np.int32)
    if not len(starts):
        return starts
    begins = np.maximum(starts, np.concatenate([[0], ends[:-1]])).tolist()
    for number, at in enumerate(begins):
        while at < len(text) and text[at].isspace():
            at += 1
        begins[number] = at
    return np.array(begins, np.int32)


def compare_boundaries(a: Ints, b: Ints) -> BoundaryComparison:
    """Divide the boundaries of two splits into shared ones and those of only one split.

    Args:
        a, b: `new_text` of each, for one document; the first entry of each begins the text and is no boundary.

    >>> compared = compare_boundaries(np.int32([0, 10, 20]), np.int32([0, 20, 30]))
    >>> compared.shared.tolist(), compared.only_a.tolist(), compared.only_b.tolist()
    ([20], [10], [30])
    """
    a, b = a[1:], b[1:]
    in_b, in_a = np.isin(a, b, assume_unique=True), np.isin(b, a, assume_unique=True)
    return BoundaryComparison(a[in_b], a[~in_b], b[~in_a])
