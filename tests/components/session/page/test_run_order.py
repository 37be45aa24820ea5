"""Who waits for whom, of runs that draw what is awaited and runs that draw the rest."""

from __future__ import annotations

import threading
from collections.abc import Callable

from components.session.page.run_order import RunOrder

PATIENT = 60.0
"""Seconds: longer than any test here."""


def started(target: Callable[[], None]) -> threading.Thread:
    thread = threading.Thread(target=target, daemon=True)
    thread.start()
    return thread


def test_the_rest_comes_after_what_is_awaited() -> None:
    """Of another run, however long that takes; of its own, before."""
    order, drawn = RunOrder(PATIENT), list[str]()
    began, end = threading.Event(), threading.Event()

    def search() -> None:
        with order.awaited():
            began.set()
            end.wait(PATIENT)
            drawn.append("hits")

    def step() -> None:
        with order.awaited():
            drawn.append("boundaries")
            end.set()
            order.give_way()
            drawn.append("numbers")

    searching = started(search)
    began.wait(PATIENT)
    stepping = started(step)
    for thread in (searching, stepping):
        thread.join(PATIENT)
    assert drawn == ["boundaries", "hits", "numbers"]


def test_one_draws_its_rest_at_a_time() -> None:
    """The others wait for it, and come one after another."""
    order, together, pause = RunOrder(PATIENT), threading.Barrier(5), threading.Event()
    drawn = list[str]()

    def step() -> None:
        with order.awaited():
            together.wait(PATIENT)
            order.give_way()
            drawn.append("begun")
            pause.wait(0.01)  # never set: time for another one to come in between
            drawn.append("done")

    for thread in [started(step) for _ in range(5)]:
        thread.join(PATIENT)
    assert drawn == ["begun", "done"] * 5


def test_nobody_waits_longer_than_their_patience() -> None:
    """What is awaited may take minutes."""
    order, end, began = RunOrder(0.01), threading.Event(), threading.Event()

    def search() -> None:
        with order.awaited():
            began.set()
            end.wait(PATIENT)

    searching = started(search)
    began.wait(PATIENT)
    with order.awaited():
        order.give_way()
        assert searching.is_alive()
    end.set()
    searching.join(PATIENT)


def test_nobody_gives_way_to_a_run_that_goes_on_and_on() -> None:
    """It waits itself, for a language model: the processor is free."""
    order, end, began = RunOrder(PATIENT, long=0.0), threading.Event(), threading.Event()

    def answer() -> None:
        with order.awaited():
            began.set()
            end.wait(PATIENT)

    answering = started(answer)
    began.wait(PATIENT)
    with order.awaited():
        order.give_way()
        assert answering.is_alive()
    end.set()
    answering.join(PATIENT)


def test_who_is_alone_waits_for_nobody() -> None:
    """Nor for themselves: parts of a page that stand in one another are one run; outside of a run there is nothing to
    wait for.
    """
    order = RunOrder(PATIENT)
    order.give_way()
    with order.awaited():
        with order.awaited():
            order.give_way()
        order.give_way()
        with order.awaited():
            order.give_way()
    with order.awaited():
        order.give_way()


def test_agents_wait_until_no_page_has_run_for_a_moment() -> None:
    """And no longer than their patience, where people click on and on."""
    order, drawing, end = RunOrder(PATIENT), threading.Event(), threading.Event()
    called = list[str]()

    def draw() -> None:
        with order.awaited():
            drawing.set()
            end.wait(PATIENT)
            called.append("drawn")

    def call() -> None:
        order.let_pages_go_first(PATIENT, rest=0.01)
        called.append("called")

    page = started(draw)
    drawing.wait(PATIENT)
    order.let_pages_go_first(patience=0.01)
    called.append("impatient")
    agent = started(call)
    end.set()
    for thread in (page, agent):
        thread.join(PATIENT)
    assert called == ["impatient", "drawn", "called"]
