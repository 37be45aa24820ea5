"""Faults of a deployment's data: damaged SQLite files, and missing or unlisted folders.

A SQLite file is checked without a lock: the server keeps its record of jobs to itself, and must not find it locked.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from chunking.display import first_names
from chunking.store.copies.home_folder import RANDOM_ID, SNAPSHOTS, WORKSPACES
from hosting.hosted_deployment import HostedDeployment

__all__ = ["damage", "fault_line", "folder_faults"]

_LOOKS = 5
"""Attempts at a file that is being written."""
_JOURNAL = "-journal"
_NO_HEADER = bytes(8)
"""Start of a journal that needs no rollback."""

_MOST_NAMED = 5
"""Most names in a message."""


def damage(file: Path) -> str:
    """Return the damage of a database with a rollback journal, in SQLite's words; empty for none.

    Also empty while it is being written. Its bytes are read, and checked in memory.

    Raises:
        OSError: it cannot be read.
    """
    for _ in range(_LOOKS):
        before = _stamp(file)
        content = file.read_bytes()
        if content and not _in_between(file) and _stamp(file) == before:
            return _damage(content)
    return ""


def fault_line(report: str) -> str:
    """Return the last line of SQLite's report, which names the place.

    >>> fault_line("*** in database main ***\\nPage 3: never used")
    'Page 3: never used'
    """
    return report.splitlines()[-1] if report else report


def _damage(content: bytes) -> str:
    try:
        with closing(sqlite3.connect(":memory:")) as connection:
            connection.deserialize(content)
            report = str(connection.execute("PRAGMA quick_check(1)").fetchone()[0])
    except sqlite3.Error as error:
        return str(error)
    return "" if report == "ok" else fault_line(report)


def _stamp(file: Path) -> tuple[int, int]:
    facts = os.stat(file)
    return facts.st_mtime_ns, facts.st_size


def _in_between(file: Path) -> bool:
    """True if the journal holds a change under way or cut short, which the next reader rolls back."""
    try:
        with file.with_name(f"{file.name}{_JOURNAL}").open("rb") as journal:
            return journal.read(len(_NO_HEADER)) not in (b"", _NO_HEADER)
    except FileNotFoundError:
        return False


def folder_faults(here: HostedDeployment) -> Iterator[str]:
    """Yield a sentence each for missing workspaces, missing snapshots and unlisted workspaces.

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
    """Return listed workspaces without a folder, also those in the bin."""
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
