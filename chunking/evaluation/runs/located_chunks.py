"""Chunks of a file located in one document, for display over its text.

Unlike `loaded_chunks`, which makes a splitter and requires all chunks, this keeps the chunks it finds and counts the
rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunking.errors import QuestionError
from chunking.evaluation.runs.loaded_chunks import ChunkLine, chunk_lines, document_named, documents_by_name
from chunking.model import CHUNK, Document, Span
from chunking.splitting.strategies.splitter_contract import SpanFinder

__all__ = ["MOST_BYTES", "LocatedChunks", "locate_chunks"]

Ints = NDArray[np.int32]

MOST_BYTES = 20_000_000
"""Most bytes of a file."""
_MOST_SEARCHED = 1_000_000_000
"""Most characters searched for chunks that are not where expected: some seconds at worst."""


@dataclass(frozen=True, slots=True, eq=False)
class LocatedChunks:
    """n chunks of a file located in a document's text; starts and ends ascend strictly."""

    name: str
    """Name of the file."""
    starts: Ints
    """(n,) in characters; chunks are trimmed of white space."""
    ends: Ints
    not_found: int
    """Chunks whose text or place is not in this document."""
    elsewhere: int
    """Chunks of other documents."""
    inside: int
    """Chunks dropped because they lie inside another one; repeats, too."""

    def __len__(self) -> int:
        return len(self.starts)


def locate_chunks(data: bytes, name: str, document: Document) -> LocatedChunks:
    """Locate the chunks of a file in a document, and count those not found, elsewhere or nested.

    The format is that of `chunk_lines`. A chunk's text decides: at its offsets if it matches there, else searched for
    behind the previous chunk, then everywhere; exactly first, then regardless of white space. Offsets without text are
    used as they are. Lines without a document belong to this one; levels larger than chunks are ignored.

    Args:
        data: JSON lines, UTF-8.
        name: of the file, for the sentences.
    Raises:
        QuestionError: the file has more than 20,000,000 bytes, a line cannot be read, or none of its chunks is in this
            document; or so many are not that the search would take long.
    """
    if len(data) > MOST_BYTES:
        raise QuestionError(
            f"{name} has {len(data):,} bytes, more than {MOST_BYTES:,}; load the chunks of this document only.",
            where=name,
        )
    by_name = documents_by_name([document])
    lines = _lowest_level(list(chunk_lines(data, name)))
    own = [line for line in lines if line.document is None or document_named(line.document, by_name)]
    spans = _trimmed(document.text, _spans(document, own, name))
    if not spans:
        raise QuestionError(_nothing(name, len(lines), len(own)), where=name)
    kept = list(_outermost(spans))
    starts, ends = np.array(kept, np.int32).T
    return LocatedChunks(name, starts, ends, len(own) - len(spans), len(lines) - len(own), len(spans) - len(kept))


def _lowest_level(lines: list[ChunkLine]) -> list[ChunkLine]:
    """Keep the chunks of an export with several levels."""
    return [line for line in lines if line.level == CHUNK] or lines


def _nothing(name: str, lines: int, own: int) -> str:
    if not lines:
        return f"{name} has no chunk; write a line of JSON for each, with its text or its start and end."
    if not own:
        return f"All chunks of {name} name other documents; choose one of those, or load chunks of this one."
    return f"None of the chunks of {name} is in this document; load chunks of the text as it is here."


def _spans(document: Document, lines: Iterable[ChunkLine], name: str) -> Iterator[Span]:
    finder, before, searched = SpanFinder(document.text), Span(-1, 0), 0
    length = len(document.text)
    for line in lines:
        span = _span_of_line(document.text, line)
        if span is None and line.text is not None and line.text.strip():
            span = finder.find(line.text, before)
            searched += 2 * length if span is None else span.start - before.start
            if span is None and before.start > 0:
                span, searched = finder.find(line.text, Span(-1, 0)), searched + 2 * length
            if searched > _MOST_SEARCHED:
                raise QuestionError(
                    (
                        f"Too many chunks of {name} are not in this document (up to line {line.number:,}); load "
                        f"those of this document only."
                    ),
                    where=name,
                )
        if span is not None:
            before = span
            yield span


def _span_of_line(text: str, line: ChunkLine) -> Span | None:
    """Return the span at a line's offsets if its text matches."""
    if line.start is None or not 0 <= line.start < len(text):
        return None
    if line.text is not None and text.startswith(line.text, line.start):
        return Span(line.start, line.start + len(line.text))
    if line.text is None and line.end is not None and line.start < line.end <= len(text):
        return Span(line.start, line.end)
    return None


def _trimmed(text: str, spans: Iterable[Span]) -> list[Span]:
    """Trim white space from spans; drop empty ones."""
    kept_spans = []
    for start, end in spans:
        inside = text[start:end]
        start, end = start + len(inside) - len(inside.lstrip()), end - (len(inside) - len(inside.rstrip()))
        if start < end:
            kept_spans.append(Span(start, end))
    return kept_spans


def _outermost(spans: Iterable[Span]) -> Iterator[Span]:
    """Yield spans in text order, without those inside another one."""
    reached = -1
    for span in sorted(spans, key=lambda one: (one.start, -one.end)):
        if span.end > reached:
            yield span
            reached = span.end
