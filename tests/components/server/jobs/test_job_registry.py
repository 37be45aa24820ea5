"""The registry over fake workers: turns, cancelling, crashes."""

from __future__ import annotations

from typing import Any

import pytest

from chunking.config import Config
from chunking.errors import AccessError, ChunkscopeError
from components.server.jobs import ESTIMATE, EVALUATE, INDEX, LIVE, SWEEP, may_cancel
from components.server.jobs.job_kinds import KINDS
from components.server.jobs.job_limits import PATIENCE
from tests.support.fake_workers import FakeWorkers, build


class TestTurns:
    def test_a_second_users_job_starts_before_the_ten_of_the_first(self, workers: FakeWorkers) -> None:
        """Hers comes next; what waits has no process."""
        jobs = workers.jobs()
        many = [build(jobs, f"w{number}") for number in range(10)]
        other = build(jobs, "other", "ben")
        assert len(workers.started) == 1
        assert [job.waiting for job in many] == [False] + [True] * 9
        assert other.place is not None
        assert other.place.position == 1
        assert jobs.queued == (*many, other)
        workers.end(many[0])
        assert jobs.queued == (*many[1:], other)
        assert other.running
        assert other.place is None
        workers.end(other)
        assert [job.running for job in many] == [False, True] + [False] * 8

    def test_a_hundred_are_started_once_each(self, workers: FakeWorkers) -> None:
        """As many at a time as may; at the end nothing is left."""
        jobs = workers.jobs(heavy=3)
        every = [build(jobs, f"w{number}", f"person {number % 9}") for number in range(100)]
        while running := [job for job in every if job.running]:
            assert len(running) <= 3
            workers.end(running[0])
        assert len(workers.started) == 100
        assert all(job.report for job in every)
        assert len({worker.task["workspace"] for worker in workers.started}) == 100
        assert jobs.check_usage() == 0

    def test_what_it_says_while_it_waits(self, workers: FakeWorkers) -> None:
        """Its place, and no time left that runs down."""
        jobs = workers.jobs()
        build(jobs, "a")
        job = jobs.start_job("b", INDEX, {"name": "main"}, expected=60.0, person="ben")
        assert job.place is not None
        assert job.place.sentence in job.line
        assert (job.progress.share, job.progress.seconds_left) == (0.0, None)
        assert job.progress.stage == job.place.short
        workers.end(jobs.of("a") or job)
        assert job.progress.seconds_left is not None

    def test_light_ones_go_past(self, workers: FakeWorkers) -> None:
        """What somebody looks at until it comes does not wait for builds; its process gives way less."""
        jobs = workers.jobs()
        build(jobs, "a")
        assert build(jobs, "b").waiting
        live = build(jobs, "b", kind=LIVE)
        assert live.running
        assert build(jobs, "c", kind=ESTIMATE).waiting
        assert 0 < KINDS[LIVE].nice < KINDS[INDEX].nice == KINDS[SWEEP].nice

    def test_threads_are_shared_among_those_that_run(self, workers: FakeWorkers) -> None:
        """All of them where it runs alone."""
        jobs = workers.jobs(heavy=3, threads=4)
        for address in "abcd":
            build(jobs, address)
        assert [worker.threads for worker in workers.started] == [4, 2, 1]

    def test_settings_are_those_of_the_start_and_documents_are_reported(self, workers: FakeWorkers) -> None:
        """Who waits tells its worker which documents there were then; who does not, tells nothing."""
        jobs = workers.jobs()
        first = jobs.start("a", Config.from_settings({"size": 99}), "main")
        payload = {"name": "main", "config": {"size": "300"}}
        second = jobs.start_job("b", EVALUATE, payload, person="ann")
        payload["name"] = "another"
        workers.documents = "changed"
        workers.end(first)
        assert "queued" not in workers.started[0].task
        assert workers.started[1].task == {
            "person": "ann",
            **{"kind": EVALUATE, "workspace": "b", "name": "main", "config": {"size": "300"}},
            "queued": "as they were",
        }
        workers.end(second, {"event": "note", "message": "They changed."}, {"event": "done", "report": {}})
        assert second.notes == ["They changed."]

    def test_nobody_fills_the_queue(self, workers: FakeWorkers) -> None:
        """A sentence for who has too many waiting; nothing for others, nor for what starts at once."""
        jobs = workers.jobs(waiting=3)
        mine = [build(jobs, f"w{number}") for number in range(4)]
        with pytest.raises(ChunkscopeError, match="3"):
            build(jobs, "one more")
        assert jobs.of("one more") is None
        assert build(jobs, "other", "ben").waiting
        assert build(jobs, "w0", kind=LIVE).running
        jobs.cancel(mine[-1])
        assert build(jobs, "one more").waiting

    def test_one_of_each_kind_a_workspace_also_while_it_waits(self, workers: FakeWorkers) -> None:
        """The second start gives the first one's job."""
        jobs = workers.jobs()
        build(jobs, "a")
        job = build(jobs, "b")
        assert build(jobs, "b", "ben") is job


class TestEnds:
    def test_cancelled_while_it_waits(self, workers: FakeWorkers) -> None:
        """It never starts, and the next one is not held up."""
        jobs = workers.jobs()
        first, second, third = build(jobs, "a"), build(jobs, "b"), build(jobs, "c")
        jobs.cancel(second)
        assert (second.active, second.cancelled, second.place) == (False, True, None)
        workers.end(first)
        assert third.running
        assert len(workers.started) == 2

    def test_cancelled_while_it_runs(self, workers: FakeWorkers) -> None:
        """Its input is closed; one that does not stop in time is ended, and still called cancelled."""
        jobs = workers.jobs()
        job = build(jobs, "a")
        jobs.cancel(job)
        assert workers.of(job).stdin.closed
        workers.now += PATIENCE
        jobs.check_usage()
        assert not workers.of(job).killed
        workers.now += 1
        jobs.check_usage()
        assert workers.of(job).killed
        workers.end(job)
        assert (job.cancelled, job.error, job.active) == (True, None, False)

    @pytest.mark.parametrize("kind", [INDEX, SWEEP])
    def test_a_worker_that_crashes_gives_its_place_free(self, workers: FakeWorkers, kind: str) -> None:
        """One sentence, and the next one starts."""
        jobs = workers.jobs()
        first, second = build(jobs, "a", kind=kind), build(jobs, "b")
        workers.end(first, code=-11)
        assert "11" in str(first.error)
        assert second.running

    def test_one_that_cannot_be_started_later(self, workers: FakeWorkers) -> None:
        """It was queued: the sentence is its error, and nothing else stops."""
        jobs = workers.jobs()
        first, second = build(jobs, "a"), build(jobs, "b")
        workers.refuses = True
        workers.end(first)
        assert second.error
        assert not second.active
        with pytest.raises(ChunkscopeError):
            build(jobs, "b")
        assert jobs.of("b") is second
        workers.refuses = False
        assert build(jobs, "b").running

    @pytest.mark.parametrize(
        ("person", "owns", "may"),
        [("ann", False, True), ("ben", False, False), ("ben", True, True)],
        ids=["own", "another's", "owner"],
    )
    def test_a_job_is_cancelled_by_its_owner_or_the_workspaces(
        self, workers: FakeWorkers, person: str, owns: bool, may: bool
    ) -> None:
        """One's own, and an owner of the workspace every one in it."""
        assert may_cancel(person, build(workers.jobs(), "a"), owns=owns) is may

    def test_the_registry_asks_itself(self, workers: FakeWorkers, records: Any) -> None:
        """Whatever a page lets through: nothing is cancelled, started again or put away for who may not."""
        jobs = workers.jobs(record=records(), may=lambda job: may_cancel("ben", job))
        running, waiting = build(jobs, "a"), build(jobs, "b")
        for job in (running, waiting):
            with pytest.raises(AccessError):
                jobs.cancel(job)
        assert (running.stopping, waiting.waiting) == (False, True)
        after = workers.jobs(record=records(), may=lambda job: may_cancel("ben", job))
        cut = after.of("a")
        assert cut is not None
        for act in (after.restart, after.dismiss):
            with pytest.raises(AccessError):
                act(cut)
        assert cut.interrupted
        assert after.of("a") is cut

    def test_a_workspace_that_is_deleted(self, workers: FakeWorkers, records: Any) -> None:
        """What waits there is out, what runs stops, what was interrupted is not told; other workspaces' jobs go on."""
        build(workers.jobs(record=records()), "a", kind=EVALUATE)
        jobs = workers.jobs(record=records())
        running, waiting, other = build(jobs, "a"), build(jobs, "a", kind=SWEEP), build(jobs, "b")
        jobs.forget_workspace("a")
        assert (running.stopping, waiting.active) == (True, False)
        workers.end(running)
        assert other.running
        assert [jobs.of("a", kind) for kind in (INDEX, SWEEP, EVALUATE)] == [None] * 3
        assert [one.workspace for one in records().all()] == ["b"]


class TestFaults:
    """Errors that nobody foresaw."""

    @pytest.mark.parametrize("place", ["check", "launch", "follow"])
    def test_one_that_cannot_be_started_takes_no_place(
        self,
        workers: FakeWorkers,
        records: Any,
        monkeypatch: pytest.MonkeyPatch,
        caplog: pytest.LogCaptureFixture,
        place: str,
    ) -> None:
        """It fails with a sentence, a process that it has is ended, the next one starts, and nothing of it comes back
        after a restart.
        """
        jobs = workers.jobs(record=records())
        first, second, third = (build(jobs, address) for address in "abc")
        step, faults = getattr(workers, place), [RuntimeError("can't start new thread")]

        def failing(*arguments: Any) -> Any:
            if faults:
                raise faults.pop()
            return step(*arguments)

        monkeypatch.setattr(workers, place, failing)
        workers.end(first)
        assert second.error
        assert (second.active, second.process) == (False, None)
        assert jobs.queued == (third,)
        assert third.running
        assert [worker.killed for worker in workers.started] == (
            [False, True, False] if place == "follow" else [False, False]
        )
        assert [one.workspace for one in records().all()] == ["c"]
        assert "new thread" in caplog.text

    def test_whoever_starts_it_is_reported(self, workers: FakeWorkers, monkeypatch: pytest.MonkeyPatch) -> None:
        """In a sentence; the place is free again."""
        jobs = workers.jobs()
        with monkeypatch.context() as broken:
            broken.setattr(workers, "launch", lambda kind, threads: {}[threads])
            with pytest.raises(ChunkscopeError, match="log"):
                build(jobs, "a")
        assert jobs.of("a") is None
        assert build(jobs, "b").running

    def test_lines_that_cannot_be_read(self, workers: FakeWorkers, caplog: pytest.LogCaptureFixture) -> None:
        """The job fails, and another of the same kind can be started."""
        jobs = workers.jobs()
        job = build(jobs, "a")
        workers.end(job, {"event": "progress"}, code=1)
        assert job.error
        assert "KeyError" in caplog.text
        assert build(jobs, "a").running
