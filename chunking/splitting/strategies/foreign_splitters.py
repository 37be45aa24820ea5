"""Splitters of other installed packages by name, such as `langchain:recursive`.

Each runs with this project's size, overlap and counting, so that only the cuts differ. Their chunks are made to keep
the laws like those of any custom splitter.

The library `unstructured` chunks a document's blocks, by title or basic. Its functions `chunk_by_title` and
`chunk_elements` with their default rules: elements fill a chunk while they fit, a table is alone, an element that is
too long is cut at its last line end or space; by title, a title begins a chunk, and small chunks are joined while
they fit. Three things differ, because its own token mode would be another splitter:

- sizes are this project's units. Its token mode joins small chunks while their *characters* are under the size in
  tokens, repeats an overlap of as many characters, and counts the rest of a text once for each space in it, which
  takes hours for a long one;
- it cuts without overlap to a size that leaves room for it; the end of the previous chunk is then repeated, as
  `overlap_all` does;
- each chunk is found in the document word by word, after the previous one, so that its span is exact.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING

from chunking.errors import ConfigError
from chunking.model import Document, Span
from chunking.parsing.document_elements import document_elements
from chunking.parsing.parsers.unstructured_reader import switch_messages_off
from chunking.splitting.strategies.splitter_contract import CannotSplitError, Lengths

if TYPE_CHECKING:
    from unstructured.chunking.base import ChunkingOptions, PreChunk
    from unstructured.documents.elements import Element

__all__ = ["FOREIGN", "Foreign", "cut_elements", "foreign_names", "load"]

Cut = Callable[[Document], Iterable[str | tuple[int, int]]]

_FULL_INSTALLATION = frozenset({"unstructured"})
"""Packages of requirements.txt, with versions and extras; the others are the user's choice."""

_WORD = re.compile(r"\S")
_SPACE = re.compile(r"\s+(?=\S)")
_SEPARATORS = ("\n", " ")
"""Separators at which an element that is too long is cut, best first, as in `unstructured`."""


@cache
def _version(package: str) -> str:
    """Return the installed version of a package, or ""; cached, as a form needs it with every click."""
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


@dataclass(frozen=True, slots=True)
class Foreign:
    """A splitter of another package, which is imported when the splitter is made."""

    name: str
    package: str
    """Name of the package for pip."""
    make: Callable[[Lengths], Cut]
    """Function that imports the package and makes the splitter."""

    @property
    def version(self) -> str:
        """Version of the package; empty if it is not installed."""
        return _version(self.package)

    def cut(self, lengths: Lengths) -> Cut:
        """Return a function that splits documents with the given size and overlap.

        Raises:
            ConfigError: its package is not installed.
        """
        if not self.version and self.package in _FULL_INSTALLATION:
            raise ConfigError.needs_full_installation(f"The splitter '{self.name}'", where="splitter")
        if not self.version:
            raise ConfigError(
                f"The splitter '{self.name}' needs the package {self.package}: pip install {self.package}.",
                where="splitter",
            )
        return self.make(lengths)


def _langchain(language: str) -> Callable[[Lengths], Cut]:
    def make(lengths: Lengths) -> Cut:
        from langchain_text_splitters import Language, RecursiveCharacterTextSplitter

        separators = (
            RecursiveCharacterTextSplitter.get_separators_for_language(Language(language)) if language else None
        )
        splitter = RecursiveCharacterTextSplitter(
            separators=separators,
            is_separator_regex=bool(language),
            chunk_size=lengths.size,
            chunk_overlap=lengths.overlap,
            length_function=lengths.count,
        )
        return lambda document: splitter.split_text(document.text)

    return make


def _chonkie(kind: str) -> Callable[[Lengths], Cut]:
    def make(lengths: Lengths) -> Cut:
        import chonkie

        overlap = {"chunk_overlap": lengths.overlap} if kind == "SentenceChunker" else {}
        chunker = getattr(chonkie, kind)(tokenizer=lengths.count, chunk_size=lengths.size, **overlap)
        return lambda document: [(one.start_index, one.end_index) for one in chunker.chunk(document.text)]

    return make


def _semantic_text_splitter(kind: str) -> Callable[[Lengths], Cut]:
    def make(lengths: Lengths) -> Cut:
        import semantic_text_splitter

        splitter = getattr(semantic_text_splitter, kind).from_callback(
            lengths.count, lengths.size, overlap=lengths.overlap
        )
        return lambda document: [(start, start + len(part)) for start, part in splitter.chunk_indices(document.text)]

    return make


def _unstructured(*, by_title: bool) -> Callable[[Lengths], Cut]:
    def make(lengths: Lengths) -> Cut:
        from chunking.splitting.strategies.foreign_splitters import cut_elements, load

        load()
        return lambda document: cut_elements(document, lengths, by_title=by_title)

    return make


FOREIGN: Mapping[str, Foreign] = {
    row.name: row
    for row in (
        Foreign("unstructured:by_title", "unstructured", _unstructured(by_title=True)),
        Foreign("unstructured:basic", "unstructured", _unstructured(by_title=False)),
        Foreign("langchain:recursive", "langchain-text-splitters", _langchain("")),
        Foreign("langchain:markdown", "langchain-text-splitters", _langchain("markdown")),
        Foreign("chonkie:recursive", "chonkie", _chonkie("RecursiveChunker")),
        Foreign("chonkie:sentence", "chonkie", _chonkie("SentenceChunker")),
        Foreign("semantic-text-splitter:text", "semantic-text-splitter", _semantic_text_splitter("TextSplitter")),
        Foreign(
            "semantic-text-splitter:markdown", "semantic-text-splitter", _semantic_text_splitter("MarkdownSplitter")
        ),
    )
}


def foreign_names() -> tuple[str, ...]:
    """Return the names of the splitters whose packages are installed; nothing is imported."""
    return tuple(name for name, row in FOREIGN.items() if row.version)


def load() -> None:
    """Import unstructured's chunking modules silently, without its readers; takes 0.1 s."""
    switch_messages_off()
    import unstructured.chunking.title  # noqa: F401


def cut_elements(document: Document, lengths: Lengths, *, by_title: bool) -> list[Span]:
    """Return the spans of chunks as unstructured's `chunk_by_title` or `chunk_elements` cut them.

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
    cursor = _WordCursor(document.text, [one.span for one in own])
    spans: list[tuple[Span, bool]] = []
    for chunk in _chunks(elements, lengths, by_title):
        words = [cursor.past(word) for word in chunk.text.split()]
        if words:
            spans.append((Span(words[0].start, words[-1].end), chunk.category == "CompositeElement"))
    return list(_overlapped(document.text, spans, lengths))


def _chunks(elements: Iterable[Element], lengths: Lengths, by_title: bool) -> Iterator[Element]:
    """Yield the chunks of the pipelines of `unstructured.chunking.title` and `basic`."""
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
    """Return the options of its token mode, with this project's count."""

    class Counter:
        count = staticmethod(lengths.count)

        def validate(self) -> None:
            """Do nothing: there is no model to look up."""

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
    """Yield groups of elements that join while they fit the size in this project's units."""
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
    """Split a text after the longest beginning that fits, at its last line end or else its last space.

    As `unstructured.chunking.base._TextSplitter` does, but the work grows with the size, not with the text.
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
    """Return the length of the longest beginning of a text that fits; at least 1."""
    fits, beyond = 1, max(size, 2)
    while beyond < len(text) and count(text[:beyond]) <= size:
        fits, beyond = beyond, 2 * beyond
    if beyond >= len(text):
        if count(text) <= size:
            return len(text)
        beyond = len(text)
    return max(bisect_left(range(beyond), True, lo=fits, key=lambda end: count(text[:end]) > size) - 1, 1)


class _WordCursor:
    """Cursor that moves through a text word by word, along the spans of its elements."""

    def __init__(self, text: str, spans: Sequence[Span]) -> None:
        self._text, self._spans = text, iter(spans)
        self._at, self._end = 0, 0

    def past(self, word: str) -> Span:
        """Move past the next word and return its span.

        Raises:
            CannotSplitError: the text has another word there.
        """
        while (match := _WORD.search(self._text, self._at, self._end)) is None:
            span = next(self._spans, None)
            if span is None:
                raise CannotSplitError(f"it gave '{word[:40]}' behind the end of the text")
            self._at, self._end = span
        start = match.start()
        if not self._text.startswith(word, start):
            raise CannotSplitError(f"it gave '{word[:40]}' where the text has '{self._text[start : start + 40]}'")
        self._at = start + len(word)
        return Span(start, self._at)


def _overlapped(text: str, chunks: Sequence[tuple[Span, bool]], lengths: Lengths) -> Iterator[Span]:
    """Add the end of the previous chunk to each chunk; a table neither repeats text nor is repeated."""
    before: tuple[Span, bool] | None = None
    for span, is_text in chunks:
        repeats = lengths.overlap and before is not None and before[1] and is_text
        tail = _tail(text, before[0], lengths) if repeats and before else span.end
        yield Span(tail if before and tail < before[0].end else span.start, span.end)
        before = span, is_text


def _tail(text: str, span: Span, lengths: Lengths) -> int:
    """Return the start of the part of a chunk to repeat, at a word if possible.

    The chunk's end if nothing fits. Never the complete chunk, as starts increase strictly (law 3).
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
