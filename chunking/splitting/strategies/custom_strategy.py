"""Chunks of a custom splitter, made to keep the laws.

Text that it leaves out is added to the chunk before. A chunk that begins or ends before its predecessor does is
skipped, one that is too long is cut further, and unbroken blocks stay whole.
"""

from __future__ import annotations

from collections.abc import Iterator

from chunking.config import Unit
from chunking.model import Span
from chunking.splitting.packing.chunk_columns import ChunkColumns
from chunking.splitting.packing.split_inputs import SplitInputs
from chunking.splitting.strategies.custom_spans import located
from chunking.splitting.strategies.custom_splitters import split_with
from chunking.splitting.strategies.foreign_splitters import FOREIGN
from chunking.splitting.strategies.split_at_places import split_at
from chunking.splitting.strategies.splitter_contract import CannotSplitError, Lengths

__all__ = ["custom_chunks"]


def custom_chunks(inputs: SplitInputs) -> ChunkColumns:
    """Cut by the splitter that the configuration names."""
    results = _splitter_spans(inputs)
    if not results:
        raise CannotSplitError(f"the splitter '{inputs.config.splitter}' gave no chunk")
    spans = list(_ascending(results))
    starts, ends = ([getattr(span, edge) for span in spans] for edge in ("start", "end"))
    first, after = inputs.marks.places_of(starts).tolist(), inputs.marks.places_of(ends).tolist()
    new = [max(begin, end) for begin, end in zip(first, [0, *after], strict=False)]
    if len(spans) < len(results):
        inputs.notes.append(_skip_warning(inputs, len(results) - len(spans)))
    return _with_overlap(inputs, split_at(inputs, new), dict(zip(new, first, strict=True)))


def _splitter_spans(inputs: SplitInputs) -> list[Span]:
    """The chunks of the configured splitter; only a foreign one runs again for other lengths."""
    name, lengths, document = inputs.config.splitter, _lengths(inputs), inputs.measured.document
    key = (name, lengths.size, lengths.overlap) if name in FOREIGN else (name, 0, 0)
    return inputs.measured.memo.of(key, lambda: located(document.text, split_with(name, document, lengths)))


def _lengths(inputs: SplitInputs) -> Lengths:
    """Lengths for which every section has room with its prefix."""
    size = max(min(inputs.rooms), 1)
    count = inputs.measured.counter.count if inputs.config.unit is Unit.TOKENS else len
    return Lengths(size, min(inputs.config.overlap_amount, size - 1), count)


def _skip_warning(inputs: SplitInputs, number: int) -> str:
    which = "1 chunk that goes" if number == 1 else f"{number:,} chunks that go"
    return (
        f"The splitter {inputs.config.splitter} gave {which} back in {inputs.document.source}; that text is in the "
        f"chunk before."
    )


def _ascending(spans: list[Span]) -> Iterator[Span]:
    """The spans that begin and end after the one before (law 3)."""
    before = Span(-1, -1)
    for span in spans:
        if span.start > before.start and span.end > before.end:
            yield span
            before = span


def _with_overlap(inputs: SplitInputs, pieces: ChunkColumns, firsts: dict[int, int]) -> ChunkColumns:
    """Let each chunk overlap the one before as the splitter has it, where it still fits."""
    for number in range(1, len(pieces)):
        new = pieces.first[number] + pieces.shared[number]
        first = firsts.get(new, new)
        may_overlap = (
            pieces.after[number - 1] == new not in inputs.splits
            and pieces.unit[number - 1] < 0
            and pieces.unit[number] < 0
        )
        section = pieces.section[number]
        if may_overlap and pieces.first[number - 1] < first < new and inputs.fits(first, pieces.after[number], section):
            first = max(inputs.after_block(first), pieces.first[number - 1] + 1)
            pieces.first[number], pieces.shared[number] = min(first, new), new - min(first, new)
    return pieces
