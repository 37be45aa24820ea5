"""Usage per person of a deployment: workspaces, documents, bytes, model requests."""

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
    """Bytes and number of documents of a workspace's folder."""

    size: int = 0
    """Bytes of its files, also those shared with copies."""
    documents: int = 0
    """0 also if the workspace cannot be opened."""


def measured(folder: Path) -> FolderUsage:
    """Return the bytes and the number of documents of a workspace's folder; 0 if it is missing."""
    return FolderUsage(folder_bytes(folder), _documents(folder))


def _documents(folder: Path) -> int:
    """Return the number of documents, cached by table version.

    Opening a workspace takes a while, a damaged one half a second.
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
    """A person's own workspaces, and their disk space, documents and model requests."""

    person: Person
    workspaces: tuple[SharedWorkspace, ...]
    """Workspaces that they own, alone or with others."""
    binned: tuple[SharedWorkspace, ...]
    """Workspaces in the bin that they own."""
    disk: int
    """Bytes that count against the quota: workspaces, bin and snapshots, each file once, even if others have copies."""
    linked: int = 0
    """Further bytes, of files that several of these workspaces share."""
    documents: int = 0
    """Documents in the workspaces that they own, without the bin."""
    requests: int = 0
    """Requests to the language model and the embedding server, in the last 24 hours."""
    cost: float = 0.0
    """Cost of these requests, in the currency of the prices."""

    def as_record(self) -> dict[str, Any]:
        """Return the record that `chunkscope users` prints: counts and bytes, without the cost."""
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
    """Return the usage of all people, latest visit first. A shared workspace counts for each owner.

    Args:
        measure: returns bytes and number of documents of a workspace's folder.
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
