"""Measured documents shared by a run, so that many configurations measure each once (law 6)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from threading import RLock

from chunking.model import Document
from chunking.splitting.chunker import Chunker

__all__ = ["EACH", "MeasureCache", "cached_measures", "with_measure_cache"]

_MOST = 20_000_000
"""Characters of all cached documents; each takes about 22 bytes of memory once its chunks are built."""
EACH = 1_000
"""Characters that a document counts for besides its own: an empty one takes about 22 KB."""


class MeasureCache:
    """The chunkers of the last documents used; threads that share it measure each document once.

    Args:
        most: characters of all documents, each counted for `EACH` more.
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
        """The chunker of a document, whatever its pins; measured now if it is not cached.

        Args:
            how: names what else decides the measure, such as the tokenizer.
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
    """Whether two documents differ in their pins at most."""
    return one is other or one == replace(other, pins=one.pins)


def _cost(document: Document) -> int:
    return len(document.text) + EACH


_current: ContextVar[MeasureCache | None] = ContextVar("cached_measures", default=None)


@contextmanager
def with_measure_cache(cache: MeasureCache) -> Iterator[None]:
    """Measure each document once inside the block, in this thread."""
    token = _current.set(cache)
    try:
        yield
    finally:
        _current.reset(token)


def cached_measures() -> MeasureCache | None:
    """The cache of the present block; None outside of one."""
    return _current.get()
