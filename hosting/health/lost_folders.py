"""What the list of a deployment and its disk do not agree about: workspaces and snapshots without a folder, folders
without a line.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from chunking.display import first_names
from chunking.store.copies.home_folder import RANDOM_ID, SNAPSHOTS, WORKSPACES
from hosting.hosted_deployment import HostedDeployment

__all__ = ["folder_faults"]

_MOST_NAMED = 5
"""In one sentence."""


def folder_faults(here: HostedDeployment) -> Iterator[str]:
    """A sentence for each kind of what is lost, with what to do; none where list and disk agree, or there is no list.

    Raises:
        StoreError: the list cannot be read.
    """
    back = "restore the folder of that name in {} from a backup (chunkscope restore writes it to a new place), or {}"
    yield from _sentence(
        _lost_workspaces(here), "workspace", "listed and not on the disk", back.format(WORKSPACES, "delete it")
    )
    yield from _sentence(
        _lost_snapshots(here), "snapshot", "listed and not on the disk", back.format(SNAPSHOTS, "revoke it")
    )
    yield from _sentence(
        _unlisted(here), "workspace folder", "on the disk and not listed", "look into it with --workspace, or delete it"
    )


def _sentence(names: Sequence[str], noun: str, state: str, tell: str) -> Iterator[str]:
    if names:
        number = f"1 {noun} is" if len(names) == 1 else f"{len(names):,} {noun}s are"
        yield f"{number} {state} ({first_names(names, _MOST_NAMED)}): {tell}."


def _lost_workspaces(here: HostedDeployment) -> list[str]:
    """Those in the bin among them."""
    with here.directory.reading() as connection:
        rows = (
            [] if connection is None else connection.execute("SELECT id, name FROM workspaces ORDER BY name").fetchall()
        )
    return [f"“{row['name']}”, {row['id']}" for row in rows if not here.workspaces.place(row["id"]).is_dir()]


def _lost_snapshots(here: HostedDeployment) -> list[str]:
    return [f"“{one.name}”, {one.id}" for one in here.snapshots.all() if not (here.snapshots.folder / one.id).is_dir()]


def _unlisted(here: HostedDeployment) -> list[str]:
    with here.directory.reading() as connection:
        if connection is None:
            return []
        listed = {row["id"] for row in connection.execute("SELECT id FROM workspaces")}
    return sorted(folder.name for folder in _folders(here.workspaces.folder) if folder.name not in listed)


def _folders(folder: Path) -> list[Path]:
    return (
        [one for one in folder.iterdir() if RANDOM_ID.fullmatch(one.name) and one.is_dir()] if folder.is_dir() else []
    )
