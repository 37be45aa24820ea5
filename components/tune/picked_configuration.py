"""The picked configuration: its metrics, using its settings, the held-out check, and the comparison."""

from __future__ import annotations

import streamlit as st

from chunking.evaluation import (
    COST,
    EvaluationRun,
    LeaderboardRun,
    QuestionPart,
    QuestionSet,
    metric_of,
    score_run,
    summary,
)
from chunking.store import Workspace
from components.evaluate.run_results import own_notes
from components.kit.button import button
from components.kit.wording import parser_word, plain, quantity
from components.session import share
from components.session.current_workspace import editing
from components.session.jobs import EVALUATE, jobs, may_stop
from components.session.jobs.job_line import NOT_YOURS, POLL, stop
from components.session.page.page_frame import fragment, sentences
from components.session.questions.run_state import runs_of
from components.tune.setting_words import equal_but_k, holdout_sentence, range_words
from components.tune.sweep.sweep_results import Results
from components.tune.use_settings import undo_button, use_button

__all__ = ["against", "clicked", "pick", "picked", "picked_panel", "set_against"]

_SHOWN = ("recall", "iou", "precision", "whole", COST)
_SHORT = {"whole": "Complete"}
_WIDTHS = {COST: 150}
"""Pixels of metrics whose label needs more than the others'."""

NOTHING = "-"
"""Link value of "compared with nothing"."""


def picked_panel(target: Workspace, results: Results, questions: QuestionSet) -> None:
    """Draw the picked run's settings and metrics, a button to use it, and its held-out check.

    Args:
        results: results to pick from.
        questions: the whole set, held-out questions included.
    """
    line = picked(results)
    with st.container(border=True, key="tune.picked"):
        st.markdown(f":blue[●] **Selected** · {line.place} of {len(results.lines)}")
        st.markdown(f"## {_bold(results, line)}")
        _numbers(line)
        _use(line.run)
        held_out = questions.of(QuestionPart.HOLDOUT)
        if held_out.questions and not line.run.parser:  # with a parser they would be asked on another text
            _holdout(target, results, line, held_out)
        elif not held_out.questions:
            st.caption(
                "Hold some questions out to check the choice once.",
                help=(
                    "Among many configurations, the best is partly luck. Split the question set on the Evaluate "
                    "page: held-out questions are not asked here, so they show whether the choice holds."
                ),
            )
        for note in own_notes(line.run):
            st.caption(f"⚠ {plain(note)}")


def _bold(results: Results, line: LeaderboardRun) -> str:
    return " · ".join(f"{plain(title)} {plain(value)}".strip() for title, value in results.parts(line.run))


def _numbers(line: LeaderboardRun) -> None:
    with st.container(horizontal=True, gap="small", key="tune.numbers"):
        for name in _SHOWN:
            metric, one = metric_of(name), line.summary[name]
            st.metric(
                _SHORT.get(name, metric.label),
                metric.text(one.mean).removesuffix(" tokens"),
                help=f"{metric.help} 95 % confidence interval: {range_words(metric, one)}.",
                width=_WIDTHS.get(name, 92),
            )
    st.caption(f"{quantity(line.summary['recall'].n, 'question')} · {quantity(line.run.chunks, 'chunk')}")


# -- use it


def _use(run: EvaluationRun) -> None:
    """Draw a button that makes the run's settings current, or the links and the undo button."""
    if run.parser:
        st.caption(
            f"Here {plain(parser_word(run.parser))} read the documents. These settings alone do not change that: "
            f"choose the parser for all documents on the Documents page, with **Parser …**."
        )
        st.page_link("pages/documents.py", label="Choose the parser", icon=":material/description:", width="content")
    if use_button(run, key="tune.use"):
        return
    st.success("All pages use these settings.", icon=":material/check_circle:")
    with st.container(horizontal=True, gap="small"):
        st.page_link("pages/chunks.py", label="See the chunks", icon=":material/segment:", width="content")
        st.page_link("pages/index.py", label="Build the index", icon=":material/database:", width="content")
        undo_button(run, key="tune.back")


# -- does it hold


def _holdout(target: Workspace, results: Results, line: LeaderboardRun, held_out: QuestionSet) -> None:
    """Draw the run's result on the held-out questions, or the button that evaluates it."""
    metric, measure = results.view.metric, results.view.measure
    done = next((run for run in runs_of(held_out) if equal_but_k(run.config, line.run.config) and not run.error), None)
    if done is not None and len(scores := score_run(done, held_out, measure)):
        st.info(
            holdout_sentence(metric, line.summary[metric.name], summary(scores)[metric.name]),
            icon=":material/fact_check:",
        )
        return
    job = jobs().of(target.uri, EVALUATE)
    if job is not None and job.active:
        _watch_check(target.uri)
        return
    if job is not None and job.error and st.session_state.get("tune.check") == job.number:
        st.error(plain(job.error), icon=":material/error:")
    if button(
        f"Check it on the {quantity(len(held_out), 'question')} held out",
        key="tune.holdout",
        width="stretch",
        **editing(help="Do this once, after choosing: held-out questions lose value each time they are used."),
    ):
        with sentences():
            task = {
                "question_set": held_out.name,
                "config": line.run.config.to_yaml(),
                "part": QuestionPart.HOLDOUT.value,
                "n": line.run.n,
            }
            started = jobs().start_job(target.uri, EVALUATE, task, name=f"held-out questions of {held_out.name}")
            st.session_state["tune.check"] = started.number
            st.rerun()


@fragment(run_every=POLL)
def _watch_check(address: str) -> None:
    job = jobs().of(address, EVALUATE)
    if job is None or not job.active:
        st.rerun()
    st.progress(job.share, text=job.line)
    allowed = may_stop(job)
    st.button(
        "Cancel the check",
        key="tune.check.cancel",
        on_click=stop,
        args=(job,),
        disabled=job.stopping or not allowed,
        help=None if allowed else NOT_YOURS,
    )


def picked(results: Results) -> LeaderboardRun:
    """Return the run that the link names, else the first of the leaderboard."""
    return results.line(share.view("run")) or results.lines[0]


def against(results: Results) -> LeaderboardRun | None:
    """Return the run to compare with: the link's, else the one with the current settings.

    None if the link excludes a comparison, there is no such run, or it is the picked one.
    """
    said = share.view("against")
    if said == NOTHING:
        return None
    line = results.line(said) or next(
        (one for one in results.lines if not one.run.parser and equal_but_k(one.run.config, share.config())), None
    )
    return None if line is None or line.run.key == picked(results).run.key else line


def pick(results: Results, key: str) -> None:
    """Store the picked run in the link; picking the compared run swaps the two."""
    before, other = picked(results).run.key, against(results)
    if other is not None and other.run.key == key:
        share.keep_view(against=before)
    share.keep_view(run=key)


def set_against(key: str | None) -> None:
    """Store in the link the run to compare with; None for no comparison."""
    share.keep_view(against=key or NOTHING)


def clicked(results: Results, kind: str, key: str) -> None:
    """Store a leaderboard click in the link; a second one on the compared run ends comparing."""
    if kind == "picked":
        pick(results, key)
    else:
        other = against(results)
        set_against(None if other is not None and other.run.key == key else key)
