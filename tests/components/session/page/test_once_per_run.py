"""What a run asks for many times is asked once, and anew in the next."""

from __future__ import annotations

import gc
from types import SimpleNamespace
from weakref import ref

import pytest

from components.session.page import once_per_run as module
from components.session.page.once_per_run import forget_answers, once_per_run


class Run:
    """Of a page; Streamlit makes another object for each."""


@pytest.fixture
def context(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A run goes on."""
    created = SimpleNamespace(parallel_coordinator=Run())
    monkeypatch.setattr(module, "get_script_run_ctx", lambda **_: created)
    return created


def test_once_in_a_run_and_again_in_the_next(context: SimpleNamespace) -> None:
    """Each function for itself; nothing of a run is left after it."""
    requests: list[str] = []
    first, second = once_per_run(lambda: requests.append("first")), once_per_run(lambda: requests.append("second"))
    for _ in range(3):
        first()
        second()
    assert requests == ["first", "second"]
    run = ref(context.parallel_coordinator)
    context.parallel_coordinator = Run()
    gc.collect()
    assert run() is None
    first()
    assert requests == ["first", "second", "first"]


def test_again_where_the_run_goes_on_elsewhere(context: SimpleNamespace) -> None:
    """As after a switch of the workspace in a callback."""
    answers = iter(range(9))
    ask = once_per_run(lambda: next(answers))
    assert [ask(), ask()] == [0, 0]
    forget_answers()
    assert [ask(), ask()] == [1, 1]


def test_an_error_is_no_answer(context: SimpleNamespace) -> None:
    """The next one asks again."""
    answers = iter([ZeroDivisionError, 1])

    def ask() -> int:
        answer = next(answers)
        if answer is ZeroDivisionError:
            raise ZeroDivisionError
        return 1

    kept = once_per_run(ask)
    with pytest.raises(ZeroDivisionError):
        kept()
    assert kept() == 1


def test_every_time_outside_of_a_run() -> None:
    """Such as in a thread of the server."""
    requests: list[int] = []
    ask = once_per_run(lambda: requests.append(1))
    ask()
    ask()
    forget_answers()
    assert len(requests) == 2
