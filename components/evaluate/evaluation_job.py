"""Start an evaluation of the current settings, and show its progress and result."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from chunking.config.config import value_label
from chunking.evaluation import QuestionPart
from chunking.store import Workspace
from components.kit.button import button
from components.kit.run_cost import settings_summary
from components.kit.wording import plain, quantity
from components.session import share
from components.session.current_workspace import editing
from components.session.jobs import EVALUATE, ServerJob, jobs
from components.session.jobs.job_line import POLL, job_line, job_notes, should_show_outcome, watch_outcome
from components.session.page.page_frame import fragment, sentences

__all__ = ["PART", "measure_box", "start_measuring"]

PART = "evaluate.part"
"""Session key of the chosen split ("" for all questions)."""
_PAGE, _SHOWN = "evaluate", "evaluate.shown"
_HELP = (
    "Starts a run: splits and embeds the documents with these settings in a temporary index (cached embeddings are "
    "reused), searches for every question, and compares the results with the gold answers. Your indexes stay as they "
    "are."
)
_PARTS = {"": "All questions", QuestionPart.TUNE.value: "Dev split", QuestionPart.HOLDOUT.value: "Held-out split"}


def _part_field(sizes: dict[str, int], done: Sequence[str]) -> str:
    """Draw the choice of the split and return it; "" where the set is not split.

    Args:
        sizes: split to its number of questions; "" is the whole set.
        done: splits that have a run of the current settings; the first of them is offered.
    """
    parts = [part for part in _PARTS if sizes.get(part)]
    if len(parts) < len(_PARTS):
        st.session_state.pop(PART, None)
        return ""
    kept = st.session_state.get(PART, next(iter(done), ""))
    chosen: str = st.selectbox(
        "Questions",
        parts,
        index=parts.index(kept) if kept in parts else 0,
        format_func=lambda part: f"{_PARTS[part]} ({sizes[part]:,})",
        help=(
            "Choose settings on the dev split, then check the choice once on the held-out split, which was "
            "not used for choosing."
        ),
        key="evaluate.part.field",
        label_visibility="collapsed",
        width=220,
    )
    st.session_state[PART] = chosen
    return chosen


def measure_box(target: Workspace, name: str, sizes: dict[str, int], done: Sequence[str]) -> None:
    """Draw the current settings with a start button, or the running job, and the last result.

    Args:
        target: where the documents are.
        name: name of the question set.
        sizes: split to its number of questions; "" is the whole set.
        done: splits that have a run of the current settings.
    """
    job = jobs().of(target.uri, EVALUATE)
    box, outcome = st.container(border=True, key="evaluate.box", gap="small"), st.container()
    with box:
        with st.container(horizontal=True, vertical_alignment="center"):
            st.markdown(
                " · ".join(_words()),
                help="All pages use these settings, and the link contains them.",
                width="content",
            )
            st.page_link("pages/chunks.py", label="Change on Chunks", icon=":material/tune:", width="content")
        if job and job.active:
            watch_outcome(job, _PAGE)
            _watch(target.uri)
            return
        with st.container(horizontal=True, vertical_alignment="center"):
            part = _part_field(sizes, done)
            clicked = button(
                f"Evaluate {'again' if part in done else 'these settings'} on {quantity(sizes[part], 'question')}",
                type="secondary" if part in done else "primary",
                key="evaluate.start",
                **editing(disabled=not sizes[part], help=_HELP),
            )
        if clicked:
            _start(target, name, part)
    if job:
        with outcome:
            _report(job)


def _words() -> list[str]:
    """Return the labels of the settings for chunks and for search."""
    config = share.config()
    search = config.search
    words = [
        f"**{quantity(search.k, 'result')}**",
        f"**{value_label('search.mode', search.mode)}** search",
        f"retrieval **{search.retrieval.label}**",
    ]
    return [*settings_summary(config), *words, *(["**reranking**"] if search.rerank else [])]


def start_measuring(target: Workspace, name: str, part: str) -> ServerJob:
    """Start a job that evaluates the current settings, and notify this session when it ends.

    Args:
        name: question set.
        part: value of its split, a `QuestionPart`; "" for all questions.
    Raises:
        ChunkscopeError: no process can be started.
    """
    task = {"question_set": name, "config": share.config().to_yaml(), "part": part}
    job = jobs().start_job(target.uri, EVALUATE, task, name=name)
    watch_outcome(job, _PAGE)
    return job


def _start(target: Workspace, name: str, part: str) -> None:
    with sentences():
        start_measuring(target, name, part)
        st.rerun()


@fragment(run_every=POLL)
def _watch(address: str) -> None:
    """Draw the progress of the job, and rerun the page when it has ended."""
    job = jobs().of(address, EVALUATE)
    if job is None or not job.active:
        st.rerun()
    job_line(job, _PAGE, "Embeddings are cached; the next run continues from there.")
    st.caption("You can leave this page: the run continues, and its result will be here.")


def _report(job: ServerJob) -> None:
    """Draw the result of the last job in sessions that watch it, and select its run once."""
    if not should_show_outcome(job, _PAGE):
        return
    job_notes(job)
    if job.report and st.session_state.get(_SHOWN) != job.number:
        st.session_state[_SHOWN] = job.number
        share.keep_view(run=job.report["run"])
        st.toast(f"Evaluated on {quantity(job.report['questions'], 'question')}.", icon=":material/check_circle:")
    if job.error:
        st.error(plain(job.error), icon=":material/error:")
    elif job.cancelled:
        st.info("Cancelled. Embeddings are cached: evaluate again to continue.", icon=":material/cancel:")
