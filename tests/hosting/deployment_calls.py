"""A call for every public function of `chunking.deployment` that somebody asks for, and what it takes: the table of its
matrix test.

With the reasons of those that ask nobody, by module or by name.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import NamedTuple

from chunking.deployment import Person
from chunking.errors import AccessError
from chunking.store import Right, Role
from hosting.hosted_deployment import HostedDeployment
from hosting.operators.operator_actions import OperatorActions
from hosting.quotas.usage import FolderUsage
from hosting.snapshots import Shows

__all__ = ["ASKED", "BELOW", "GUEST", "OPERATORS_OWN", "UNASKED", "Asked", "Needs", "Team"]

GUEST = Person("f" * 24, "Guest", "guest@example.com")
"""Somebody else, whom calls are about."""


class Needs(Enum):
    """Who is let do it."""

    ROLE = auto()
    """Whoever has a role in the workspace."""
    WRITER = auto()
    """Its editors and owners."""
    OWNER = auto()
    OPERATOR = auto()
    """Who is named among the operators; a role in a workspace is no matter."""


@dataclass(frozen=True, slots=True)
class Team:
    """A deployment with a workspace, as one person comes to it."""

    here: HostedDeployment
    workspace: str
    binned: str
    """Another one of the same people, which is in the bin."""
    snapshot: str
    invitation: str
    token: str
    """Ids, as all of these."""
    by: Person


class Asked(NamedTuple):
    """A function, and who may call it."""

    needs: Needs
    make: Callable[[Team], object]


def some(answer: object) -> None:
    """A function that answers with nothing has refused."""
    if not answer:
        raise AccessError("nothing")


def _measured(folder: Path) -> FolderUsage:
    return FolderUsage()


def _operating(team: Team) -> OperatorActions:
    return OperatorActions(team.here, team.by)


def _uri(team: Team) -> str:
    return str(team.here.workspaces.place(team.workspace))


def _allowed(team: Team, right: Right) -> None:
    some(team.here.workspaces.access(team.workspace, team.by.id).allows(right))


ASKED = {
    "HostedDeployment.access_to": Asked(
        Needs.WRITER, lambda t: some(t.here.access_to(_uri(t), t.by.id).allows(Right.WRITE))
    ),
    "WorkspaceAccess.allows": Asked(Needs.ROLE, lambda t: _allowed(t, Right.READ)),
    "Workspaces.access": Asked(Needs.OWNER, lambda t: _allowed(t, Right.MANAGE)),
    "Workspaces.role": Asked(Needs.ROLE, lambda t: some(t.here.workspaces.role(t.workspace, t.by.id))),
    "Workspaces.require": Asked(Needs.OWNER, lambda t: t.here.workspaces.require(t.workspace, t.by.id)),
    "Workspaces.shares": Asked(Needs.ROLE, lambda t: some(t.here.workspaces.shares(t.workspace, t.by.id))),
    "TeamWorkspaces.activity_of": Asked(
        Needs.ROLE, lambda t: some(t.here.workspaces.activity_of(t.workspace, t.by.id))
    ),
    "Workspaces.rename": Asked(Needs.OWNER, lambda t: t.here.workspaces.rename(t.workspace, "Other", t.by.id)),
    "TeamWorkspaces.share": Asked(
        Needs.OWNER, lambda t: t.here.workspaces.share(t.workspace, GUEST.id, Role.EDITOR, t.by.id)
    ),
    "TeamWorkspaces.unshare": Asked(Needs.OWNER, lambda t: t.here.workspaces.unshare(t.workspace, GUEST.id, t.by.id)),
    "TeamWorkspaces.hand_over": Asked(
        Needs.OWNER, lambda t: t.here.workspaces.hand_over(t.workspace, GUEST.id, t.by.id)
    ),
    "Workspaces.delete": Asked(Needs.OWNER, lambda t: t.here.workspaces.delete(t.workspace, t.by.id)),
    "Workspaces.is_given": Asked(Needs.ROLE, lambda t: some(t.here.workspaces.is_given(t.workspace, t.by.id) is False)),
    "Workspaces.take_back": Asked(Needs.OWNER, lambda t: t.here.workspaces.take_back(t.binned, t.by.id)),
    "Invitations.make": Asked(Needs.OWNER, lambda t: t.here.invitations.make(t.workspace, Role.VIEWER, t.by.id)),
    "Invitations.open_ones": Asked(Needs.OWNER, lambda t: some(t.here.invitations.open_ones(t.workspace, t.by.id))),
    "Invitations.revoke": Asked(Needs.OWNER, lambda t: t.here.invitations.revoke(t.invitation, t.by.id)),
    "Snapshots.make": Asked(Needs.OWNER, lambda t: t.here.snapshots.make(t.workspace, "Now", Shows.DOCUMENTS, t.by.id)),
    "Snapshots.of": Asked(Needs.OWNER, lambda t: some(t.here.snapshots.of(t.workspace, t.by.id))),
    "Snapshots.revoke": Asked(Needs.OWNER, lambda t: t.here.snapshots.revoke(t.snapshot, t.by.id)),
    "AgentTokens.make": Asked(
        Needs.WRITER, lambda t: t.here.agent_tokens.make(t.workspace, "Claude", Role.EDITOR, t.by.id)
    ),
    "AgentTokens.of": Asked(Needs.ROLE, lambda t: t.here.agent_tokens.of(t.workspace, t.by.id)),
    "AgentTokens.revoke": Asked(Needs.OWNER, lambda t: t.here.agent_tokens.revoke(t.token, t.by.id)),
    "HostedDeployment.is_operator": Asked(Needs.OPERATOR, lambda t: some(t.here.is_operator(t.by))),
    "OperatorActions.usage": Asked(Needs.OPERATOR, lambda t: some(_operating(t).usage(_measured))),
    "OperatorActions.activity": Asked(Needs.OPERATOR, lambda t: some(_operating(t).activity())),
    "OperatorActions.workspace_names": Asked(Needs.OPERATOR, lambda t: some(_operating(t).workspace_names())),
    "OperatorActions.suspend": Asked(Needs.OPERATOR, lambda t: _operating(t).suspend(GUEST.id)),
    "OperatorActions.sign_out": Asked(Needs.OPERATOR, lambda t: _operating(t).sign_out(GUEST.id)),
    "OperatorActions.preview_deletion": Asked(Needs.OPERATOR, lambda t: _operating(t).preview_deletion(GUEST.id)),
    "OperatorActions.delete": Asked(Needs.OPERATOR, lambda t: _operating(t).delete(GUEST.id)),
}
"""By class and method. What answers with nothing, or False, where somebody has no role counts as refused."""
OPERATORS_OWN = frozenset({"HostedDeployment.is_operator"})
"""Asked of the settings alone: who is suspended is refused by what asks."""

BELOW = {
    "ActivityLog.add": "what has been done was allowed",
    "ActivityLog.of": "Workspaces.done asks",
    "ActivityLog.recent": "OperatorActions asks",
    "Workspaces.note": "WorkspaceAccess.note, of who has just written",
    "Workspaces.outdated": "upkeep, by age alone",
    "Workspaces.remove": "upkeep, by age alone",
    "People.suspend": "OperatorActions asks",
    "People.sign_out": "OperatorActions asks",
    "Snapshots.all": "the operator's commands",
    "Snapshots.sweep": "upkeep, by what is revoked",
    "Directory.note": "every module of this package, a time each",
    "Directory.reading": "every module of this package",
    "Directory.writing": "every module of this package",
    "Deployment.sweep": "upkeep, by age alone",
    "HostedDeployment.sweep": "upkeep, by age alone",
    "Visits.sweep": "upkeep, by age alone",
    "Visits.all": "upkeep and load",
}
"""What asks nobody, so that no page may call it; who does."""

UNASKED = {
    "forbidden_settings": "about the settings of a configuration",
    "DemoBase.check": "what every visitor of a demo gets a copy of",
    "DemoBase.open": "what every visitor of a demo gets a copy of",
    "health": "the operator's doctor",
    "operator_sources": "what the operator has set",
    "quotas": "counts for who asks, and says nothing of anybody else",
    "load_hosting": "imports what is there",
    "open_deployment": "of the settings alone",
    "FreshAnswer.now": "asks anew what somebody may ask",
    "Workspaces.check_number": "nobody has a limit on their own machine",
    "TeamWorkspaces.check_number": "asked by what makes a workspace",
    "AgentTokens.access": "what the token allows, as far as its person may",
    "AgentTokens.find": "whoever holds the token",
    "AgentTokens.is_usable": "asked by id by the access of a token",
    "AgentTokens.use": "whoever holds the token",
    "TokenAccess.allows": "whoever holds the token, as far as its person may",
    "TokenAccess.note": "of who has just written",
    "ActivityLog.last": "a number, which says nothing to who may not read the lines",
    "Deployment.access_to": "one person may do everything",
    "Deployment.check_there": "of what who asks was let into",
    "Deployment.is_ended": "nothing ends on one's own machine",
    "HostedDeployment.check_there": "of what who asks was let into",
    "HostedDeployment.is_ended": "whether a folder is there, at an address that was given out already",
    "HostedDeployment.first_workspace": "of who asks, one of their own",
    "WorkspaceAccess.note": "of who has just written",
    "Invitations.accept": "whoever holds the token, which is signed, expires and is used once",
    "Invitations.answered": "whoever holds the token",
    "Invitations.read": "whoever holds the token",
    "People.all": "names and addresses, for the operator's commands and page",
    "People.by_email": "whoever knows an address may share with it",
    "People.get": "the name behind an id that somebody was given",
    "People.names": "names, for the page of operators",
    "People.record_visit": "who has just signed in",
    "People.signed_out": "asked before anybody is let in",
    "SnapshotAccess.allows": "whoever holds the token of a snapshot that stands",
    "SnapshotAccess.note": "does nothing",
    "Snapshots.access": "whoever holds the token",
    "Snapshots.address": "makes an address of a token that one holds",
    "Snapshots.check_there": "of one that who asks was let into",
    "Snapshots.find": "whoever holds the token",
    "Snapshots.place": "a path, where anything is or not",
    "Snapshots.reports": "whoever holds the token of a snapshot that stands",
    "Snapshots.stands": "asked by id before anything of one is given",
    "Snapshots.visit": "whoever holds the token",
    "Visits.click": "of the visitor whose token it is",
    "Visits.is_ended": "whether a folder is there, at an address that was given out already",
    "Visits.seconds_left": "of the visitor whose token it is",
    "Workspaces.bin": "those of who asks",
    "Workspaces.check_there": "of one that who asks was let into",
    "Workspaces.create": "for who asks, one of their own",
    "Workspaces.note_use": "a time, by who works in one or may switch to it",
    "Workspaces.of": "those of who asks",
    "Workspaces.place": "a path, where anything is or not",
    "is_token": "about its form",
    "issue_cookie": "a new visitor's, by the server",
    "person_id": "a hash",
    "readable_name": "about a text",
    "sign_token": "a signature, by who holds the key",
    "token_of": "of the visitor whose cookie it is",
    "visit_id": "a hash",
}
"""By name, or by module where it is all of one: what may be called by everybody, and why."""
