"""Chunks as a splitter of the user's own makes them, held to the laws.

Nothing it leaves out is lost: that is added to the chunk before. A chunk that begins or ends before the one before it
does is
passed over, one that is too long is cut further, and blocks that are to stay whole do.
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
    """By the splitter that the configuration names."""
    given = _splitter_spans(inputs)
    if not given:
        raise CannotSplitError(f"the splitter '{inputs.config.splitter}' gave no chunk")
    spans = list(_forward(given))
    starts, ends = ([getattr(span, edge) for span in spans] for edge in ("start", "end"))
    first, after = inputs.marks.places_of(starts).tolist(), inputs.marks.places_of(ends).tolist()
    new = [max(begin, end) for begin, end in zip(first, [0, *after], strict=False)]
    if len(spans) < len(given):
        inputs.notes.append(_passed_over(inputs, len(given) - len(spans)))
    return _overlapped(inputs, split_at(inputs, new), dict(zip(new, first, strict=True)))


def _splitter_spans(inputs: SplitInputs) -> list[Span]:
    """The chunks of the configured splitter, in its order; only a foreign one is run again for other lengths."""
    name, lengths, document = inputs.config.splitter, _lengths(inputs), inputs.measured.document
    key = (name, lengths.size, lengths.overlap) if name in FOREIGN else (name, 0, 0)
    return inputs.measured.memo.of(key, lambda: located(document.text, split_with(name, document, lengths)))


def _lengths(inputs: SplitInputs) -> Lengths:
    """What every section has room for, beside its prefix."""
    size = max(min(inputs.rooms), 1)
    count = inputs.measured.counter.count if inputs.config.unit is Unit.TOKENS else len
    return Lengths(size, min(inputs.config.overlap_amount, size - 1), count)


def _passed_over(inputs: SplitInputs, number: int) -> str:
    which = "1 chunk that goes" if number == 1 else f"{number:,} chunks that go"
    return (
        f"The splitter {inputs.config.splitter} gave {which} back in {inputs.document.source}; that text is in the "
        f"chunk before."
    )


def _forward(spans: list[Span]) -> Iterator[Span]:
    """Those that begin and end after the one before (law 3)."""
    before = Span(-1, -1)
    for span in spans:
        if span.start > before.start and span.end > before.end:
            yield span
            before = span


def _overlapped(inputs: SplitInputs, pieces: ChunkColumns, firsts: dict[int, int]) -> ChunkColumns:
    """Let each chunk begin where the splitter lets it, inside the one before, where it still fits."""
    for number in range(1, len(pieces)):
        new = pieces.first[number] + pieces.shared[number]
        first = firsts.get(new, new)
        beside = (
            pieces.after[number - 1] == new not in inputs.splits
            and pieces.unit[number - 1] < 0
            and pieces.unit[number] < 0
        )
        section = pieces.section[number]
        if beside and pieces.first[number - 1] < first < new and inputs.fits(first, pieces.after[number], section):
            first = max(inputs.behind(first), pieces.first[number - 1] + 1)
            pieces.first[number], pieces.shared[number] = min(first, new), new - min(first, new)
    return pieces
