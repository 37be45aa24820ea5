"""What waited before a restart of the server starts once, what ran is interrupted, and what is over stays over."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest

from chunking.errors import LockedError, StoreError
from components.server.jobs import JobRecord
from tests.support.fake_workers import FakeWorkers, build


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
        assert (ran.interrupted, ran.active, ran.person) == (True, False, "ann")
        assert waited.running
        assert waited.person == "ben"
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
        again = jobs.restart(job)
        assert again.running
        assert {**workers.started[1].task, "person": "ann"} == workers.started[0].task
        workers.end(again)
        assert workers.jobs(record=records()).of("a") is None

    def test_a_workspace_that_is_gone_by_then(self, workers: FakeWorkers, records: Any) -> None:
        """Of a demo's visit that ended meanwhile nothing is said, whether its job ran or waited."""
        before = workers.jobs(record=records())
        for address in ("visits/a", "visits/b", "c"):
            build(before, address)
        after = workers.jobs(record=records(), is_ended=lambda address: address.startswith("visits"))
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
            patch.setattr(record, "_connect", Mock(side_effect=sqlite3.OperationalError("database or disk is full")))
            jobs.cancel(waiting)
        assert "disk is full" in caplog.text
        build(jobs, "c")
        after = workers.jobs(record=records())
        assert after.of("b") is None
        assert [worker.task["workspace"] for worker in workers.started] == ["a", "c"]

    def test_a_dismissed_job_is_not_reported_after_a_restart(self, workers: FakeWorkers, records: Any) -> None:
        """Nobody is told any more."""
        build(workers.jobs(record=records()), "a")
        jobs = workers.jobs(record=records())
        job = jobs.of("a")
        assert job is not None
        jobs.dismiss(job)
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
        launch = workers.launch
        workers.launch = lambda kind, threads: (  # type: ignore[method-assign]
            launched.extend(one.started for one in record.all()) or launch(kind, threads)  # type: ignore[func-returns-value]
        )
        build(jobs, "a")
        assert launched == [True]

    def test_a_second_server_does_not_take_over_the_record(
        self, workers: FakeWorkers, records: Any, tmp_path: Path
    ) -> None:
        """The second one is told that the first has jobs in the record, and works without; with none in it nobody is
        kept out.
        """
        first = records()
        assert not (tmp_path / "state").exists()
        second = workers.jobs(record=JobRecord(tmp_path / "state" / "jobs"))
        job = build(workers.jobs(record=first), "a")
        with pytest.raises(LockedError):
            JobRecord(tmp_path / "state" / "jobs")
        assert workers.end(build(second, "b")).report
        workers.end(job)
        JobRecord(tmp_path / "state" / "jobs").close()

    def test_an_unreadable_record_of_jobs_stays_untouched(self, tmp_path: Path) -> None:
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
