"""Jobs and rights: who may not write to a workspace starts none there, whatever names it; the server fills a demo's
base by itself.
"""

from __future__ import annotations

import io
import json
import threading
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
import streamlit as st

from chunking import worker
from chunking.deployment import EVERYONE, SERVER, Person, workspace_access
from chunking.errors import AccessError
from chunking.parsing import parse
from chunking.store import Role, Workspace
from components.server.jobs import INDEX, JobRecord, Jobs
from components.server.jobs.job_kinds import KINDS
from components.session import host
from components.session import jobs as session_jobs
from hosting.hosted_deployment import HostedDeployment
from hosting.people import identity
from tests.support.fake_workers import FakeWorkers
from tests.support.stand_in_model import stand_in_model

ANN, BOB, EVE = (
    Person(letter * 24, name, f"{name}@example.com") for letter, name in (("a", "Ann"), ("b", "Bob"), ("e", "Eve"))
)
TASK = {"name": "main", "config": {"size": "64"}}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[HostedDeployment]:
    """A team's deployment, whose operator is Eve."""
    monkeypatch.delenv("CHUNKSCOPE_WORKSPACE", raising=False)
    monkeypatch.setenv("CHUNKSCOPE_MODE", "team")
    monkeypatch.setenv("CHUNKSCOPE_OPERATORS", EVE.email)
    monkeypatch.setenv("CHUNKSCOPE_HOME", str(tmp_path / "home"))
    created = host.deployment()
    for person in (ANN, BOB, EVE):
        created.people.record_visit(person)
    yield created
    st.cache_resource.clear()


@pytest.fixture
def theirs(here: HostedDeployment) -> str:
    """The id of Ann's workspace, with a document."""
    id = here.workspaces.create("Ours", ANN.id)
    Workspace.open(here.workspaces.place(id)).put_document(parse(b"# Pump\n\nSwitch the pump off.", "pump.md"))
    return id


def signed_in(monkeypatch: pytest.MonkeyPatch, person: Person | None) -> None:
    """Have the sign-in vouch for somebody."""
    monkeypatch.setattr(identity, "_signed_in", lambda sign_in: person)


def registry(record: JobRecord | None = None) -> tuple[FakeWorkers, Jobs]:
    """The server's registry over workers that are no processes."""
    workers = FakeWorkers()
    return workers, workers.jobs(record=record, may=session_jobs.may_stop, admit=session_jobs._admit)


class _StaysOpen(io.StringIO):
    """A line, and then nothing until the end."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.ended = threading.Event()

    def __next__(self) -> str:
        self.ended.wait()
        raise StopIteration


def last_said(task: Mapping[str, object]) -> dict[str, Any]:
    """The last line of a worker that does this; what it reads stays open meanwhile."""
    message, arguments = io.StringIO(), _StaysOpen(json.dumps(task) + "\n")
    worker.main(arguments, message)
    arguments.ended.set()
    said: dict[str, Any] = json.loads(message.getvalue().splitlines()[-1])
    return said


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("role", [Role.VIEWER, None])
def test_who_may_not_write_starts_no_job(
    here: HostedDeployment, theirs: str, monkeypatch: pytest.MonkeyPatch, role: Role | None, kind: str
) -> None:
    """By the registry that every page asks: nothing is queued, no process started, and nothing told of a job that runs
    there.
    """
    if role is not None:
        here.workspaces.share(theirs, BOB.id, role, ANN.id)
    address = str(here.workspaces.place(theirs))
    signed_in(monkeypatch, BOB)
    with pytest.raises(AccessError):
        session_jobs.jobs().start_job(address, kind, TASK)
    assert (session_jobs.jobs().queued, session_jobs.jobs().of(address, kind)) == ((), None)
    workers, jobs = registry()
    running = jobs.start_job(address, kind, TASK, person=ANN.id)
    with pytest.raises(AccessError):
        jobs.start_job(address, kind, TASK, person=BOB.id)
    assert jobs.queued == (running,)
    assert len(workers.started) == 1


def test_an_editor_starts_one_until_the_role_is_taken_away(here: HostedDeployment, theirs: str) -> None:
    """What is started is then the worker's to refuse, which asks again."""
    here.workspaces.share(theirs, BOB.id, Role.EDITOR, ANN.id)
    address = str(here.workspaces.place(theirs))
    workers, jobs = registry()
    workers.end(jobs.start_job(address, INDEX, TASK, person=BOB.id))
    here.workspaces.unshare(theirs, BOB.id, ANN.id)
    with pytest.raises(AccessError):
        jobs.start_job(address, INDEX, TASK, person=BOB.id)
    assert last_said({**TASK, "workspace": address, "person": BOB.id})["kind"] == "AccessError"


def test_an_operator_stops_what_they_may_not_start(
    here: HostedDeployment, theirs: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Being one gives no role: an interrupted job is put away by them, and started again by who may write."""
    address = str(here.workspaces.place(theirs))
    record = JobRecord(tmp_path / "state" / "jobs")
    registry(record)[1].start_job(address, INDEX, TASK, person=ANN.id)
    workers, jobs = registry(record)
    cut = jobs.of(address)
    assert cut is not None
    signed_in(monkeypatch, EVE)
    with pytest.raises(AccessError):
        jobs.restart(cut)
    assert cut.interrupted
    assert workers.started == []
    jobs.dismiss(cut)
    assert not cut.interrupted
    record.close()


@pytest.mark.parametrize("nobody", ["", "snapshot-0123456789abcdef", SERVER.upper()])
def test_everyone_who_is_signed_in_is_not_anybody(here: HostedDeployment, theirs: str, nobody: str) -> None:
    """A workspace that everyone may edit: who never signed in is none of them."""
    here.workspaces.share(theirs, EVERYONE, Role.EDITOR, ANN.id)
    _, jobs = registry()
    address = str(here.workspaces.place(theirs))
    with pytest.raises(AccessError):
        jobs.start_job(address, INDEX, TASK, person=nobody)
    assert jobs.start_job(address, INDEX, TASK, person=BOB.id).running


def test_no_address_but_that_of_a_workspace(here: HostedDeployment, theirs: str, tmp_path: Path) -> None:
    """A folder beside it, one above it, a way around: refused as a stranger's."""
    place = here.workspaces.place(theirs)
    _, jobs = registry()
    for address in (tmp_path, place / "..", place / ".." / place.name, place.parent, "", "default"):
        with pytest.raises(AccessError):
            jobs.start_job(str(address), INDEX, TASK, person=ANN.id)
    assert jobs.queued == ()


def test_the_server_fills_a_demos_base_and_no_visitor_does(
    here: HostedDeployment, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Where the samples' index did not come with them, its job is the server's; its worker may write there."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", "demo")
    base = Workspace.open(tmp_path / "home" / "base")
    base.put_document(parse(b"# Pump\n\nSwitch the pump off.", "pump.md"))
    workers, jobs = registry()
    for visitor in ("a" * 24, "server\n"):
        with pytest.raises(AccessError):
            jobs.start_job(base.uri, INDEX, TASK, person=visitor)
    jobs.start_job(base.uri, INDEX, TASK, person=SERVER)
    with stand_in_model():
        task = workers.started[0].task
        assert task["person"] == SERVER
        assert last_said(task)["event"] == "done"
    assert [row.name for row in Workspace.open(base.uri).indexes()] == ["main"]


def test_what_a_job_changed_is_in_the_activity_list(here: HostedDeployment, theirs: str) -> None:
    """By its worker, as the person who started it."""
    here.workspaces.share(theirs, BOB.id, Role.EDITOR, ANN.id)
    task = {**TASK, "workspace": str(here.workspaces.place(theirs)), "person": BOB.id}
    with stand_in_model():
        assert last_said(task)["event"] == "done"
    lines = [line for line in here.activity.of(theirs) if line.person == BOB.id]
    assert [line.name for line in lines] == ["main"]


class _Revokes(io.StringIO):
    """What a worker says, and whoever takes the role away as soon as it has told its plan."""

    def __init__(self, revoke: Callable[[], object]) -> None:
        super().__init__()
        self._revoke: Callable[[], object] | None = revoke

    def write(self, text: str) -> int:
        if '"plan"' in text and self._revoke:
            revoke, self._revoke = self._revoke, None
            revoke()
        return super().write(text)


def test_a_role_that_is_taken_away_ends_a_job_that_runs(
    here: HostedDeployment, theirs: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By another process than the worker's, which notices it within half a second; nothing that it has made since is
    published.
    """
    monkeypatch.setattr(workspace_access, "_FRESH", 0.0)
    here.workspaces.share(theirs, BOB.id, Role.EDITOR, ANN.id)
    address = str(here.workspaces.place(theirs))
    message = _Revokes(lambda: here.workspaces.unshare(theirs, BOB.id, ANN.id))
    arguments = _StaysOpen(json.dumps({**TASK, "workspace": address, "person": BOB.id}) + "\n")
    with stand_in_model():
        worker.main(arguments, message)
    arguments.ended.set()
    said = [json.loads(line) for line in message.getvalue().splitlines()]
    assert [said[0]["event"], said[-1]["event"], said[-1].get("kind")] == ["plan", "failed", "AccessError"]
    assert [row.state for row in Workspace.open(address, create=False).indexes() if row.state == "complete"] == []
