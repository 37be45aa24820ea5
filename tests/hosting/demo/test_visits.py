"""Visits of a demo: private copies of one base, which end, and leave nothing behind."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.config import SearchMode
from chunking.errors import AccessError, NotFoundError, StoreError
from chunking.evaluation.labelling.pooling import PoolSource
from chunking.evaluation.labelling.queries import LoggedQuery
from chunking.evaluation.labelling.queue import Queue, queue_names, save_queue
from chunking.store import Workspace
from chunking.store.copies.linked_copy import linked_copy
from hosting.demo import visits as module
from hosting.demo.visits import Visits, visit_id
from tests.store.indexed import INSTALL, MANUAL, fill
from tests.support.file_hashes import digest

HOUR = 3_600.0
SECRET = "merger before the announcement"
ANN, BOB = (visit_id(letter * 43) for letter in "ab")


class Clock:
    """Seconds that a test sets."""

    seconds = 1_800_000_000.0

    def __call__(self) -> float:
        """The time."""
        return self.seconds


@pytest.fixture
def base(tmp_path: Path) -> Workspace:
    """A workspace with an index."""
    base = Workspace.open(tmp_path / "base")
    fill(base, INSTALL, MANUAL)
    return base


@pytest.fixture
def clock() -> Clock:
    """A clock that stands."""
    return Clock()


@pytest.fixture
def visits(tmp_path: Path, clock: Clock) -> Visits:
    """Visits that end after two hours."""
    return Visits(tmp_path / "home", 2, clock)


def test_a_visitor_changes_their_own_copy_alone(visits: Visits, base: Workspace) -> None:
    """The base keeps every byte, and a second visitor sees nothing of the first one's."""
    before = digest(base.uri)
    ann, bob = (Workspace.open(visits.click(person, lambda: base).folder) for person in (ANN, BOB))
    ann.delete_documents(["install"])
    ann.drop_index("main")
    ann.tidy()
    assert [row.doc_id for row in ann.documents()] == ["手册"]
    assert (len(bob.documents()), len(bob.indexes())) == (2, 1) == (len(base.documents()), len(base.indexes()))
    assert digest(base.uri) == before


def test_nobody_meets_what_was_searched_for(visits: Visits, base: Workspace) -> None:
    """Neither what the operator asked of the base, there or as queries to be labelled, nor what another visitor does;
    the base keeps it.
    """
    base.search_history.add(SECRET)
    save_queue(base, Queue("mine", (LoggedQuery(SECRET),), (PoolSource("main", SearchMode.TEXT),)))
    base.runs.put({"k": "{}"})
    ann = Workspace.open(visits.click(ANN, lambda: base).folder)
    ann.search_history.add(f"{SECRET} of Ann")
    bob = Workspace.open(visits.click(BOB, lambda: base).folder)
    for visible, queries in ((ann, [f"{SECRET} of Ann"]), (bob, [])):
        assert (visible.search_history.queries(), queue_names(visible), visible.runs.names()) == (queries, [], ["k"])
    assert (base.search_history.queries(), queue_names(base)) == ([SECRET], ["mine"])


def test_a_visit_lasts_while_somebody_clicks_and_is_gone_afterwards(
    visits: Visits, base: Workspace, clock: Clock
) -> None:
    """Also from the disk; the next click begins a new one, a job under way keeps it."""
    first = visits.click(ANN, lambda: base)
    clock.seconds += 1.5 * HOUR
    assert visits.click(ANN, lambda: base).folder == first.folder
    clock.seconds += 1.5 * HOUR
    assert visits.seconds_left(ANN) == pytest.approx(0.5 * HOUR)
    assert visits.sweep() == []
    clock.seconds += 1.5 * HOUR
    assert (visits.seconds_left(ANN), visits.sweep(busy=[str(first.folder)]), visits.sweep()) == (
        0,
        [],
        [str(first.folder)],
    )
    assert list(visits.folder.iterdir()) == []
    assert visits.click(ANN, lambda: base).fresh


def test_a_visitor_who_comes_back_to_a_job_finds_its_work(visits: Visits, base: Workspace, clock: Clock) -> None:
    """Also after the time is over: what the sweep has kept for the job, their own click does not take away."""
    first = visits.click(ANN, lambda: base)
    Workspace.open(first.folder).delete_documents(["install"])
    clock.seconds += 3 * HOUR
    assert visits.sweep(busy=[str(first.folder)]) == []
    again = visits.click(ANN, lambda: base, lambda: [str(first.folder)])
    assert not again.fresh
    assert len(Workspace.open(again.folder).documents()) == 1
    assert visits.seconds_left(ANN) == 2 * HOUR


def test_a_visit_of_one_page_ends_soon(visits: Visits, base: Workspace, clock: Clock) -> None:
    """Whoever comes without a cookie begins another one each time; a click after the first page, which runs some times,
    keeps it.
    """
    for person in (ANN, BOB):
        visits.click(person, lambda: base)
    clock.seconds += 5
    for person in (ANN, BOB):
        visits.click(person, lambda: base)
    clock.seconds += 20
    assert not visits.click(BOB, lambda: base).fresh
    clock.seconds += module.UNTOUCHED
    assert len(visits.sweep()) == 1
    assert [one.id for one in visits.all()] == [BOB]
    assert visits.click(ANN, lambda: base).fresh


def test_the_idle_clock_goes_on_through_a_restart(
    visits: Visits, base: Workspace, clock: Clock, tmp_path: Path
) -> None:
    """The server that starts anew finds the copy with the time that it has left, and ends it then."""
    first = visits.click(ANN, lambda: base)
    clock.seconds += 1.5 * HOUR
    restarted = Visits(tmp_path / "home", 2, clock)
    assert restarted.seconds_left(ANN) == pytest.approx(0.5 * HOUR)
    assert not restarted.click(ANN, lambda: base).fresh
    clock.seconds += 2.5 * HOUR
    assert len(Visits(tmp_path / "home", 2, clock).sweep()) == 1
    assert not first.folder.exists()


class Killed(BaseException):
    """The process ended here."""


@pytest.mark.parametrize("step", ["before the copy", "in the copy", "after the copy"])
def test_a_kill_locks_nobody_out_and_leaves_nothing(
    visits: Visits, base: Workspace, clock: Clock, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    """Wherever it comes: the next click begins a visit, and what is left of one that nobody comes back to is swept."""

    def copy(source: Workspace, folder: Path, **how: bool) -> None:
        if step == "in the copy":
            (folder.parent / ".workspace.1234.unfinished").mkdir()
        if step == "after the copy":
            linked_copy(source, folder, **how)
        raise Killed

    for person in (ANN, BOB):
        with monkeypatch.context() as patched:
            patched.setattr(module, "linked_copy", copy)
            patched.setattr(Visits, "_end", lambda self, id: None)  # nothing is tidied by who is killed
            with pytest.raises(Killed):
                visits.click(person, lambda: base)
    restarted = Visits(tmp_path / "home", 2, clock)
    assert len(Workspace.open(restarted.click(ANN, lambda: base).folder).documents()) == 2
    assert sorted(one.name for one in (visits.folder / ANN).iterdir()) == ["clicked", "workspace"]
    clock.seconds += 3 * HOUR
    restarted.sweep()
    assert list(visits.folder.iterdir()) == []


def test_what_ended_and_was_not_swept_is_not_shown_again(visits: Visits, base: Workspace, clock: Clock) -> None:
    """A fresh copy stands in its place."""
    Workspace.open(visits.click(ANN, lambda: base).folder).delete_documents(["install"])
    clock.seconds += 3 * HOUR
    again = visits.click(ANN, lambda: base)
    assert again.fresh
    assert len(Workspace.open(again.folder).documents()) == 2


def test_a_copy_that_cannot_be_made_leaves_no_visit(
    visits: Visits, base: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither for a base that is gone, nor over the limit."""

    def gone() -> Workspace:
        raise NotFoundError("gone")

    with pytest.raises(NotFoundError):
        visits.click(ANN, gone)
    assert not visits.folder.exists() or list(visits.folder.iterdir()) == []
    monkeypatch.setattr(module, "MOST_VISITS", 1)
    visits.click(ANN, lambda: base)
    with pytest.raises(StoreError):
        visits.click(BOB, lambda: base)


@pytest.mark.parametrize("token", ["", "../../etc/passwd", "a" * 42, "a" * 44, "ä" * 43, "a" * 42 + "\n"])
def test_a_token_that_was_never_given_is_refused(token: str) -> None:
    """A cookie says what its sender wants."""
    with pytest.raises(AccessError):
        visit_id(token)
