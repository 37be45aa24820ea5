"""The deployment for many people: its people, their rights and quotas, and its workspaces."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path

from chunking.allowed import EVERYTHING_ALLOWED, Allowed
from chunking.deployment.deployment import Deployment
from chunking.deployment.operator_settings import Mode, OperatorSettings
from chunking.deployment.person import SERVER, Person
from chunking.deployment.workspaces import FIRST_NAME
from chunking.paths import PROJECT
from chunking.store.access import Access, Right, Role, RoleAccess, refusal
from chunking.store.copies.home_folder import COPY
from hosting.demo.visits import DemoBase, Visits
from hosting.people.agent_tokens import AgentTokens
from hosting.people.invitations import Invitations
from hosting.people.people import People
from hosting.people.team_workspaces import TeamWorkspaces
from hosting.quotas.quotas import PersonQuotas
from hosting.snapshots import Snapshots

__all__ = ["HostedDeployment"]

_SAMPLES = tuple(PROJECT / name for name in ("sample_data", "sample_articles"))
"""Folders with the sample documents of new workspaces."""


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
        """Return the id of the workspace that a person used last; create one if they have none."""
        mine = self.workspaces.of(person.id)
        return mine[0].id if mine else self.workspaces.create(FIRST_NAME, person.id)

    def check_there(self, uri: str) -> None:
        """Raise StoreError if the workspace or snapshot at an address is listed and its folder is gone."""
        folder = Path(uri)
        if folder.parent.parent == self.snapshots.folder:
            self.snapshots.check_there(folder.parent.name)
        else:
            super().check_there(uri)

    def access_to(self, uri: str, person: str) -> Access:
        """Return a person's access to the workspace at an address.

        Args:
            person: an id, or `SERVER`.
        Raises:
            AccessError: nobody's workspace is there.
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
        """Delete ended demo visits, or revoked snapshots of a team; return the deleted addresses."""
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
