"""Live recall next to the settings: the button that prepares it, its progress, and the dial."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from chunking.config import Config
from chunking.errors import ModelError
from chunking.evaluation import LiveRecall, LiveScores, QuestionPart, Scores, label
from chunking.viewing.messages.sliders import NOT_EVALUATED, DialTrial, dial_message, with_trial
from components.chunks.live_documents import (
    ChosenSet,
    ReferenceRun,
    chosen_set,
    encoded_key,
    is_encoded,
    live_of,
    measure_of,
    measured_scores,
    prepared_keys,
    reference_run,
)
from components.kit.browser import component
from components.kit.button import button
from components.kit.wording import plain, quantity, shortened
from components.session.current_workspace import editing
from components.session.jobs import LIVE, ServerJob, jobs
from components.session.jobs.job_line import POLL, job_line
from components.session.page.page_frame import fragment
from components.session.questions.question_state import active_name, sample_set_button, set_active, set_names
from components.session.workspace import workspace

__all__ = ["ChosenSet", "chosen_set", "evaluate_link", "recall_hint", "recall_panel"]

_dial = component("dial")
LONGEST = 36
"""Most characters of a configuration's label."""
_JOB = "live_recall.job"
"""Session key: (number of the job that this session started, key of what it encodes)."""
_PAGE = "live-recall"
_KEPT = "Documents already encoded are saved for the next time; nothing else changes."

_TRACE = "live_recall.trace"


def recall_hint() -> None:
    """Draw the next step towards live recall: which question set to choose, load or write."""
    name = active_name()
    if name:
        st.caption(
            f"None of the gold answers of “{plain(name)}” is in these documents. Choose another question set "
            f"above, or select text to ask about."
        )
        return
    with st.container(border=True, key="live-recall-hint"):
        names = set_names()
        st.caption(
            "Questions with known answers show which answers a boundary splits, and how recall changes as you drag."
            f"{'' if names else ' Select text to ask one, or:'}"
        )
        if names:
            label = f"Show recall for “{plain(shortened(names[0], LONGEST))}”"
            if button(label, key="chunks.recall", type="primary"):
                set_active(names[0])
                st.rerun()
        elif sample_set_button(key="chunks.samples", primary=False):
            st.rerun()


def evaluate_link() -> None:
    """Draw the link to the page that measures the settings."""
    st.page_link(
        "pages/evaluate.py",
        label="Evaluate these settings",
        icon=":material/straighten:",
        help="With a real index, on the Evaluate page.",
    )


def recall_panel(of: ChosenSet, config: Config) -> None:
    """Draw the dial of live recall, or its job's progress, or the button that starts the job.

    Call it after the text is drawn, in the fragment that changes the settings.

    Args:
        of: the active question set.
        config: current settings.
    """
    about = encoded_key(of, config)
    try:
        job = jobs().of(workspace().uri, LIVE)
        if (
            about not in prepared_keys()
            and not _encoded(job, about)
            and not is_encoded(of, config, job.number if job and job.report else 0)
        ):
            if job and job.active:
                _watch()
            elif _offer_button(of, job, about):
                _start(of, config, about)
            return
        live = live_of(of, config)
        if not live.ready:
            live.prepare()  # all of it is in the workspace: no model is asked
        prepared_keys().add(about)
        _draw(of, config, live)
    except ModelError as error:
        st.caption(f":red[{plain(str(error))}]")


def _encoded(job: ServerJob | None, about: str) -> bool:
    """True if this session's job encoded these documents."""
    return job is not None and job.report is not None and st.session_state.get(_JOB) == (job.number, about)


def _start(of: ChosenSet, config: Config, about: str) -> None:
    """Start the encoding as a job, so that the page stays responsive."""
    task = {
        "config": config.to_yaml(),
        "question_set": of.questions.name,
        "part": QuestionPart.TUNE.value if of.tuned is not of.questions else "",
    }
    started = jobs().start_job(workspace().uri, LIVE, task, name="")
    st.session_state[_JOB] = (started.number, about)
    st.rerun()


@fragment(run_every=POLL)
def _watch() -> None:
    """Draw the progress with Cancel, and rerun the page at the end."""
    job = jobs().of(workspace().uri, LIVE)
    if job is None or not job.active:
        st.rerun()
    with st.container(border=True, key="live-recall-progress"):
        job_line(job, _PAGE, _KEPT)


def _offer_button(of: ChosenSet, job: ServerJob | None, about: str) -> bool:
    """Draw the offer of live recall; True in the run after its button was clicked."""
    with st.container(border=True, key="live-recall-start"):
        st.markdown("**Live recall**")
        if job and job.error and st.session_state.get(_JOB) == (job.number, about):
            st.caption(f":red[{plain(job.error)}]")
        st.caption(
            f"Estimates recall while you drag: the model encodes {_documents(of)} once; after "
            f"that, every move of a slider shows at once what {quantity(len(of.tuned), 'question')} would find."
        )
        return button("Show live recall", key="live-recall-prepare", type="primary", **editing())


def _documents(of: ChosenSet) -> str:
    """Return the documents to encode, in words."""
    sampled = f"{of.sample.note} (those with gold answers, and an even sample of the others)"
    return sampled if of.sample.note else quantity(of.sample.total, "document")


def _draw(of: ChosenSet, config: Config, live: LiveRecall) -> None:
    measure = measure_of(config)
    scores = live.scores(config, measure)
    reference = reference_run(of, config, live, scores)
    real = measured_scores(reference.run, of, measure) if reference and reference.same else None
    trace = recent_trials(scores, config, f"{of.about} {measure.label} {config.embedding.model}", real)
    means = scores.scores
    estimate = {"recall": float(means.recall.mean()), "iou": float(means.iou.mean())} if real else None
    about = f"{measure.label} · {quantity(len(of.tuned), 'question')}"
    _dial(
        key="live-recall",
        data=dial_message(trace, about, other=estimate, check=_check(reference, estimate), notes=_notes(of, scores)),
    )


def _check(reference: ReferenceRun | None, estimate: Mapping[str, float] | None) -> str:
    """Return the difference of live and measured recall, in a sentence of at most two lines."""
    if reference is None:
        return NOT_EVALUATED
    apart = 100 * reference.difference.recall
    by = "the same" if abs(apart) < 0.05 else f"{abs(apart):.1f} points {'higher' if apart > 0 else 'lower'}"
    if estimate:
        return f"Measured on an index. Live estimate (marked): recall {estimate['recall']:.1%}, {by}."
    return f"Last run ({shortened(label(reference.run.config), LONGEST)}): live recall was {by}."


def _notes(of: ChosenSet, scores: LiveScores) -> list[str]:
    notes = list(scores.notes)
    if of.sample.note:
        notes.append(f"Estimated on {of.sample.note}: among all, fewer answers are found.")
    if of.lost:
        notes.append(f"Not counted: {quantity(of.lost, 'question')} whose gold answer is no longer in the documents.")
    if of.tuned is not of.questions:
        notes.append(f"Not counted: {quantity(len(of.questions) - len(of.tuned), 'question')} in the held-out split.")
    return notes


def recent_trials(
    scores: LiveScores, config: Config, about: str, measured: Scores | None = None
) -> Sequence[DialTrial]:
    """Return the session's trace, with the current settings and scores added if they are new.

    Settings equal to those of the last trial are not added again.

    Args:
        about: key of questions and documents; another key starts a new trace.
        measured: scores of a run with these settings; None without one.
    """
    before, trace = st.session_state.get(_TRACE, (about, ()))
    now = with_trial(trace if before == about else (), scores, config, measured)
    st.session_state[_TRACE] = (about, now)
    return now
