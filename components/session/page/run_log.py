"""The log of page runs, and the error box with a fault number that the log has too."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager

import streamlit as st
from streamlit.runtime.scriptrunner import RerunException, StopException, get_script_run_ctx

from chunking.errors import ChunkscopeError
from components.server.event_log import REQUEST, log, new_id
from components.session.current_workspace import current
from components.session.host import host

__all__ = ["begin_run", "is_fragment_run", "logged", "show_fault"]

_PAGE = "run_log.page"


def begin_run(page: str = "") -> None:
    """Give this run a new request id, which all its log lines carry.

    Args:
        page: page to log for this run and its fragments; empty: the one of before.
    """
    REQUEST.set(new_id())
    if page:
        st.session_state[_PAGE] = page


@contextmanager
def logged(part: str = "", *, automatic: bool = False) -> Iterator[None]:
    """Log user, time and outcome of the page or fragment drawn in this context.

    A fragment or dialog is logged only when it reruns without its page, and gets a request id of its own.

    Args:
        part: name of the fragment or dialog; empty for a page.
        automatic: True for automatic reruns, which are logged only if they fail.
    """
    if part and is_fragment_run():
        begin_run()
    began, outcome = time.perf_counter(), "fault"
    try:
        yield
        outcome = "done"
    except (RerunException, StopException):
        outcome = "begun again"
        raise
    finally:
        if (not part or is_fragment_run()) and not (automatic and outcome != "fault"):
            ms = round(1_000 * (time.perf_counter() - began), 1)
            log("run", {"part": part, "ms": ms, "outcome": outcome, **_user_facts()})


def is_fragment_run() -> bool:
    """True if this run draws fragments without their page."""
    context = get_script_run_ctx(suppress_warning=True)
    return context is not None and bool(context.fragment_ids_this_run)


def _user_facts() -> dict[str, str]:
    """Return the page, and the ids of user and workspace."""
    facts = {"page": str(st.session_state.get(_PAGE, ""))}
    try:
        person = host().user()
        facts["person"] = person.id if person else ""
        facts["workspace"] = current().id
    except ChunkscopeError:  # the page reports it
        pass
    return facts


def show_fault(error: Exception) -> bool:
    """Draw an error box with a fault number in place of Streamlit's, and log the error; for `st.App`.

    Returns:
        True, so that Streamlit draws nothing else.
    """
    number = new_id()
    log("fault", {"fault": number, **_user_facts()}, error)
    st.error(
        (
            f"Something went wrong in the program itself; all saved work is still there. Reload the page. If it "
            f"happens again, give the number **{number}** to whoever runs this server: the log has the cause "
            f"under it."
        ),
        icon=":material/error:",
    )
    return True
