"""A deployment as its settings make it: its people, their workspaces, and where those are."""

from __future__ import annotations

from chunking.deployment.activity import ActivityLog
from chunking.deployment.directory import Directory
from chunking.deployment.operator_settings import OperatorSettings
from chunking.deployment.people import People, Person
from chunking.deployment.workspaces import FIRST_NAME, Workspaces

__all__ = ["Deployment"]


class Deployment:
    """What one server, and every command on its home folder, works on.

    Attributes:
        settings: of the operator.
        directory: the file that the others read and write.
        people: who has signed in.
        workspaces: theirs, and who may do what with each.
        activity: who did what.
    """

    def __init__(self, settings: OperatorSettings) -> None:
        self.settings = settings
        self.directory = Directory(settings.home)
        self.people = People(self.directory)
        self.activity = ActivityLog(self.directory)
        self.workspaces = Workspaces(self.directory, self.activity)

    def first_workspace(self, person: Person) -> str:
        """The id of the workspace that a person used last; a new one of their own where they have none."""
        mine = self.workspaces.of(person.id)
        return mine[0].id if mine else self.workspaces.create(FIRST_NAME, person.id)

    def is_operator(self, person: Person) -> bool:
        """Whether a person is named among the operators, by the address that the sign-in vouches for."""
        return bool(person.email) and person.email.lower() in self.settings.operators
