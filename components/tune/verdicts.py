"""Which configuration is recommended, in a sentence or two, and which configurations could not be measured."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from chunking.evaluation import METHODS, verdict
from components.kit.wording import plain, quantity
from components.tune.sweep.sweep_list import StoredSweep
from components.tune.sweep.sweep_results import Results

__all__ = ["failures", "verdict_box"]


_NEARLY_ALL = 0.98
"""Recall above which there is not much left to find."""


def verdict_box(results: Results) -> None:
    """Which configuration is recommended, whether that is decided, and what would decide it."""
    metric = results.stand.metric
    told = verdict(results.lines, metric.name, lambda line: f"**{plain(results.label(line.run))}**")
    with st.container(border=True, key="tune.verdict"):
        st.markdown(told.head)
        if told.detail:
            st.markdown(told.detail, help=METHODS["recommended"])
        if metric.name == "recall" and results.lines[0].summary["recall"].mean > _NEARLY_ALL:
            st.caption(
                "Nearly every answer is found, so recall hardly separates the configurations. Judge by **IoU**, which "
                "also counts text returned besides the answer, or use fewer results or tokens."
            )


def failures(results: Results, kept: Sequence[StoredSweep], question_set: str) -> None:
    """Configurations that could not be measured, each with its sentence; the others went on."""
    told: dict[str, str] = {results.label(run): run.error for run in results.failed}
    for one in kept:
        if one.report is not None and one.sweep.question_set == question_set:
            told = {failed.label: failed.error for failed in one.report.failed} | told
    if told:
        with st.expander(f"⚠ {quantity(len(told), 'configuration')} failed", key="tune.failed"):
            for label, error in told.items():
                st.markdown(f"- **{plain(label)}**: {plain(error)}")
    if results.stale:
        st.caption(
            f"{quantity(results.stale, 'earlier run')} not shown: documents, model or code have changed since. "
            f"Run again to see them."
        )
