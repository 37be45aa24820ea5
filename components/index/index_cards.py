"""Cards of a workspace's indexes: state, contents, recall of the vector index, actions."""

from __future__ import annotations

from typing import Literal

import pandas as pd
import streamlit as st

from chunking.config import EmbeddingMode, SearchConfig
from chunking.embedding.language_check import LanguageCheck, can_read
from chunking.evaluation.analysis.setting_labels import titled
from chunking.model import CHUNK, CLUSTER
from chunking.store import IndexRow, Workspace
from chunking.store.candidate_indexes import candidate_of, is_live, live_name
from chunking.store.index.build_record import BuildReport, FallbackLevel
from chunking.store.index.vector_index import VectorRecall, measure_recall
from components.index.built_levels import fallback_row, generated_texts_line, levels_line, reasons
from components.index.candidate.candidate_review import open_review, undo_button
from components.index.summary_tree import nodes, tree_figure
from components.kit.button import button
from components.kit.charts import CHART_CONFIG
from components.kit.clock import moment_text
from components.kit.wording import plain, quantity
from components.session import share
from components.session.current_workspace import editing
from components.session.index_state import documents_changed
from components.session.page.page_frame import dialog, sentences
from components.session.workspace import writing

__all__ = ["INDEX_NAME", "index_cards", "language_note"]

_TREE_HEIGHT = 320

INDEX_NAME = "index.name"
"""Session key of the field with the name of the index to build."""

_REVIEW = "Shows which boundaries moved, which gold answers are won and lost, and which texts are new."
_ROLE_HELP = "Searches use it only where you choose it by name."
_SAMPLE = 100
_HOW = (
    "Searches for the ten nearest neighbours of up to 100 chunks of the index, exactly and with each pair of "
    "parameters."
)
_RECALL = (
    "Recall@10: share of the ten nearest vectors that a search finds, against comparing every vector; measured after "
    "the last run on 20 of the index's own chunks."
)


def index_cards(target: Workspace) -> None:
    """Draw a card per index: its state, settings, contents, and buttons to use or delete it."""
    rows = target.indexes()
    if rows:
        st.header("Indexes", anchor=False)
    for row in rows:
        with st.container(border=True, key=f"index.card.{row.table}"):
            _card(target, row)


def _card(target: Workspace, row: IndexRow) -> None:
    stale = documents_changed(target, row)
    with st.container(horizontal=True, vertical_alignment="center"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"**{plain(row.name)}**", width="content")
            label, colour = _state(row, stale)
            st.badge(label, color=colour)
            if not is_live(row.name):
                st.badge(_role(row), color="blue", help=_ROLE_HELP)
        if row.name == candidate_of(live_name(row.name)):
            if button(
                "Review",
                key=f"index.review.{row.table}",
                help=_REVIEW,
                type="primary",
                icon=":material/difference:",
                disabled=row.state != "complete",
            ):
                open_review(live_name(row.name))
        elif not is_live(row.name):
            undo_button(target, live_name(row.name))
        if button("Use these settings", key=f"index.use.{row.table}", help="Apply this index's settings on all pages."):
            _use(row)
        if button("Delete", key=f"index.delete.{row.table}", **editing(help="Asks first.")):
            confirm_index_deletion(target, row)
    fallback_note(row.built, row.table)
    for sentence in filter(None, (stale, language_note(row))):
        st.caption(f"⚠ {plain(sentence)}")
    own = row.config.model_copy(update={"search": SearchConfig()}).changed()
    chosen = titled(own) if own else "default settings"
    st.caption(
        f"{quantity(row.chunks, 'chunk')} of {quantity(row.documents, 'document')} · "
        f"{plain(chosen)} · built {moment_text(row.updated)} · fingerprint "
        f"{row.fingerprint or 'none yet'}",
        help="Only settings that differ from the defaults are listed. The fingerprint is made from settings, code "
        "and documents: equal "
        "fingerprints mean equal chunks.",
    )
    more = st.expander("Contents", key=f"index.more.{row.table}", on_change="rerun")
    if more.open:
        with more, sentences():
            _inside(target, row)


def _role(row: IndexRow) -> str:
    """Return what an index is to the live one that it belongs to."""
    name = plain(live_name(row.name))
    return f"candidate of {name}" if row.name == candidate_of(live_name(row.name)) else f"previous {name}"


def language_note(row: IndexRow) -> str:
    """Return a warning about languages or text that the index's model cannot read, or "".

    An index of an earlier version does not know the languages.
    """
    unread = row.built.unread or ({} if can_read(row.unknown_share) else {"other": row.unknown_share})
    return LanguageCheck(row.model_key.partition("@")[0], row.unknown_share, unread).sentence or ""


def fallback_note(built: BuildReport, table: str) -> None:
    """Draw the stored notes on an index's fallback level, and the level if lower than requested.

    Args:
        table: table of the index, for a unique widget key.
    """
    if built.ran.place > built.asked.place:
        fallback_row(built.asked, built.ran, key=f"fallback.fallen.{table}")
    for sentence in reasons(built.ran, built.reasons):
        st.caption(f"⚠ {plain(sentence)}")


def _inside(target: Workspace, row: IndexRow) -> None:
    """Draw levels, generated texts, fallback level, vector index and summary tree."""
    built = row.built
    levels = dict(built.levels) or {CHUNK: row.chunks}
    st.markdown(
        levels_line(levels),
        help="Rows of each level, either searched or returned instead of the chunks that were found.",
    )
    if built.written:
        st.caption(f"Written: {plain(generated_texts_line(built))}.")
    if row.config.embedding.mode is EmbeddingMode.LATE and built.ran is FallbackLevel.FULL:
        st.caption("Late chunking: the same documents need no model for another size.")
    if built.ran.place <= built.asked.place:
        fallback_row(built.asked, built.ran, key=f"fallback.inside.{row.table}")
    recall_table(target, row)
    if CLUSTER in levels:
        _tree(target, row)


def _tree(target: Workspace, row: IndexRow) -> None:
    """Draw the summary tree with summaries as tooltips."""
    tree = nodes(target.index(row.name).by_level(CLUSTER), {})
    figure = tree_figure(tree, dark=st.context.theme.type == "dark", height=_TREE_HEIGHT)
    alt = f"Summary tree of {quantity(len(tree), 'cluster')}; each summary is as wide as the chunks under it"
    st.plotly_chart(figure, theme=None, config=CHART_CONFIG, key=f"index.tree.{row.table}", alt=alt)
    st.caption(
        (
            f"Summary tree: {quantity(len(tree), 'cluster')} of similar chunks. Hover to read a summary, click to "
            f"open a cluster."
        ),
        help=(
            "RAPTOR: chunks are clustered by their vectors and each cluster is summarised; then the summaries "
            "are clustered, and so on."
        ),
    )


def _state(row: IndexRow, stale: str) -> tuple[str, Literal["green", "orange"]]:
    if not stale:
        return "up to date", "green"
    if row.state == "complete" and row.built.ran.place > row.built.asked.place:
        return f"fallback level {row.built.ran.place + 1} of {len(FallbackLevel)}", "orange"
    return ("not finished" if row.state == "incomplete" else "out of date"), "orange"


def _use(row: IndexRow) -> None:
    """Make the index's settings current, except the search settings."""
    share.keep_config(row.config.model_copy(update={"search": share.config().search}))
    share.keep_view(index=row.name)
    st.session_state.pop(INDEX_NAME, None)
    st.rerun()


@dialog("Delete this index?")
def confirm_index_deletion(target: Workspace, row: IndexRow) -> None:
    """Ask in a dialog, then delete the index; documents, runs and cached embeddings stay."""
    st.write(
        f"**{plain(row.name)}** with {quantity(row.chunks, 'chunk')} of {quantity(row.documents, 'document')}. It "
        f"can no longer be searched."
    )
    st.caption("Documents, runs and the embedding cache stay: rebuilding the same chunks needs no model.")
    with st.container(horizontal=True):
        if button("Delete it", type="primary", key=f"index.delete.sure.{row.table}", **editing()):
            _delete(target, row.name)
        if button("Keep it", key=f"index.delete.cancel.{row.table}"):
            st.rerun()


def _delete(target: Workspace, name: str) -> None:
    """Delete an index and rerun the page."""
    with sentences():
        with writing(target):
            target.drop_index(name)
        if share.view("index") == name:
            share.keep_view(index=None)
        st.rerun()


def recall_table(target: Workspace, row: IndexRow) -> None:
    """Draw the type of the vector index and, if not flat, a button that measures its recall."""
    if not row.built.vector_index:
        st.caption(
            f"Flat vector index: all {row.chunks:,} vectors are compared, so nothing is missed.",
            help="A vector index pays off from about 50,000 chunks; choose its type under Full-text and vector index.",
        )
        return
    recall = row.built.vector_recall
    suffix = "" if recall is None else f", recall@10 {recall:.2f}"
    st.caption(f"Vector index: {plain(row.built.vector_index)}{suffix}", help=_RECALL if suffix else None)
    ef = share.config().search.ef_search
    key = f"index.recall.{row.table}.{row.fingerprint}.{row.built.vector_index}.{ef}"
    if button("Measure recall", key=f"index.measure.{row.table}", help=_HOW):
        st.session_state[key] = _measured(target, row, ef)
    rows: list[VectorRecall] | None = st.session_state.get(key)
    if rows is not None:
        _table(rows)


def _measured(target: Workspace, row: IndexRow, ef: int) -> list[VectorRecall]:
    """Measure recall; leaving the page stops it."""
    bar = st.progress(0.0, "Searching for neighbours …")
    try:
        return measure_recall(
            target.index(row.name), sample=_SAMPLE, ef=ef, on_progress=lambda done, total: _tell(bar, done, total)
        )
    finally:
        bar.empty()


def _tell(bar: st.delta_generator.DeltaGenerator, done: int, total: int) -> None:
    if done % 10 == 0:
        bar.progress(done / total, f"Searching for neighbours: {done:,} of {quantity(total, 'search', 'searches')}")


def _table(rows: list[VectorRecall]) -> None:
    """Draw recall and time per pair of parameters, the exact search first."""
    if not rows:
        st.caption("There are too few chunks to measure recall.")
        return
    search = share.config().search
    now = [one.probes == search.probes and one.refine == search.refine for one in rows]
    table = pd.DataFrame(
        {
            "nprobes": [f"{one.probes:,}" if one.probes else "all, exactly" for one in rows],
            "Compared exactly": [f"{one.refine} × 10" if one.refine else "all" for one in rows],
            "Recall@10": [one.recall_at_10 for one in rows],
            "Median (ms)": [one.milliseconds for one in rows],
            "Current": ["✓" if one else "" for one in now],
        }
    )
    columns = {
        "Recall@10": st.column_config.ProgressColumn(
            format="percent",
            min_value=0,
            max_value=1,
            help="Share of the ten exact nearest neighbours that were found, on average.",
        ),
        "Median (ms)": st.column_config.NumberColumn(
            format="%.1f", help="Time of the vector search alone, on this machine, now."
        ),
        "Current": st.column_config.TextColumn(
            help="The parameters that the Search page uses: search.probes and search.refine.", width="small"
        ),
    }
    st.dataframe(
        table,
        hide_index=True,
        column_config=columns,
        alt="Recall and time of a vector index for each pair of parameters",
    )
