"""The estimates on the page: the picture, what is worth measuring, and what the measurement made of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import streamlit as st

from chunking.evaluation import (
    COST,
    CandidateConfig,
    Checked,
    LiveEstimate,
    QuestionSet,
    Reason,
    mean_distance,
    metric_of,
)
from chunking.store import Workspace
from components.kit.button import button
from components.kit.charts import CHART_CONFIG
from components.kit.wording import duration, plain, quantity
from components.session.editing import editing
from components.session.jobs.job_line import POLL, job_line, tells
from components.session.page.page_frame import fragment, sentences
from components.tune.estimates.estimate_plot import Point, estimates_figure
from components.tune.estimates.estimate_state import PAGE, Estimates, estimates_of, last_estimation
from components.tune.sweep.sweep_list import sweep_of_few
from components.tune.sweep.sweep_progress import begin
from components.tune.sweep.sweep_results import Results

__all__ = ["estimates_panel"]

_KEPT = "Documents already encoded are saved for the next time; nothing else changes."
_WHY = {
    Reason.BEST: "best",
    Reason.CHEAPEST: "cheapest within {margin}",
    Reason.PRESENT: "current",
    Reason.NEXT: "next best",
}
_IN_SHORT = _WHY | {Reason.CHEAPEST: "cheapest"}
"""In the picture: a narrow one has no room for more."""
_SHOWN = 4
"""Reasons that are told before the rest."""


def estimates_panel(target: Workspace, results: Results, questions: QuestionSet, *, busy: bool) -> None:
    """What the last estimation of these questions has brought; nothing where there was none.

    Args:
        busy: something is being measured already.
    """
    job = last_estimation(target, questions)
    if job is None:
        return
    if job.active:
        with st.container(border=True, key="tune.estimates"):
            _watch(target, results, questions)
        return
    if job.error:
        st.error(plain(job.error), icon=":material/error:")
    elif job.cancelled and tells(job, PAGE):
        some = "What has been estimated is shown below." if job.estimates else "Nothing had been estimated yet."
        st.info(f"The estimation was cancelled. {some}", icon=":material/cancel:")
    found = estimates_of(job)
    if found is not None:
        with st.container(border=True, key="tune.estimates"):
            _drawn(target, found, results, busy=busy)


@fragment(run_every=POLL)
def _watch(target: Workspace, results: Results, questions: QuestionSet) -> None:
    """The picture fills while the estimates come; at the end the page is drawn anew."""
    job = last_estimation(target, questions)
    if job is None or not job.active:
        st.rerun()
    job_line(job, PAGE, _KEPT)
    found = estimates_of(job)
    if found is not None and found.known and found.fits(results.stand):
        _picture(found, results, (), ())


def _drawn(target: Workspace, found: Estimates, results: Results, *, busy: bool) -> None:
    looked = results.stand
    st.markdown(f"**Estimated without an index** · {_head(found)}", help=_HELP)
    if not found.fits(looked):
        st.caption(
            f"These are estimates {found.every[0].measure.label}; the page shows {looked.measure.label}. Estimate "
            "again to compare them."
        )
        _left_out(target, found, busy=busy)
        return
    wanted, rows = found.wanted(looked), found.beside(results)
    if found.known:
        _picture(found, results, wanted, rows)
    _few(target, found, results, wanted, rows, busy=busy)
    _left_out(target, found, busy=busy)


_HELP = (
    "Live recall asked every configuration all questions: the documents are encoded once, and chunks, vectors and "
    "full-text scores are computed from that, without an index. Estimates show what is worth evaluating; only "
    "evaluations give recommendations."
)


def _head(found: Estimates) -> str:
    seconds = (found.job.report or {}).get("seconds")
    parts = [quantity(len(found.known), "configuration")]
    if found.known:
        parts += [quantity(found.known[0].questions, "question"), found.known[0].measure.label]
    if seconds is not None:
        parts.append(duration(seconds))
    return " · ".join(parts)


def _picture(found: Estimates, results: Results, wanted: Sequence[CandidateConfig], rows: Sequence[Checked]) -> None:
    metric, known = results.stand.metric, found.known
    points = [
        Point(one.estimate, _begun(", ".join(map(_IN_SHORT.__getitem__, one.reasons))))
        for one in wanted
        if one.estimate.known
    ]
    figure = estimates_figure(
        known, [found.label(one) for one in known], points, rows, metric, dark=st.context.theme.type == "dark"
    )
    alt = (
        f"Estimated {metric.label} against estimated context tokens of {len(known)} configurations, {len(rows)} "
        f"of them measured too"
    )
    st.plotly_chart(figure, theme=None, config=CHART_CONFIG, key="tune.estimates.plot", alt=alt)


def _why(one: CandidateConfig, results: Results) -> str:
    margin = results.stand.metric.margin_text(results.stand.margin)
    return _begun(", ".join(_WHY[reason].format(margin=margin) for reason in one.reasons))


def _begun(words: str) -> str:
    return words[:1].upper() + words[1:]


def _few(
    target: Workspace,
    found: Estimates,
    results: Results,
    wanted: Sequence[CandidateConfig],
    rows: Sequence[Checked],
    *,
    busy: bool,
) -> None:
    """The few that matter with both of their numbers, and the button that measures those that are not yet."""
    metric = results.stand.metric
    measured = {id(row.estimate): row for row in rows}
    others = [row for row in rows if all(row.estimate is not one.estimate for one in wanted)]
    lines = [(_why(one, results), one.estimate, measured.get(id(one.estimate))) for one in wanted]
    lines += [("measured", row.estimate, row) for row in others]
    _table(found, results, lines)
    if rows:
        apart = metric.points(mean_distance(rows, metric.name), sign=False)
        tokens = metric_of(COST).points(mean_distance(rows, COST), sign=False)
        st.caption(
            f"Mean difference between estimate and measurement over {quantity(len(rows), 'configuration')}: "
            f"{metric.label} **{apart}**, {tokens} per question."
        )
    missing = [one.estimate for one in wanted if id(one.estimate) not in measured]
    if missing:
        with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
            words = f"Measure the {len(missing)} that matter" if len(missing) > 1 else "Measure the one that matters"
            if button(words, key="tune.measure", type="primary", **editing(disabled=busy)):
                _measure(target, found, missing)
            st.caption(
                "Builds a real index for each, asks every question, and recommends one of them.", width="content"
            )


def _table(found: Estimates, results: Results, lines: Sequence[tuple[str, LiveEstimate, Checked | None]]) -> None:
    """Estimate and measurement in columns of their own, and their distance."""
    import pandas as pd

    metric, cost = results.stand.metric, metric_of(COST)

    def tokens(value: float) -> str:
        return cost.text(value).removesuffix(" tokens")

    table = []
    for why, one, row in lines:
        table.append(
            {
                "": why,
                "Configuration": plain(found.label(one)),
                f"{metric.label}, estimated": metric.text(one.means[metric.name]) if one.known else "not estimated",
                "measured": metric.text(row.measured[metric.name]) if row else "–",
                "distance": metric.points(row.distance(metric.name)) if row else "–",
                "Tokens, estimated": tokens(one.means[COST]) if one.known else "–",
                "measured ": tokens(row.measured[COST]) if row else "–",
            }
        )
    st.table(pd.DataFrame(table).set_index(""))


def _left_out(target: Workspace, found: Estimates, *, busy: bool) -> None:
    """Configurations that are not estimated, with the reason; they can be measured."""
    gaps = found.gaps
    if not gaps:
        return
    st.markdown(f":material/visibility_off: **{quantity(len(gaps), 'configuration')} not estimated**")
    reasons = Counter(sentence for one in gaps for sentence in one.gaps)
    for sentence, number in reasons.most_common(_SHOWN):
        st.caption(f"{plain(sentence)} ({quantity(number, 'configuration')})")
    if button(
        f"Measure {'it' if len(gaps) == 1 else f'these {len(gaps):,}'}",
        key="tune.measure.gaps",
        **editing(disabled=busy),
    ):
        _measure(target, found, gaps)


def _measure(target: Workspace, found: Estimates, some: Sequence[LiveEstimate]) -> None:
    with sentences():
        begin(target, sweep_of_few(found.sweep, [one.settings for one in some], target))
