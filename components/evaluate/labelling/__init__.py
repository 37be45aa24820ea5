"""Start a labelling queue from a file or the search history, or continue one."""

from __future__ import annotations

import hashlib

import streamlit as st

from chunking.config import SearchMode
from chunking.evaluation import (
    MOST_DEPTH,
    PoolSource,
    Queries,
    Queue,
    delete_queue,
    distinct_queries,
    free_name,
    load_queue,
    queue_names,
    queue_progress,
    read_queries,
    save_queue,
)
from chunking.evaluation.labelling.queue import DEPTH
from chunking.store import Workspace
from components.evaluate.labelling.labelling_work import labelling_work, open_queue, open_queue_name
from components.kit.button import button
from components.kit.wording import plain, quantity
from components.search.search_controls import MODES
from components.session.current_workspace import editing
from components.session.page.page_frame import sentences
from components.session.questions.question_state import saved_labels, set_names

__all__ = ["labelling", "labelling_work", "open_queue_name"]

_FILE, _HISTORY = "A file", "Search history"
_NAME = "Real queries"
_READ = "labelling.read"
_SHOWN = 5
"""Most queries of a file shown as a preview."""


def labelling(target: Workspace) -> None:
    """Draw the labelling queues and the form for a new one; a hint if no index is built."""
    with sentences():
        if not [row for row in target.indexes() if row.fingerprint]:
            st.info("Queries are labelled on search results, so an index is needed. Build one on the Index page.")
            st.page_link("pages/index.py", label="Build an index", icon=":material/arrow_forward:")
            return
        for name in queue_names(target):
            _queue_row(target, load_queue(target, name))
        queries = _queries(target)
        if queries is not None:
            _new_queue(target, queries)


def _queue_row(target: Workspace, queue: Queue) -> None:
    """Draw a queue with its progress, and buttons that open and delete it."""
    now = queue_progress(queue, saved_labels(target, queue.name))
    with st.container(horizontal=True, vertical_alignment="center", key=f"labelling.begun.{_short(queue.name)}"):
        st.markdown(
            f"**{plain(queue.name)}** · {now.done:,} of {quantity(len(queue.queries), 'query', 'queries')} done",
            width="stretch",
        )
        if button(
            "Go on" if now.left else "Open",
            key=f"labelling.go.{_short(queue.name)}",
            about=queue.name,
            type="primary",
            **editing(),
        ):
            open_queue(queue.name)
            st.rerun()
        if button(
            "Delete the queue",
            key=f"labelling.delete.{_short(queue.name)}",
            about=queue.name,
            **editing(help="Its labels stay in the set."),
        ):
            delete_queue(target, queue.name)
            st.rerun()


def _queries(target: Workspace) -> Queries | None:
    """Return the queries of the uploaded file or of the search history."""
    left, right = st.columns([1, 1.4], gap="large")
    with left:
        source = st.segmented_control(
            "Queries from", (_FILE, _HISTORY), default=_FILE, required=True, key="labelling.source"
        )
        if source == _HISTORY:
            queries: Queries | None = _history(target)
        else:
            queries = _file()
    with right:
        if queries is None or not queries.queries:
            st.caption(
                "The results of several configurations are pooled, and you mark the sentence that answers "
                "each query without seeing which configuration found it. The queries and their answers "
                "become a question set."
            )
            return None
        st.markdown(f"**{quantity(len(queries), 'different query', 'different queries')}** to label")
        st.caption(
            "  \n".join(f"· {plain(one.text)}" for one in queries.queries[:_SHOWN])
            + ("  \n· …" if len(queries) > _SHOWN else "")
        )
        for note in queries.notes:
            st.caption(plain(note))
    return queries


def _file() -> Queries | None:
    file = st.file_uploader(
        "File with queries (CSV, JSONL or one query per line)",
        type=["csv", "tsv", "txt", "jsonl", "ndjson", "json"],
        key="labelling.file",
        help="CSV needs a column `query`. Answers are not needed. Duplicate queries are asked once.",
    )
    if file is None:
        st.session_state.pop(_READ, None)
        return None
    key = (file.name, hashlib.sha256(file.getvalue()).hexdigest())
    kept = st.session_state.get(_READ)
    if kept is None or kept[0] != key:
        kept = st.session_state[_READ] = (key, read_queries(file.getvalue(), file.name))
    read: Queries = kept[1]
    return read


def _history(target: Workspace) -> Queries:
    queries = distinct_queries(target.search_history.queries(), "The search history")
    st.caption("Past searches in this workspace. They are kept with the workspace and never exported.")
    if not queries.queries:
        st.caption("There are no searches yet.")
    elif button(
        "Delete the search history", key="labelling.history.clear", **editing(help="Queues made from it stay.")
    ):
        target.search_history.clear()
        st.rerun()
    return queries


def _new_queue(target: Workspace, queries: Queries) -> None:
    """Draw the name, the pool settings and the button of a new queue."""
    rows = [row for row in target.indexes() if row.fingerprint]
    options = [PoolSource(row.name, mode) for row in rows for mode in MODES]
    usual = [one for one in options if one.index == rows[0].name or one.mode is SearchMode.HYBRID]
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = st.text_input(
            "Name of the question set",
            free_name(_NAME, [*set_names(), *queue_names(target)]),
            max_chars=80,
            key="labelling.name",
            width=260,
            help="The labels go to a question set of this name, and the progress is kept under it.",
        )
        depth = st.number_input(
            "Pool depth",
            1,
            MOST_DEPTH,
            DEPTH,
            key="labelling.depth",
            width=130,
            help=(
                "Results taken from each configuration. A deeper pool leaves fewer results unjudged, but "
                "there is more to read."
            ),
        )
        sources = st.multiselect(
            "Pooled configurations",
            options,
            default=usual,
            format_func=lambda one: f"{one.index} · {MODES[one.mode]}",
            key="labelling.sources",
            help=(
                "An index with its search settings. Passages that no configuration finds are never judged, "
                "so pool configurations that differ."
            ),
        )
    if button(
        "Begin labelling", key="labelling.begin", type="primary", **editing(disabled=not sources or not name.strip())
    ):
        queue = save_queue(target, Queue(name, queries.queries, tuple(sources), int(depth)))
        st.session_state.pop(_READ, None)
        open_queue(queue.name)
        st.rerun()


def _short(name: str) -> str:
    return hashlib.sha256(name.encode()).hexdigest()[:8]
