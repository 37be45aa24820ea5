"""Per-run memoisation of functions that a page run calls many times."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from streamlit.runtime.scriptrunner import get_script_run_ctx

__all__ = ["forget_answers", "once_per_run"]

T = TypeVar("T")

_ANSWERS: WeakKeyDictionary[Any, dict[Callable[[], Any], Any]] = WeakKeyDictionary()
"""Results by run; an entry is freed with the object that Streamlit creates for each run."""


def once_per_run(ask: Callable[[], T]) -> Callable[[], T]:
    """Memoise a function without arguments for one run of a page or fragment.

    Outside of a run it is called every time. Exceptions are not memoised.

    Args:
        ask: function whose result is valid until the run ends, or until `forget_answers`.
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


def forget_answers() -> None:
    """Forget the memoised results of this run, as its user or workspace has changed."""
    run = _run()
    if run is not None:
        _ANSWERS.pop(run, None)


def _run() -> object | None:
    context = get_script_run_ctx(suppress_warning=True)
    return None if context is None else context.parallel_coordinator
