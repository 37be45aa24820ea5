"""Snapshots: they stay as they are, are read and never written, and show no word of the documents where only results
are shown.
"""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from chunking.config import Config
from chunking.deployment import Person, operator_settings
from chunking.errors import AccessError, ChunkscopeError, ConfigError, NotFoundError, QuestionError
from chunking.store import Author, Right, Role, Workspace, save_configuration, saved_configurations
from components.server.upkeep import upkeep
from hosting import snapshots
from hosting.hosted_deployment import HostedDeployment
from hosting.snapshots import OPERATOR, Shows
from tests.support.stored_runs import filled, with_runs

A, B = Person("a" * 24, "Ann"), Person("b" * 24, "Bob")
MARKED = "Xylophonequartz"
FILES = {f"{MARKED}-file.md": "\n\n".join([f"# {MARKED}", *[f"{MARKED} " + "fills a paragraph with words " * 4] * 6])}


@pytest.fixture
def deployment(tmp_path: Path) -> HostedDeployment:
    """A deployment of a team, with two people."""
    here = HostedDeployment(operator_settings({"CHUNKSCOPE_HOME": str(tmp_path / "home"), "CHUNKSCOPE_MODE": "team"}))
    here.people.record_visit(A)
    here.people.record_visit(B)
    return here


@pytest.fixture
def id(deployment: HostedDeployment) -> str:
    """A workspace of A's with a document."""
    created = deployment.workspaces.create("Contracts", A.id)
    there = filled(deployment.workspaces.place(created), FILES)
    there.search_history.add("a private query")
    save_configuration(there, "Contracts", Config(), Author(A.id, A.name))
    return created


def open_one(deployment: HostedDeployment, token: str) -> Workspace:
    """A snapshot's workspace, as its visitor has it."""
    result = deployment.snapshots.visit(token)
    return Workspace.open(
        deployment.snapshots.place(result.id), create=False, access=deployment.snapshots.access(result)
    )


def test_a_snapshot_stays_as_it_was(deployment: HostedDeployment, id: str) -> None:
    """Whatever becomes of the workspace; it is read and searched, not written, and holds no search history, nor who
    saved settings.
    """
    token = deployment.snapshots.make(id, "Review", Shows.DOCUMENTS, A.id)
    source = Workspace.open(deployment.workspaces.place(id))
    (row,) = source.documents()
    source.delete_documents([row.doc_id])
    source.tidy()
    visible = open_one(deployment, token)
    assert MARKED in visible.document(row.doc_id).text
    assert visible.index().documents()
    assert visible.search_history.queries() == []
    assert source.search_history.queries() == ["a private query"]
    assert [(one.name, one.author) for one in saved_configurations(visible)] == [("Contracts", Author())]
    assert [one.author.name for one in saved_configurations(source)] == [A.name]
    for write in (lambda: visible.delete_documents([row.doc_id]), lambda: visible.runs.put({"a": "{}"}), visible.tidy):
        with pytest.raises(AccessError):
            write()
    assert not visible.may(Right.MANAGE)


def test_it_gives_nothing_but_itself(deployment: HostedDeployment, id: str) -> None:
    """Neither the workspace it was made of, nor to whom it says nothing."""
    token = deployment.snapshots.make(id, "Review", Shows.DOCUMENTS, A.id)
    result = deployment.snapshots.visit(token)
    assert deployment.workspaces.role(id, f"snapshot-{result.id}") is None
    with pytest.raises(AccessError):
        deployment.access_to(str(deployment.snapshots.place(result.id)), B.id)
    assert token.split(".")[1].encode() not in deployment.directory.file.read_bytes()
    for file in deployment.directory.file.parent.glob("directory.sqlite*"):
        assert token.split(".")[1].encode() not in file.read_bytes()


def test_hostile_tokens_meet_the_same_sentence(deployment: HostedDeployment, id: str) -> None:
    """Forged, cut, of another snapshot, revoked, of a deleted workspace, of a suspended owner."""
    token, other = (deployment.snapshots.make(id, name, Shows.DOCUMENTS, A.id) for name in ("One", "Two"))
    number, secret = token.split(".")
    forged = [
        "",
        "x",
        number,
        f"{number}.",
        f"{number}.{secret[:-1]}",
        f"{number}.{other.split('.')[1]}",
        f"{'0' * 16}.{secret}",
    ]
    forged += [
        f"{number}.{secret}\n",
        f"../../{number}.{secret}",
        f"{number}' OR 1=1 --.{secret}",
        f"{number}.{'é' * 43}",
        "x" * 10_000,
    ]
    message = {_sentence(deployment, text) for text in forged}
    deployment.snapshots.revoke(other.split(".")[0], A.id)
    message.add(_sentence(deployment, other))
    assert deployment.snapshots.find(token).name == "One"
    deployment.people.suspend(A.id)
    message.add(_sentence(deployment, token))
    deployment.people.suspend(A.id, False)
    assert deployment.snapshots.find(token).name == "One"
    deployment.workspaces.delete(id, A.id)
    message.add(_sentence(deployment, token))
    assert len(message) == 1


def _sentence(deployment: HostedDeployment, token: str) -> str:
    with pytest.raises(AccessError) as refused:
        deployment.snapshots.visit(token)
    return str(refused.value)


def test_an_open_one_is_closed_by_revoking(deployment: HostedDeployment, id: str) -> None:
    """At the next call, and its files are gone; a second time changes nothing."""
    token = deployment.snapshots.make(id, "Review", Shows.DOCUMENTS, A.id)
    visible, number = open_one(deployment, token), token.split(".")[0]
    assert visible.documents()
    deployment.snapshots.revoke(number, A.id)
    with pytest.raises(AccessError):
        visible.documents()
    assert list(deployment.snapshots.folder.iterdir()) == []
    deployment.snapshots.revoke(number, A.id)
    assert sum(line.what == "revoked a snapshot" for line in deployment.activity.of(id)) == 1


def test_only_an_owner_makes_lists_and_revokes(deployment: HostedDeployment, id: str) -> None:
    """An editor does not; an operator does by command."""
    deployment.workspaces.share(id, B.id, Role.EDITOR, A.id)
    number = deployment.snapshots.make(id, "Review", Shows.DOCUMENTS, A.id).split(".")[0]
    for by in (B.id, "c" * 24):
        with pytest.raises(AccessError):
            deployment.snapshots.make(id, "Mine", Shows.DOCUMENTS, by)
        with pytest.raises(AccessError):
            deployment.snapshots.of(id, by)
        with pytest.raises(AccessError):
            deployment.snapshots.revoke(number, by)
    assert [one.name for one in deployment.snapshots.of(id, A.id)] == ["Review"]
    assert len(list(deployment.snapshots.folder.iterdir())) == 1
    deployment.snapshots.revoke(number, OPERATOR)
    assert deployment.snapshots.all() == []
    with pytest.raises(NotFoundError):
        deployment.snapshots.revoke("0" * 16, OPERATOR)
    with pytest.raises(ChunkscopeError):
        deployment.snapshots.make("../../etc", "Evil", Shows.DOCUMENTS, OPERATOR)


def test_visits_are_counted(deployment: HostedDeployment, id: str) -> None:
    """With the last one; looking a token up is none."""
    token = deployment.snapshots.make(id, "Review", Shows.DOCUMENTS, A.id)
    deployment.snapshots.find(token)
    (before,) = deployment.snapshots.of(id, A.id)
    assert (before.visited, before.visits) == (None, 0)
    deployment.snapshots.visit(token)
    deployment.snapshots.visit(token)
    (after,) = deployment.snapshots.of(id, A.id)
    assert after.visits == 2
    assert after.visited is not None


def test_results_without_a_word_of_the_documents(deployment: HostedDeployment, id: str) -> None:
    """No workspace is there to be opened, and no file of the snapshot has a word of them, nor of a question."""
    with pytest.raises(QuestionError):
        deployment.snapshots.make(id, "Results", Shows.REPORT, A.id)
    assert list(deployment.snapshots.folder.iterdir()) == []
    with_runs(Workspace.open(deployment.workspaces.place(id)))
    token = deployment.snapshots.make(id, "Results", Shows.REPORT, A.id)
    result = deployment.snapshots.visit(token)
    (report,) = deployment.snapshots.reports(result)
    assert (report.title, bool(report.headline)) == ("sample", True)
    files = [file for file in (deployment.snapshots.folder / result.id).rglob("*") if file.is_file()]
    assert {file.suffix for file in files} == {".html", ".json"}
    for file in files:
        text = file.read_text(encoding="utf-8")
        assert MARKED not in text
        assert "What about it" not in text
        assert "Rank 9 of 40" not in text
    access = deployment.snapshots.access(result)
    assert not any(access.allows(right) for right in Right)
    assert access.stands
    for place in (deployment.snapshots.place(result.id), deployment.workspaces.place(id)):
        with pytest.raises(AccessError):
            Workspace.open(place, create=False, access=access)
    deployment.snapshots.revoke(result.id, A.id)
    with pytest.raises(AccessError):
        deployment.snapshots.reports(result)


def test_what_it_takes_counts_as_its_owners(deployment: HostedDeployment, id: str) -> None:
    """Linked bytes once: neither are they lost to the count while they are shared, nor when the workspace has let them
    go.
    """
    before = deployment.quotas.used_disk(A.id)
    deployment.snapshots.make(id, "Review", Shows.DOCUMENTS, A.id)
    shared = deployment.quotas.used_disk(A.id)
    assert before <= shared < 1.5 * before
    source = Workspace.open(deployment.workspaces.place(id))
    source.drop_index(source.index().name)
    assert deployment.quotas.used_disk(A.id) >= shared
    assert deployment.quotas.used_disk(B.id) == 0


def test_it_is_cleared_away_with_its_workspace(deployment: HostedDeployment, id: str) -> None:
    """In the bin it waits; then it goes with its workspace, and so do remains of unfinished snapshots."""
    deployment.snapshots.make(id, "Review", Shows.DOCUMENTS, A.id)
    left = deployment.snapshots.folder / ("0" * 16)
    left.mkdir()
    for folder in deployment.snapshots.folder.iterdir():
        os.utime(folder, (time.time() - 7_200,) * 2)
    deployment.workspaces.delete(id, A.id)
    upkeep(deployment, frozenset())
    assert not left.exists()
    assert len(list(deployment.snapshots.folder.iterdir())) == 1
    with deployment.directory.writing() as connection:
        connection.execute("UPDATE workspaces SET deleted = 1")
    upkeep(deployment, frozenset())
    upkeep(deployment, frozenset())
    assert list(deployment.snapshots.folder.iterdir()) == []
    assert deployment.snapshots.all() == []


def test_names_and_numbers_have_limits(deployment: HostedDeployment, id: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One line without marks; and no more than a workspace may have."""
    with pytest.raises(ConfigError):
        deployment.snapshots.make(id, " \u202e\n", Shows.DOCUMENTS, A.id)
    deployment.snapshots.make(id, "<b>\u202eReview</b>\n" + "x" * 10_000, Shows.DOCUMENTS, A.id)
    (result,) = deployment.snapshots.of(id, A.id)
    assert result.name.startswith("<b>Review</b> xxx")
    assert len(result.name) <= 80
    monkeypatch.setattr(snapshots, "MOST_SNAPSHOTS", 1)
    with pytest.raises(ConfigError):
        deployment.snapshots.make(id, "One more", Shows.DOCUMENTS, A.id)
