"""What each person of a deployment has: workspaces, and the bytes that those take."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from chunking.deployment.deployment import Deployment
from chunking.deployment.people import Person
from chunking.deployment.workspaces import SharedWorkspace
from chunking.store import Role

__all__ = ["PersonUsage", "people_usage"]


@dataclass(frozen=True, slots=True)
class PersonUsage:
    """One person, and what they own."""

    person: Person
    workspaces: tuple[SharedWorkspace, ...]
    """That they own, with or without others."""
    binned: tuple[SharedWorkspace, ...]
    """Of those in the bin."""
    disk: int
    """Bytes that deleting both with their snapshots would free: those shared with other copies do not count."""

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
        }


def people_usage(here: Deployment) -> list[PersonUsage]:
    """Everybody, who was here last first. A workspace with several owners counts for each."""
    return [_usage(here, person) for person in here.people.all()]


def _usage(here: Deployment, person: Person) -> PersonUsage:
    mine = tuple(one for one in here.workspaces.of(person.id) if one.role is Role.OWNER)
    binned = tuple(here.workspaces.bin(person.id))
    return PersonUsage(person, mine, binned, here.quotas.used_disk(person.id))
