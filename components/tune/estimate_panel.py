"""Estimates on the Tune page: job, plot, configurations worth measuring, and accuracy."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import streamlit as st

from chunking.config import is_baseline
from chunking.errors import QuestionError
from chunking.evaluation import (
    COST,
    CandidateConfig,
    CardRole,
    Checked,
    LiveEstimate,
    QuestionSet,
    Reason,
    Sweep,
    checked,
    documents_key,
    mean_distance,
    metric_of,
    varied_settings,
    worth_measuring,
)
from chunking.store import Workspace
from components.kit.button import button
from components.kit.charts import CHART_CONFIG
from components.kit.wording import duration, plain, quantity
from components.session import share
from components.session.current_workspace import editing
from components.session.document_samples import sample_for
from components.session.host import deployment
from components.session.jobs import ESTIMATE, SWEEP, ServerJob, jobs
from components.session.jobs.job_line import POLL, job_line, should_show_outcome, watch_outcome
from components.session.page.page_frame import fragment, sentences
from components.tune.estimate_plot import NamedEstimate, estimates_figure
from components.tune.plots import EstimatedPoint
from components.tune.setting_words import spoken_label
from components.tune.sweep.sweep_results import LeaderboardView, Results
from components.tune.sweep.sweeps import begin_sweep, sweep_of_few

__all__ = [
    *("estimates_of", "estimates_panel", "fitting_estimates", "last_estimation", "roles_label", "start_estimates"),
]

_KEPT = "Documents already encoded are saved for the next time; nothing else changes."
_WHY = {
    Reason.BEST: "best estimate",
    Reason.CHEAPEST: "cheapest within {margin}",
    Reason.PRESENT: "current",
    Reason.NEXT: "next best",
    Reason.BASELINE: "baseline",
}
_SHOWN = 4
"""Most reasons listed."""

PAGE = "tune-estimates"
"""Page name of the job, for its widgets and notices."""


def estimates_panel(target: Workspace, results: Results, questions: QuestionSet, *, busy: bool) -> bool:
    """Draw the question set's last estimation: its progress, error or results; nothing without one.

    Once all that matter are measured, the results are folded.

    Args:
        busy: True if a job is in progress.
    Returns:
        True if the picture of the estimates is drawn.
    """
    job = last_estimation(target, questions)
    if job is None:
        return False
    if job.active:
        with st.container(border=True, key="tune.estimates"):
            _watch(target, results, questions)
        return True
    if job.error:
        st.error(plain(job.error), icon=":material/error:")
    elif job.cancelled and should_show_outcome(job, PAGE):
        some = "What has been estimated is shown below." if job.estimates else "Nothing had been estimated yet."
        st.info(f"The estimation was cancelled. {some}", icon=":material/cancel:")
    estimates = estimates_of(job)
    if estimates is None:
        return False
    if results.decision is None or estimates.unmeasured(results):
        with st.container(border=True, key="tune.estimates"):
            st.markdown(f"**Estimated without an index** · {_head(estimates)}", help=_HELP)
            return _drawn(target, estimates, results, busy=busy)
    box = st.expander(f"Estimated without an index · {_head(estimates)}", key="tune.estimates", on_change="rerun")
    if box.open:
        with box:
            st.caption(_HELP)
            _drawn(target, estimates, results, busy=busy)
    return False


@fragment(run_every=POLL)
def _watch(target: Workspace, results: Results, questions: QuestionSet) -> None:
    """Draw the plot while estimates arrive, and rerun the page at the end."""
    job = last_estimation(target, questions)
    if job is None or not job.active:
        st.rerun()
    job_line(job, PAGE, _KEPT)
    estimates = estimates_of(job)
    if estimates is not None and estimates.estimated and estimates.fits(results.view):
        _picture(estimates, results, (), ())


def _drawn(target: Workspace, estimates: Estimates, results: Results, *, busy: bool) -> bool:
    """Draw picture, table and what was left out; False if there is no picture."""
    view = results.view
    if not estimates.fits(view):
        st.caption(
            f"These are estimates {estimates.every[0].measure.label}; the page shows metrics "
            f"{view.measure.label}. Estimate again to compare them."
        )
        _left_out(target, estimates, busy=busy)
        return False
    if note := sample_for(target, results.questions).note:
        st.caption(f"Estimated on {note}: those with gold answers, and an even sample of the others.")
    candidates, rows = estimates.candidates(view), estimates.checks(results)
    if estimates.estimated:
        _picture(estimates, results, candidates, rows)
    _few(target, estimates, results, candidates, rows, busy=busy)
    _left_out(target, estimates, busy=busy)
    return bool(estimates.estimated)


_HELP = (
    "Live recall put all questions to every configuration: the documents are encoded once, and chunks, vectors "
    "and full-text scores are computed from that, without an index. Estimates show what is worth evaluating; "
    "only evaluations give recommendations."
)


def _head(estimates: Estimates) -> str:
    seconds = (estimates.job.report or {}).get("seconds")
    parts = [quantity(len(estimates.estimated), "configuration")]
    if estimates.estimated:
        parts += [quantity(estimates.estimated[0].questions, "question"), estimates.estimated[0].measure.label]
    if seconds is not None:
        parts.append(duration(seconds))
    return " · ".join(parts)


def _picture(
    estimates: Estimates, results: Results, candidates: Sequence[CandidateConfig], rows: Sequence[Checked]
) -> None:
    metric, estimated = results.view.metric, estimates.estimated
    names = _names(results, candidates, rows)
    chosen = [one.estimate for one in candidates if one.estimate.known]
    chosen += [row.estimate for row in rows if names.get(id(row.estimate)) and row.estimate not in chosen]
    points = [NamedEstimate(one, names.get(id(one), "")) for one in chosen]
    figure = estimates_figure(
        estimated,
        [estimates.label(one) for one in estimated],
        points,
        rows,
        metric,
        dark=st.context.theme.type == "dark",
    )
    alt = (
        f"Estimated {metric.label} against estimated context tokens of {len(estimated)} configurations, {len(rows)} "
        f"of them measured too"
    )
    st.plotly_chart(figure, theme=None, config=CHART_CONFIG, key="tune.estimates.plot", alt=alt)


def _names(results: Results, candidates: Sequence[CandidateConfig], rows: Sequence[Checked]) -> dict[int, str]:
    """Return the name of estimates in the picture, by id: the cards' for what is measured, else why it is worth it.

    Once there are cards, nothing else is called best or cheapest.
    """
    decision = results.decision
    names = {id(one.estimate): _why(one, results) for one in candidates}
    if decision is not None:
        names = dict.fromkeys(names, "To measure")
        names |= {id(row.estimate): roles_label(decision.roles(row.run.key)) for row in rows}
    return names


def roles_label(roles: Sequence[CardRole]) -> str:
    """Return a configuration's roles on the cards as the label of its point; empty without one."""
    return " · ".join(role.short for role in roles)


def _why(one: CandidateConfig, results: Results) -> str:
    margin = results.view.metric.margin_text(results.view.margin)
    return _begun(", ".join(_WHY[reason].format(margin=margin) for reason in one.reasons))


def _begun(words: str) -> str:
    return words[:1].upper() + words[1:]


def _few(
    target: Workspace,
    estimates: Estimates,
    results: Results,
    candidates: Sequence[CandidateConfig],
    rows: Sequence[Checked],
    *,
    busy: bool,
) -> None:
    """Draw the candidates with estimate and measurement, and the button that measures the rest."""
    metric = results.view.metric
    measured = {id(row.estimate): row for row in rows}
    others = [row for row in rows if all(row.estimate is not one.estimate for one in candidates)]
    names = _names(results, candidates, rows)
    lines = [
        (names[id(one.estimate)] or "Measured", one.estimate, measured.get(id(one.estimate))) for one in candidates
    ]
    lines += [(names[id(row.estimate)] or "Measured", row.estimate, row) for row in others]
    _table(estimates, results, lines)
    if rows:
        apart = metric.points(mean_distance(rows, metric.name), sign=False)
        tokens = metric_of(COST).points(mean_distance(rows, COST), sign=False)
        st.caption(
            f"Mean difference between estimate and measurement over {quantity(len(rows), 'configuration')}: "
            f"{metric.label} **{apart}**, {tokens} per question."
        )
    missing = [one.estimate for one in candidates if id(one.estimate) not in measured]
    if missing:
        with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
            words = f"Measure the {len(missing)} that matter" if len(missing) > 1 else "Measure the one that matters"
            if button(words, key="tune.measure", type="primary", **editing(disabled=busy)):
                _measure(target, estimates, missing)
            if busy:  # where it was started; the page's own line, at the top, also cancels
                _sweep_progress(target.uri)
            st.caption(
                "Builds a real index for each, asks every question, and recommends one of them.", width="content"
            )


@fragment(run_every=POLL)
def _sweep_progress(address: str) -> None:
    job = jobs().of(address, SWEEP)
    if job is not None and job.active:
        st.progress(job.share, text=job.line)


def _table(estimates: Estimates, results: Results, lines: Sequence[tuple[str, LiveEstimate, Checked | None]]) -> None:
    """Draw the estimate, the measurement and their distance of each candidate."""
    import pandas as pd

    metric, cost = results.view.metric, metric_of(COST)

    def tokens(value: float) -> str:
        return cost.text(value).removesuffix(" tokens")

    table = []
    for why, one, row in lines:
        apart = metric.apart(one.means[metric.name], row.measured[metric.name]) if row else 0.0
        table.append(
            {
                "": why,
                "Configuration": plain(estimates.label(one)),
                f"{metric.label}, estimated": metric.text(one.means[metric.name]) if one.known else "not estimated",
                "measured": metric.text(row.measured[metric.name]) if row else "–",
                "distance": metric.points(apart) if row else "–",
                "Tokens, estimated": tokens(one.means[COST]) if one.known else "–",
                "measured ": tokens(row.measured[COST]) if row else "–",
            }
        )
    st.table(pd.DataFrame(table).set_index(""))


def _left_out(target: Workspace, estimates: Estimates, *, busy: bool) -> None:
    """Draw why configurations were not estimated, and the button that measures them."""
    gaps = estimates.gaps
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
        _measure(target, estimates, gaps)


def _measure(target: Workspace, estimates: Estimates, some: Sequence[LiveEstimate]) -> None:
    with sentences():
        begin_sweep(target, sweep_of_few(estimates.sweep, [one.settings for one in some], target))


@dataclass(frozen=True)
class Estimates:
    """A job's estimates so far: one per configuration, with its metrics or why there are none."""

    job: ServerJob
    sweep: Sweep
    every: tuple[LiveEstimate, ...]

    @property
    def estimated(self) -> tuple[LiveEstimate, ...]:
        """Configurations with an estimate."""
        return tuple(one for one in self.every if one.known)

    @property
    def gaps(self) -> tuple[LiveEstimate, ...]:
        """Configurations without an estimate."""
        return tuple(one for one in self.every if not one.known)

    def label(self, one: LiveEstimate) -> str:
        """Return the settings of an estimate that differ among the estimates, in a line."""
        if is_baseline(one.config):
            return CardRole.BASELINE.label
        return spoken_label(one.config, self._varied)

    @cached_property
    def _varied(self) -> tuple[str, ...]:
        """Keys of the settings that differ among the estimates; found once, as every label asks for them."""
        return varied_settings([one.config for one in self.every if not is_baseline(one.config)])

    def fits(self, view: LeaderboardView) -> bool:
        """True if the estimates were made with the measure that the page shows."""
        return _measured_as(self.sweep, view) == self.sweep

    def candidates(self, view: LeaderboardView) -> tuple[CandidateConfig, ...]:
        """Return the best, the cheapest within the margin, and the current configuration."""
        chosen = worth_measuring(self.every, view.metric.name, view.margin, share.config())
        return tuple(one for one in chosen if Reason.NEXT not in one.reasons)

    def unmeasured(self, results: Results) -> bool:
        """True if the estimates fit the view, and one worth measuring was not measured."""
        measured = {id(row.estimate) for row in self.checks(results)}
        return not self.fits(results.view) or any(
            id(one.estimate) not in measured for one in self.candidates(results.view)
        )

    def checks(self, results: Results) -> tuple[Checked, ...]:
        """Return each estimate that was also run on all questions, with the run's metrics."""
        return checked(self.every, [line.run for line in results.lines if line.complete], results.questions)


def start_estimates(target: Workspace, sweep: Sweep, questions: QuestionSet, view: LeaderboardView) -> None:
    """Start a job that estimates a sweep's configurations with the page's measure; no time limit.

    The job is watched in this session.

    Raises:
        ChunkscopeError: the sweep cannot be run or has too many configurations, or no process can be started.
    """
    planned = replace(_measured_as(sweep, view), name="estimates", minutes=0.0)
    planned.check()
    deployment().quotas.check_configurations(planned.combinations)
    task = {"sweep": planned.to_json(), "about": _about(target, questions)}
    watch_outcome(jobs().start_job(target.uri, ESTIMATE, task), PAGE)


def last_estimation(target: Workspace, questions: QuestionSet) -> ServerJob | None:
    """Return the workspace's last estimation if on these questions and documents, else None."""
    job = jobs().of(target.uri, ESTIMATE)
    return job if job is not None and job.task.get("about") == _about(target, questions) else None


def fitting_estimates(target: Workspace, results: Results) -> list[EstimatedPoint]:
    """Return the estimates with the page's measure whose configurations were not measured."""
    job = last_estimation(target, results.questions)
    estimates = estimates_of(job) if job is not None else None
    if estimates is None or not estimates.fits(results.view):
        return []
    measured = {id(row.estimate) for row in estimates.checks(results)}
    name = results.view.metric.name
    return [
        EstimatedPoint(one.means[COST], one.means[name], estimates.label(one))
        for one in estimates.estimated
        if id(one) not in measured
    ]


def estimates_of(job: ServerJob) -> Estimates | None:
    """Return a job's estimates so far; None if there are none or its sweep cannot be read."""
    try:
        sweep = Sweep.from_json(job.task["sweep"])
    except QuestionError:
        return None  # of settings that this version does not have
    every = tuple(LiveEstimate.from_record(one, sweep) for one in tuple(job.estimates))
    return Estimates(job, sweep, every) if every else None


def _measured_as(sweep: Sweep, view: LeaderboardView) -> Sweep:
    measure = view.measure
    return replace(sweep, n=measure.n or sweep.base.search.k, budget=measure.budget or 0, expanded=measure.expanded)


def _about(target: Workspace, questions: QuestionSet) -> str:
    return f"{questions.fingerprint} {target.derived(documents_key)}"
