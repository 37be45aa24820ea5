"""The queue: round robin among people, age within a person, one writer a workspace, light jobs pass heavy ones."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from components.server.jobs import JobQueue, QueuePosition, Ticket, Weight


def queue(heavy: int = 1, light: int = 1, *, shared: bool = False) -> JobQueue:
    """An empty one."""
    return JobQueue({Weight.HEAVY: heavy, Weight.LIGHT: light}, shared=shared)


def ticket(
    number: int, person: str, *, workspace: str = "", weight: Weight = Weight.HEAVY, writes: bool = False
) -> Ticket:
    """A job in a workspace of its own, where none is named."""
    return Ticket(number, person, workspace or f"workspace {number}", weight, writes)


def begun(jobs: JobQueue) -> list[int]:
    """The numbers of those that start now."""
    return [one.number for one in jobs.begin()]


def order(jobs: JobQueue) -> list[int]:
    """The numbers in the order in which they start, where each ends before the next."""
    numbers = begun(jobs)
    while jobs.running:
        jobs.end(jobs.running[0].number)
        numbers += begun(jobs)
    return numbers


@pytest.mark.parametrize("at_once", [1, 2, 4])
@pytest.mark.parametrize("already", [1, 3, 5])
def test_a_single_job_is_not_kept_waiting_by_ten_of_another_user(at_once: int, already: int) -> None:
    """However many have run and however many run at once: the other's comes next."""
    jobs = queue(at_once)
    for number in range(10):
        jobs.add(ticket(number, "ann"))
    begun(jobs)
    for _ in range(already - 1):
        jobs.end(jobs.running[0].number)
        begun(jobs)
    jobs.add(ticket(99, "ben"))
    assert jobs.places()[99] == QueuePosition(1, 0)
    jobs.end(jobs.running[0].number)
    assert begun(jobs)[0] == 99


@pytest.mark.parametrize("at_once", [2, 3, 8])
def test_nobody_holds_all_places(at_once: int) -> None:
    """On a shared server another's first job starts at once, however many of one person wait; so it goes on."""
    jobs = queue(at_once, shared=True)
    for number in range(20):
        jobs.add(ticket(number, "ann"))
    assert begun(jobs) == list(range(at_once - 1))
    jobs.add(ticket(98, "ben"))
    assert begun(jobs) == [98]
    jobs.end(98)
    assert begun(jobs) == []
    jobs.end(0)
    assert [jobs.begin()[0].person, len(jobs.running)] == ["ann", at_once - 1]


@pytest.mark.parametrize(("at_once", "shared"), [(1, True), (2, False)])
def test_one_place_or_one_person_keeps_none_free(at_once: int, shared: bool) -> None:
    """A place that is kept for others would be all there is, or for nobody."""
    jobs = queue(at_once, shared=shared)
    for number in range(3):
        jobs.add(ticket(number, "ann"))
    assert begun(jobs) == list(range(at_once))


def test_round_robin_by_person_then_by_age() -> None:
    """Three people with three jobs each, who came one after the other."""
    jobs = queue()
    for number in range(9):
        jobs.add(ticket(number, "abc"[number // 3]))
    assert order(jobs) == [0, 3, 6, 1, 4, 7, 2, 5, 8]


def test_nobody_is_passed_over_by_people_who_keep_coming() -> None:
    """One job of ann waits behind her first; with each that ends, somebody new comes."""
    jobs = queue()
    jobs.add(ticket(1, "ann"))
    jobs.add(ticket(2, "ann"))
    begun(jobs)
    jobs.add(ticket(10, "new 0"))
    starts = []
    for number in range(1, 5):
        jobs.end(jobs.running[0].number)
        jobs.add(ticket(10 + number, f"new {number}"))
        starts += begun(jobs)
    assert starts == [10, 2, 11, 12]


def test_one_who_comes_again_at_once_does_not_keep_another_out() -> None:
    """Ann starts her next job whenever one ends; ben has three waiting."""
    jobs = queue()
    jobs.add(ticket(0, "ann"))
    begun(jobs)
    for number in (1, 2, 3):
        jobs.add(ticket(number, "ben"))
    starts = []
    for number in range(10, 15):
        jobs.end(jobs.running[0].number)
        jobs.add(ticket(number, "ann"))
        starts += begun(jobs)
    assert starts == [1, 10, 2, 11, 3]


def test_light_jobs_do_not_wait_for_heavy_ones() -> None:
    """Nor the other way round."""
    jobs = queue(heavy=1, light=2)
    for number in range(4):
        jobs.add(ticket(number, "ann"))
    for number in range(10, 13):
        jobs.add(ticket(number, "ann", weight=Weight.LIGHT))
    assert begun(jobs) == [0, 10, 11]
    assert jobs.places()[12] == QueuePosition(1, 0)


def test_writers_of_one_workspace_go_one_at_a_time() -> None:
    """The second waits and lets others pass; it holds nothing meanwhile."""
    jobs = queue(heavy=3)
    jobs.add(ticket(1, "ann", workspace="w", writes=True))
    jobs.add(ticket(2, "ben", workspace="w", writes=True))
    jobs.add(ticket(3, "ben", workspace="w"))
    jobs.add(ticket(4, "cyd", workspace="v", writes=True))
    assert begun(jobs) == [1, 3, 4]
    assert jobs.places() == {2: QueuePosition(1, 0, blocked=True)}
    jobs.end(3)
    assert begun(jobs) == []
    jobs.end(1)
    assert begun(jobs) == [2]


def test_one_that_leaves_while_it_waits() -> None:
    """The others move up; its person is not set back for it."""
    jobs = queue()
    jobs.add(ticket(0, "cyd"))
    begun(jobs)
    for number, person in enumerate(["ann", "ann", "ben", "ben"], 1):
        jobs.add(ticket(number, person))
    assert [jobs.places()[number].position for number in (1, 2, 3, 4)] == [1, 3, 2, 4]
    jobs.end(1)
    jobs.end(77)
    assert [jobs.places()[number].position for number in (2, 3, 4)] == [1, 2, 3]
    jobs.end(0)
    assert begun(jobs) == [2]


def test_the_place_says_how_many_are_of_others() -> None:
    """With ordinals and numbers as they are said."""
    jobs = queue()
    for number, person in enumerate(["cyd", "ann", "ben", "dan", "ann"]):
        jobs.add(ticket(number, person))
    begun(jobs)
    places = jobs.places()
    assert places == {1: QueuePosition(1, 0), 2: QueuePosition(2, 1), 3: QueuePosition(3, 2), 4: QueuePosition(4, 2)}
    assert [len({one.sentence, one.short}) for one in places.values()] == [2] * 4
    assert "two" in places[3].sentence
    assert "three" in places[4].sentence


def test_a_hundred_wait() -> None:
    """Each person in turn, every job once, and each place is where it starts."""
    jobs = queue(heavy=2)
    for number in range(100):
        jobs.add(ticket(number, f"person {number % 7}"))
    places = jobs.places()
    starts = order(jobs)
    assert sorted(starts) == list(range(100))
    assert sorted(starts, key=lambda number: places[number].position) == starts
    assert all(len({number % 7 for number in starts[first : first + 7]}) == 7 for first in range(0, 91, 7))


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from("vw"), st.sampled_from(list(Weight)), st.booleans()),
        max_size=30,
    ),
    st.lists(st.integers(0, 40)),
    st.booleans(),
)
def test_every_job_starts_once_within_the_limits(
    some: list[tuple[str, str, Weight, bool]], ends: list[int], shared: bool
) -> None:
    """Whoever comes, leaves and ends in whatever order."""
    jobs, started = queue(2, 1, shared=shared), list[int]()
    left = set()
    for number, (person, workspace, weight, writes) in enumerate(some):
        jobs.add(Ticket(number, person, workspace, weight, writes))
        started += begun(jobs)
        if number < len(ends):
            if ends[number] in {one.number for one in jobs.waiting}:
                left.add(ends[number])
            jobs.end(ends[number])
        writing = [one.workspace for one in jobs.running if one.writes]
        assert len(writing) == len(set(writing))
        assert all(
            sum(one.weight is weight for one in jobs.running) <= most
            for weight, most in ((Weight.HEAVY, 2), (Weight.LIGHT, 1))
        )
        assert set(jobs.places()) == {one.number for one in jobs.waiting}
    started += order(jobs)
    assert sorted([*started, *left]) == list(range(len(some)))
