"""Search hits as a list of cards that can be opened and labelled."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import streamlit as st

from chunking.config import Fusion
from chunking.evaluation import Question, text_spans
from chunking.model import Chunk, Span
from chunking.retrieval import RepeatedText, Result, SearchResult
from components.kit.browser import component
from components.search.hits.cards import ONLY, cards

__all__ = [
    "ONLY",
    "HitLabel",
    "Said",
    "ViewedHit",
    "hit_label",
    "hits",
    "leads_to",
    "said_of",
]

_hits = component("hits")

_AS_LINES = ("table", "code")


class ViewedHit(NamedTuple):
    """What the user looks at."""

    hit: str
    """Chunk id of the hit whose card it is."""
    target: str
    """Chunk id to scroll to: the hit's own, a neighbour's, that of a repeat, or of a chunk found in it."""
    turn: int
    """Grows with each click, so that a second click on the same card scrolls there again."""


def hits(
    result: SearchResult,
    viewed: ViewedHit | None,
    *,
    fusion: Fusion = Fusion.STANDARDISED,
    height: int = 640,
    key: str = "hits",
    notes: Mapping[str, tuple[str, str]] | None = None,
    labels: Mapping[str, HitLabel] | None = None,
) -> None:
    """The hits of a search as a list of cards; a click, or Enter, opens one.

    What is opened stands in `st.session_state[f"{key}.opened"]` (an `ViewedHit`) when the page runs again.

    Args:
        result: the search.
        viewed: the card shown as the one being read.
        fusion: how the scores were put together.
        height: of the list, in pixels; on a narrow screen it takes less.
        key: of the component.
        notes: chunk id to a tag on its card, and what that says on hover.
        labels: chunk id to what can be labelled of it; what the user says stands in `st.session_state[f"{key}.said"]`
            (a `Said`) when
            the page runs again. None: nothing can.
    """
    ids = _targets(result)

    def remember(said: Any) -> None:
        clicked = _viewed_hit(said, ids)
        if clicked:
            st.session_state[f"{key}.opened"] = clicked

    def label(said: Any) -> None:
        st.session_state[f"{key}.said"] = said_of(said, labels or {})

    def regroup(said: Any) -> None:
        st.session_state[f"{key}.grouped"] = said is True

    rows = cards(result, fusion, notes)
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
    """For each hit the chunks its card leads to."""
    return {hit.chunk.chunk_id: {chunk.chunk_id for chunk in leads_to(hit)} for hit in result.results}


def leads_to(hit: Result) -> list[Chunk | RepeatedText]:
    """Every place that a hit's card leads to, its own first."""
    return [hit.chunk, *hit.neighbours, *(child.chunk for child in hit.matched), *hit.repeats]


def _viewed_hit(said: Any, ids: dict[str, set[str]]) -> ViewedHit | None:
    """What the browser said, where it makes sense: it may speak of a search that is gone."""
    hit, target, turn = (
        (said.get(name) for name in ("hit", "target", "turn")) if isinstance(said, dict) else (None, None, None)
    )
    if not (isinstance(hit, str) and isinstance(target, str) and isinstance(turn, int)) or target not in ids.get(
        hit, ()
    ):
        return None
    return ViewedHit(hit, target, turn)


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
