"""A team's server as these tests see it, and the people of the team."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from chunking.deployment import Deployment, Person

__all__ = ["ANN", "BOB", "TeamServer"]

ANN, BOB = (Person(name[0] * 24, name.title(), f"{name}@example.com") for name in ("ann", "bob"))


@dataclass(frozen=True)
class TeamServer:
    """A running server, and its deployment as another process sees it."""

    address: str
    """Of all tools."""
    here: Deployment
    anns: str
    bobs: str
    """Ids of a workspace each: the shelf, and one document about pumps."""
    inbox: Path
    """Folder that its documents may be read from."""
