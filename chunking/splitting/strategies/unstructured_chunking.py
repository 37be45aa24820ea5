"""The chunking of the library `unstructured`, by title or basic, over a document's blocks as its elements.

Its functions `chunk_by_title` and `chunk_elements` with their default rules: elements fill a chunk while they fit, a
table stands
alone, an element that is too long is cut at its last line end or space; by title, a title begins a chunk, and small
chunks are
joined while they fit. Three things are done here, since its own way with tokens would be another splitter:

- sizes are this project's units. Its token mode joins small chunks while their *characters* are under the size in
  tokens,
  repeats an overlap of as many characters, and counts the rest of a text once for each space in it, which takes hours
  for a long one;
- it cuts without overlap to a size that leaves room for it; the end of the chunk before is then repeated, as
  `overlap_all` does;
- each chunk is found in the document word by word, behind the one before, so that its span is exact.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from chunking.model import Document, Span
from chunking.parsing.document_elements import document_elements
from chunking.parsing.second_parser.offline import switch_messages_off
from chunking.splitting.strategies.splitter_contract import CannotSplitError, Lengths

if TYPE_CHECKING:
    from unstructured.chunking.base import ChunkingOptions, PreChunk
    from unstructured.documents.elements import Element

__all__ = ["cut_elements", "load"]

_WORD = re.compile(r"\S")
_SPACE = re.compile(r"\s+(?=\S)")
_SEPARATORS = ("\n", " ")
"""Of an element that is too long, the preferred one first, as `unstructured` has them."""


def load() -> None:
    """Import what is needed, in silence; a tenth of a second, since no reader is among it."""
    switch_messages_off()
    import unstructured.chunking.title  # noqa: F401


def cut_elements(document: Document, lengths: Lengths, *, by_title: bool) -> list[Span]:
    """The chunks of a document.

    Args:
        by_title: as `chunk_by_title` makes them; else as `chunk_elements` does.
    Raises:
        CannotSplitError: the library changed or left out words.
    """
    load()
    from unstructured.documents.elements import TYPE_TO_TEXT_ELEMENT_MAP

    own = document_elements(document)
    elements = [
        TYPE_TO_TEXT_ELEMENT_MAP[one.category](text=document.text[slice(*one.span)], element_id=str(n))
        for n, one in enumerate(own)
    ]
    place = _Place(document.text, [one.span for one in own])
    found: list[tuple[Span, bool]] = []
    for chunk in _chunks(elements, lengths, by_title):
        words = [place.past(word) for word in chunk.text.split()]
        if words:
            found.append((Span(words[0].start, words[-1].end), chunk.category == "CompositeElement"))
    return list(_overlapped(document.text, found, lengths))


def _chunks(elements: Iterable[Element], lengths: Lengths, by_title: bool) -> Iterator[Element]:
    """As `unstructured.chunking.title` and `basic` put their parts together."""
    from unstructured.chunking.base import PreChunkCombiner, PreChunker
    from unstructured.chunking.basic import _BasicChunkingOptions
    from unstructured.chunking.title import _ByTitleChunkingOptions

    options = _options(_ByTitleChunkingOptions if by_title else _BasicChunkingOptions, lengths)
    groups: Iterable[PreChunk] = PreChunker.iter_pre_chunks(elements, options)
    if by_title:
        groups = PreChunkCombiner(_measured(groups, options), options).iter_combined_pre_chunks()
    for some in groups:
        yield from some.iter_chunks()


def _options(kind: type[ChunkingOptions], lengths: Lengths) -> ChunkingOptions:
    """Its options in its token mode, with this project's count."""

    class Counter:
        count = staticmethod(lengths.count)

        def validate(self) -> None:
            """There is nothing to be looked up."""

    class Options(kind):  # type: ignore[valid-type,misc]
        token_counter = cached_property(lambda self: Counter())
        split = cached_property(lambda self: lambda text: _split(text, self.hard_max, lengths.count))

    options: ChunkingOptions = Options.new(
        max_tokens=max(lengths.size - lengths.overlap, 1),
        tokenizer="of the embedding model",
        include_orig_elements=False,
    )
    return options


def _measured(groups: Iterable[PreChunk], options: ChunkingOptions) -> Iterator[PreChunk]:
    """Groups of elements that are joined while they fit the size in its own units."""
    from unstructured.chunking.base import PreChunk, _table_isolation_forbids_side_by_side_merge

    class Measured(PreChunk):
        def can_combine(self, pre_chunk: PreChunk) -> bool:
            if _table_isolation_forbids_side_by_side_merge(self._elements, pre_chunk._elements):
                return False
            return options.measure(self.combine(pre_chunk)._text) <= options.hard_max

        def combine(self, other_pre_chunk: PreChunk) -> PreChunk:
            return Measured([*self._elements, *other_pre_chunk._elements], self._overlap_prefix, self._opts)

    return (Measured(one._elements, one._overlap_prefix, options) for one in groups)


def _split(text: str, size: int, count: Callable[[str], int]) -> tuple[str, str]:
    """The beginning of a text that fits, up to its last line end or else its last space, and the rest.

    The same place as `unstructured.chunking.base._TextSplitter` finds; the work goes with the size, not with the text.
    """
    end = _longest(text, size, count)
    if end == len(text):
        return text, ""
    for separator in _SEPARATORS:
        at = text.rfind(separator, 0, end + 1)
        if at > 0 and text[:at].strip():
            return text[:at].rstrip(), text[at:].lstrip()
    return text[:end], text[end:].lstrip()


def _longest(text: str, size: int, count: Callable[[str], int]) -> int:
    """Characters of the longest beginning of a text that fits; at least one."""
    fits, beyond = 1, max(size, 2)
    while beyond < len(text) and count(text[:beyond]) <= size:
        fits, beyond = beyond, 2 * beyond
    if beyond >= len(text):
        if count(text) <= size:
            return len(text)
        beyond = len(text)
    return max(bisect_left(range(beyond), True, lo=fits, key=lambda end: count(text[:end]) > size) - 1, 1)


class _Place:
    """A place in a text that goes forward, word by word, through the spans of its elements."""

    def __init__(self, text: str, spans: Sequence[Span]) -> None:
        self._text, self._left = text, iter(spans)
        self._at, self._end = 0, 0

    def past(self, word: str) -> Span:
        """The span of the next word, which this place is behind from now on.

        Raises:
            CannotSplitError: another word stands there.
        """
        while (found := _WORD.search(self._text, self._at, self._end)) is None:
            span = next(self._left, None)
            if span is None:
                raise CannotSplitError(f"it gave '{word[:40]}' behind the end of the text")
            self._at, self._end = span
        start = found.start()
        if not self._text.startswith(word, start):
            raise CannotSplitError(f"it gave '{word[:40]}' where '{self._text[start : start + 40]}' stands")
        self._at = start + len(word)
        return Span(start, self._at)


def _overlapped(text: str, chunks: Sequence[tuple[Span, bool]], lengths: Lengths) -> Iterator[Span]:
    """The chunks, each with the end of the one before; a table neither repeats anything nor is repeated."""
    before: tuple[Span, bool] | None = None
    for span, is_text in chunks:
        repeats = lengths.overlap and before is not None and before[1] and is_text
        tail = _tail(text, before[0], lengths) if repeats and before else span.end
        yield Span(tail if before and tail < before[0].end else span.start, span.end)
        before = span, is_text


def _tail(text: str, span: Span, lengths: Lengths) -> int:
    """Where the end of a chunk begins that is repeated: at a word, where one begins in it; the chunk's end where
    nothing fits.

    Never all of the chunk: the starts of chunks increase (law 3).
    """
    places = range(span.start + 1, span.end)
    start = (
        span.start
        + 1
        + bisect_left(places, True, key=lambda start: lengths.count(text[start : span.end]) <= lengths.overlap)
    )
    if start >= span.end or text[start - 1].isspace():
        return start
    space = _SPACE.search(text, start, span.end)
    return space.end() if space else start
