"""The spans of a document that a quote may mean: where it stands, and where it almost does."""

from __future__ import annotations

from collections.abc import Iterable

from chunking.evaluation.questions.question import AnswerSpan
from chunking.model import Document, Span
from chunking.text.quotes import QuoteFinder, near_spans

__all__ = ["locate", "near_misses"]


def locate(quote: str, document: Document, near: int | None = None) -> tuple[AnswerSpan, ...]:
    """Every place at which a quote stands in a document.

    Args:
        quote: white space around it does not count.
        near: an offset; the places are then ordered by how near they are to it, else as they stand.
    Returns:
        Exact matches; where there is none, those that differ in white space, width, letter case, quote marks or markup
        only.
        Matches that begin or end inside a word only where there is no other.
    """
    spans = QuoteFinder(document.text).find(quote)
    if near is not None:
        spans = sorted(spans, key=lambda span: (abs(span.start - near), span.start))
    return _answers(document, spans)


def near_misses(quote: str, document: Document, most: int = 3) -> tuple[AnswerSpan, ...]:
    """The places that share most of a quote's words in its order, the best first; see `text.near_quotes`.

    Args:
        most: places; they do not overlap.
    Returns:
        Spans from the first word in common to the last; none where less than about half of the words is.
    """
    return _answers(document, near_spans(quote, document.text, most))


def _answers(document: Document, spans: Iterable[Span]) -> tuple[AnswerSpan, ...]:
    return tuple(AnswerSpan(document.doc_id, start, end, document.text[start:end]) for start, end in spans)
