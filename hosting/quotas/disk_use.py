"""Disk usage of people: the workspaces that count as theirs, and their bytes."""

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
"""Seconds for which the size of all workspaces is cached: it is added up from their files."""


class DiskUse:
    """Bytes of a deployment's workspaces. Thread-safe; StoreError if a folder cannot be read.

    Args:
        settings: of the operator.
        directory: owners of the workspaces.
        visits: the copies of a demo's visitors.
        clock: monotonic seconds.
    """

    def __init__(
        self, settings: OperatorSettings, directory: Directory, visits: Visits, clock: Callable[[], float]
    ) -> None:
        self._settings, self._directory, self._visits, self._clock = settings, directory, visits, clock
        self._lock = threading.Lock()
        self._size: tuple[float, int] | None = None
        """(time, bytes) of the last sum over all workspaces."""

    def of_person(self, person: str) -> int:
        """Return the bytes of a person's workspaces and snapshots, each file once.

        Files that other people's workspaces share count, too. In a demo only files count that the base does not have:
        every copy shares those.
        """
        count = freed_bytes if self._settings.sharing.mode is Mode.DEMO else distinct_bytes
        with reading_disk(self._settings.home):
            return count(self._folders(person))

    def with_folder(self, person: str, folder: Path) -> int:
        """Return a person's bytes if they owned the workspace in a folder, too; each file once."""
        with reading_disk(self._settings.home):
            return distinct_bytes([*self._folders(person), folder])

    def of_all(self) -> int:
        """Return the bytes of all workspaces of the server, up to `KEPT` seconds old."""
        with self._lock:
            if self._size is None or self._clock() - self._size[0] > KEPT:
                with reading_disk(self._settings.home):
                    self._size = (self._clock(), folder_bytes(self._settings.home))
            return self._size[1]

    def owners(self, uri: str, person: str) -> list[str]:
        """Return the owners of the workspace at an address, whose quota its bytes count against.

        The person alone if they are an owner, in a demo, or where `uri` is empty or names no owned workspace.
        """
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
        """Return a person's folders: workspaces they own, also in the bin, and their snapshots."""
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
