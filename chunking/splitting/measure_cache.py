"""Measured documents that are kept for a while, so that cutting them with many configurations measures them once (law
6).
"""

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
"""Characters of all documents kept; each takes about 22 bytes of memory when its chunks have been made."""
EACH = 1_000
"""Characters that a document counts for besides its own: what is kept of an empty one takes about 22 KB."""


class MeasureCache:
    """What was measured of documents, the last used ones. Threads may share it: each document is measured by one of
    them.

    Args:
        most: characters of all documents, each counted for `EACH` more.
        first: keep the first ones that have room, not the last used: for passes over documents in one order, of which
            the last
            used ones of more than have room would always be those that come last again.
    """

    def __init__(self, most: int = _MOST, *, first: bool = False) -> None:
        self._most, self._first, self._size = most, first, 0
        self._entries: OrderedDict[tuple[str, str], tuple[Document, Chunker]] = OrderedDict()
        self._lock = RLock()

    @property
    def size(self) -> int:
        """Characters kept, as `most` counts them."""
        return self._size

    def of(self, document: Document, how: str, measure: Callable[[], Chunker]) -> Chunker:
        """What was measured of this very document, whatever pins it had, or else is now.

        Args:
            how: what else decides the measure, such as the tokenizer.
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


_present: ContextVar[MeasureCache | None] = ContextVar("cached_measures", default=None)


@contextmanager
def with_measure_cache(kept: MeasureCache) -> Iterator[None]:
    """Inside, documents that this thread cuts are measured once."""
    token = _present.set(kept)
    try:
        yield
    finally:
        _present.reset(token)


def cached_measures() -> MeasureCache | None:
    """Where measures are kept now; None where they are not."""
    return _present.get()
