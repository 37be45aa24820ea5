"""Label a hit for a question set: the sentence that answers the query, or not relevant."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from chunking.evaluation import Question, text_spans
from chunking.model import Chunk, Span

__all__ = ["HitLabel", "Said", "hit_label", "said_of"]

_AS_LINES = ("table", "code")


class Said(NamedTuple):
    """What the user has said of a hit."""

    hit: str
    """Chunk id."""
    sentence: int | None
    """The one that answers; None: the hit is not relevant."""


@dataclass(frozen=True, slots=True)
class HitLabel:
    """The sentences of a hit, and what is known of them."""

    sentences: tuple[Span, ...]
    """In characters of the document."""
    texts: tuple[str, ...]
    answered: tuple[int, ...] = ()
    """Those that hold a part of a gold answer."""
    dismissed: bool = False
    """It was judged not relevant."""

    def as_data(self) -> dict[str, Any]:
        """For the browser."""
        return {"sentences": list(self.texts), "answered": list(self.answered), "dismissed": self.dismissed}


def hit_label(chunk: Chunk, question: Question | None) -> HitLabel | None:
    """What can be labelled of a chunk; None for a summary, which stands nowhere.

    Args:
        question: of the query, in the set that labels go to; None where it is not in it yet.
    """
    if not chunk.content:
        return None
    spans = [
        Span(chunk.start + one.start, chunk.start + one.end)
        for one in text_spans(chunk.content, lines=chunk.content_type in _AS_LINES)
    ]
    texts = tuple(chunk.content[one.start - chunk.start : one.end - chunk.start] for one in spans)
    answers = [one for one in question.answers if one.doc_id == chunk.doc_id] if question else []
    answered = tuple(
        number
        for number, span in enumerate(spans)
        if any(one.start < span.end and span.start < one.end for one in answers)
    )
    judged = question.judged if question else ()
    dismissed = any(
        not one.relevant and one.doc_id == chunk.doc_id and _covers(one.start, one.end, chunk) for one in judged
    )
    return HitLabel(tuple(spans), texts, answered, dismissed and not answered)


def said_of(said: Any, labels: Mapping[str, HitLabel]) -> Said | None:
    """What the browser said, where it makes sense: it may speak of a search that is gone."""
    hit, sentence = (said.get("hit"), said.get("sentence")) if isinstance(said, dict) else (None, None)
    if not isinstance(hit, str) or hit not in labels:
        return None
    if sentence is None:
        return Said(hit, None)
    fits = isinstance(sentence, int) and not isinstance(sentence, bool) and 0 <= sentence < len(labels[hit].sentences)
    return Said(hit, sentence) if fits else None


def _covers(start: int, end: int, chunk: Chunk) -> bool:
    """Half of the chunk or more."""
    return 2 * (min(end, chunk.end) - max(start, chunk.start)) >= chunk.end - chunk.start
