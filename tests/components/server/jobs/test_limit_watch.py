"""What a job, and all together, may take: by a clock and sizes of the test's own."""

from __future__ import annotations

from collections.abc import Iterable

import pytest

from chunking.errors import StoreError
from components.server.jobs import INDEX, LIVE, SWEEP, job_limits
from components.server.jobs.job_kinds import KINDS
from components.server.jobs.job_limits import PATIENCE
from tests.support.fake_workers import FakeWorkers, build

HOUR = 3600.0


class TestLimits:
    def test_a_job_over_its_memory_limit_is_ended(self, workers: FakeWorkers) -> None:
        """It is ended, in a sentence with both numbers; the next one starts."""
        jobs = workers.jobs(memory=2_000_000_000)
        first, second = build(jobs, "a"), build(jobs, "b")
        workers.sizes[workers.of(first).pid] = 2_000_000_000
        assert jobs.check_usage() == 1
        assert not workers.of(first).killed
        workers.sizes[workers.of(first).pid] = 3_100_000_000
        jobs.check_usage()
        assert workers.of(first).killed
        workers.end(first)
        assert "3.1 GB" in str(first.error)
        assert "2.0 GB" in str(first.error)
        assert first.error is not None
        assert first.error.endswith(KINDS[INDEX].recovery)
        assert second.running

    def test_of_memory_together(self, workers: FakeWorkers) -> None:
        """The one that was started last is ended, and the others go on with what it took; each is under what one may
        take.
        """
        jobs = workers.jobs(heavy=3, memory=2_000_000_000, together=3_000_000_000)
        running = [build(jobs, address) for address in "abc"]
        for job in running:
            workers.sizes[workers.of(job).pid] = 1_000_000_000
        jobs.check_usage()
        assert [workers.of(job).killed for job in running] == [False] * 3
        workers.sizes[workers.of(running[0]).pid] = 1_900_000_000
        jobs.check_usage()
        jobs.check_usage()
        assert [workers.of(job).killed for job in running] == [False, False, True]
        workers.end(running[2])
        assert "3.9 GB" in str(running[2].error)
        assert "3.0 GB" in str(running[2].error)

    @pytest.mark.parametrize(
        ("kind", "hours", "limit"), [(INDEX, 0.0, 12.0), (LIVE, 0.0, 4.0), (INDEX, 1.0, 1.0), (LIVE, 24.0, 24.0)]
    )
    def test_a_job_over_its_time_limit_is_ended(
        self, workers: FakeWorkers, kind: str, hours: float, limit: float
    ) -> None:
        """From its start, however long it waited: it is asked to stop, and ended where it does not."""
        jobs = workers.jobs(hours=hours)
        first = build(jobs, "a", kind=kind)
        second = build(jobs, "b", kind=kind)
        workers.now = limit * HOUR
        jobs.check_usage()
        assert not first.stopping
        workers.now += 1
        jobs.check_usage()
        assert first.stopping
        assert not workers.of(first).killed
        workers.end(first, {"event": "cancelled", "message": "Stopped."})
        assert not first.cancelled
        assert first.error is not None
        assert KINDS[kind].recovery in first.error
        jobs.check_usage()
        assert not second.stopping
        workers.now += limit * HOUR + 1
        jobs.check_usage()
        workers.now += PATIENCE + 1
        jobs.check_usage()
        assert workers.of(second).killed
        workers.end(second)
        assert second.error
        assert not second.cancelled

    def test_what_is_done_in_spite_of_it_is_done(self, workers: FakeWorkers) -> None:
        """Its report came before the end."""
        jobs = workers.jobs(memory=1)
        job = build(jobs, "a")
        workers.sizes[workers.of(job).pid] = 2
        jobs.check_usage()
        workers.end(job, {"event": "done", "report": {"chunks": 1}})
        assert (job.report, job.error) == ({"chunks": 1}, None)

    def test_of_the_disk_while_jobs_run(self, workers: FakeWorkers) -> None:
        """The newest is asked to stop, and the next one once it has ended and there still is no room; what was there
        before is kept.
        """
        jobs = workers.jobs(heavy=2, light=1)
        build_, sweep, live = build(jobs, "a"), build(jobs, "b", kind=SWEEP), build(jobs, "c", kind=LIVE)
        jobs.check_usage()
        assert not any(job.stopping for job in (build_, sweep, live))
        workers.shortage = "the disk has 0.4 GB free"
        for _ in range(2):
            jobs.check_usage()
            assert [job.stopping for job in (build_, sweep, live)] == [False, False, True]
        workers.end(live, {"event": "cancelled", "message": "Stopped."})
        assert workers.shortage in str(live.error)
        assert str(live.error).endswith(KINDS[LIVE].recovery)
        jobs.check_usage()
        assert [job.stopping for job in (build_, sweep)] == [False, True]
        workers.shortage = ""
        workers.end(sweep, {"event": "cancelled", "message": "Stopped."})
        jobs.check_usage()
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


class TestFaults:
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

        monkeypatch.setattr(jobs._watch, "_sizes", sizes)
        monkeypatch.setattr(jobs._watch, "_end", lambda process: (process.kill(), workers.end(job)))
        monkeypatch.setattr(job_limits, "_EVERY", 0.0)
        jobs._watch._keep_checking()
        assert looks == 2
        assert job.over_limit
        assert "not a number" in caplog.text

    def test_a_disk_that_does_not_say_how_full_it_is(
        self, workers: FakeWorkers, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The other limits hold."""
        jobs = workers.jobs(memory=1)
        job = build(jobs, "a")
        workers.sizes[workers.of(job).pid] = 2

        def unknown() -> str:
            raise StoreError("It cannot be told.")

        monkeypatch.setattr(jobs._watch, "_shortage", unknown)
        jobs.check_usage()
        assert workers.of(job).killed
