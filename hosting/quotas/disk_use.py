"""What people take of the disk: which workspaces count as whose, and their bytes."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from pathlib import Path

from chunking.deployment.directory import Directory
from chunking.deployment.operator_settings import Mode, OperatorSettings
from chunking.deployment.quotas import reading_disk
from chunking.store.access import Role
from chunking.store.copies.home_folder import COPY, SNAPSHOTS, WORKSPACES
from chunking.store.copies.workspace_files import distinct_bytes, folder_bytes, freed_bytes
from hosting.demo.visits import Visits

__all__ = ["KEPT", "DiskUse"]

KEPT = 30
"""Seconds for which the size of all workspaces of the server is believed: it is added up from their files."""


class DiskUse:
    """The bytes of a deployment's workspaces. Thread-safe. Each question raises StoreError where a folder cannot be
    read.

    Args:
        settings: of the operator.
        directory: who owns which workspace.
        visits: the copies of a demo's visitors.
        clock: seconds, rising.
    """

    def __init__(
        self, settings: OperatorSettings, directory: Directory, visits: Visits, clock: Callable[[], float]
    ) -> None:
        self._settings, self._directory, self._visits, self._clock = settings, directory, visits, clock
        self._lock = threading.Lock()
        self._size: tuple[float, int] | None = None
        """When the size of all workspaces was added up, and that."""

    def of_person(self, person: str) -> int:
        """Bytes of a person's workspaces with their snapshots, each file once: those of others that share it have it
        too.

        Of a visitor of a demo, those that are not the base's: every copy shares that.
        """
        count = freed_bytes if self._settings.sharing.mode is Mode.DEMO else distinct_bytes
        with reading_disk(self._settings.home):
            return count(self._folders(person))

    def with_folder(self, person: str, folder: Path) -> int:
        """The same, were the workspace in a folder theirs too: what of it is theirs already counts once."""
        with reading_disk(self._settings.home):
            return distinct_bytes([*self._folders(person), folder])

    def of_all(self) -> int:
        """Bytes of all workspaces of the server, half a minute ago at most."""
        with self._lock:
            if self._size is None or self._clock() - self._size[0] > KEPT:
                with reading_disk(self._settings.home):
                    self._size = (self._clock(), folder_bytes(self._settings.home))
            return self._size[1]

    def owners(self, uri: str, person: str) -> list[str]:
        """Whose the workspace at an address is; the person alone where they own it, or no workspace is named."""
        if not uri or self._settings.sharing.mode is Mode.DEMO:
            return [person]
        with self._directory.reading() as connection:
            rows = (
                []
                if connection is None
                else connection.execute(
                    "SELECT person FROM grants WHERE workspace = ? AND role = ?", (Path(uri).name, Role.OWNER)
                ).fetchall()
            )
        owners = [row["person"] for row in rows]
        return owners if owners and person not in owners else [person]

    def _folders(self, person: str) -> Iterable[Path]:
        """Folders that count as a person's: workspaces they own, including those in the bin, and snapshots of these."""
        if self._settings.sharing.mode is Mode.DEMO:
            return [self._visits.folder / person / COPY]
        with self._directory.reading() as connection:
            if connection is None:
                return []
            rows = connection.execute(
                "SELECT workspace FROM grants WHERE person = ? AND role = ?", (person, Role.OWNER)
            ).fetchall()
            frozen = connection.execute(
                "SELECT id FROM snapshots JOIN grants ON grants.workspace = snapshots.workspace WHERE person = ? AND "
                "role = ? AND revoked IS NULL",
                (person, Role.OWNER),
            ).fetchall()
        home = self._settings.home
        return [
            *(home / WORKSPACES / row["workspace"] for row in rows),
            *(home / SNAPSHOTS / row["id"] for row in frozen),
        ]
