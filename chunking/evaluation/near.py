"""Places of a document that read almost like a quote."""

from __future__ import annotations

from chunking.evaluation.questions import Answer
from chunking.model import Document

__all__ = ["near_misses"]


def near_misses(quote: str, document: Document, most: int = 3) -> tuple[Answer, ...]:
    """The places that share most of a quote's words in its order, the best first."""
    return ()
