"""The front page of the user's own workspace: what is in it, and the next step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import streamlit as st

from chunking.errors import NotFoundError, QuestionError
from chunking.evaluation import EvaluationRun, Measure, QuestionPart, load_set, metric_of, score_run
from chunking.store import DocumentRow, IndexRow
from components.kit.button import button
from components.kit.clock import moment_text
from components.kit.glossary_lines import glossary_button
from components.kit.wording import plain, quantity
from components.session.current_workspace import current, why_only_viewing
from components.session.document_caches import clear_when_unused
from components.session.index_state import documents_changed
from components.session.questions.question_state import set_names
from components.session.questions.run_state import all_runs, current_runs, run
from components.session.workspace import MOST_WORKSPACES, workspace

__all__ = ["STEPS", "NextStep", "WorkspaceState", "draw_workspace", "next_step", "workspace_state"]


@dataclass(frozen=True, slots=True)
class WorkspaceState:
    """Contents of a workspace, by which the next step is chosen."""

    documents: tuple[DocumentRow, ...]
    index: IndexRow | None
    """The index updated last."""
    stale: str
    """Why that index is out of date, as a sentence; empty if it is not."""
    sets: tuple[str, ...]
    """Names of the question sets."""
    runs: tuple[EvaluationRun, ...]
    """Successful runs on the documents as they are now, the newest first."""

    @property
    def configurations(self) -> int:
        """Number of different configurations among the runs."""
        return len({run.config.to_yaml() for run in self.runs})


@dataclass(frozen=True, slots=True)
class NextStep:
    """A step from the documents to a report, with the page where it is done."""

    name: str
    """Name in the line of steps."""
    label: str
    """Label of its button."""
    why: str
    """Sentence about what it is good for."""
    page: str
    """File name of the page, without folder and ending."""
    is_done: Callable[[WorkspaceState], bool]


STEPS = (
    NextStep(
        "Documents",
        "Add documents",
        "Drop in the files that people will search.",
        "documents",
        lambda of: bool(of.documents),
    ),
    NextStep(
        "Index",
        "Build the index",
        "An index lets you search the chunks, and see each hit in its document.",
        "index",
        lambda of: of.index is not None and not of.stale,
    ),
    NextStep(
        "Questions",
        "Add questions",
        "Questions with known answers let you measure what search finds.",
        "evaluate",
        lambda of: bool(of.sets),
    ),
    NextStep(
        "Evaluate",
        "Evaluate the settings",
        "See how many answers the current settings find, and why the others are missed.",
        "evaluate",
        lambda of: bool(of.runs),
    ),
    NextStep(
        "Tune",
        "Compare settings",
        "Compare sizes, prefixes and ways to search, and use the recommended settings.",
        "tune",
        lambda of: of.configurations > 1,
    ),
    NextStep(
        "Export",
        "Export the report",
        "Download the report, the configuration and the chunks.",
        "export",
        lambda of: False,
    ),
)
"""In order; the first that is not done is the next."""
_READ = NextStep(
    "Search",
    "Search the documents",
    "Ask something, and see each hit in its document.",
    "search",
    lambda of: False,
)
"""The next step of users who may only look."""


def next_step(of: WorkspaceState, *, may_write: bool = True) -> NextStep:
    """Return the step to take next; for those who may only look, to search."""
    return next(step for step in STEPS if not step.is_done(of)) if may_write else _READ


def workspace_state() -> WorkspaceState:
    """Return what the workspace holds; reads no text."""
    target = workspace()
    index = next(iter(target.indexes()), None)
    stale = documents_changed(target, index) if index is not None else ""
    return WorkspaceState(tuple(target.documents()), index, stale, tuple(set_names()), tuple(current_runs()))


def draw_workspace() -> None:
    """Draw the line of steps, the next one's button, and cards of documents, index and last run."""
    of, may_write = workspace_state(), not why_only_viewing()
    step = next_step(of, may_write=may_write)
    st.title(plain(current().name), anchor=False)
    if may_write:
        st.html(_line_of_steps(of, step))
    with st.container(horizontal=True, vertical_alignment="center", key="home.next.row"):
        if button(step.label, type="primary", icon=":material/arrow_forward:", key="home.next"):
            st.switch_page(f"pages/{step.page}.py")
        st.markdown(step.why, width="content")
    if not of.documents:
        return
    with st.container(key="home.cards"):
        _card("documents", "Documents", f"{len(of.documents):,}", _documents_line(of), "documents")
        _card("index", "Chunks in the index", f"{of.index.chunks:,}" if of.index else "–", _index_line(of), "index")
        _card("run", "Recall of the last run", *_last_run(of), "evaluate")
    glossary_button("home.words")


def _line_of_steps(of: WorkspaceState, present: NextStep) -> str:
    """Return the steps as an HTML list: done, the present one, and the others."""
    rows = []
    for step in STEPS:
        look = "present" if step is present else "done" if step.is_done(of) else "later"
        said = {"present": "next", "done": "done", "later": "later"}[look]
        current_one = ' aria-current="step"' if step is present else ""
        rows.append(f'<li class="{look}"{current_one}>{step.name}<span class="home-said"> ({said})</span></li>')
    return f'<ol class="home-steps" aria-label="From documents to a report">{"".join(rows)}</ol>'


def _card(key: str, label: str, value: str, line: str, page: str) -> None:
    with st.container(border=True, height="stretch", gap="xsmall", key=f"home.card.{key}"):
        st.metric(label, value)
        st.caption(line)
        st.page_link(f"pages/{page}.py", label=f"Go to {page.capitalize()}", icon=":material/arrow_forward:")


def _documents_line(of: WorkspaceState) -> str:
    return f"{sum(row.characters for row in of.documents):,} characters"


def _index_line(of: WorkspaceState) -> str:
    if of.index is None:
        return "No index yet."
    state = f"⚠ {of.stale}" if of.stale else f"Up to date, built {moment_text(of.index.updated)}."
    return plain(f"{of.index.name}: {state}")


def _last_run(of: WorkspaceState) -> tuple[str, str]:
    """Return recall and description of the newest current run; a dash if it says nothing any more."""
    if not of.runs:
        return "–", "The documents have changed since the last run." if all_runs() else "No run yet."
    last, target = of.runs[0], workspace()
    recall = _recall(target.uri, target.version(), target.runs.version, last.key)
    line = f"{quantity(len(last.answered), 'question')} of “{plain(last.question_set)}”, {moment_text(last.made_at)}"
    return ("–", f"{line}. Its questions have changed since.") if recall is None else (recall, line)


@clear_when_unused
@st.cache_data(show_spinner=False, max_entries=MOST_WORKSPACES)
def _recall(address: str, version: str, kept: str, key: str) -> str | None:
    """Return the recall of a run as text; None if its questions are not there any more."""
    last = run(key)
    assert last is not None
    try:
        every = load_set(workspace(), last.question_set).questions
    except (NotFoundError, QuestionError):
        return None
    candidates = (every, *(every.of(part) for part in QuestionPart))
    questions = next((one for one in candidates if one.fingerprint == last.questions), None)
    if questions is None:
        return None
    recall = score_run(last, questions, Measure(last.n)).recall
    return metric_of("recall").text(float(recall.mean())) if len(recall) else None
