"""The hit cards, as Streamlit sees them."""

from __future__ import annotations

import hashlib
import json
from typing import Any, NamedTuple

import streamlit as st

from chunking.config import Fusion
from chunking.retrieval import SearchResult
from components.browser import component
from components.hits.cards import cards

__all__ = ["Opened", "hits"]

_hits = component("hits")


class Opened(NamedTuple):
    """What the user looks at."""

    hit: str
    """Chunk id of the hit whose card it is."""
    target: str
    """Chunk id to scroll to: the hit's own, a neighbour's, or that of a repeat."""
    turn: int
    """Grows with each click, so that a second click on the same card scrolls there again."""


def hits(
    result: SearchResult, opened: Opened | None, *, fusion: Fusion = Fusion.STANDARDISED, height: int = 640, key: str = "hits"
) -> None:
    """The hits of a search as a list of cards; a click, or Enter, opens one.

    What is opened stands in `st.session_state[f"{key}.opened"]` (an `Opened`) when the page runs again.

    Args:
        result: the search.
        opened: the card shown as the one being read.
        fusion: how the scores were put together.
        height: of the list, in pixels; on a narrow screen it takes less.
        key: of the component.
    """
    ids = _targets(result)

    def remember() -> None:
        found = _opened(st.session_state[key]["opened"], ids)
        if found:
            st.session_state[f"{key}.opened"] = found

    def regroup() -> None:
        st.session_state[f"{key}.grouped"] = st.session_state[key]["grouped"] is True

    rows = cards(result, fusion)
    data = rows | {
        "rev": hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:16],
        "opened": opened.hit if opened else None,
        "turn": opened.turn if opened else 0,
        "grouped": st.session_state.get(f"{key}.grouped", False),
        "height": height,
    }
    _hits(key=key, data=data, on_opened_change=remember, on_grouped_change=regroup)


def _targets(result: SearchResult) -> dict[str, set[str]]:
    """For each hit the chunks its card leads to."""
    return {
        hit.chunk.chunk_id: {hit.chunk.chunk_id, *(near.chunk_id for near in hit.neighbours), *(place.chunk_id for place in hit.repeats)}
        for hit in result.results
    }


def _opened(said: Any, ids: dict[str, set[str]]) -> Opened | None:
    """What the browser said, where it makes sense: it may speak of a search that is gone."""
    hit, target, turn = (said.get(name) for name in ("hit", "target", "turn")) if isinstance(said, dict) else (None, None, None)
    if not (isinstance(hit, str) and isinstance(target, str) and isinstance(turn, int)) or target not in ids.get(hit, ()):
        return None
    return Opened(hit, target, turn)
