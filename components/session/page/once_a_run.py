"""What a run of a page asks for many times and what stays the same until its end, asked once a run."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from streamlit.runtime.scriptrunner import get_script_run_ctx

__all__ = ["ask_again", "once_a_run"]

T = TypeVar("T")

_ANSWERS: WeakKeyDictionary[Any, dict[Callable[[], Any], Any]] = WeakKeyDictionary()
"""By run, which is told by an object that Streamlit makes for each: what was answered goes with it."""


def once_a_run(ask: Callable[[], T]) -> Callable[[], T]:
    """A function without arguments, called once in a run of a page or a fragment; every time outside of one, and after
    an error.

    Args:
        ask: whose answer holds until the run ends, or until `ask_again`.
    """

    @wraps(ask)
    def answer_once() -> T:
        run = _run()
        if run is None:
            return ask()
        answers = _ANSWERS.setdefault(run, {})
        if ask not in answers:
            answers[ask] = ask()
        answer: T = answers[ask]
        return answer

    return answer_once


def ask_again() -> None:
    """Forget what this run was answered: it goes on with another person's or another workspace's things."""
    run = _run()
    if run is not None:
        _ANSWERS.pop(run, None)


def _run() -> object | None:
    context = get_script_run_ctx(suppress_warning=True)
    return None if context is None else context.parallel_coordinator
