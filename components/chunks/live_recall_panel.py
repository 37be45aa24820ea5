"""Live recall beside the settings: the button that prepares it, its progress, and the dial."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import streamlit as st

from chunking.config import Config
from chunking.errors import ModelError
from chunking.evaluation import LiveRecall, LiveScores, QuestionPart, label
from chunking.viewing.messages.sliders import NOT_EVALUATED, DialTrial, dial_message, with_trial
from components.chunks.live_documents import (
    ChosenSet,
    ReferenceRun,
    chosen_set,
    encoded_key,
    is_encoded,
    live_of,
    measure_of,
    measured,
    prepared,
    reference_run,
)
from components.kit.browser import component
from components.kit.button import button
from components.kit.wording import plain, quantity, shortened
from components.session.current_workspace import editing
from components.session.jobs import LIVE, ServerJob, jobs
from components.session.jobs.job_line import POLL, job_line
from components.session.page.page_frame import fragment
from components.session.questions.question_state import active_name, sample_set_button, set_names
from components.session.workspace import workspace

__all__ = ["ChosenSet", "chosen_set", "recall_hint", "recall_panel"]

_dial = component("dial")
LONGEST = 36
"""Characters of a configuration's label."""
_JOB = "live_recall.job"
"""Session key of (number of the job that this session started, what it encodes)."""
_PAGE = "live-recall"
_KEPT = "Documents already encoded are saved for the next time; nothing else changes."

_TRACE = "live_recall.trace"


def recall_hint() -> None:
    """Where no set is chosen: the next step, in a line."""
    name = active_name()
    if name:
        st.caption(
            f"None of the gold answers of “{plain(name)}” is in these documents. Choose another question set "
            f"above, or select text to ask about."
        )
        return
    if set_names():
        st.caption(
            "Choose a question set above: its gold answers are marked in the text, and a dial shows recall "
            "while you drag."
        )
        return
    with st.container(border=True, key="live-recall-hint"):
        st.caption(
            "With questions, you see which answers stay intact, and recall while you drag. Select text to ask one, or:"
        )
        if sample_set_button(key="chunks.samples", primary=False):
            st.rerun()


def recall_panel(of: ChosenSet, config: Config, documents: int) -> None:
    """Recall, IoU and tokens of the present settings; call it in the fragment that moves them, after the text is drawn.

    Args:
        of: the questions.
        config: the present settings.
        documents: how many are asked about.
    """
    about = encoded_key(of, config)
    try:
        job = jobs().of(workspace().uri, LIVE)
        if (
            about not in prepared()
            and not _encoded(job, about)
            and not is_encoded(of, config, job.number if job and job.report else 0)
        ):
            if job and job.active:
                _watch()
            elif _offered(of, documents, job, about):
                _start(of, config, about)
            return
        live = live_of(of, config)
        if not live.ready:
            live.prepare()  # all of it is in the workspace: no model is asked
        prepared().add(about)
        _draw(of, config, live)
    except ModelError as error:
        st.caption(f":red[{plain(str(error))}]")


def _encoded(job: ServerJob | None, about: str) -> bool:
    """This session had it encoded."""
    return job is not None and job.report is not None and st.session_state.get(_JOB) == (job.number, about)


def _start(of: ChosenSet, config: Config, about: str) -> None:
    """Encode in a process of its own: text, settings and boundaries move on meanwhile."""
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
    """How far it is, and Cancel; at its end the page is drawn anew, with the dial."""
    job = jobs().of(workspace().uri, LIVE)
    if job is None or not job.active:
        st.rerun()
    with st.container(border=True, key="live-recall-progress"):
        job_line(job, _PAGE, _KEPT)


def _offered(of: ChosenSet, documents: int, job: ServerJob | None, about: str) -> bool:
    """What live recall costs, and the button; True in the run after it was clicked."""
    with st.container(border=True, key="live-recall-start"):
        st.markdown("**Live recall**")
        if job and job.error and st.session_state.get(_JOB) == (job.number, about):
            st.caption(f":red[{plain(job.error)}]")
        st.caption(
            f"Estimates recall while you drag. Encodes {quantity(documents, 'document')} once with the model; after "
            f"that, every slider move instantly shows what {quantity(len(of.tuned), 'question')} would find."
        )
        return button("Show live recall", key="live-recall-prepare", type="primary", **editing())


def _draw(of: ChosenSet, config: Config, live: LiveRecall) -> None:
    measure = measure_of(config)
    scores = live.scores(config, measure)
    reference = reference_run(of, config, live, scores)
    real = measured(reference.run, of, measure) if reference and reference.same else None
    trace = tried(scores, config, f"{of.about} {measure.label} {config.embedding.model}")
    about = f"{measure.label} · {quantity(len(of.tuned), 'question')}"
    _dial(
        key="live-recall",
        data=dial_message(trace, about, measured=real, check=_check(reference, real), notes=_notes(of, scores)),
    )
    st.page_link(
        "pages/evaluate.py",
        label="Evaluate these settings",
        icon=":material/straighten:",
        help="With a real index, on the Evaluate page.",
    )


def _check(reference: ReferenceRun | None, real: Mapping[str, float] | None) -> str:
    """How far live numbers are from real ones, in a sentence short enough for two lines."""
    if reference is None:
        return NOT_EVALUATED
    apart = 100 * reference.difference.recall
    by = "the same" if abs(apart) < 0.05 else f"{abs(apart):.1f} points {'higher' if apart > 0 else 'lower'}"
    if real:
        return f"Evaluated: recall {real['recall']:.1%}, IoU {real['iou']:.1%} (marked). Live recall is {by}."
    return f"Last run ({shortened(label(reference.run.config), LONGEST)}): live recall was {by}."


def _notes(of: ChosenSet, scores: LiveScores) -> list[str]:
    notes = list(scores.notes)
    if of.lost:
        notes.append(f"Not counted: {quantity(of.lost, 'question')} whose gold answer is no longer in the documents.")
    if of.tuned is not of.questions:
        notes.append(f"Not counted: {quantity(len(of.questions) - len(of.tuned), 'question')} in the held-out split.")
    return notes


def tried(scores: LiveScores, config: Config, about: str) -> Sequence[DialTrial]:
    """The settings tried last with the present ones at the end.

    Args:
        about: what the numbers are of (questions, documents); with another one, the trace begins anew.
    """
    before, trace = st.session_state.get(_TRACE, (about, ()))
    now = with_trial(trace if before == about else (), scores, config)
    st.session_state[_TRACE] = (about, now)
    return now
