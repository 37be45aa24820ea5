"""Measured documents that are kept for a while, so that cutting them with many configurations measures them once (law 6)."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING

from chunking.model import Document

if TYPE_CHECKING:
    from chunking.cutting.chunker import Chunker

__all__ = ["KeptMeasures", "keeping_measures", "kept_measures"]

_MOST = 20_000_000
"""Characters of all documents kept; each takes some ten bytes of memory and more."""


class KeptMeasures:
    """What was measured of documents, the last used ones.

    Args:
        most: characters of all documents.
    """

    def __init__(self, most: int = _MOST) -> None:
        self._most = most
        self._kept: OrderedDict[tuple[str, str], tuple[Document, Chunker]] = OrderedDict()

    def of(self, document: Document, how: str, measure: Callable[[], Chunker]) -> Chunker:
        """What was measured of this very document, or else is now.

        Args:
            how: what else decides the measure, such as the tokenizer.
        """
        key = (document.doc_id, how)
        known = self._kept.pop(key, None)
        if known is None or not (known[0] is document or known[0] == document):
            known = (document, measure())
        self._kept[key] = known
        while sum(len(one.text) for one, _ in self._kept.values()) > self._most and len(self._kept) > 1:
            self._kept.popitem(last=False)
        return known[1]


_present: ContextVar[KeptMeasures | None] = ContextVar("kept_measures", default=None)


@contextmanager
def keeping_measures(kept: KeptMeasures) -> Iterator[None]:
    """Inside, documents that this thread cuts are measured once."""
    token = _present.set(kept)
    try:
        yield
    finally:
        _present.reset(token)


def kept_measures() -> KeptMeasures | None:
    """Where measures are kept now; None where they are not."""
    return _present.get()
