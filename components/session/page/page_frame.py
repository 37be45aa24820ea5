"""Parts of a page: fragments and dialogs that check rights, errors as sentences, current page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from functools import wraps
from typing import Literal, ParamSpec

import streamlit as st

from chunking.errors import AccessError, ChunkscopeError
from chunking.store.access import Right, refusal
from components.kit.wording import plain
from components.session.current_workspace import current
from components.session.page.run_log import is_fragment_run, logged
from components.session.page.run_order import awaited

__all__ = ["arrival", "arrive", "arrive_again", "check_may_read", "current_page", "dialog", "fragment", "sentences"]

P = ParamSpec("P")

_PAGE, _ARRIVAL = "frame.page", "frame.arrival"


def arrive(page: str) -> None:
    """Record the page of this run, and count an arrival if it is another page than before.

    app.py calls it before anything is drawn.
    """
    if st.session_state.get(_PAGE) != page:
        st.session_state[_PAGE] = page
        arrive_again()


def arrive_again() -> None:
    """Count a new arrival on a page, such as by the browser's Back or Forward to the same page."""
    st.session_state[_ARRIVAL] = arrival() + 1


def arrival() -> int:
    """Return how many arrivals this session has had; a new one ends notices of an earlier stay."""
    number: int = st.session_state.get(_ARRIVAL, 0)
    return number


def current_page() -> str:
    """Return the URL path of the current page; empty on the front page, and before `arrive`."""
    page: str = st.session_state.get(_PAGE, "")
    return page


def fragment(run_every: float | None = None) -> Callable[[Callable[P, object]], Callable[P, None]]:
    """Return a decorator like `st.fragment` that checks rights at each rerun and shows errors.

    A fragment reruns without its page, and most of what it draws is cached: without the check it would go on drawing
    for a user who has signed out or lost their role.

    Args:
        run_every: seconds between automatic reruns; None: only after clicks.
    """
    automatic = run_every is not None

    def decorate(function: Callable[P, object]) -> Callable[P, None]:
        @wraps(function)
        def framed(*args: P.args, **kwargs: P.kwargs) -> None:
            with (
                nullcontext() if automatic else awaited(),
                logged(function.__name__.strip("_"), automatic=automatic),
                sentences(),
            ):
                _open_or_begin_again(automatic=automatic)
                function(*args, **kwargs)

        return st.fragment(framed, run_every=run_every)

    return decorate


def dialog(
    title: str, *, check: Callable[[], object] | None = None, width: Literal["small", "medium", "large"] = "small"
) -> Callable[[Callable[P, object]], Callable[P, None]]:
    """Return a decorator like `st.dialog` with the checks and errors of `fragment`.

    Args:
        check: check that raises AccessError, for dialogs about no workspace; None: that of `fragment`.
    """

    def decorate(function: Callable[P, object]) -> Callable[P, None]:
        @wraps(function)
        def framed(*args: P.args, **kwargs: P.kwargs) -> None:
            with awaited(), logged(function.__name__.strip("_")), sentences():
                (check or check_may_read)()
                function(*args, **kwargs)

        @wraps(function)
        def open_dialog(*args: P.args, **kwargs: P.kwargs) -> None:
            st.dialog(title, width=width)(framed)(*args, **kwargs)

        return open_dialog

    return decorate


def _open_or_begin_again(*, automatic: bool) -> None:
    """Check the user's rights; after a click, rerun the page that explains a refusal.

    An automatic rerun shows the error in its place instead: a page would otherwise rerun for ever.
    """
    try:
        check_may_read()
    except AccessError:
        if is_fragment_run() and not automatic:
            st.rerun()
        raise


def check_may_read() -> None:
    """Raise AccessError unless the user may read the workspace; does not count as a visitor's click."""
    if not current().access.allows(Right.READ):
        raise refusal(Right.READ)


@contextmanager
def sentences() -> Iterator[None]:
    """Draw a ChunkscopeError raised in this context as a sentence, and go on after it.

    Other exceptions pass. Fragments and dialogs need their own, as they rerun without the page.
    """
    try:
        yield
    except ChunkscopeError as error:
        st.error(plain(str(error)), icon=":material/error:")
