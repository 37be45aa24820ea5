"""Invitations: one role, one use, some days; what is forged, expired, revoked or taken changes nothing."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from chunking.deployment import Person, operator_settings
from chunking.errors import AccessError
from chunking.store import Role
from hosting.hosted_deployment import HostedDeployment

A, B, C = "a", "b", "c"


@pytest.fixture
def deployment(tmp_path: Path) -> HostedDeployment:
    """A deployment of a team in an empty home."""
    return HostedDeployment(operator_settings({"CHUNKSCOPE_HOME": str(tmp_path / "home"), "CHUNKSCOPE_MODE": "team"}))


@pytest.fixture
def id(deployment: HostedDeployment) -> str:
    """A workspace of A's."""
    deployment.people.record_visit(Person(A))
    return deployment.workspaces.create("Contracts", A)


@pytest.mark.parametrize("role", [Role.VIEWER, Role.EDITOR])
def test_an_invitation_is_accepted_once(deployment: HostedDeployment, id: str, role: Role) -> None:
    """Reading it changes nothing; whoever accepts has the role, and the next one is told."""
    token = deployment.invitations.make(id, role, A)
    assert (deployment.invitations.read(token).name, deployment.invitations.read(token).role) == ("Contracts", role)
    assert deployment.workspaces.role(id, B) is None
    assert deployment.invitations.accept(token, B) == id
    assert deployment.workspaces.role(id, B) is role
    assert deployment.invitations.answered(token, B)
    assert not deployment.invitations.answered(token, C)
    with pytest.raises(AccessError, match="already accepted"):
        deployment.invitations.accept(token, C)
    assert deployment.workspaces.role(id, C) is None
    assert deployment.invitations.open_ones(id, A) == []


def test_only_an_owner_makes_lists_and_revokes(deployment: HostedDeployment, id: str) -> None:
    """And no invitation makes an owner."""
    deployment.workspaces.share(id, B, Role.EDITOR, A)
    token = deployment.invitations.make(id, Role.VIEWER, A)
    number = deployment.invitations.read(token).id
    for by in (B, C):
        with pytest.raises(AccessError):
            deployment.invitations.make(id, Role.VIEWER, by)
        with pytest.raises(AccessError):
            deployment.invitations.open_ones(id, by)
        with pytest.raises(AccessError):
            deployment.invitations.revoke(number, by)
    with pytest.raises(AccessError, match="viewer or an editor"):
        deployment.invitations.make(id, Role.OWNER, A)
    assert [kept for _, kept in deployment.invitations.open_ones(id, A)] == [token]


def test_a_forged_one_is_refused(deployment: HostedDeployment, id: str) -> None:
    """Another id, another signature, a row that was altered, and whatever an address may hold."""
    again = HostedDeployment(deployment.settings)
    token, other = (deployment.invitations.make(id, Role.VIEWER, A) for _ in range(2))
    forged = [
        "",
        ".",
        "x" * 10_000,
        token[:-1],
        token + "0",
        f"{other.partition('.')[0]}.{token.partition('.')[2]}",
        "\ud800.é",
    ]
    for text in forged:
        with pytest.raises(AccessError, match="incomplete"):
            again.invitations.accept(text, B)
    with deployment.directory.writing() as connection:
        connection.execute("UPDATE invitations SET role = 'editor'")
    with pytest.raises(AccessError, match="incomplete"):
        deployment.invitations.accept(token, B)
    assert deployment.workspaces.role(id, B) is None


def test_an_invitation_ends_by_time_owner_or_workspace(
    deployment: HostedDeployment, id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By its time, by an owner, with the workspace, and with the role of who made it."""
    first, second, third = (deployment.invitations.make(id, Role.VIEWER, A) for _ in range(3))
    deployment.invitations.revoke(deployment.invitations.read(first).id, A)
    with pytest.raises(AccessError, match="revoked"):
        deployment.invitations.accept(first, B)
    for one in (A, C):
        deployment.people.record_visit(Person(one))
    deployment.workspaces.hand_over(id, C, A)
    with pytest.raises(AccessError, match="revoked"):
        deployment.invitations.accept(second, B)
    deployment.workspaces.share(id, A, Role.OWNER, C)
    now = time.time()
    monkeypatch.setattr("hosting.people.invitations.time.time", lambda: now + 7 * 86_400 + 1)
    with pytest.raises(AccessError, match="expired"):
        deployment.invitations.accept(third, B)
    monkeypatch.undo()
    deployment.workspaces.delete(id, A)
    with pytest.raises(AccessError, match="revoked"):
        deployment.invitations.accept(third, B)
    assert deployment.workspaces.role(id, B) is None


def test_a_higher_role_is_kept(deployment: HostedDeployment, id: str) -> None:
    """Whoever owns it cannot make themselves a viewer by a click, and the invitation is still there for another."""
    token = deployment.invitations.make(id, Role.VIEWER, A)
    assert deployment.invitations.accept(token, A) == id
    assert deployment.workspaces.role(id, A) is Role.OWNER
    deployment.people.record_visit(Person(B, "Bob"))
    deployment.invitations.accept(token, B)
    assert deployment.workspaces.role(id, B) is Role.VIEWER
