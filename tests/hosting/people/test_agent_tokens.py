"""Tokens of agents: hashed, expiring, revocable, for one workspace, and never worth more than the role of who made
them.
"""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from chunking.deployment import EVERYONE, Person, operator_settings
from chunking.errors import AccessError, ConfigError, NotFoundError
from chunking.store import Right, Role, Workspace
from hosting.hosted_deployment import HostedDeployment
from hosting.operators.operator_actions import OperatorActions
from hosting.people.agent_tokens import MOST_TOKENS
from tests.support.stored_runs import filled

ANN, BOB, EVE = (Person(name[0] * 24, name.title(), f"{name}@example.com") for name in ("ann", "bob", "eve"))
DAY = 86_400


@pytest.fixture
def here(tmp_path: Path) -> HostedDeployment:
    """A team of three; Eve is an operator."""
    built = HostedDeployment(
        operator_settings(
            {"CHUNKSCOPE_HOME": str(tmp_path / "home"), "CHUNKSCOPE_MODE": "team", "CHUNKSCOPE_OPERATORS": EVE.email}
        )
    )
    for person in (ANN, BOB, EVE):
        built.people.record_visit(person)
    return built


@pytest.fixture
def ours(here: HostedDeployment) -> str:
    """A workspace of Ann's with a document, of which Bob is an editor."""
    id = here.workspaces.create("Contracts", ANN.id)
    filled(here.workspaces.place(id), {"pump.md": "# Pump\n\n" + "Switch it off before you open it. " * 12})
    here.workspaces.share(id, BOB.id, Role.EDITOR, ANN.id)
    return id


def open_one(here: HostedDeployment, token: str) -> Workspace:
    """The token's workspace, as its agent has it."""
    result = here.agent_tokens.use(token)
    return Workspace.open(
        here.workspaces.place(result.workspace), create=False, access=here.agent_tokens.access(result)
    )


def refused(here: HostedDeployment, token: str) -> str:
    """The sentence that a token is refused with."""
    with pytest.raises(AccessError) as error:
        here.agent_tokens.use(token)
    return str(error.value)


def test_a_token_opens_its_workspace_with_its_role(here: HostedDeployment, ours: str) -> None:
    """A viewer's reads and changes nothing, though an owner made it; an editor's writes, which the list of what was
    done tells.
    """
    reading = open_one(here, here.agent_tokens.make(ours, "Claude", Role.VIEWER, ANN.id))
    (row,) = reading.documents()
    assert "Pump" in reading.document(row.doc_id).text
    with pytest.raises(AccessError):
        reading.delete_documents([row.doc_id])
    assert not reading.may(Right.MANAGE)
    writing = open_one(here, here.agent_tokens.make(ours, "Codex", Role.EDITOR, ANN.id))
    writing.delete_documents([row.doc_id])
    assert not writing.may(Right.MANAGE)
    last = here.workspaces.activity_of(ours, ANN.id)[0]
    assert (last.person, "Codex" in last.name) == (ANN.id, True)


def test_only_a_hash_is_written_down(here: HostedDeployment, ours: str) -> None:
    """Neither the file nor its journal has the secret."""
    secret = here.agent_tokens.make(ours, "Claude", Role.VIEWER, ANN.id).partition(".")[2]
    assert len(secret) >= 43
    for file in here.directory.file.parent.glob("directory.sqlite*"):
        assert secret.encode() not in file.read_bytes()


def test_a_token_is_worth_no_more_than_its_makers_role(here: HostedDeployment, ours: str) -> None:
    """Nobody makes one for more than they may; a role that is lowered lowers it, and one that is taken away ends it at
    the next call.
    """
    here.workspaces.share(ours, EVE.id, Role.VIEWER, ANN.id)
    with pytest.raises(AccessError):
        here.agent_tokens.make(ours, "Mine", Role.EDITOR, EVE.id)
    with pytest.raises(ConfigError):
        here.agent_tokens.make(ours, "Mine", Role.OWNER, ANN.id)
    token = here.agent_tokens.make(ours, "Claude", Role.EDITOR, BOB.id)
    visible = open_one(here, token)
    assert visible.may(Right.WRITE)
    here.workspaces.share(ours, BOB.id, Role.VIEWER, ANN.id)
    assert (visible.may(Right.WRITE), len(visible.documents())) == (False, 1)
    here.workspaces.unshare(ours, BOB.id, ANN.id)
    with pytest.raises(AccessError):
        visible.documents()
    refused(here, token)
    here.workspaces.share(ours, EVERYONE, Role.VIEWER, ANN.id)
    assert len(visible.documents()) == 1


def test_an_open_workspace_is_closed_by_revoking(here: HostedDeployment, ours: str) -> None:
    """At the next call; a second time changes nothing."""
    token, other = (here.agent_tokens.make(ours, name, Role.VIEWER, BOB.id) for name in ("One", "Two"))
    visible, id = open_one(here, token), here.agent_tokens.find(token).id
    here.agent_tokens.revoke(id, BOB.id)
    here.agent_tokens.revoke(id, BOB.id)
    with pytest.raises(AccessError):
        visible.documents()
    refused(here, token)
    assert [one.name for one in here.agent_tokens.of(ours, BOB.id)] == ["Two"]
    assert here.agent_tokens.use(other).name == "Two"
    assert sum(line.name == "One" for line in here.workspaces.activity_of(ours, ANN.id)) == 2


def test_a_token_expires(here: HostedDeployment, ours: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """To the second; not longer than the operator lets one last."""
    token = here.agent_tokens.make(ours, "Claude", Role.VIEWER, ANN.id, days=7)
    visible, result = open_one(here, token), here.agent_tokens.find(token)
    assert result.expires - result.created == 7 * DAY
    monkeypatch.setattr(time, "time", lambda: result.expires - 1)
    assert here.agent_tokens.use(token).id == result.id
    monkeypatch.setattr(time, "time", lambda: result.expires)
    refused(here, token)
    with pytest.raises(AccessError):
        visible.documents()
    assert here.agent_tokens.of(ours, ANN.id) == []
    for days in (0, -1, here.agent_tokens.days + 1):
        with pytest.raises(ConfigError):
            here.agent_tokens.make(ours, "Claude", Role.VIEWER, ANN.id, days=days)


def test_hostile_tokens_meet_the_same_sentence(here: HostedDeployment, ours: str) -> None:
    """Forged, cut, mixed, of a workspace in the bin, of a person who is suspended, was signed out or deleted."""
    token, other = (here.agent_tokens.make(ours, name, Role.VIEWER, BOB.id) for name in ("One", "Two"))
    id, _, secret = token.partition(".")
    forged = [
        "",
        "x",
        id,
        f"{id}.",
        f"{id}.{secret[:-1]}",
        f"{id}.{other.partition('.')[2]}",
        f"csk_{'0' * 16}.{secret}",
    ]
    forged += [
        f"{token}\n",
        token.removeprefix("csk_"),
        f"{id}' OR 1=1 --.{secret}",
        f"{id}.{'é' * 43}",
        "x" * 100_000,
        "csk_\ud800.x",
    ]
    message = {refused(here, text) for text in forged}
    here.people.suspend(BOB.id)
    message.add(refused(here, token))
    here.people.suspend(BOB.id, False)
    assert here.agent_tokens.use(token).name == "One"
    here.people.sign_out(BOB.id)
    message.add(refused(here, token))
    again = here.agent_tokens.make(ours, "Three", Role.VIEWER, BOB.id)
    assert here.agent_tokens.use(again).name == "Three"
    here.workspaces.share(ours, EVERYONE, Role.VIEWER, ANN.id)
    OperatorActions(here, EVE).delete(BOB.id)
    here.people.record_visit(BOB)  # signs in again, and has everyone's role
    message.add(refused(here, again))
    owners = here.agent_tokens.make(ours, "Four", Role.VIEWER, ANN.id)
    here.workspaces.delete(ours, ANN.id)
    message.add(refused(here, owners))
    assert len(message) == 1


def test_each_sees_and_revokes_their_own_and_owners_all(here: HostedDeployment, ours: str) -> None:
    """Who has no role sees nothing, and revokes nothing."""
    theirs = [here.agent_tokens.make(ours, one.name, Role.VIEWER, one.id) for one in (ANN, BOB)]
    ids = [here.agent_tokens.find(token).id for token in theirs]
    assert [one.name for one in here.agent_tokens.of(ours, BOB.id)] == ["Bob"]
    assert {one.name for one in here.agent_tokens.of(ours, ANN.id)} == {"Ann", "Bob"}
    for id, by in ((ids[0], BOB.id), (ids[1], EVE.id)):
        with pytest.raises(AccessError):
            here.agent_tokens.revoke(id, by)
    with pytest.raises(AccessError):
        here.agent_tokens.of(ours, EVE.id)
    here.agent_tokens.revoke(ids[1], ANN.id)
    refused(here, theirs[1])
    with pytest.raises(NotFoundError):
        here.agent_tokens.revoke("0" * 16, ANN.id)


def test_names_and_numbers_are_bounded(here: HostedDeployment, ours: str) -> None:
    """A name is a line; a person has as many as are named, others theirs."""
    with pytest.raises(ConfigError):
        here.agent_tokens.make(ours, " \u202e\n", Role.VIEWER, ANN.id)
    for _ in range(MOST_TOKENS):
        here.agent_tokens.make(ours, "Claude\n" * 100, Role.VIEWER, ANN.id)
    with pytest.raises(ConfigError):
        here.agent_tokens.make(ours, "One more", Role.VIEWER, ANN.id)
    here.agent_tokens.make(ours, "Bob's", Role.VIEWER, BOB.id)
    assert all("\n" not in one.name and len(one.name) <= 80 for one in here.agent_tokens.of(ours, ANN.id))


def test_the_last_use_is_noted_to_a_minute(here: HostedDeployment, ours: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred calls a second are one write; looking a token up is no use."""
    token = here.agent_tokens.make(ours, "Claude", Role.VIEWER, ANN.id)
    result = here.agent_tokens.find(token)
    assert result.used is None
    here.agent_tokens.use(token)
    before = here.directory.revision
    for _ in range(100):
        here.agent_tokens.use(token)
    (one,) = here.agent_tokens.of(ours, ANN.id)
    assert one.used is not None
    assert here.directory.revision == before
    monkeypatch.setattr(time, "time", lambda: float(one.used or 0) + 61)
    assert here.agent_tokens.use(token).used == one.used
    (later,) = here.agent_tokens.of(ours, ANN.id)
    assert (later.used or 0) - one.used == pytest.approx(61)
