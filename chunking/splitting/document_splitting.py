"""Splitting of documents, each measured once and split many times.

Previews and indexes use the same functions (law 5). A run with many configurations measures each document once (law 6):
see `with_measure_cache`.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from copy import copy
from dataclasses import replace
from threading import RLock
from typing import TYPE_CHECKING, NamedTuple, SupportsIndex, overload

import numpy as np
from numpy.typing import NDArray

from chunking.config import ChunkConfig, Config, EmbeddingConfig, Strategy
from chunking.display import Displayable, one_line, quantity, summary_line
from chunking.model import Chunk, Document, Pin
from chunking.splitting.document_view import DocumentView, patterned
from chunking.splitting.measure.measured_document import MeasuredDocument, SentenceVectors
from chunking.splitting.measure.token_counter import TokenCounter, token_counter
from chunking.splitting.packing.boundaries import Boundaries
from chunking.splitting.split import Levels, Split

if TYPE_CHECKING:
    import pandas as pd

__all__ = [
    "EACH",
    "Chunker",
    "Chunks",
    "MeasureCache",
    "cached_measures",
    "chunk_document",
    "chunk_facts",
    "model_sentences",
    "split_document",
    "with_measure_cache",
]

_MOST_ROWS, _MOST_TEXT = 10, 72
_COLUMNS = (
    *(
        "chunk_id",
        "doc_id",
        "level",
        "chunk_index",
        "start",
        "end",
        "token_count",
        "title_path",
        "content_type",
        "flags",
        "pages",
    ),
    *("prefix", "content"),
)

_MOST = 20_000_000
"""Maximum characters of all cached documents.

Each takes about 22 bytes of memory once its chunks are built.
"""
EACH = 1_000
"""Characters added to each cached document's own: an empty one takes about 22 KB."""

_VIEWS = 4
"""Number of views whose last split is cached: with and without pins, with and without patterns."""


def chunk_document(
    document: Document, config: Config | None = None, *, sentences: SentenceVectors | None = None
) -> Chunks:
    """Split a document into chunks; `split_document` gives their parents and larger sizes, too.

    Args, Raises: as `split_document`.

    >>> from chunking import Config, parse
    >>> document = parse(b"# Backups\\n\\nThey run at two.\\n\\n# Users\\n\\nAsk an administrator.", "handbook.md")
    >>> chunk_document(document, Config.from_settings({"size": "40", "min_size": "0"}))
    <Chunks: 2 chunks · 8–9 tokens, median 8 · handbook>
       0      9 tokens  # Backups They run at two.
       1      8 tokens  # Users Ask an administrator.
    """
    return Chunks(_split(document, config, sentences).chunks())


def split_document(
    document: Document, config: Config | None = None, *, sentences: SentenceVectors | None = None
) -> Levels:
    """Split a document into chunks, parents and larger chunks, measured by the model's tokenizer.

    Args:
        config: None: the defaults; its settings for the document's category apply.
        sentences: vectors of spans, for the strategy semantic; None: the configured model's, loaded when needed.
    Raises:
        ModelError: the model's folder cannot be found or read.
    """
    return _split(document, config, sentences).levels()


def model_sentences(embedding: EmbeddingConfig) -> SentenceVectors:
    """Return a function that embeds spans with a configured model, loaded at its first call."""

    def vectors(document: Document, starts: NDArray[np.int32], ends: NDArray[np.int32]) -> NDArray[np.float32]:
        from chunking.embedding import sentence_vectors

        return sentence_vectors(embedding)(document, starts, ends)

    return vectors


def _split(document: Document, config: Config | None, sentences: SentenceVectors | None) -> Split:
    from chunking.embedding.model_folder import counting_folder

    config = (config or Config()).for_category(document.category)
    sentences = sentences or model_sentences(config.embedding)
    folder = counting_folder(config.embedding)

    def measure() -> Chunker:
        return Chunker(document, token_counter(folder.path), max_tokens=folder.content_tokens, sentences=sentences)

    cache = cached_measures()
    # Not cached: semantic results depend on the caller's embedder.
    if cache is None or config.chunk.strategy is Strategy.SEMANTIC:
        chunker = measure()
    else:
        chunker = cache.of(document, f"{folder.path} {folder.content_tokens}", measure)
    return chunker.with_pins(document.pins).split(config.chunk)


class Chunks(list[Chunk], Displayable):
    """A list of chunks that prints and displays as a summary; slices do, too."""

    __slots__ = ()

    @overload
    def __getitem__(self, key: SupportsIndex) -> Chunk: ...
    @overload
    def __getitem__(self, key: slice) -> Chunks: ...
    def __getitem__(self, key: SupportsIndex | slice) -> Chunk | Chunks:
        item = super().__getitem__(key)
        return Chunks(item) if isinstance(item, list) else item

    def __repr__(self) -> str:
        rows = [_row(one) for one in self[:_MOST_ROWS]]
        rest = len(self) - _MOST_ROWS
        more = [f"… {quantity(rest, 'more chunk')}"] if rest > 0 else []
        return "\n".join([summary_line("Chunks:", quantity(len(self), "chunk"), *chunk_facts(self)), *rows, *more])

    def to_pandas(self) -> pd.DataFrame:
        """Return a DataFrame with a row per chunk: ids, span, tokens, section, flags, text."""
        import pandas as pd

        rows = [{name: getattr(one, name) for name in _COLUMNS} for one in self]
        joined = {"title_path": " › ", "flags": ", "}
        for row in rows:
            row |= {name: between.join(row[name]) for name, between in joined.items()}
            row["pages"] = ", ".join(map(str, dict.fromkeys(row["pages"])))
        return pd.DataFrame(rows, columns=list(_COLUMNS))


def chunk_facts(chunks: Sequence[Chunk]) -> tuple[str, ...]:
    """Return the token range with the median, and the document's id or the number of documents.

    >>> chunk_facts([])
    ()
    """
    if not chunks:
        return ()
    sizes = sorted(one.token_count for one in chunks)
    documents = list(dict.fromkeys(one.doc_id for one in chunks))
    names = documents[0] if len(documents) == 1 else quantity(len(documents), "document")
    middle = (sizes[(len(sizes) - 1) // 2] + sizes[len(sizes) // 2]) / 2
    return f"{sizes[0]:,}–{sizes[-1]:,} tokens, median {middle:,.0f}", names


def _row(chunk: Chunk) -> str:
    return (
        f"{chunk.chunk_index:4}  {chunk.token_count:5,} tokens  {one_line(chunk.content or chunk.summary, _MOST_TEXT)}"
    )


class MeasureCache:
    """Cache of the chunkers of recent documents; threads that share it measure each document once.

    Args:
        most: maximum characters of all documents, each counted for `EACH` more.
        first: keep the first documents that have room, not the last used: for repeated passes in one order, where the
            last used ones would always be evicted before they come again.
    """

    def __init__(self, most: int = _MOST, *, first: bool = False) -> None:
        self._most, self._first, self._size = most, first, 0
        self._entries: OrderedDict[tuple[str, str], tuple[Document, Chunker]] = OrderedDict()
        self._lock = RLock()

    @property
    def size(self) -> int:
        """Cached characters, as `most` counts them."""
        return self._size

    def of(self, document: Document, how: str, measure: Callable[[], Chunker]) -> Chunker:
        """Return the cached chunker of a document's text, or measure it; its pins may be others.

        Args:
            how: identifies other inputs of the measure, such as the tokenizer.
        """
        key = (document.doc_id, how)
        with self._lock:
            entry = self._entries.get(key)
            if entry is None or not _is_same_text(entry[0], document):
                entry = (document, measure())
                self._drop(key)
                if self._first and self._entries and self._size + _cost(document) > self._most:
                    return entry[1]
                self._size += _cost(document)
                self._entries[key] = entry
            self._entries.move_to_end(key)
            while self._size > self._most and len(self._entries) > 1:
                self._drop(next(iter(self._entries)))
            return entry[1]

    def _drop(self, key: tuple[str, str]) -> None:
        if key in self._entries:
            self._size -= _cost(self._entries.pop(key)[0])


def _is_same_text(one: Document, other: Document) -> bool:
    """True if two documents are equal but for their pins."""
    return one is other or one == replace(other, pins=one.pins)


def _cost(document: Document) -> int:
    return len(document.text) + EACH


_current: ContextVar[MeasureCache | None] = ContextVar("cached_measures", default=None)


@contextmanager
def with_measure_cache(cache: MeasureCache) -> Iterator[None]:
    """Let `chunk_document` and `split_document` use a cache of measures in this block and thread.

    Documents split by the strategy semantic are measured each time.
    """
    token = _current.set(cache)
    try:
        yield
    finally:
        _current.reset(token)


def cached_measures() -> MeasureCache | None:
    """Return the cache set by `with_measure_cache` in this thread; None outside its block."""
    return _current.get()


# -- splits of one document


class Chunker:
    """Splitter of one document by any configuration.

    A size passes `MeasuredDocument` (made here, once), `DocumentView` (once for each change of patterns or pins) and
    `Split`. Each is immutable; this class caches the last ones. Threads may share it.
    """

    def __init__(
        self,
        document: Document,
        counter: TokenCounter,
        *,
        max_tokens: int | None = None,
        sentences: SentenceVectors | None = None,
    ) -> None:
        """Measure a document. For the arguments see `MeasuredDocument`."""
        self.document = document
        self.measured = MeasuredDocument.of(document, counter, max_tokens=max_tokens, sentences=sentences)
        self._recent = _RecentSplits()

    def with_pins(self, pins: tuple[Pin, ...]) -> Chunker:
        """Return a chunker of the same document with other pins; its measure and the cached splits are shared."""
        if pins == self.document.pins:
            return self
        other = copy(self)
        other.document = replace(self.document, pins=pins)
        return other

    def split(self, config: ChunkConfig) -> Split:
        """Split the document, or return the cached split."""
        return self._recent.split(self.measured, self.document, config)

    def boundaries(self, config: ChunkConfig) -> Boundaries:
        """Return the chunks' spans, prefixes, tokens and flags as arrays; no texts are built."""
        return self.split(config).boundaries

    def chunks(self, config: ChunkConfig) -> list[Chunk]:
        """Return the chunks with their texts and ids, built once per split."""
        return self.split(config).chunks()


class _Recent(NamedTuple):
    patterns: tuple[str, str]
    pins: tuple[Pin, ...]
    split: Split


class _RecentSplits:
    """Cache of the last split of each of the last views, newest first."""

    def __init__(self) -> None:
        self._rows: tuple[_Recent, ...] = ()

    def split(self, measured: MeasuredDocument, document: Document, config: ChunkConfig) -> Split:
        patterns, pins = (config.headings_from, config.split_before), document.pins
        rows = [row for row in self._rows if row.patterns == patterns]  # replaced whole by other threads
        row = next((row for row in rows if row.pins == pins), None)
        if row is not None and row.split.config == config:
            split = row.split
        elif row is not None:
            split = Split.of(row.split.view, config)
        elif rows:
            split = Split.of(rows[0].split.view.with_pins(document), config)
        else:
            applied_patterns = patterned(measured.document, config) if any(patterns) else None
            split = Split.of(DocumentView.of(measured, document, applied_patterns), config)
        others = (row for row in self._rows if (row.patterns, row.pins) != (patterns, pins))
        self._rows = (_Recent(patterns, pins, split), *others)[:_VIEWS]
        return split
