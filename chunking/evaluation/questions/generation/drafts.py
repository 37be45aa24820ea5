"""What is made of a document before it is chosen: a question, its answer, and how it came about."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeVar

from chunking.enrichment.by_llm.plain_answers import plain
from chunking.enrichment.prose_sentences import as_line, without_mark
from chunking.evaluation.questions.question import Made
from chunking.model import Document, Span
from chunking.text.byte_caches import MB, byte_cache

__all__ = [
    "HAN",
    "MOST_HAN",
    "MOST_LETTERS",
    "MOST_LOOKED_AT",
    "QuestionDraft",
    "bare_span",
    "evenly",
    "language_of",
    "plainly",
    "short",
]

HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
MOST_LETTERS, MOST_HAN = 420, 160
"""Characters of an answer of several sentences."""
MOST_LOOKED_AT = 2_500
"""Sentences and sections of a document of which questions are made; of a longer one they are taken from all over."""
T = TypeVar("T")
_QUOTED = re.compile(r"(?:>[ \t]*|\[[ xX]\][ \t]+)+(?=\S)")
_LATIN = re.compile(r"[A-Za-z]+")


@dataclass(frozen=True, slots=True)
class QuestionDraft:
    """A question that may be asked."""

    text: str
    doc_id: str
    spans: tuple[Span, ...]
    made: Made
    language: str


def language_of(text: str, document: Document) -> str:
    """`en` or `zh`, or empty for other languages: a question in the wrong one would help nobody."""
    base = document.language.partition("-")[0]
    if base not in ("en", "zh", "und"):
        return ""
    han, latin = len(HAN.findall(text)), len(_LATIN.findall(text))
    if han > latin:
        return "zh"
    return "en" if latin and (base != "zh" or not han) else ""


def short(title: str, most: int = 60) -> bool:
    """It can stand inside a question."""
    return 0 < len(title) <= most and any(char.isalpha() for char in title)


@byte_cache(most=8 * MB)
def plainly(text: str) -> str:
    """A text without markup; the sentences of the document at hand are kept, as several kinds of questions are made of
    them.
    """
    return plain(text)


def evenly(items: Sequence[T], most: int) -> Sequence[T]:
    """At most so many of them, from all over.

    >>> evenly([1, 2, 3, 4, 5], 3)
    [1, 3, 5]
    """
    step = -(-len(items) // most)
    return items[::step] if step > 1 else items


def bare_span(text: str, span: Span) -> Span:
    """A sentence's span without the mark of an item or a quote before it."""
    opening = _QUOTED.match(text, span.start, span.end)
    span = Span(opening.end(), span.end) if opening else span
    line = as_line(text[span.start : span.end])
    kept = without_mark(line)
    if kept == line or not kept:
        return span
    at = text.find(kept[:1], span.start + 1, span.end)
    return Span(at, span.end) if at > span.start else span
