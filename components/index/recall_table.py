"""What a vector index finds of the nearest vectors, and how fast, measured on the user's own when asked for."""

from __future__ import annotations

import pandas as pd
import streamlit as st

from chunking.store import IndexRow, Workspace
from chunking.store.vector_index.vector_recall import VectorRecall, measure
from components.kit.button import button
from components.kit.wording import plain, quantity
from components.session import share

__all__ = ["recall_table"]

_SAMPLE = 100
_HOW = (
    "Searches for the ten nearest neighbours of up to 100 chunks of the index, exactly and with each pair of "
    "parameters."
)


def recall_table(target: Workspace, row: IndexRow) -> None:
    """The kind of vector index; a button that measures it, and what came of that."""
    if not row.built.vector_index:
        st.caption(
            f"Flat vector index: all {row.chunks:,} vectors are compared, so nothing is missed.",
            help="A vector index pays off from about 50,000 chunks; choose its type under Full-text and vector index.",
        )
        return
    st.caption(f"Vector index: {plain(row.built.vector_index)}")
    ef = share.config().search.ef_search
    key = f"index.recall.{row.table}.{row.fingerprint}.{row.built.vector_index}.{ef}"
    if button("Measure recall", key=f"index.measure.{row.table}", help=_HOW):
        st.session_state[key] = _measured(target, row, ef)
    rows: list[VectorRecall] | None = st.session_state.get(key)
    if rows is not None:
        _table(rows)


def _measured(target: Workspace, row: IndexRow, ef: int) -> list[VectorRecall]:
    """Measure it; leaving the page stops that."""
    bar = st.progress(0.0, "Searching for neighbours …")
    try:
        return measure(
            target.index(row.name), sample=_SAMPLE, ef=ef, on_progress=lambda done, total: _tell(bar, done, total)
        )
    finally:
        bar.empty()


def _tell(bar: st.delta_generator.DeltaGenerator, done: int, total: int) -> None:
    if done % 10 == 0:
        bar.progress(done / total, f"Searching for neighbours: {done:,} of {quantity(total, 'search', 'searches')}")


def _table(rows: list[VectorRecall]) -> None:
    """A row for each pair; the exact search stands first."""
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
