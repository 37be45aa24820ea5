"""Deployment for one person, and the loader of `hosting/`, which has the one for many.

Only `load_hosting` refers to that folder, which may be deleted.
"""

from __future__ import annotations

import sys
from collections.abc import Collection
from importlib import import_module
from pathlib import Path
from types import ModuleType

from chunking.allowed import EVERYTHING_ALLOWED, Allowed
from chunking.deployment.activity import ActivityLog
from chunking.deployment.directory import Directory
from chunking.deployment.operator_settings import OperatorSettings
from chunking.deployment.quotas import Quotas
from chunking.deployment.workspaces import Workspaces
from chunking.errors import ConfigError
from chunking.paths import PROJECT
from chunking.store.access import EVERYTHING, Access

__all__ = ["SNAPSHOT_KEY", "Deployment", "load_hosting", "open_deployment"]

SNAPSHOT_KEY = "snapshot"
"""URL parameter that `hosting/` reads: it is no setting of a link."""

_FOLDER = "hosting"


class Deployment:
    """Shared services of one server, and of every command on its home folder.

    Here for one person with all rights.

    Attributes:
        settings: of the operator.
        allowed: allow list; in force once `chunking.allowed.allow` is called with it.
        directory: SQLite file of the other services.
        activity: log of actions.
        workspaces: workspaces of the home folder and the roles in them.
        quotas: limits checked before work begins.
    """

    allowed: Allowed
    workspaces: Workspaces
    quotas: Quotas

    def __init__(self, settings: OperatorSettings) -> None:
        self.settings = settings
        self.allowed = EVERYTHING_ALLOWED
        self.directory = Directory(settings.home)
        self.activity = ActivityLog(self.directory)
        self.workspaces = Workspaces(self.directory, self.activity)
        self.quotas = Quotas(settings)

    def check_there(self, uri: str) -> None:
        """Raise StoreError if the workspace at an address is listed and its folder is gone."""
        folder = Path(uri)
        if folder.parent == self.workspaces.folder:
            self.workspaces.check_there(folder.name)

    def access_to(self, uri: str, person: str) -> Access:
        """Return a person's access to the workspace at an address; here every right.

        Args:
            person: an id, or `SERVER`.
        Raises:
            AccessError: there is no workspace at the address (in `hosting/` only).
        """
        return EVERYTHING

    def is_ended(self, address: str) -> bool:
        """True if an address belonged to a demo visitor's deleted workspace; here never."""
        return False

    def sweep(self, busy: Collection[str]) -> list[str]:
        """Delete expired data and return the addresses of deleted workspaces; here nothing expires.

        Every round of upkeep calls it.

        Args:
            busy: addresses of workspaces with queued or running jobs: they stay.
        """
        return []


def open_deployment(settings: OperatorSettings) -> Deployment:
    """Create the deployment for the mode in the settings.

    Raises:
        ConfigError: the mode is for many people, and the folder `hosting/` is missing.
    """
    if not settings.shared:
        return Deployment(settings)
    hosted: Deployment = load_hosting("hosted_deployment").HostedDeployment(settings)
    return hosted


def load_hosting(module: str) -> ModuleType:
    """Import a module of `hosting/` by its name in the folder, such as `commands`.

    Puts the project's folder first in `sys.path`.

    Raises:
        ConfigError: the folder is missing.
    """
    if sys.path[:1] != [str(PROJECT)]:  # before the current folder, which may hold another one of this name
        sys.path.insert(0, str(PROJECT))
    try:
        return import_module(f"{_FOLDER}.{module}")
    except ModuleNotFoundError as error:
        if error.name != _FOLDER:
            raise
        raise ConfigError(
            "This copy of Chunkscope serves one person: the folder hosting/, which this needs, is not there. Put it "
            "back; the mode local works without it.",
            where=_FOLDER,
        ) from None
