"""What operators may do, and nobody else: sign out, suspend, delete with or without an heir."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from chunking.deployment import Person, operator_settings
from chunking.deployment.directory import SCHEMA_VERSION, Directory
from chunking.errors import AccessError, NotFoundError
from chunking.store import Role
from hosting.hosted_deployment import HostedDeployment
from hosting.operators.operator_actions import OperatorActions

ANN, BOB, CAY = (Person(name[0] * 24, name.title(), f"{name}@example.com") for name in ("ann", "bob", "cay"))


@pytest.fixture
def here(tmp_path: Path) -> HostedDeployment:
    """Ann is the operator."""
    created = HostedDeployment(
        operator_settings(
            {"CHUNKSCOPE_MODE": "team", "CHUNKSCOPE_HOME": str(tmp_path), "CHUNKSCOPE_OPERATORS": "ann@example.com"}
        )
    )
    for person in (ANN, BOB, CAY):
        created.people.record_visit(person)
    return created


CALLS: dict[str, Callable[[OperatorActions], object]] = {
    "usage": lambda by: by.usage(),
    "activity": lambda by: by.activity(),
    "workspace_names": lambda by: by.workspace_names(),
    "suspend": lambda by: by.suspend(CAY.id),
    "sign_out": lambda by: by.sign_out(CAY.id),
    "preview_deletion": lambda by: by.preview_deletion(CAY.id),
    "delete": lambda by: by.delete(CAY.id),
}


def test_every_call_is_tried() -> None:
    """One that is added has to be tried below."""
    assert set(CALLS) == {name for name in vars(OperatorActions) if not name.startswith("_")}


@pytest.mark.parametrize("name", CALLS)
def test_who_is_no_operator_is_refused(here: HostedDeployment, name: str) -> None:
    """Also an operator who was suspended, and nothing has changed."""
    with pytest.raises(AccessError):
        CALLS[name](OperatorActions(here, BOB))
    here.people.suspend(ANN.id)
    with pytest.raises(AccessError):
        CALLS[name](OperatorActions(here, ANN))
    names = here.people.get(CAY.id)
    assert names is not None
    assert not names.suspended
    assert here.people.signed_out(CAY.id) == 0


def test_operators_do_not_lock_themselves_out(here: HostedDeployment) -> None:
    """Neither by suspending nor by deleting."""
    for act in (OperatorActions(here, ANN).suspend, OperatorActions(here, ANN).delete):
        with pytest.raises(AccessError):
            act(ANN.id)


def shared_out(here: HostedDeployment) -> tuple[str, str, str]:
    """Ids of a workspace that Bob owns alone, one that he owns with Cay, and one of Cay's in which he is an editor."""
    alone, both, other = (
        here.workspaces.create("Alone", BOB.id),
        here.workspaces.create("Both", BOB.id),
        here.workspaces.create("C", CAY.id),
    )
    here.workspaces.share(both, CAY.id, Role.OWNER, BOB.id)
    here.workspaces.share(alone, CAY.id, Role.VIEWER, BOB.id)
    here.workspaces.share(other, BOB.id, Role.EDITOR, CAY.id)
    here.invitations.make(alone, Role.VIEWER, BOB.id)
    return alone, both, other


def test_a_deleted_person_leaves_workspaces_in_the_bin(here: HostedDeployment) -> None:
    """Those that others own too stay where they are; roles and invitations end, and an old sign-in does not bring the
    person back.
    """
    alone, both, other = shared_out(here)
    actions = OperatorActions(here, ANN)
    going = actions.preview_deletion(BOB.id)
    assert (going.owned, going.roles, going.invitations) == (((alone, "Alone"),), 2, 1)
    assert actions.delete(BOB.id) == [alone]
    assert here.people.get(BOB.id) is None
    assert here.people.signed_out(BOB.id) > 0
    assert [here.workspaces.role(id, BOB.id) for id in (alone, both, other)] == [None, None, None]
    assert [here.workspaces.role(id, CAY.id) for id in (alone, both, other)] == [None, Role.OWNER, Role.OWNER]
    assert [one.id for one in here.workspaces.bin(BOB.id)] == [alone]
    with pytest.raises(NotFoundError):
        actions.delete(BOB.id)


def test_an_heir_gets_the_workspaces(here: HostedDeployment) -> None:
    """As an owner, whatever role they had; nobody who is suspended or was never here."""
    alone, _, other = shared_out(here)
    actions = OperatorActions(here, ANN)
    for heir in (BOB.id, "nobody"):
        with pytest.raises((AccessError, NotFoundError)):
            actions.delete(BOB.id, heir)
    assert actions.delete(BOB.id, CAY.id) == []
    assert [here.workspaces.role(id, CAY.id) for id in (alone, other)] == [Role.OWNER, Role.OWNER]
    assert here.workspaces.role(alone, BOB.id) is None


def test_the_file_of_the_version_before_is_taken_over(here: HostedDeployment) -> None:
    """It lacks tables, which are added when it is opened next; who is in it stays."""
    with sqlite3.connect(here.directory.file) as connection:
        for table in ("sign_outs", "agent_tokens"):
            connection.execute(f"DROP TABLE {table}")
        connection.execute("PRAGMA user_version=1")
    later = HostedDeployment(here.settings)
    later.people.sign_out(BOB.id)
    assert later.people.signed_out(BOB.id) > 0
    assert len(later.people.all()) == 3
    with Directory(here.settings.home).reading() as result:
        assert result is not None
        assert result.execute("PRAGMA user_version").fetchone()[0] == SCHEMA_VERSION
