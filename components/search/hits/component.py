"""The hit cards, as Streamlit sees them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import streamlit as st

from chunking.config import Fusion
from chunking.model import Chunk
from chunking.retrieval import RepeatedText, Result, SearchResult
from components.kit.browser import component
from components.search.hits.cards import cards
from components.search.hits.hit_labels import HitLabel, said_of

__all__ = ["ViewedHit", "hits", "leads_to"]

_hits = component("hits")


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
    opened: ViewedHit | None,
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
        opened: the card shown as the one being read.
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
        found = _opened(said, ids)
        if found:
            st.session_state[f"{key}.opened"] = found

    def label(said: Any) -> None:
        st.session_state[f"{key}.said"] = said_of(said, labels or {})

    def regroup(said: Any) -> None:
        st.session_state[f"{key}.grouped"] = said is True

    rows = cards(result, fusion, notes)
    data = rows | {
        "rev": hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:16],
        "opened": opened.hit if opened else None,
        "turn": opened.turn if opened else 0,
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


def _opened(said: Any, ids: dict[str, set[str]]) -> ViewedHit | None:
    """What the browser said, where it makes sense: it may speak of a search that is gone."""
    hit, target, turn = (
        (said.get(name) for name in ("hit", "target", "turn")) if isinstance(said, dict) else (None, None, None)
    )
    if not (isinstance(hit, str) and isinstance(target, str) and isinstance(turn, int)) or target not in ids.get(
        hit, ()
    ):
        return None
    return ViewedHit(hit, target, turn)
