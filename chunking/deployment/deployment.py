"""A deployment as its settings make it: its people, their workspaces, and where those are."""

from __future__ import annotations

from pathlib import Path

from chunking.allowed import EVERYTHING_ALLOWED, Allowed
from chunking.deployment.agent_tokens.agent_tokens import AgentTokens
from chunking.deployment.demo.demo_base import DemoBase
from chunking.deployment.demo.visits import Visits
from chunking.deployment.directory import Directory
from chunking.deployment.operator.operator_settings import Mode, OperatorSettings
from chunking.deployment.people.activity import ActivityLog
from chunking.deployment.people.invitations import Invitations
from chunking.deployment.people.people import SERVER, People, Person
from chunking.deployment.quotas.quotas import Quotas
from chunking.deployment.snapshots.snapshots import Snapshots
from chunking.deployment.workspaces import FIRST_NAME, Workspaces
from chunking.project import PROJECT
from chunking.store.access import EVERYTHING, Access, Right, Role, RoleAccess, refusal
from chunking.store.copies.home_folder import COPY

__all__ = ["Deployment"]

_SAMPLES = tuple(PROJECT / name for name in ("sample_data", "sample_articles"))
"""What a new workspace opens with is read from here."""


class Deployment:
    """What one server, and every command on its home folder, works on.

    Attributes:
        settings: of the operator.
        allowed: what people may name here: in the mode local everything. It holds once `chunking.allowed.allow` is called with it.
        directory: the file that the others read and write.
        people: who has signed in.
        workspaces: theirs, and who may do what with each.
        activity: who did what.
        invitations: links that give who accepts one a role.
        snapshots: frozen versions of workspaces, to be read by whoever has the address.
        agent_tokens: by which agents come to workspaces.
        base: the workspace that visitors of a demo get copies of.
        visits: those copies.
        quotas: what a person and the server may use.
    """

    def __init__(self, settings: OperatorSettings) -> None:
        self.settings = settings
        self.allowed = _allowed(settings)
        self.directory = Directory(settings.home)
        self.people = People(self.directory)
        self.activity = ActivityLog(self.directory)
        most = settings.limits.workspaces if settings.shared else None
        self.workspaces = Workspaces(self.directory, self.activity, most=most, check_room=self._check_room)
        self.invitations = Invitations(self.directory, self.activity, self.workspaces, settings.sharing.invitation_days)
        self.snapshots = Snapshots(self.directory, self.activity, self.workspaces)
        self.agent_tokens = AgentTokens(self.directory, self.activity, self.workspaces, settings.sharing.token_days)
        self.base = DemoBase(settings)
        self.visits = Visits(settings.home, settings.sharing.idle_hours)
        self.quotas = Quotas(settings, self.directory, self.visits)

    def first_workspace(self, person: Person) -> str:
        """The id of the workspace that a person used last; a new one of their own where they have none."""
        mine = self.workspaces.of(person.id)
        return mine[0].id if mine else self.workspaces.create(FIRST_NAME, person.id)

    def check_there(self, uri: str) -> None:
        """Raises StoreError where the workspace, or snapshot, at an address is lost: it is listed, and its folder is gone."""
        folder = Path(uri)
        if folder.parent.parent == self.snapshots.folder:
            self.snapshots.check_there(folder.parent.name)
        elif folder.parent == self.workspaces.folder:
            self.workspaces.check_there(folder.name)

    def _check_room(self, person: str, name: str, folder: Path) -> None:
        self.quotas.check_owning(person, folder, heir=name)

    def access_to(self, uri: str, person: str) -> Access:
        """What a person may do with the workspace at an address; in the mode local everybody may do everything.

        Args:
            person: an id, or `SERVER`.
        Raises:
            AccessError: no workspace of anybody is there.
        """
        if self.settings.sharing.mode is Mode.LOCAL or person == SERVER:
            return EVERYTHING
        if self.settings.sharing.mode is Mode.DEMO:
            if Path(uri) != self.visits.folder / person / COPY:
                raise refusal(Right.READ)
            return RoleAccess(Role.OWNER)
        id = Path(uri).name
        if Path(uri) != self.workspaces.place(id):
            raise refusal(Right.READ)
        return self.workspaces.access(id, person)

    def is_operator(self, person: Person) -> bool:
        """Whether a person is named among the operators, by the address that the sign-in vouches for."""
        return bool(person.email) and person.email.lower() in self.settings.operators


def _allowed(settings: OperatorSettings) -> Allowed:
    if not settings.shared:
        return EVERYTHING_ALLOWED
    given = settings.allow
    return Allowed(
        everything=False,
        models=settings.models,
        downloads=given.downloads,
        splitters=given.splitters,
        endpoints=given.endpoints,
        engines=settings.engines,
        folders=(*settings.folders, *_SAMPLES),
    )
