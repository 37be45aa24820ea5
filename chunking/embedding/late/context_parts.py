"""Context parts of a chunk's vector besides its own text, and token states of long texts.

Parts are the same for chunks of any size. A prefix is split into titles, so that a shortened one consists of the same
titles. A table's description adds only the column names to its rows, and these are in the document.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import NamedTuple

import numpy as np

from chunking.embedding.base import OnProgress, Vectors
from chunking.embedding.local.local_embedder import LocalEmbedder
from chunking.embedding.local.token_windows import Framing, Ints, TextTokens, Window, plan_windows
from chunking.errors import ModelError
from chunking.model import Block, BlockType, Chunk, Document, Flag, Span

__all__ = [
    "ContextPart",
    "ContextParts",
    "context_parts_of",
    "header_spans",
    "parts_of_prefix",
    "read_states",
    "title_texts",
]

_JOINER, _SEPARATOR, _ELLIPSIS = " > ", "\n\n", "…"
"""Separators and ellipsis of a prefix, as `splitting.chunks.prefixes` writes it."""
_START, _END = attrgetter("start"), attrgetter("end")

_ROWS_AT_ONCE = 64
"""Windows passed to the model between two progress reports."""


class ContextPart(NamedTuple):
    """Text encoded alone and added to a chunk's vector, such as a title, with its share."""

    text: str
    share: float = 1.0
    """Share of it that is in the prefix: less than 1 if words of a title were left out."""


@dataclass(frozen=True, slots=True)
class ContextParts:
    """Texts and header rows that are added to a chunk's vector besides its own span."""

    texts: tuple[ContextPart, ...]
    spans: tuple[Span, ...]
    """Header rows in the document, for a chunk that holds a later part of a table."""


def title_texts(document: Document) -> tuple[str, ...]:
    """Return the distinct titles of a document and its sections, and its source path.

    Prefixes of any size consist of these.
    """
    paths = (document.title, *(title for section in document.sections for title in section.title_path), document.source)
    return tuple(dict.fromkeys(title for path in paths for title in path.split(_JOINER) if title.strip()))


def context_parts_of(document: Document, chunk: Chunk, titles: tuple[str, ...]) -> ContextParts:
    """Return the titles, generated texts and table headers that are added to a chunk's vector.

    Args:
        titles: `title_texts` of the document.
    """
    headers = tuple(header_spans(document, chunk.start, chunk.end))
    texts = [*parts_of_prefix(chunk.prefix, titles, in_table=bool(headers), written=chunk.written)]
    generated = bool(chunk.description) and Flag.GENERATED in chunk.flags
    texts += [ContextPart(text) for text in (chunk.written, chunk.description if generated else "") if text.strip()]
    return ContextParts(tuple(texts), () if generated else headers)


def parts_of_prefix(
    prefix: str, titles: tuple[str, ...], *, in_table: bool, written: str = ""
) -> Iterator[ContextPart]:
    """Yield the titles in a chunk's prefix, without generated text and a table's header.

    A shortened title is yielded in full, with the share of it that is in the prefix.

    Args:
        titles: `title_texts` of the document.
        in_table: the chunk continues a table that began before it (`header_spans` yields something).
        written: generated text at the end of the prefix, which is not yielded.
        written: generated text in the prefix, left out.
    """
    path, separator, _ = prefix.partition(_SEPARATOR)
    path = path.removesuffix(written).strip()
    only_header = in_table and not separator and not all(title in titles for title in path.split(_JOINER))
    yield from _of_path("" if only_header else path, titles)


def _of_path(path: str, titles: tuple[str, ...]) -> Iterator[ContextPart]:
    for title in path.split(_JOINER):
        title = title.strip()
        if title.startswith(_ELLIPSIS) and title not in titles:
            title = title.removeprefix(_ELLIPSIS).strip()
            full_title = next((one for one in titles if title and one.endswith(title)), title)
            if full_title:
                yield ContextPart(full_title, len(title) / len(full_title))
        elif title:
            yield ContextPart(title)


def header_spans(document: Document, start: int, end: int) -> Iterator[Span]:
    """Yield the spans of header rows of tables that a chunk continues: they began before `start`."""
    first = bisect_right(document.blocks, start, key=_END)
    after = bisect_left(document.blocks, end, lo=first, key=_START)
    for block in document.blocks[first:after]:
        header_end = _header_end(block)
        if block.start < start and header_end > block.start:
            yield Span(block.start, min(header_end, start))


def _header_end(block: Block) -> int:
    return int(block.meta.get("header_end", block.start)) if block.type is BlockType.TABLE else block.start


# -- states of texts of any length, window by window, summed by unit


@dataclass(frozen=True, slots=True)
class UnitStates:
    """Sums of a model's token states over the units of texts."""

    sums: list[Vectors]
    """(units, width) float32 of each text: sums over the tokens of each unit."""
    edge: Vectors
    """(width,) float32: the mean state of the special tokens at the ends of the windows."""
    edge_tokens: float
    """Number of special tokens pooled in a window."""


def read_states(
    embedder: LocalEmbedder,
    window: int,
    texts: Sequence[TextTokens],
    ends: Sequence[Ints],
    on_progress: OnProgress | None = None,
) -> UnitStates:
    """Read texts by the model in windows, and sum the token states of each unit.

    Windows overlap; a token's state is from the window where it is most central.

    Args:
        window: maximum tokens of a window, including special tokens and prompt.
        texts: at least one.
        ends: of each text, (units,) index of the token after each unit, from `unit_ends`.
        on_progress: called with the number of tokens that are done; may raise to stop.
    Raises:
        ModelError: the model fails, or its prompt fills the window.
    """
    frame = embedder.framing()
    size = window - frame.tokens
    if size < 1:
        raise ModelError(
            f"The prompt of {embedder.folder.name} leaves no room in a window of {window} tokens: "
            "set a larger embedding.late_window, or a shorter embedding.passage_prefix."
        )
    windows = [(number, one) for number, pieces in enumerate(texts) for one in plan_windows(len(pieces), size)]
    sums = _StateSums(frame, ends)
    done = 0
    for first in range(0, len(windows), _ROWS_AT_ONCE):
        some = windows[first : first + _ROWS_AT_ONCE]
        rows = [
            [*frame.before, *texts[number].ids[one.first : one.after].tolist(), *frame.after] for number, one in some
        ]
        for row, states in embedder.states(rows):
            sums.add(*some[row], states)
        done += sum(one.own[1] - one.own[0] for _, one in some)
        if on_progress is not None:
            on_progress(done)
    return sums.result(len(windows))


class _StateSums:
    """Running sums of token states by unit."""

    def __init__(self, frame: Framing, ends: Sequence[Ints]) -> None:
        self._frame, self._ends = frame, ends
        self._sums: list[Vectors] = []
        self._edges = np.zeros(0, np.float32)

    def add(self, number: int, window: Window, states: Vectors) -> None:
        """Add the states of a window, including those of special tokens and prompt."""
        if not self._sums:  # the width is known from now on
            self._sums = [np.zeros((len(ends), states.shape[1]), np.float32) for ends in self._ends]
            self._edges = np.zeros(states.shape[1], np.float32)
        before, first, (low, high) = len(self._frame.before), window.first, window.own
        edges = (states[self._frame.unpooled : before], states[before + window.after - first :])
        self._edges += sum(edge.sum(axis=0) for edge in edges)
        if low == high:
            return
        units = np.searchsorted(self._ends[number], np.arange(low, high, dtype=np.int32), side="right")
        starts = np.flatnonzero(np.diff(units, prepend=-1))
        self._sums[number][units[starts]] += np.add.reduceat(
            states[before + low - first : before + high - first], starts, axis=0
        )

    def result(self, windows: int) -> UnitStates:
        tokens = self._frame.tokens - self._frame.unpooled
        return UnitStates(self._sums, self._edges / np.float32(max(windows * tokens, 1)), float(tokens))
