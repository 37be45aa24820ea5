"""Search hits as a list of cards that can be opened and labelled."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import streamlit as st

from chunking.config import Fusion
from chunking.evaluation import AnswerSpan, Question, text_spans
from chunking.model import Chunk, Span
from chunking.retrieval import RepeatedText, Result, SearchResult
from components.kit.browser import component
from components.search.hits.cards import ONLY, cards

__all__ = [
    "ONLY",
    "HitLabel",
    "HitVerdict",
    "ViewedHit",
    "hit_label",
    "hit_verdict",
    "hits",
    "leads_to",
]

_hits = component("hits")

_AS_LINES = ("table", "code")


class ViewedHit(NamedTuple):
    """The open hit and the chunk to scroll to."""

    hit: str
    """Chunk id of the card's hit."""
    target: str
    """Chunk id to scroll to: of the hit, a neighbour, a repeat or a matched chunk."""
    turn: int
    """Increases with each click, so that a second click on a card scrolls again."""


def hits(
    result: SearchResult,
    viewed: ViewedHit | None,
    *,
    fusion: Fusion = Fusion.STANDARDISED,
    height: int = 640,
    key: str = "hits",
    notes: Mapping[str, tuple[str, str]] | None = None,
    labels: Mapping[str, HitLabel] | None = None,
    answers: Sequence[AnswerSpan] = (),
) -> None:
    """Draw the hits of a search as cards; a click, or Enter, opens one.

    The opened `ViewedHit` is in `st.session_state[f"{key}.opened"]` when the page reruns.
    Args:
        result: the search.
        viewed: the card shown as open.
        fusion: fusion of the scores.
        height: height of the list, in pixels; less on a narrow screen.
        key: key of the component.
        notes: chunk id to (tag on its card, tooltip).
        labels: chunk id to its sentences to label; the user's `HitVerdict` is in `st.session_state[f"{key}.said"]` when
            the page reruns. None: no labelling.
        answers: gold answers of the query, marked in the cards.
    """
    ids = _targets(result)

    def remember(said: Any) -> None:
        clicked = _viewed_hit(said, ids)
        if clicked:
            st.session_state[f"{key}.opened"] = clicked

    def label(said: Any) -> None:
        st.session_state[f"{key}.said"] = hit_verdict(said, labels or {})

    def regroup(said: Any) -> None:
        st.session_state[f"{key}.grouped"] = said is True

    rows = cards(result, fusion, notes, answers)
    data = rows | {
        "rev": hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:16],
        "opened": viewed.hit if viewed else None,
        "turn": viewed.turn if viewed else 0,
        "grouped": st.session_state.get(f"{key}.grouped", False),
        "height": height,
        "labels": {name: one.as_data() for name, one in (labels or {}).items()},
    }
    _hits(key=key, data=data, on={"opened": remember, "grouped": regroup, "labelled": label})


def _targets(result: SearchResult) -> dict[str, set[str]]:
    """Return the chunk ids that each hit's card leads to."""
    return {
        hit.chunk.chunk_id: {chunk.chunk_id for chunk in leads_to(hit)} for hit in (*result.results, *result.left_out)
    }


def leads_to(hit: Result) -> list[Chunk | RepeatedText]:
    """Return the hit's chunk, its neighbours, its matched chunks and the repeats of its text."""
    return [hit.chunk, *hit.neighbours, *(child.chunk for child in hit.matched), *hit.repeats]


def _viewed_hit(said: Any, ids: dict[str, set[str]]) -> ViewedHit | None:
    """Parse a click sent by the browser; None if it is invalid or of an earlier search."""
    hit, target, turn = (
        (said.get(name) for name in ("hit", "target", "turn")) if isinstance(said, dict) else (None, None, None)
    )
    if not (isinstance(hit, str) and isinstance(target, str) and isinstance(turn, int)) or target not in ids.get(
        hit, ()
    ):
        return None
    return ViewedHit(hit, target, turn)


class HitVerdict(NamedTuple):
    """The user's verdict on a hit: the sentence that answers the query, or not relevant."""

    hit: str
    """Chunk id of the hit."""
    sentence: int | None
    """Number of the sentence that answers the query; None: the hit is not relevant."""


@dataclass(frozen=True, slots=True)
class HitLabel:
    """Sentences of a hit, and which of them a question's gold answers cover."""

    sentences: tuple[Span, ...]
    """Offsets in characters of the document."""
    texts: tuple[str, ...]
    answered: tuple[int, ...] = ()
    """Numbers of the sentences that hold a part of a gold answer."""
    dismissed: bool = False
    """True if judged not relevant."""

    def as_data(self) -> dict[str, Any]:
        """Return the label as JSON values for the browser."""
        return {"sentences": list(self.texts), "answered": list(self.answered), "dismissed": self.dismissed}


def hit_label(chunk: Chunk, question: Question | None) -> HitLabel | None:
    """Return a chunk's sentences with their labels; None for a summary, which has no text.

    Args:
        question: the query's question in the label set; None if it has none yet.
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


def hit_verdict(said: Any, labels: Mapping[str, HitLabel]) -> HitVerdict | None:
    """Parse a verdict sent by the browser; None if it is invalid or of an earlier search."""
    hit, sentence = (said.get("hit"), said.get("sentence")) if isinstance(said, dict) else (None, None)
    if not isinstance(hit, str) or hit not in labels:
        return None
    if sentence is None:
        return HitVerdict(hit, None)
    fits = isinstance(sentence, int) and not isinstance(sentence, bool) and 0 <= sentence < len(labels[hit].sentences)
    return HitVerdict(hit, sentence) if fits else None


def _covers(start: int, end: int, chunk: Chunk) -> bool:
    """True if a span covers at least half of the chunk."""
    return 2 * (min(end, chunk.end) - max(start, chunk.start)) >= chunk.end - chunk.start
