"""An index run that another process does in the workspace: its progress, Cancel, and outcome."""

from __future__ import annotations

import streamlit as st

from chunking.store import Right, Workspace
from chunking.store.index_run_file import IndexRunStatus, RunOrigin, RunOutcome, ask_to_stop, index_run_of
from components.kit.wording import plain, quantity
from components.server.jobs.job_kinds import INDEX, KINDS, index_share
from components.session.current_workspace import editing
from components.session.jobs import JobProgress, jobs
from components.session.page.page_frame import arrival, fragment, sentences

__all__ = ["run_elsewhere", "show_outcome_elsewhere", "status_line", "watch_for_runs", "watch_run"]

_LOOK, _IDLE_LOOK = 1.0, 3.0
"""Seconds between two looks at a run, and for one."""
_WATCHED = "index.elsewhere"
"""Session key: id of the run that this session saw, and its stay on the page."""
_STARTED = {
    RunOrigin.TERMINAL: "Started in a terminal",
    RunOrigin.APP: "Started by another server of the app",
    RunOrigin.AGENT: "Started by an agent",
    RunOrigin.PROGRAM: "Started by a Python program",
}
_ICONS = {RunOrigin.TERMINAL: "terminal", RunOrigin.APP: "dns", RunOrigin.AGENT: "smart_toy", RunOrigin.PROGRAM: "code"}
_HELP = (
    "Another process builds this index. Nothing else can change the workspace until it is done; Ctrl+C where it was "
    "started stops it, too."
)
_KEPT = "Asks its process to stop. Finished work is saved; the next run continues from there."
_OWNERS = "Only owners of the workspace can cancel a run that was started elsewhere."
_ENDINGS = {
    RunOutcome.DONE: (st.success, "check_circle", "Done: “{name}” is built."),
    RunOutcome.CANCELLED: (
        st.info,
        "cancel",
        "The run of “{name}” was cancelled. Finished work is saved: run it again to continue.",
    ),
    RunOutcome.FAILED: (st.error, "error", "The run of “{name}” failed; a message where it was started says why."),
    RunOutcome.KILLED: (
        st.error,
        "power_off",
        "The run of “{name}” was interrupted: its process has ended. Finished work is saved: run it again to continue.",
    ),
}


def run_elsewhere(target: Workspace) -> IndexRunStatus | None:
    """Return the index run that another process does in a workspace; None if there is none.

    Jobs of this server do not count.
    """
    job = jobs().of(target.uri)
    status = None if job is not None and job.active else index_run_of(target)
    return status if status is not None and status.outcome is None else None


@fragment(run_every=_IDLE_LOOK)
def watch_for_runs(target: Workspace) -> None:
    """Rerun the page when another process begins an index run, as a fragment that draws nothing.

    For pages that have found none: one that shows a run would be rerun for ever.
    """
    if run_elsewhere(target) is not None:
        st.rerun()


@fragment(run_every=_LOOK)
def watch_run(target: Workspace) -> None:
    """Draw the run of another process with Cancel, as a fragment, and rerun the page at its end."""
    status = run_elsewhere(target)
    if status is None:
        st.rerun()
    st.session_state[_WATCHED] = (status.id, arrival())
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="index.elsewhere"):
        allowed = target.may(Right.MANAGE)
        st.button(
            "Cancel",
            key="index.elsewhere.cancel",
            on_click=_stop,
            args=(target, status.id),
            **editing(disabled=status.stopping or not allowed, help=_KEPT if allowed else _OWNERS),
        )
        st.progress(_share(status), text=status_line(status))
    st.caption(_origin_line(status), help=_HELP)


def show_outcome_elsewhere(target: Workspace) -> None:
    """Draw how the run ended that this session watched, until it leaves the page or another run begins."""
    watched = st.session_state.get(_WATCHED)
    status = index_run_of(target) if watched else None
    if status is None or status.outcome is None or watched != (status.id, arrival()):
        return
    draw, icon, sentence = _ENDINGS[status.outcome]
    draw(sentence.format(name=plain(status.name)), icon=f":material/{icon}:")


def status_line(status: IndexRunStatus) -> str:
    """Return name, stage, counts and time left of a run in one line of Markdown.

    >>> run = IndexRunStatus("0" * 32, "main", RunOrigin.TERMINAL, message="Embedding a.md", done=4, total=9)
    >>> status_line(run)
    'Building “main”: Embedding a.md · 4 of 9 chunks'
    """
    begin = f"{KINDS[INDEX].doing} “{plain(status.name)}”"
    if status.stopping:
        return f"{begin}: {KINDS[INDEX].stopping}"
    message = plain(status.message) or "Starting"
    left = JobProgress("", 0.0, status.seconds_left).time_left
    if status.step:
        return f"{begin}: {message} · step {status.step:,} of {status.steps:,}"
    if not status.total:
        return f"{begin}: {message}"
    counts = f"{status.done:,} of {status.total:,}"
    if status.counted == "parts":  # the message says what they are
        return " · ".join([f"{begin}: {counts} {message}", *([f"{left} in this stage"] if left else [])])
    return " · ".join([f"{begin}: {message}", f"{counts} {status.counted}", *([left] if left else [])])


def _share(status: IndexRunStatus) -> float:
    """Return the finished share, 0 to 1, of the run; of its stage where stages are counted apart."""
    if status.counted == "chunks":
        return index_share(status.done, status.total, status.step, status.steps)
    done = status.step - 1 if status.step else status.done
    return min(done / status.total, 1.0) if status.total else 0.0


def _origin_line(status: IndexRunStatus) -> str:
    """Return where the run was started, and by which engine."""
    parts = [f":material/{_ICONS[status.origin]}: {_STARTED[status.origin]}"]
    if status.engine == "ray":
        parts.append(f"Ray, {quantity(status.workers, 'worker')}" if status.workers else "Ray")
    return "  ·  ".join(parts)


def _stop(target: Workspace, id: str) -> None:
    """Ask the run to stop, as a callback; errors are shown on the page."""
    with sentences():
        target.require(Right.MANAGE)  # as for jobs of other people
        ask_to_stop(target, id)
