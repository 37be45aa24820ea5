"""The deployment for many people: its people, their rights and quotas, and its workspaces."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Collection
from pathlib import Path

from chunking.allowed import EVERYTHING_ALLOWED, Allowed
from chunking.deployment.activity import Activity, ActivityLog
from chunking.deployment.deployment import Deployment
from chunking.deployment.directory import Directory
from chunking.deployment.operator_settings import Mode, OperatorSettings
from chunking.deployment.person import EVERYONE, SERVER, Person
from chunking.deployment.workspaces import FIRST_NAME, Workspaces
from chunking.errors import AccessError, QuotaError
from chunking.paths import PROJECT
from chunking.store.access import Access, Right, Role, RoleAccess, refusal
from chunking.store.copies.home_folder import COPY
from hosting.demo.visits import DemoBase, Visits
from hosting.people.agent_tokens import AgentTokens
from hosting.people.invitations import Invitations
from hosting.people.people import People
from hosting.quotas.quotas import PersonQuotas
from hosting.snapshots import Snapshots

__all__ = ["HostedDeployment", "TeamWorkspaces"]

_SAMPLES = tuple(PROJECT / name for name in ("sample_data", "sample_articles"))
"""Folders with the sample documents of new workspaces."""

_OWNED = "SELECT workspace FROM grants WHERE person = ? AND role = ?"


class HostedDeployment(Deployment):
    """The services of a deployment for many people; operators' commands use it in every mode.

    Attributes: people: everyone who has signed in. invitations: links that give a role to whoever accepts one.
    snapshots: frozen versions of workspaces, read by whoever has the address. agent_tokens: tokens with which agents
    reach workspaces. base: the workspace that demo visitors get copies of. visits: the copies of demo visitors.
    """

    workspaces: TeamWorkspaces
    quotas: PersonQuotas

    def __init__(self, settings: OperatorSettings) -> None:
        super().__init__(settings)
        self.allowed = _allowed(settings)
        self.people = People(self.directory)
        most = settings.limits.workspaces if settings.shared else None
        self.workspaces = TeamWorkspaces(self.directory, self.activity, most, self._check_room)
        self.invitations = Invitations(self.directory, self.activity, self.workspaces, settings.sharing.invitation_days)
        self.snapshots = Snapshots(self.directory, self.activity, self.workspaces)
        self.agent_tokens = AgentTokens(self.directory, self.activity, self.workspaces, settings.sharing.token_days)
        self.base = DemoBase(settings)
        self.visits = Visits(settings.home, settings.sharing.idle_hours)
        self.quotas = PersonQuotas(settings, self.directory, self.visits)

    def first_workspace(self, person: Person) -> str:
        """Return the id of a person's last used workspace; create one if they have none."""
        mine = self.workspaces.of(person.id)
        return mine[0].id if mine else self.workspaces.create(FIRST_NAME, person.id)

    def check_there(self, uri: str) -> None:
        """Raise StoreError if a listed workspace or snapshot has no folder at its address."""
        folder = Path(uri)
        if folder.parent.parent == self.snapshots.folder:
            self.snapshots.check_there(folder.parent.name)
        else:
            super().check_there(uri)

    def access_to(self, uri: str, person: str) -> Access:
        """Return a person's access to the workspace at an address; unlimited unless demo or team.

        Args:
            person: an id, or `SERVER`, whose access is unlimited.
        Raises:
            AccessError: no workspace of a team can be there, or it is not this demo visitor's own copy. A team's access
                without a role raises nothing, and allows nothing.
        """
        if not self.settings.shared or person == SERVER:
            return super().access_to(uri, person)
        if self.settings.sharing.mode is Mode.DEMO:
            if Path(uri) != self.visits.folder / person / COPY:
                raise refusal(Right.READ)
            return RoleAccess(Role.OWNER)
        id = Path(uri).name
        if Path(uri) != self.workspaces.place(id):
            raise refusal(Right.READ)
        return self.workspaces.access(id, person)

    def is_ended(self, address: str) -> bool:
        return self.visits.is_ended(address)

    def sweep(self, busy: Collection[str]) -> list[str]:
        """Delete ended demo visits, or a team's closed snapshots.

        Returns:
            The addresses of the deleted visits.
        """
        if self.settings.sharing.mode is Mode.DEMO:
            return self.visits.sweep(busy)
        self.snapshots.sweep()
        return []

    def is_operator(self, person: Person) -> bool:
        """True if the person's verified address is among the operators'."""
        return bool(person.email) and person.email.lower() in self.settings.operators

    def _check_room(self, person: str, name: str, folder: Path) -> None:
        self.quotas.check_owning(person, folder, heir=name)


def _allowed(settings: OperatorSettings) -> Allowed:
    if not settings.shared:
        return EVERYTHING_ALLOWED
    rows = settings.allow
    return Allowed(
        everything=False,
        models=settings.models,
        downloads=rows.downloads,
        splitters=rows.splitters,
        endpoints=rows.endpoints,
        engines=settings.engines,
        folders=(*settings.folders, *_SAMPLES),
    )


class TeamWorkspaces(Workspaces):
    """Workspaces of a team, each with the people who have a role in it.

    Args:
        directory: the list.
        activity: who did what.
        most: workspaces of one person, including those in the bin; None for no limit.
        check_room: raises QuotaError if a workspace does not fit a person's quota; takes id and name of the person, and
            the folder.
    """

    def __init__(
        self,
        directory: Directory,
        activity: ActivityLog,
        most: int | None,
        check_room: Callable[[str, str, Path], None],
    ) -> None:
        super().__init__(directory, activity)
        self._most, self._check_room = most, check_room

    def activity_of(
        self, id: str, by: str, *, most: int = 100, after: int = 0, person: str | None = None
    ) -> list[Activity]:
        """Return a workspace's activity, as `ActivityLog.of`.

        Raises:
            AccessError: `by` may not see the workspace.
        """
        self.require(id, by, Right.READ)
        return self._activity.of(id, most=most, after=after, person=person)

    def share(self, id: str, person: str, role: Role, by: str) -> None:
        """Give a person, or everyone who is signed in, a role instead of the one they had.

        Raises:
            AccessError: `by` is no owner, everyone would become owner, or no owner would be left.
            QuotaError: a new owner has no room for it.
        """
        if person == EVERYONE and role is Role.OWNER:
            raise AccessError("Everyone cannot be an owner of a workspace; make them viewers or editors.")
        if role is Role.OWNER:
            self._check_heir(id, person, by)
        with self._directory.writing() as connection:
            self.require(id, by)
            connection.execute("INSERT OR REPLACE INTO grants VALUES (?, ?, ?)", (id, person, role))
            self._check_owner(connection, id)
            self._activity.add(id, by, f"gave the role of {role} to", person, transaction=connection)

    def unshare(self, id: str, person: str, by: str) -> None:
        """Remove a person's role, from their next click on; anybody may remove their own.

        Raises:
            AccessError: `by` is no owner, no owner would be left, or `by` leaves with no role but everyone's.
        """
        with self._directory.writing() as connection:
            self.require(id, by, Right.READ if person == by else Right.MANAGE)
            removed = connection.execute("DELETE FROM grants WHERE workspace = ? AND person = ?", (id, person)).rowcount
            if person == by and not removed:
                raise AccessError(
                    "You have only the role of everyone who signs in here, which you cannot leave; ask an "
                    "owner to remove it."
                )
            self._check_owner(connection, id)
            what, whom = ("left this workspace", "") if person == by else ("took the role away from", person)
            self._activity.add(id, by, what, whom, transaction=connection)

    def hand_over(self, id: str, person: str, by: str) -> None:
        """Make another person an owner, and oneself an editor, in one step; other owners stay.

        Raises:
            AccessError: `by` is no owner, or the other one cannot be.
            QuotaError: the other one has no room for it.
        """
        if person in (by, EVERYONE):
            raise AccessError("Hand a workspace over to another person.")
        self._check_heir(id, person, by)
        with self._directory.writing() as connection:
            self.require(id, by)
            connection.execute("INSERT OR REPLACE INTO grants VALUES (?, ?, ?)", (id, person, Role.OWNER))
            connection.execute("INSERT OR REPLACE INTO grants VALUES (?, ?, ?)", (id, by, Role.EDITOR))
            self._activity.add(id, by, "handed this workspace over to", person, transaction=connection)

    def check_number(self, connection: sqlite3.Connection, person: str) -> None:
        owned = connection.execute(
            "SELECT count(*) FROM grants WHERE person = ? AND role = ?", (person, Role.OWNER)
        ).fetchone()[0]
        if self._most is not None and owned >= self._most:
            raise QuotaError(
                (
                    f"You have {owned:,} workspace{'' if owned == 1 else 's'}, the maximum here; those in the "
                    f"bin count until they are deleted for good. Use one of them, or hand one over."
                ),
                where="workspaces",
            )

    def _check_heir(self, id: str, person: str, by: str) -> None:
        """Raise AccessError or QuotaError unless a person may become an owner, within their quota."""
        self.require(id, by)
        with self._directory.reading() as connection:
            assert connection is not None
            heir = connection.execute("SELECT name FROM people WHERE id = ? AND NOT suspended", (person,)).fetchone()
            owned = {row["workspace"] for row in connection.execute(_OWNED, (person, Role.OWNER))}
        if id in owned:
            return
        if heir is None:
            raise AccessError(
                "Only a person who has signed in here and is not suspended can own a workspace; choose another person."
            )
        if self._most is not None and len(owned) >= self._most:
            raise QuotaError(
                f"{heir['name']} already has the maximum number of workspaces; choose another person.",
                where="workspaces",
            )
        self._check_room(person, heir["name"], self.place(id))

    def _check_owner(self, connection: sqlite3.Connection, id: str) -> None:
        owners = connection.execute(
            "SELECT count(*) FROM grants WHERE workspace = ? AND role = ?", (id, Role.OWNER)
        ).fetchone()[0]
        if not owners:
            raise AccessError("A workspace needs an owner: hand it over to someone first, or delete it.")
