"""What each person of a deployment has and uses: workspaces, documents, bytes, requests to models of a server."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import Any

from chunking.deployment.person import Person
from chunking.deployment.workspaces import SharedWorkspace
from chunking.errors import ChunkscopeError
from chunking.store import Role, Workspace
from chunking.store.copies.workspace_files import TABLE, folder_bytes
from hosting.hosted_deployment import HostedDeployment

__all__ = ["FolderUsage", "PersonUsage", "measured", "people_usage"]


@dataclass(frozen=True, slots=True)
class FolderUsage:
    """What the folder of a workspace holds."""

    size: int = 0
    """Bytes of its files, those shared with copies too."""
    documents: int = 0
    """0 also where it does not open."""


def measured(folder: Path) -> FolderUsage:
    """Look at the folder of a workspace; it need not be there."""
    return FolderUsage(folder_bytes(folder), _documents(folder))


def _documents(folder: Path) -> int:
    """Counted anew only where the table has another version: to open a workspace takes a while, and a damaged one half
    a second.
    """
    try:
        changed = (folder / f"documents{TABLE}" / "_versions").stat().st_mtime_ns
    except OSError:
        return 0  # nothing is in it yet
    return _documents_at(str(folder), changed)


@lru_cache(maxsize=10_000)
def _documents_at(folder: str, changed: int) -> int:
    try:
        return len(Workspace.open(folder, create=False).documents())
    except ChunkscopeError:
        return 0  # `chunkscope doctor` says what is wrong with it


@dataclass(frozen=True, slots=True)
class PersonUsage:
    """One person, and what they own."""

    person: Person
    workspaces: tuple[SharedWorkspace, ...]
    """That they own, with or without others."""
    binned: tuple[SharedWorkspace, ...]
    """Of those in the bin."""
    disk: int
    """Bytes of both with their snapshots, each file once, also where others have copies of it: what counts against the
    quota.
    """
    linked: int = 0
    """Bytes besides, of files that several of these workspaces share."""
    documents: int = 0
    """In the workspaces that they own, without those in the bin."""
    requests: int = 0
    """To the language model and the embedding server, in the last 24 hours."""
    cost: float = 0.0
    """Of these, in the currency of the prices."""

    def as_record(self) -> dict[str, Any]:
        """As `chunkscope users` prints it."""
        person = self.person
        return {
            "id": person.id,
            "name": person.name,
            "email": person.email,
            "last_visit": datetime.fromtimestamp(person.last_seen, UTC).isoformat(timespec="seconds"),
            "suspended": person.suspended,
            "workspaces": len(self.workspaces),
            "in_bin": len(self.binned),
            "disk_bytes": self.disk,
            "linked_bytes": self.linked,
            "documents": self.documents,
            "llm_requests_24h": self.requests,
        }


def people_usage(here: HostedDeployment, measure: Callable[[Path], FolderUsage] = measured) -> list[PersonUsage]:
    """Everybody, who was here last first. A workspace with several owners counts for each.

    Args:
        measure: what the folder of a workspace holds.
    """
    return [_usage(here, person, measure) for person in here.people.all()]


def _usage(here: HostedDeployment, person: Person, measure: Callable[[Path], FolderUsage]) -> PersonUsage:
    mine = tuple(one for one in here.workspaces.of(person.id) if one.role is Role.OWNER)
    binned = tuple(here.workspaces.bin(person.id))
    worked, put_away = ([measure(here.workspaces.place(one.id)) for one in some] for some in (mine, binned))
    requests, cost = here.quotas.used_llm(person.id)
    disk = here.quotas.used_disk(person.id)
    return PersonUsage(
        person,
        mine,
        binned,
        disk=disk,
        linked=max(0, sum(one.size for one in (*worked, *put_away)) - disk),
        documents=sum(one.documents for one in worked),
        requests=requests,
        cost=cost,
    )
