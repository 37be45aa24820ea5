"""Work through a labelling queue; each label is saved at once, so work can stop at any time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from chunking.errors import ChunkscopeError
from chunking.evaluation import (
    AnswerSpan,
    Judged,
    LoggedQuery,
    Pooled,
    QueryLabel,
    Queue,
    QueueProgress,
    answer_span,
    change_queue,
    judged_passage,
    load_queue,
    pool_results,
    propose_answers,
    queue_names,
    queue_progress,
    skip_query,
)
from chunking.llm.endpoints import endpoint
from chunking.store import Workspace
from components.evaluate.labelling.component import LabelVerdict, ShownPassage, labelling_board, shown_passages
from components.kit.button import button
from components.kit.wording import plain, quantity, without_folders
from components.session.current_workspace import editing
from components.session.endpoint_status import server_name
from components.session.page.page_frame import sentences
from components.session.questions.question_state import (
    LabelStep,
    last_step,
    note_step,
    saved_labels,
    set_active,
    set_names,
    take_label,
    undo_step,
)
from components.session.workspace import document

__all__ = ["labelling_work", "open_queue", "open_queue_name"]

_OPEN, _TURN, _SAID, _POOL, _PROPOSED = (f"labelling.{name}" for name in ("open", "turn", "said", "pool", "proposed"))
_PLACE = "queue"
_HEIGHT = 600


class _Present(NamedTuple):
    """The query to label now, with its passages."""

    query: LoggedQuery
    pooled: Pooled
    shown: Sequence[ShownPassage]


def open_queue(name: str | None) -> None:
    """Store in the session which queue is open for labelling; None closes it."""
    st.session_state[_OPEN] = name


def open_queue_name(target: Workspace) -> str | None:
    """Return the name of the open queue, or None if none is open or it was deleted."""
    name: str | None = st.session_state.get(_OPEN)
    return name if name and name in queue_names(target) else None


def labelling_work(target: Workspace, name: str, bar: DeltaGenerator) -> None:
    """Apply the last action on the board, then draw the next query, or a summary if all are done.

    An action saves a label, skips the query, undoes a step or asks the language model for answers.

    Args:
        bar: place next to the page's title, for the progress.
    """
    with sentences():
        queue, note = load_queue(target, name), ""
        try:
            queue, note = _apply_action(target, queue)
        except ChunkscopeError as error:
            note = without_folders(str(error))
        now = queue_progress(queue, saved_labels(target, name))
        with bar:
            _head(queue, now)
        if not now.left:
            _done(target, queue, now)
            return
        present = _present(target, queue, now.left[0])
        number = len(queue.queries) - len(now.left) + 1
        _board(target, queue, present, number, note)


def _head(queue: Queue, now: QueueProgress) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="labelling.head", width="stretch"):
        if button(
            "Back to Evaluate",
            key="labelling.close",
            icon=":material/arrow_back:",
            help="Every label is saved; continue any time.",
        ):
            open_queue(None)
            set_active(queue.name if queue.name in set_names() else None)
            st.rerun()
        words = [f"{now.answered:,} answered", f"{now.unanswerable:,} without an answer", f"{now.skipped:,} skipped"]
        done = f"**{plain(queue.name)}** · {now.done:,} of {quantity(len(queue.queries), 'query', 'queries')} done"
        st.markdown(f"{done} :small[:gray[{', '.join(words)}]]", width="content")
        with st.container(width=120):
            st.progress(now.done / len(queue.queries))


def _present(target: Workspace, queue: Queue, query: LoggedQuery) -> _Present:
    """Return the pooled passages of a query, searched once per query and workspace version."""
    syntax = saved_labels(target, queue.name).syntax
    key = (target.uri, target.version(), queue.sources, queue.depth, query.text, syntax)
    kept = st.session_state.get(_POOL)
    if kept is None or kept[0] != key:
        read = partial(document, target)
        with st.spinner(f"Searching with {quantity(len(queue.sources), 'configuration')} …"):
            pooled = pool_results(target, query.text, queue.sources, queue.depth, read, syntax)
        kept = st.session_state[_POOL] = (key, _Present(query, pooled, shown_passages(pooled.passages, read)))
        st.session_state.pop(_PROPOSED, None)
    present: _Present = kept[1]
    return present


def _board(target: Workspace, queue: Queue, present: _Present, number: int, note: str) -> None:
    pool, times = present.pooled.pool, present.query.times
    facts = [f"Query {number:,} of {len(queue.queries):,}"] + [f"asked {times:,} times"] * (times > 1)
    facts.append(
        f"{quantity(pool.passages, 'passage')} from {quantity(pool.configurations, 'configuration')}, "
        f"pool depth {pool.depth}"
    )
    proposed: list[tuple[int, AnswerSpan]] = st.session_state.get(_PROPOSED, [])
    turn = st.session_state.setdefault(_TURN, 1)

    def say(kind: str, verdict: LabelVerdict) -> None:
        st.session_state[_SAID] = (kind, verdict, queue.name, present.query.text)

    labelling_board(
        key="labelling",
        turn=turn,
        query=present.query.text,
        facts=" · ".join(facts),
        shown=present.shown,
        proposals=proposed,
        note=note or " ".join(present.pooled.notes),
        can_undo=last_step(target, _PLACE, queue.name) is not None,
        can_propose=bool(server_name("llm")) and bool(present.shown),
        height=_HEIGHT,
        on={kind: partial(say, kind) for kind in _ACTS},
    )


def _done(target: Workspace, queue: Queue, now: QueueProgress) -> None:
    """Draw the summary of a finished queue with its next steps."""
    st.success(
        f"All {quantity(len(queue.queries), 'query', 'queries')} are done: {now.answered:,} answered, "
        f"{now.unanswerable:,} without an answer, {now.skipped:,} skipped.",
        icon=":material/check_circle:",
    )
    with st.container(horizontal=True):
        if now.answered + now.unanswerable and button("Evaluate this set", key="labelling.evaluate", type="primary"):
            open_queue(None)
            set_active(queue.name)
            st.rerun()
        if now.skipped and button("Review the skipped ones", key="labelling.again", **editing()):
            change_queue(target, queue.name, lambda kept: replace(kept, skipped=frozenset()))
            st.rerun()
        step = last_step(target, _PLACE, queue.name)
        if step is not None and button("Undo the last label", key="labelling.undo", **editing()):
            _undone(target, queue, step)
            st.rerun()


# -- actions of the board


def _apply_action(target: Workspace, queue: Queue) -> tuple[Queue, str]:
    """Apply the last action of the board; return the queue and a note about it.

    Raises:
        ChunkscopeError: the label cannot be saved; the action is dropped and the query stays.
    """
    said = st.session_state.get(_SAID)
    if said is None:
        return queue, ""
    kind, verdict, name, query = said
    kept = st.session_state.get(_POOL)
    try:
        if name != queue.name or kept is None or kept[1].query.text != query:
            return queue, ""
        queue, note = _ACTS[kind](target, queue, kept[1], verdict)
        if kind != "propose":
            st.session_state[_TURN] = st.session_state.get(_TURN, 1) + 1
        return queue, note
    finally:
        st.session_state.pop(_SAID, None)


def _saved(target: Workspace, queue: Queue, present: _Present, verdict: LabelVerdict) -> tuple[Queue, str]:
    answers = [*_marked(target, present, verdict.marks)]
    proposed: list[tuple[int, AnswerSpan]] = st.session_state.get(_PROPOSED, [])
    answers += [proposed[number][1] for number in verdict.accepted]
    places = {place for place, _ in verdict.marks} | {proposed[number][0] for number in verdict.accepted}
    label = QueryLabel(
        tuple(answers), _judged(target, present, sorted(places | set(verdict.dismissed))), pool=present.pooled.pool
    )
    language = document(target, answers[0].doc_id).language if answers else "und"
    take_label(target, _PLACE, queue.name, present.query.text, label, language=language)
    return queue, ""


def _none(target: Workspace, queue: Queue, present: _Present, verdict: LabelVerdict) -> tuple[Queue, str]:
    """Save a label that judges every shown passage as not relevant."""
    judged = _judged(target, present, range(len(present.shown)))
    label = QueryLabel(judged=judged, unanswerable=True, pool=present.pooled.pool)
    take_label(target, _PLACE, queue.name, present.query.text, label)
    return queue, ""


def _skipped(target: Workspace, queue: Queue, present: _Present, verdict: LabelVerdict) -> tuple[Queue, str]:
    as_it_is = target.question_sets.get(queue.name)
    note_step(LabelStep(target.uri, _PLACE, queue.name, present.query.text, as_it_is, as_it_is))
    return change_queue(target, queue.name, lambda kept: skip_query(kept, present.query.text)), ""


def _undo(target: Workspace, queue: Queue, present: _Present, verdict: LabelVerdict) -> tuple[Queue, str]:
    step = last_step(target, _PLACE, queue.name)
    return (_undone(target, queue, step), "The last label was undone.") if step else (queue, "")


def _undone(target: Workspace, queue: Queue, step: LabelStep) -> Queue:
    undo_step(target, step)
    return change_queue(target, queue.name, lambda kept: skip_query(kept, step.query, back=True))


def _propose(target: Workspace, queue: Queue, present: _Present, verdict: LabelVerdict) -> tuple[Queue, str]:
    from chunking.llm import Client

    server = endpoint("llm")
    if server is None:
        return queue, "No language model is configured."
    with st.spinner("Asking the language model …"):
        proposed = propose_answers(
            present.query.text, [(one.passage, one.text) for one in present.shown], Client(server), cache=target.texts
        )
    st.session_state[_PROPOSED] = list(proposed.answers)
    return queue, proposed.note


_ACTS = {"saved": _saved, "none": _none, "skipped": _skipped, "undone": _undo, "propose": _propose}


def _marked(target: Workspace, present: _Present, marks: Sequence[tuple[int, int]]) -> list[AnswerSpan]:
    """Return the marked sentences as answer spans; adjacent sentences become one span."""
    joined: list[tuple[int, int, int]] = []
    for place, number in sorted(marks):
        if joined and joined[-1][0] == place and joined[-1][2] == number - 1:
            joined[-1] = (place, joined[-1][1], number)
        else:
            joined.append((place, number, number))
    proposals = []
    for place, first, last in joined:
        one = present.shown[place]
        proposals.append(
            answer_span(document(target, one.passage.doc_id), one.sentences[first].start, one.sentences[last].end)
        )
    return proposals


def _judged(target: Workspace, present: _Present, places: Sequence[int]) -> tuple[Judged, ...]:
    passages = [present.shown[place].passage for place in places]
    return tuple(judged_passage(document(target, one.doc_id), one.start, one.end) for one in passages)
