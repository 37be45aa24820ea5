"""Two searches of one query side by side: shared hits, other hits, and ranks of the gold answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import streamlit as st

from chunking.config import Config, SearchConfig, SearchMode
from chunking.errors import ConfigError
from chunking.evaluation import AnswerSpan, question_of_query
from chunking.retrieval import SearchComparison, SearchResult, compare
from chunking.store import IndexRow, Workspace
from components.kit.settings_form import settings_form
from components.kit.wording import plain, quantity
from components.search.hits import ONLY, ViewedHit, hits
from components.search.hits.cards import spans_in
from components.search.search_controls import MODES
from components.search.searches import search_once
from components.session import share
from components.session.questions.question_state import active_set
from components.session.settings.other_configuration import from_address, to_address

__all__ = ["side_by_side"]

_INDEX = "index"
_SIDES = ("this", "other")
_ROW = 44
"""Pixels of the line over each list, so that both lists begin at one height."""


class OtherSearch(NamedTuple):
    """The search on the right: its index and its search settings."""

    row: IndexRow
    config: Config
    """Configuration of which only the search settings count."""


def side_by_side(
    target: Workspace, row: IndexRow, result: SearchResult, *, filters: Mapping[str, str], height: int
) -> None:
    """Search again with the other settings or index, and draw both results side by side.

    Args:
        target: workspace to search.
        row: the index of the search.
        result: the search.
        filters: filters of both searches.
        height: height of each list, in pixels.
    """
    other = _other(target, row)
    second = search_once(target, other.row, result.query, other.config.search, filters, key="search.compared")
    comparison = compare(result, second)
    partners = _partners(comparison)
    viewed = _viewed_hits((result, second), partners)
    answers = _gold_answers(result.query)
    left, right = st.columns(2, gap="medium")
    with left:
        _heading("This search", row, share.config(), result)
        _answer_line(result, answers)
        with st.container(height=_ROW, border=False, vertical_alignment="center", key="compare.summary"):
            _summary(comparison)
        notes = _notes(result, partners[0], "the other search")
        _board("this", result, share.config().search, notes, viewed[0], answers, height)
    with right:
        _heading("The other", other.row, other.config, second)
        _answer_line(second, answers)
        with st.container(
            horizontal=True, height=_ROW, border=False, vertical_alignment="center", key="compare.controls"
        ):
            _controls(target, other)
        notes = _notes(second, partners[1], "this search")
        _board("other", second, other.config.search, notes, viewed[1], answers, height)


def _board(
    side: str,
    result: SearchResult,
    config: SearchConfig,
    notes: Mapping[str, tuple[str, str]],
    viewed: ViewedHit | None,
    answers: Sequence[AnswerSpan],
    height: int,
) -> None:
    if result.results:
        key = f"compare.{side}"
        hits(result, viewed, fusion=config.fusion, height=height, key=key, notes=notes, answers=answers)
    else:
        st.info("Nothing found.")


# -- the gold answer


def _gold_answers(query: str) -> Sequence[AnswerSpan]:
    """Return the answers of the active set's question with the text of a query; empty without one."""
    active = active_set()
    question = question_of_query(active.questions, query) if active else None
    return question.answers if question else ()


def _answer_line(result: SearchResult, answers: Sequence[AnswerSpan]) -> None:
    """Draw whether a search finds the gold answer, and at which rank; nothing if there is none."""
    if not answers:
        return
    rank = next((hit.rank for hit in result.results if spans_in(hit.part, answers)), None)
    of = quantity(len(result.results), "result")
    success = f":green[:material/check_circle: **Finds the answer at rank {rank}**]"
    missed = f":red[:material/cancel: **Misses the answer**]: it is not in its {of}"
    st.markdown(
        missed if rank is None else success,
        help="The query is a question of the chosen question set, which knows its gold answer.",
    )


# -- the other search


def _other(target: Workspace, row: IndexRow) -> OtherSearch:
    """Return the other search of the link; by default the same index in another search mode."""
    said = share.view("with")
    if not said:
        now = share.config()
        mode = SearchMode.VECTOR if now.search.mode is SearchMode.HYBRID else SearchMode.HYBRID
        return OtherSearch(row, Config.from_settings({"search.mode": mode}, now))
    rows = {one.name: one for one in target.indexes()}
    try:
        config, extra = from_address(said, ("search",), _INDEX)
    except ConfigError as error:
        st.warning(plain(f"The comparison in the link is not possible. {error}"))
        return OtherSearch(row, Config())
    return OtherSearch(rows.get(extra.get(_INDEX, row.name), row), config)


def _keep(name: str, config: Config) -> None:
    share.keep_view(**{"with": to_address(config, ("search",), **{_INDEX: name})})


def _controls(target: Workspace, other: OtherSearch) -> None:
    rows = target.indexes()
    if len(rows) > 1:
        st.session_state["compare.index"] = other.row.name
        st.selectbox(
            "Index of the other search",
            [row.name for row in rows],
            key="compare.index",
            label_visibility="collapsed",
            width=180,
            on_change=lambda: _keep(st.session_state["compare.index"], other.config),
        )
    with st.popover("Change its settings"):
        changed = settings_form(other.config, ("search",), key="compare.settings")
    if changed != other.config:
        _keep(other.row.name, changed)
        st.rerun()


# -- results


def _heading(what: str, row: IndexRow, config: Config, result: SearchResult) -> None:
    search = config.search
    words = [plain(row.name), MODES[search.mode].lower(), search.retrieval.label.lower(), quantity(search.k, "result")]
    if search.rerank:
        words.append(f"reranking: {', '.join(str(one).replace('_', ' ') for one in search.rerank)}")
    st.markdown(f"**{what}:** {' · '.join(words)}")
    st.caption(
        _facts(result),
        help="Tokens of a language model's context; time of all stages on this machine.",
    )


def _summary(comparison: SearchComparison) -> None:
    same = len({one.rank for one, _ in comparison.both})
    st.markdown(
        f"**= {same} found by both** · ◧ {len(comparison.only_a)} only here · ◨ {len(comparison.only_b)} only there",
        help=(
            "Two hits are the same if their texts overlap by at least half of the shorter one; one hit may match "
            "several of the other search."
        ),
    )


def _facts(result: SearchResult) -> str:
    took = sum(stage.milliseconds for stage in result.stages)
    return (
        f"{quantity(result.context.tokens, 'token')} of context · {took:,.0f} ms · "
        f"{quantity(result.storage_calls, 'storage call')}"
    )


Partners = tuple[dict[str, int], dict[str, int]]
"""Chunk id to the rank of the same hit in the other search, for each side."""


def _partners(comparison: SearchComparison) -> Partners:
    pairs = [(one.chunk.chunk_id, one.rank, other.chunk.chunk_id, other.rank) for one, other in comparison.both]
    return {pair[0]: pair[3] for pair in reversed(pairs)}, {pair[2]: pair[1] for pair in reversed(pairs)}


def _notes(result: SearchResult, partners: Mapping[str, int], there: str) -> dict[str, tuple[str, str]]:
    """Return the tag of each card: the hit's rank in the other search, or `ONLY`."""
    notes = {}
    for hit in result.results:
        key, rank = hit.chunk.chunk_id, partners.get(hit.chunk.chunk_id)
        same = f"= {rank} there", f"{there.capitalize()} also found this place, at rank {rank}."
        notes[key] = same if rank else (ONLY, f"No hit of {there} covers this place.")
    return notes


def _viewed_hits(
    results: tuple[SearchResult, SearchResult], partners: Partners
) -> tuple[ViewedHit | None, ViewedHit | None]:
    """Return the last clicked card, and the same hit on the other side."""
    said: list[ViewedHit | None] = [st.session_state.get(f"compare.{side}.opened") for side in _SIDES]
    turns = [one.turn if one else 0 for one in said]
    last = turns.index(max(turns))
    clicked = said[last]
    if clicked is None:
        return None, None
    rank = partners[last].get(clicked.hit)
    there = next((hit.chunk.chunk_id for hit in results[1 - last].results if hit.rank == rank), "")
    both = clicked, ViewedHit(there, there, clicked.turn)
    return both if last == 0 else (both[1], both[0])
