"""What came of it in a sentence or two, and which configurations could not be measured."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from chunking.evaluation import COST
from components.tuning.results import Results
from components.tuning.sentences import Standing, verdict
from components.tuning.sweeps import Kept
from components.words import count, plain

__all__ = ["failures", "verdict_box"]


_NEARLY_ALL = 0.98
"""Recall above which there is not much left to find."""


def verdict_box(results: Results) -> None:
    """Which configuration to take, and how sure that is."""
    complete = [line for line in results.lines if line.complete]
    first = complete[0]
    standing = Standing(
        plain(results.label(first.run)),
        first.summary[results.stand.metric.name],
        sum(line.tied for line in complete) - 1,
        len(complete) - 1,
        first.summary[COST].mean,
    )
    with st.container(border=True, key="tune.verdict"):
        st.markdown(verdict(results.stand.metric, standing))
        highest = next((line for line in complete if line.best), first)
        metric = results.stand.metric
        if highest is not first and metric.text(standing.value.mean) != metric.text(highest.summary[metric.name].mean):
            name = plain(results.label(highest.run))
            value, tokens = highest.summary[metric.name].mean, highest.summary[COST].mean
            st.caption(
                f"The highest mean has {name}: {metric.text(value)} with {tokens:,.0f} context tokens; chance explains the difference."
            )
        if metric.name == "recall" and standing.value.mean > _NEARLY_ALL:
            st.caption(
                "Nearly every answer is found, so recall hardly tells configurations apart. Judge by **IoU**, which counts what is "
                "returned beside the answer, or by fewer results or tokens."
            )


def failures(results: Results, kept: Sequence[Kept], question_set: str) -> None:
    """Configurations that could not be measured, each with its sentence; the others went on."""
    told: dict[str, str] = {results.label(run): run.error for run in results.failed}
    for one in kept:
        if one.report is not None and one.sweep.question_set == question_set:
            told = {failed.label: failed.error for failed in one.report.failed} | told
    if told:
        with st.expander(f"⚠ {count(len(told), 'configuration')} could not be measured", key="tune.failed"):
            for label, error in told.items():
                st.markdown(f"- **{plain(label)}**: {plain(error)}")
    if results.stale:
        st.caption(
            f"{count(results.stale, 'earlier run')} not shown: documents, model or code have changed since. Measure again to see them."
        )
