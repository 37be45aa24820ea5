"""Parts of a page: fragments and dialogs that check rights, errors as sentences, and the page of the run."""

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
from components.session.page.run_log import logged, without_page
from components.session.page.run_order import awaited

__all__ = ["arrival", "arrive", "arrive_again", "current_page", "dialog", "fragment", "sentences", "still_open"]

P = ParamSpec("P")

_PAGE, _ARRIVAL = "frame.page", "frame.arrival"


def arrive(page: str) -> None:
    """Note which page this run is for; app.py calls it before anything is drawn."""
    if st.session_state.get(_PAGE) != page:
        st.session_state[_PAGE] = page
        arrive_again()


def arrive_again() -> None:
    """Also where the page is the same: the user came to it by the browser's Back or Forward."""
    st.session_state[_ARRIVAL] = arrival() + 1


def arrival() -> int:
    """Another number each time the user comes to another page: what was said in an earlier stay is not said again."""
    number: int = st.session_state.get(_ARRIVAL, 0)
    return number


def current_page() -> str:
    """The page of this run, as its file is called; empty before `arrive`."""
    page: str = st.session_state.get(_PAGE, "")
    return page


def fragment(run_every: float | None = None) -> Callable[[Callable[P, object]], Callable[P, None]]:
    """`st.fragment` for a part of a page: what runs again by itself asks first whether its person may still see the
    workspace.

    The page around it does not run, and most of what a part draws is kept in memory: without asking, it would go on
    drawing for who has signed out, or whose role was taken away.

    Args:
        run_every: seconds, where it runs again without a click.
    """
    by_itself = run_every is not None

    def decorate(function: Callable[P, object]) -> Callable[P, None]:
        @wraps(function)
        def framed(*args: P.args, **kwargs: P.kwargs) -> None:
            with (
                nullcontext() if by_itself else awaited(),
                logged(function.__name__.strip("_"), by_itself=by_itself),
                sentences(),
            ):
                _open_or_begin_again(by_itself=by_itself)
                function(*args, **kwargs)

        return st.fragment(framed, run_every=run_every)

    return decorate


def dialog(
    title: str, *, asks: Callable[[], object] | None = None, width: Literal["small", "medium", "large"] = "small"
) -> Callable[[Callable[P, object]], Callable[P, None]]:
    """`st.dialog`, which runs again without its page as a fragment does, and asks first as one does; its sentences
    stand in it.

    Args:
        asks: raises AccessError where who is asking may not see it; left out, as `fragment` asks. For dialogs of no
            workspace.
    """

    def decorate(function: Callable[P, object]) -> Callable[P, None]:
        @wraps(function)
        def framed(*args: P.args, **kwargs: P.kwargs) -> None:
            with awaited(), logged(function.__name__.strip("_")), sentences():
                (asks or still_open)()
                function(*args, **kwargs)

        @wraps(function)
        def open_dialog(*args: P.args, **kwargs: P.kwargs) -> None:
            st.dialog(title, width=width)(framed)(*args, **kwargs)

        return open_dialog

    return decorate


def _open_or_begin_again(*, by_itself: bool) -> None:
    """After a click the whole page is drawn where its person may not see the workspace any more: it says so with the
    way on.

    What runs by itself says the sentence in its place: a page that began again with each of its looks would do so for
    ever.
    """
    try:
        still_open()
    except AccessError:
        if without_page() and not by_itself:
            st.rerun()
        raise


def still_open() -> None:
    """Raises AccessError where the session's person may not see its workspace, or not any more. Looking is no click of
    a visitor.
    """
    if not current().access.allows(Right.READ):
        raise refusal(Right.READ)


@contextmanager
def sentences() -> Iterator[None]:
    """What the library raises in here stands on the page as its sentence.

    A fragment or dialog needs one of its own: when it runs again by itself, the page around it does not.
    """
    try:
        yield
    except ChunkscopeError as error:
        st.error(plain(str(error)), icon=":material/error:")
