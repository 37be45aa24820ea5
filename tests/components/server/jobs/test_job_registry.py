"""The registry over fake workers: turns, cancelling, crashes, limits by a clock of the test's own, and a restart of the server."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from chunking.config import Config
from chunking.errors import AccessError, ChunkscopeError, LockedError, StoreError
from components.server.jobs import ESTIMATE, EVALUATE, INDEX, LIVE, SWEEP, Job, JobRecord, Jobs, job_registry, may_cancel
from components.server.jobs.job_kinds import KINDS
from components.server.jobs.limit_watch import PATIENCE
from tests.support.fake_workers import FakeWorkers

HOUR = 3600.0


@pytest.fixture
def workers() -> FakeWorkers:
    return FakeWorkers()


@pytest.fixture
def records(tmp_path: Path) -> Iterator[Any]:
    """Opens the same record, as each server does that comes after another."""
    made: list[JobRecord] = []

    def opened() -> JobRecord:
        for one in made:
            one.close()
        made.append(JobRecord(tmp_path / "state" / "jobs"))
        return made[-1]

    yield opened
    for one in made:
        one.close()


def build(jobs: Jobs, address: str, asker: str = "ann", kind: str = INDEX) -> Job:
    """One more job."""
    return jobs.start_job(address, kind, {"name": "main", "config": {"size": "300"}}, asker=asker)


class TestTurns:
    def test_ten_of_one_person_while_another_starts_one(self, workers: FakeWorkers) -> None:
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
        assert jobs.look() == 0

    def test_what_it_says_while_it_waits(self, workers: FakeWorkers) -> None:
        """Its place, and no time left that runs down."""
        jobs = workers.jobs()
        build(jobs, "a")
        job = jobs.start_job("b", INDEX, {"name": "main"}, expected=60.0, asker="ben")
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

    def test_settings_are_those_of_the_start_and_documents_are_told(self, workers: FakeWorkers) -> None:
        """Who waits tells its worker which documents there were then; who does not, tells nothing."""
        jobs = workers.jobs()
        first = jobs.start("a", Config.from_settings({"size": 99}), "main")
        payload = {"name": "main", "config": {"size": "300"}}
        second = jobs.start_job("b", EVALUATE, payload, asker="ann")
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
        jobs.look()
        assert not workers.of(job).killed
        workers.now += 1
        jobs.look()
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
        ("asker", "owns", "may"), [("ann", False, True), ("ben", False, False), ("ben", True, True)], ids=["own", "another's", "owner"]
    )
    def test_who_may_cancel(self, workers: FakeWorkers, asker: str, owns: bool, may: bool) -> None:
        """One's own, and an owner of the workspace every one in it."""
        assert may_cancel(asker, build(workers.jobs(), "a"), owns=owns) is may

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
        for act in (after.again, after.put_away):
            with pytest.raises(AccessError):
                act(cut)
        assert cut.interrupted
        assert after.of("a") is cut

    def test_a_workspace_that_is_deleted(self, workers: FakeWorkers, records: Any) -> None:
        """What waits there is out, what runs stops, what was interrupted is not told; other workspaces' jobs go on."""
        build(workers.jobs(record=records()), "a", kind=EVALUATE)
        jobs = workers.jobs(record=records())
        running, waiting, other = build(jobs, "a"), build(jobs, "a", kind=SWEEP), build(jobs, "b")
        jobs.leave("a")
        assert (running.stopping, waiting.active) == (True, False)
        workers.end(running)
        assert other.running
        assert [jobs.of("a", kind) for kind in (INDEX, SWEEP, EVALUATE)] == [None] * 3
        assert [one.workspace for one in records().all()] == ["b"]


class TestFaults:
    """Errors that nobody foresaw."""

    @pytest.mark.parametrize("place", ["_check_start", "_launch", "_follow"])
    def test_one_that_cannot_be_started_takes_no_place(
        self, workers: FakeWorkers, records: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, place: str
    ) -> None:
        """It fails with a sentence, a process that it has is ended, the next one starts, and nothing of it comes back after a restart."""
        jobs = workers.jobs(record=records())
        first, second, third = (build(jobs, address) for address in "abc")
        step, faults = getattr(jobs, place), [RuntimeError("can't start new thread")]

        def failing(*given: Any) -> Any:
            if faults:
                raise faults.pop()
            return step(*given)

        monkeypatch.setattr(jobs, place, failing)
        workers.end(first)
        assert second.error
        assert (second.active, second.process) == (False, None)
        assert jobs.queued == (third,)
        assert third.running
        assert [worker.killed for worker in workers.started] == ([False, True, False] if place == "_follow" else [False, False])
        assert [one.workspace for one in records().all()] == ["c"]
        assert "new thread" in caplog.text

    def test_whoever_starts_it_is_told(self, workers: FakeWorkers, monkeypatch: pytest.MonkeyPatch) -> None:
        """In a sentence; the place is free again."""
        jobs = workers.jobs()
        monkeypatch.setattr(jobs, "_launch", lambda kind, threads: {}[threads])
        with pytest.raises(ChunkscopeError, match="log"):
            build(jobs, "a")
        assert jobs.of("a") is None
        monkeypatch.setattr(jobs, "_launch", workers._launch)
        assert build(jobs, "b").running

    def test_lines_that_cannot_be_read(self, workers: FakeWorkers, caplog: pytest.LogCaptureFixture) -> None:
        """The job fails, and another of the same kind can be started."""
        jobs = workers.jobs()
        job = build(jobs, "a")
        workers.end(job, {"event": "progress"}, code=1)
        assert job.error
        assert "KeyError" in caplog.text
        assert build(jobs, "a").running

    def test_a_look_that_fails_is_followed_by_another(
        self, workers: FakeWorkers, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        """The limits hold as long as jobs run."""
        jobs, looks = workers.jobs(memory=1), 0
        job = build(jobs, "a")

        def sizes(pids: Iterable[int]) -> dict[int, int]:
            nonlocal looks
            looks += 1
            if looks == 1:
                raise ValueError("not a number")
            return dict.fromkeys(pids, 2)

        monkeypatch.setattr(jobs, "_sizes", sizes)
        monkeypatch.setattr(jobs, "_end_by_force", lambda process: (process.kill(), workers.end(job)))
        monkeypatch.setattr(job_registry, "_LOOK", 0.0)
        jobs._keep_looking()
        assert looks == 2
        assert job.over_limit
        assert "not a number" in caplog.text

    def test_a_disk_that_does_not_say_how_full_it_is(self, workers: FakeWorkers, monkeypatch: pytest.MonkeyPatch) -> None:
        """The other limits hold."""
        jobs = workers.jobs(memory=1)
        job = build(jobs, "a")
        workers.sizes[workers.of(job).pid] = 2

        def unknown() -> str:
            raise StoreError("It cannot be told.")

        monkeypatch.setattr(jobs, "_shortage", unknown)
        jobs.look()
        assert workers.of(job).killed


class TestLimits:
    def test_of_memory(self, workers: FakeWorkers) -> None:
        """It is ended, in a sentence with both numbers; the next one starts."""
        jobs = workers.jobs(memory=2_000_000_000)
        first, second = build(jobs, "a"), build(jobs, "b")
        workers.sizes[workers.of(first).pid] = 2_000_000_000
        assert jobs.look() == 1
        assert not workers.of(first).killed
        workers.sizes[workers.of(first).pid] = 3_100_000_000
        jobs.look()
        assert workers.of(first).killed
        workers.end(first)
        assert "3.1 GB" in str(first.error)
        assert "2.0 GB" in str(first.error)
        assert first.error is not None
        assert first.error.endswith(KINDS[INDEX].kept)
        assert second.running

    def test_of_memory_together(self, workers: FakeWorkers) -> None:
        """The one that was started last is ended, and the others go on with what it took; each is under what one may take."""
        jobs = workers.jobs(heavy=3, memory=2_000_000_000, together=3_000_000_000)
        running = [build(jobs, address) for address in "abc"]
        for job in running:
            workers.sizes[workers.of(job).pid] = 1_000_000_000
        jobs.look()
        assert [workers.of(job).killed for job in running] == [False] * 3
        workers.sizes[workers.of(running[0]).pid] = 1_900_000_000
        jobs.look()
        jobs.look()
        assert [workers.of(job).killed for job in running] == [False, False, True]
        workers.end(running[2])
        assert "3.9 GB" in str(running[2].error)
        assert "3.0 GB" in str(running[2].error)

    @pytest.mark.parametrize(("kind", "hours", "limit"), [(INDEX, 0.0, 12.0), (LIVE, 0.0, 4.0), (INDEX, 1.0, 1.0), (LIVE, 24.0, 24.0)])
    def test_of_time(self, workers: FakeWorkers, kind: str, hours: float, limit: float) -> None:
        """From its start, however long it waited: it is asked to stop, and ended where it does not."""
        jobs = workers.jobs(hours=hours)
        first = build(jobs, "a", kind=kind)
        second = build(jobs, "b", kind=kind)
        workers.now = limit * HOUR
        jobs.look()
        assert not first.stopping
        workers.now += 1
        jobs.look()
        assert first.stopping
        assert not workers.of(first).killed
        workers.end(first, {"event": "cancelled", "message": "Stopped."})
        assert not first.cancelled
        assert first.error is not None
        assert KINDS[kind].kept in first.error
        jobs.look()
        assert not second.stopping
        workers.now += limit * HOUR + 1
        jobs.look()
        workers.now += PATIENCE + 1
        jobs.look()
        assert workers.of(second).killed
        workers.end(second)
        assert second.error
        assert not second.cancelled

    def test_what_is_done_in_spite_of_it_is_done(self, workers: FakeWorkers) -> None:
        """Its report came before the end."""
        jobs = workers.jobs(memory=1)
        job = build(jobs, "a")
        workers.sizes[workers.of(job).pid] = 2
        jobs.look()
        workers.end(job, {"event": "done", "report": {"chunks": 1}})
        assert (job.report, job.error) == ({"chunks": 1}, None)

    def test_of_the_disk_while_jobs_run(self, workers: FakeWorkers) -> None:
        """The newest is asked to stop, and the next one once it has ended and there still is no room; what was there before is kept."""
        jobs = workers.jobs(heavy=2, light=1)
        build_, sweep, live = build(jobs, "a"), build(jobs, "b", kind=SWEEP), build(jobs, "c", kind=LIVE)
        jobs.look()
        assert not any(job.stopping for job in (build_, sweep, live))
        workers.shortage = "the disk has 0.4 GB free"
        for _ in range(2):
            jobs.look()
            assert [job.stopping for job in (build_, sweep, live)] == [False, False, True]
        workers.end(live, {"event": "cancelled", "message": "Stopped."})
        assert workers.shortage in str(live.error)
        assert str(live.error).endswith(KINDS[LIVE].kept)
        jobs.look()
        assert [job.stopping for job in (build_, sweep)] == [False, True]
        workers.shortage = ""
        workers.end(sweep, {"event": "cancelled", "message": "Stopped."})
        jobs.look()
        assert not build_.stopping

    def test_of_the_disk_where_jobs_wait(self, workers: FakeWorkers) -> None:
        """Whose turn comes fails with the sentence, without a process; with room again the next one starts."""
        jobs = workers.jobs()
        first, second, third = (build(jobs, address) for address in "abc")
        workers.shortage = "the disk has 0.4 GB free"
        workers.end(first)
        assert len(workers.started) == 1
        for job in (second, third):
            assert not job.active
            assert workers.shortage in str(job.error)
        assert jobs.queued == ()
        workers.shortage = ""
        assert build(jobs, "b").running


class TestRestart:
    def test_what_ran_is_interrupted_and_what_waited_starts_once(self, workers: FakeWorkers, records: Any) -> None:
        """Nothing that was started is started again by itself, however often the server dies."""
        before = workers.jobs(record=records())
        build(before, "a")
        build(before, "b", "ben")
        after = workers.jobs(record=records())
        ran, waited = after.of("a"), after.of("b")
        assert ran is not None
        assert waited is not None
        assert (ran.interrupted, ran.active, ran.asker) == (True, False, "ann")
        assert waited.running
        assert waited.asker == "ben"
        assert [worker.task["workspace"] for worker in workers.started] == ["a", "b"]
        assert workers.started[1].task["queued"] == "as they were"
        last = workers.jobs(record=records())
        again = last.of("b")
        assert again is not None
        assert again.interrupted
        assert len(workers.started) == 2

    def test_started_again_by_a_person_with_the_settings_it_had(self, workers: FakeWorkers, records: Any) -> None:
        """Then it is no longer called interrupted, also after the next restart."""
        build(workers.jobs(record=records()), "a")
        jobs = workers.jobs(record=records())
        job = jobs.of("a")
        assert job is not None
        again = jobs.again(job)
        assert again.running
        assert {**workers.started[1].task, "person": "ann"} == workers.started[0].task
        workers.end(again)
        assert workers.jobs(record=records()).of("a") is None

    def test_a_workspace_that_is_gone_by_then(self, workers: FakeWorkers, records: Any) -> None:
        """Of a demo's visit that ended meanwhile nothing is said, whether its job ran or waited."""
        before = workers.jobs(record=records())
        for address in ("visits/a", "visits/b", "c"):
            build(before, address)
        after = workers.jobs(record=records(), gone=lambda address: address.startswith("visits"))
        assert [after.of(address) is not None for address in ("visits/a", "visits/b", "c")] == [False, False, True]
        assert [one.workspace for one in records().all()] == ["c"]

    def test_what_was_cancelled_on_a_full_disk_does_not_run(
        self, workers: FakeWorkers, records: Any, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
    ) -> None:
        """The record could not be written then, and is with the next write."""
        record = records()
        jobs = workers.jobs(record=record)
        build(jobs, "a")
        waiting = build(jobs, "b")
        with monkeypatch.context() as patch:
            patch.setattr(record, "_opened", Mock(side_effect=sqlite3.OperationalError("database or disk is full")))
            jobs.cancel(waiting)
        assert "disk is full" in caplog.text
        build(jobs, "c")
        after = workers.jobs(record=records())
        assert after.of("b") is None
        assert [worker.task["workspace"] for worker in workers.started] == ["a", "c"]

    def test_put_away(self, workers: FakeWorkers, records: Any) -> None:
        """Nobody is told any more."""
        build(workers.jobs(record=records()), "a")
        jobs = workers.jobs(record=records())
        job = jobs.of("a")
        assert job is not None
        jobs.put_away(job)
        assert not job.interrupted
        assert workers.jobs(record=records()).of("a") is None

    def test_what_is_over_is_forgotten(self, workers: FakeWorkers, records: Any) -> None:
        """Done, failed, cancelled while waiting: none of them comes back; the order of the others stays."""
        jobs = workers.jobs(record=records())
        done, cancelled, failed = (build(jobs, address) for address in "abc")
        jobs.cancel(cancelled)
        workers.end(done)
        workers.end(failed, code=1)
        rest = [build(jobs, address) for address in "defg"]
        assert rest[0].running
        after = workers.jobs(heavy=2, record=records())
        assert [after.of(address) is not None for address in "abc"] == [False] * 3
        assert [worker.task["workspace"] for worker in workers.started[-2:]] == ["e", "f"]
        place = (after.of("g") or rest[0]).place
        assert place is not None
        assert place.position == 1

    def test_it_is_written_down_before_its_process_starts(self, workers: FakeWorkers, records: Any) -> None:
        """The server dies between the two: told, not run."""
        record = records()
        jobs = workers.jobs(record=record)
        launched: list[bool] = []
        jobs._launch = lambda kind, threads: launched.extend(one.started for one in record.all()) or workers._launch(kind, threads)  # type: ignore[assignment,return-value,func-returns-value]
        build(jobs, "a")
        assert launched == [True]

    def test_two_servers(self, workers: FakeWorkers, records: Any, tmp_path: Path) -> None:
        """The second one is told that the first has jobs in the record, and works without; with none in it nobody is kept out."""
        first = records()
        assert not (tmp_path / "state").exists()
        second = workers.jobs(record=JobRecord(tmp_path / "state" / "jobs"))
        job = build(workers.jobs(record=first), "a")
        with pytest.raises(LockedError):
            JobRecord(tmp_path / "state" / "jobs")
        assert workers.end(build(second, "b")).report
        workers.end(job)
        JobRecord(tmp_path / "state" / "jobs").close()

    def test_a_record_that_is_none(self, tmp_path: Path) -> None:
        """A sentence, and the file stays as it is."""
        (tmp_path / "jobs").write_text("something else, and long enough to be looked at by the reader of files" * 20)
        with pytest.raises(StoreError, match="jobs"):
            JobRecord(tmp_path / "jobs")
        assert (tmp_path / "jobs").read_text().startswith("something else")

    def test_a_record_that_cannot_be_written(self, workers: FakeWorkers, records: Any) -> None:
        """Nothing is started that a restart would not know of; what runs comes to its end."""
        record = records()
        jobs = workers.jobs(record=record)
        job = build(jobs, "a")
        record.close()
        with pytest.raises(StoreError):
            build(jobs, "b")
        assert len(workers.started) == 1
        workers.end(job)
        assert job.report

    def test_kinds_of_a_later_version_are_left_alone(self, workers: FakeWorkers, records: Any) -> None:
        """Neither run nor lost."""
        record = records()
        record.add("a", "translate", "x", "ann", {"name": "x"}, ())
        jobs = workers.jobs(record=record)
        assert workers.started == []
        assert [json.dumps(dict(one.task)) for one in records().all()] == ['{"name": "x"}']
        assert jobs.of("a", "translate") is None
