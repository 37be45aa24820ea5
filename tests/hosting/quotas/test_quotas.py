"""Quotas: what a person and the server may use, said before work begins, with numbers and what to do."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from chunking import worker
from chunking.config import Config
from chunking.deployment import Person, operator_settings
from chunking.deployment.directory import Directory
from chunking.deployment.quotas import Quotas
from chunking.display import GIGABYTE
from chunking.errors import AccessError, QuotaError, StoreError
from chunking.evaluation import AnswerSpan, Question, QuestionSet, Sweep, save_set, save_sweep
from chunking.parsing import parse
from chunking.store import Role, Workspace
from hosting.demo.visits import Visits
from hosting.hosted_deployment import HostedDeployment
from hosting.quotas.quotas import DAY, SEARCHES_AT_ONCE, PersonQuotas

A, B, C = "a", "b", "c"


class Clock:
    """Seconds that pass when a test says so."""

    def __init__(self) -> None:
        self.time = 1_000_000.0

    def __call__(self) -> float:
        return self.time


def quotas(
    home: Path, mode: str = "team", *, free: int = 100 * GIGABYTE, clock: Clock | None = None, **limits: object
) -> Quotas:
    """Those of a deployment in a folder, whose disk has so many bytes left."""
    arguments = {f"CHUNKSCOPE_{name.upper()}": str(value) for name, value in limits.items()}
    settings = operator_settings({"CHUNKSCOPE_HOME": str(home), "CHUNKSCOPE_MODE": mode, **arguments})
    now = clock or Clock()
    if mode == "local":
        return Quotas(settings, lambda folder: free)
    return PersonQuotas(settings, Directory(home), Visits(home, 4.0), free=lambda folder: free, clock=now, now=now)


REFUSED: dict[str, tuple[Callable[[Quotas], None], str, list[str]]] = {
    "sweep": (lambda one: one.check_configurations(10_000), "sweep_runs", ["10,000", "500"]),
    "size 16 on 50 MB": (lambda one: one.check_chunks(3_276_800), "chunks", ["3,276,800", "1,000,000"]),
    "documents": (
        lambda one: one.check_documents(there=4_990, adding=11, characters=0, more=0),
        "documents",
        ["4,990", "11", "5,000"],
    ),
    "characters": (
        lambda one: one.check_documents(there=1, adding=1, characters=150_000_000, more=50_000_001),
        "characters",
        ["150,000,000", "50,000,001", "200,000,000"],
    ),
    "100 uploads of 50 MB": (lambda one: one.check_disk(A, 105 * 50 * 10**6), "person_disk", ["0", "5.0", "5.2"]),
}
"""What is asked for, the operator's setting that refuses it, and the numbers of the sentence."""


@pytest.mark.parametrize("mode", ["team", "demo"])
@pytest.mark.parametrize("what", REFUSED)
def test_too_much_is_refused_with_its_numbers(tmp_path: Path, what: str, mode: str) -> None:
    """In the modes that several people share."""
    ask, setting, numbers = REFUSED[what]
    with pytest.raises(QuotaError) as refused:
        ask(quotas(tmp_path, mode))
    assert refused.value.where == setting
    assert re.findall(r"\d[\d,.]*\d|\d", str(refused.value)) == numbers


@pytest.mark.parametrize("what", REFUSED)
def test_who_works_alone_has_no_quota(tmp_path: Path, what: str) -> None:
    """On a machine of one's own only the disk counts; nothing is written for that."""
    ask, _, _ = REFUSED[what]
    ask(quotas(tmp_path, "local"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("mode", ["local", "team", "demo"])
def test_a_full_disk_lets_nothing_new_begin(tmp_path: Path, mode: str) -> None:
    """In every mode; the sentence names what is free and what stays free."""
    nearly = quotas(tmp_path, mode, free=GIGABYTE + 10 * 10**6)
    nearly.check_disk(A, 9 * 10**6)
    with pytest.raises(QuotaError) as refused:
        nearly.check_disk(A, 11 * 10**6)
    assert refused.value.where == "free_disk"


def test_a_disk_that_does_not_answer_is_reported_in_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever asks for room is no thread's end: what it lacks, and what its files take."""
    settings = operator_settings({"CHUNKSCOPE_HOME": str(tmp_path), "CHUNKSCOPE_MODE": "team", "CHUNKSCOPE_DISK": "1"})
    here = HostedDeployment(settings)

    def fails(folder: object) -> Any:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    for name in ("scandir", "disk_usage"):
        monkeypatch.setattr(os if name == "scandir" else shutil, name, fails)
        with pytest.raises(StoreError, match=re.escape(str(tmp_path))):
            here.quotas.check_disk(A)


def test_all_workspaces_together_have_a_limit(tmp_path: Path) -> None:
    """Where the operator has set one; linked files count once."""
    folder = tmp_path / "workspaces" / ("0" * 16)
    folder.mkdir(parents=True)
    (folder / "table").write_bytes(bytes(10**6))
    (folder / "same").hardlink_to(folder / "table")
    quotas(tmp_path, disk=2 / 1024).check_disk(A)
    with pytest.raises(QuotaError) as refused:
        quotas(tmp_path, disk=2 / 1024).check_disk(A, 10**6 + 1)
    assert refused.value.where == "disk"


def test_a_workspace_counts_as_its_owners(tmp_path: Path) -> None:
    """Also where an editor fills it; the editor's own share stays free."""
    here = HostedDeployment(
        operator_settings(
            {"CHUNKSCOPE_HOME": str(tmp_path), "CHUNKSCOPE_MODE": "team", "CHUNKSCOPE_PERSON_DISK": "0.01"}
        )
    )
    here.people.record_visit(Person(A))
    place = here.workspaces.place(here.workspaces.create("Ours", A))
    here.workspaces.share(place.name, B, Role.EDITOR, A)
    place.mkdir(exist_ok=True)
    (place / "table").write_bytes(bytes(11 * 10**6))
    here.quotas.check_disk(B)
    with pytest.raises(QuotaError, match=r"owner use 11\.0 MB"):
        here.quotas.check_disk(B, uri=str(place))
    with pytest.raises(QuotaError, match=r"11\.0 MB"):
        here.quotas.check_disk(A)


class TestSharedFiles:
    """A workspace of 12 MB of Ann's, where a person may use 20 MB."""

    @pytest.fixture
    def here(self, tmp_path: Path) -> HostedDeployment:
        """With Bob, who has 12 MB of his own, and Cay, who has nothing."""
        limits = {"CHUNKSCOPE_PERSON_DISK": "0.02", "CHUNKSCOPE_WORKSPACES": "3", "CHUNKSCOPE_FREE_DISK": "0"}
        created = HostedDeployment(
            operator_settings({"CHUNKSCOPE_HOME": str(tmp_path), "CHUNKSCOPE_MODE": "team", **limits})
        )
        for person in (A, B, C):
            created.people.record_visit(Person(person, person.upper()))
        return created

    @staticmethod
    def filled(here: HostedDeployment, person: str) -> Path:
        """A workspace of 12 MB."""

        def fill(place: Path) -> None:
            place.mkdir(parents=True)
            (place / "data").write_bytes(bytes(12 * 10**6))

        return here.workspaces.place(here.workspaces.create("Mine", person, fill=fill))

    def test_a_duplicate_counts_for_both(self, here: HostedDeployment) -> None:
        """Once for each: neither is it lost to the owner's count, nor is a second one of one's own counted."""
        ours = self.filled(here, A)
        for person in (A, B):
            here.quotas.check_owning(person, ours)
            here.workspaces.create(
                "Copy", person, fill=lambda place: shutil.copytree(ours, place, copy_function=os.link)
            )
        assert [here.quotas.used_disk(person) for person in (A, B, C)] == [12 * 10**6, 12 * 10**6, 0]
        theirs = self.filled(here, C)
        here.quotas.check_owning(C, theirs)
        with pytest.raises(QuotaError, match=r"12\.0 MB more of the 20\.0 MB"):
            here.quotas.check_owning(C, ours)

    def test_nobody_is_made_an_owner_of_what_they_have_no_room_for(self, here: HostedDeployment) -> None:
        """Neither by bytes nor by the number of workspaces; what they do goes on. Who has room becomes one."""
        ours, _ = self.filled(here, A).name, self.filled(here, B)
        for give in (
            lambda: here.workspaces.hand_over(ours, B, A),
            lambda: here.workspaces.share(ours, B, Role.OWNER, A),
        ):
            with pytest.raises(QuotaError, match="B has no room"):
                give()
        here.quotas.check_disk(B)
        for _ in range(3):
            here.workspaces.create("More", C)
        with pytest.raises(QuotaError, match="C "):
            here.workspaces.hand_over(ours, C, A)
        assert here.workspaces.role(ours, A) is Role.OWNER
        here.workspaces.delete(last := here.workspaces.of(C)[0].id, C)
        assert here.workspaces.remove(last, -1.0)
        here.workspaces.hand_over(ours, C, A)
        assert here.workspaces.role(ours, C) is Role.OWNER

    def test_what_somebody_was_made_the_owner_of_is_deleted_at_once(self, here: HostedDeployment) -> None:
        """Whoever gives a large one away, and leaves, would fill the other's share all the time that a bin keeps it."""
        ours = self.filled(here, A).name
        here.workspaces.share(ours, C, Role.OWNER, A)
        with pytest.raises(AccessError, match="Others also own"):
            here.workspaces.delete(ours, C, for_good=True)
        here.workspaces.unshare(ours, A, A)
        with pytest.raises(QuotaError):
            here.quotas.check_disk(C, 9 * 10**6)
        here.workspaces.delete(ours, C, for_good=True)
        assert here.workspaces.bin(C) == []
        with pytest.raises(AccessError):
            here.workspaces.take_back(ours, C)
        assert here.workspaces.outdated(30) == [ours]  # which the next round of upkeep deletes
        assert here.workspaces.remove(ours, 30)
        here.quotas.check_disk(C, 9 * 10**6)
        own = self.filled(here, C).name
        with pytest.raises(AccessError, match="made it yourself"):
            here.workspaces.delete(own, C, for_good=True)
        here.workspaces.delete(own, C)
        assert [one.id for one in here.workspaces.bin(C)] == [own]

    def test_a_visitors_copy_does_not_count_the_base(self, tmp_path: Path) -> None:
        """Which every copy of the demo shares."""
        ours = quotas(tmp_path, "demo")
        copy = tmp_path / "visits" / A / "workspace"
        copy.mkdir(parents=True)
        (tmp_path / "base").write_bytes(bytes(1_000))
        (copy / "shared").hardlink_to(tmp_path / "base")
        (copy / "own").write_bytes(bytes(10))
        assert ours.used_disk(A) == 10


def test_workspaces_are_counted_with_those_in_the_bin(tmp_path: Path) -> None:
    """Making and deleting them in a loop fills no disk; other people's are not counted."""
    here = HostedDeployment(
        operator_settings({"CHUNKSCOPE_HOME": str(tmp_path), "CHUNKSCOPE_MODE": "team", "CHUNKSCOPE_WORKSPACES": "2"})
    )
    for person in (A, B):
        here.people.record_visit(Person(person))
    here.workspaces.create("One", A)
    here.workspaces.delete(here.workspaces.create("Two", A), A)
    with pytest.raises(QuotaError, match="2 workspaces"):
        here.workspaces.create("Three", A)
    here.workspaces.create("One", B)
    assert len(here.workspaces.of(A)) == 1


def test_requests_to_the_language_model_count_for_a_day(tmp_path: Path) -> None:
    """By number and by cost, each person's by themselves."""
    clock = Clock()
    ours = quotas(tmp_path, clock=clock, llm_requests=10, llm_cost=1)
    ours.note_llm(A, 8, 0.25)
    ours.check_llm(A, 2)
    ours.check_llm(B, 10)
    with pytest.raises(QuotaError, match="8 requests"):
        ours.check_llm(A, 3)
    with pytest.raises(QuotaError, match=r"0\.25 .* 0\.80 .* 1\.00"):
        ours.check_llm(A, 1, 0.8)
    clock.time += DAY + 1
    assert ours.used_llm(A) == (0, 0.0)
    ours.check_llm(A, 10)


@pytest.mark.parametrize(
    ("limits", "most"),
    [({"llm_requests": 10, "llm_cost": 1}, 200), ({"llm_requests": 10, "llm_cost": 1, "llm_requests_all": 30}, 30)],
)
def test_visitors_of_a_demo_have_a_limit_together(tmp_path: Path, limits: dict[str, float], most: int) -> None:
    """Whoever throws their cookie away is somebody new; in a team people are who they are."""
    clock = Clock()
    ours = quotas(tmp_path, "demo", clock=clock, **limits)
    for visitor in range(most):
        ours.take_llm(f"visitor{visitor}", 0.0)
    with pytest.raises(QuotaError, match=f"{most:,}") as refused:
        ours.take_llm("another one", 0.0)
    assert refused.value.where == "llm_requests_all"
    quotas(tmp_path, clock=clock, **limits).take_llm("a colleague", 0.0)
    clock.time += DAY + 1
    ours.take_llm("another one", 0.0)


def test_visitors_of_a_demo_pay_no_more_together(tmp_path: Path) -> None:
    """Before a request that could be over it is sent."""
    ours = quotas(tmp_path, "demo", llm_requests=100, llm_cost=1)
    for visitor in range(20):
        ours.check_llm(f"visitor{visitor}", 1, 0.9)
        ours.note_llm(f"visitor{visitor}", 1, 0.99)
    with pytest.raises(QuotaError, match=r"19\.80 .* 20\.00") as refused:
        ours.check_llm("another one", 1, 0.9)
    assert refused.value.where == "llm_cost_all"
    quotas(tmp_path, "demo", llm_requests=100, llm_cost=1, llm_cost_all=30).check_llm("another one", 1, 0.9)


def test_searches_in_a_loop_are_slowed_down(tmp_path: Path) -> None:
    """Whoever searches as people do is never asked to wait; another person's searches do not count."""
    clock = Clock()
    ours = quotas(tmp_path, clock=clock)
    for _ in range(SEARCHES_AT_ONCE):
        ours.check_search(A)
    with pytest.raises(QuotaError, match="4 times"):
        ours.check_search(A)
    ours.check_search(B)
    clock.time += 1
    for _ in range(4):
        ours.check_search(A)
    with pytest.raises(QuotaError):
        ours.check_search(A)


def test_a_worker_asks_again_before_it_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, indexed_person: dict[str, str]
) -> None:
    """A job that no page has checked is refused by its worker, with the same sentence, before anything is embedded."""
    monkeypatch.setenv("CHUNKSCOPE_CHUNKS", "100")
    task = {"kind": "index", "config": {"size": "16", "overlap": "0"}, "name": "main", **indexed_person}
    said = io.StringIO()
    assert worker.main(io.StringIO(json.dumps(task) + "\n"), said) == worker.EXIT_CODES["failed"]
    (last,) = [event for event in map(json.loads, said.getvalue().splitlines()) if event["event"] == "failed"]
    assert "100" in last["error"]
    assert last["kind"] == "QuotaError"


SMALL = {"size": "16", "overlap": "0"}
"""Settings of which the document makes more than 100 chunks."""


def worker_reply(task: dict[str, object]) -> dict[str, object]:
    """The last event of a worker."""
    said = io.StringIO()
    worker.main(io.StringIO(json.dumps(task) + "\n"), said)
    last: dict[str, object] = json.loads(said.getvalue().splitlines()[-1])
    return last


@pytest.fixture
def person_with_questions(indexed_person: dict[str, str]) -> dict[str, str]:
    """The same person, with a question set."""
    open_one = Workspace.open(indexed_person["workspace"])
    (row,) = open_one.documents()
    save_set(open_one, QuestionSet("Q", (Question("q", "Which word?", (AnswerSpan(row.doc_id, 0, 4, "word"),)),)))
    return indexed_person


def test_chunks_of_an_evaluation_are_counted_before_it_embeds(
    monkeypatch: pytest.MonkeyPatch, person_with_questions: dict[str, str]
) -> None:
    """As those of an index."""
    monkeypatch.setenv("CHUNKSCOPE_CHUNKS", "100")
    last = worker_reply({"kind": "evaluate", "config": SMALL, "question_set": "Q", **person_with_questions})
    assert (last["event"], last["kind"]) == ("failed", "QuotaError")


def test_chunks_of_an_experiment_are_counted_for_each_configuration(
    monkeypatch: pytest.MonkeyPatch, person_with_questions: dict[str, str]
) -> None:
    """One that makes too many fails with the sentence, and the next one is tried."""
    monkeypatch.setenv("CHUNKSCOPE_CHUNKS", "100")
    open_one = Workspace.open(person_with_questions["workspace"])
    save_sweep(open_one, Sweep("S", "Q", base=Config.from_settings(SMALL), tries=({}, {"size": "24"})))
    last = worker_reply({"kind": "sweep", "name": "S", **person_with_questions})
    assert last["event"] == "done"
    failed = [run for text in open_one.runs.all().values() if (run := json.loads(text))["error"]]
    assert len(failed) == 2
    assert all("100" in run["error"] for run in failed)


@pytest.mark.parametrize("kind", ["index", "evaluate", "sweep", "live", "estimate", "review"])
def test_a_worker_begins_nothing_on_a_full_disk(
    monkeypatch: pytest.MonkeyPatch, indexed_person: dict[str, str], kind: str
) -> None:
    """Of no kind, whoever started it."""
    monkeypatch.setenv("CHUNKSCOPE_FREE_DISK", "1000000")
    last = worker_reply({"kind": kind, "name": "main", **indexed_person})
    assert (last["event"], last["kind"]) == ("failed", "QuotaError")


@pytest.fixture
def indexed_person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """A person of a team with a workspace of one document: what a task of theirs names."""
    monkeypatch.delenv("CHUNKSCOPE_WORKSPACE", raising=False)
    monkeypatch.setenv("CHUNKSCOPE_MODE", "team")
    monkeypatch.setenv("CHUNKSCOPE_HOME", str(tmp_path))
    here = HostedDeployment(operator_settings())
    here.people.record_visit(Person(A))
    place = here.workspaces.place(here.workspaces.create("Mine", A))
    open_one = Workspace.open(place)
    with open_one.writer():
        open_one.put_documents([parse(("word " * 400 + "\n\n").encode() * 10, "words.md")])
    return {"workspace": str(place), "person": A}
