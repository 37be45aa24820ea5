"""Find and delete folders in the home folder of a deployment: workspaces, snapshots and demo copies.

Folders may appear and disappear while others are listed: demo visits end, and binned workspaces expire.
"""

from __future__ import annotations

import os
import re
import shutil
import time
import uuid
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from chunking.errors import NotFoundError
from chunking.store.copies.workspace_files import LOST_AND_FOUND, is_workspace, unreadable

__all__ = [
    "BASES",
    "COPY",
    "DEPTH",
    "JOBS",
    "RANDOM_ID",
    "SNAPSHOTS",
    "UNFINISHED",
    "VISITS",
    "WORKSPACES",
    "clear_removed",
    "clear_unfinished",
    "is_private_copy",
    "is_unfinished",
    "remove_folder",
    "rename_for_removal",
    "unfinished_path",
    "workspace_folders",
]

WORKSPACES = "workspaces"
"""Subfolder of users' workspaces, a folder each."""
SNAPSHOTS = "snapshots"
"""Subfolder of frozen versions of workspaces, a folder each."""
COPY = "workspace"
"""Name of the workspace inside the folder of a snapshot or a demo visit."""
RANDOM_ID = re.compile(r"[0-9a-f]{16}")
"""Folder names of workspaces and snapshots."""
VISITS = "visits"
"""Subfolder of demo visitors' private copies, a folder each."""
BASES = "bases"
"""Subfolder of the opened workspace files that demos are copied from; a server recreates it."""
JOBS = "jobs.sqlite"
"""Job database of a server, which locks the file while a job waits or runs; a backup waits for it."""
UNFINISHED = ".unfinished"
"""Suffix of folders still being written, or left by a killed process."""
_RANDOM_DIGITS = 8
"""Hexadecimal digits before that suffix."""
_LEFT = 24 * 3_600.0
"""Seconds after which an unfinished folder counts as left by a killed process."""
_GONE = ".gone"
_REMOVED = re.compile(rf"[0-9a-f]+-\d+{re.escape(_GONE)}")
"""Name of a folder being deleted: its id, and the time when deletion began."""
_PRIVATE_COPY = re.compile(rf"(?:{VISITS}/[0-9a-f]{{24}}|{BASES}/[0-9a-f]{{16}})(?:/.*)?")
"""Paths of demo copies; matched in full, since a user's own folder may be called `visits`."""
DEPTH = 4
"""Levels of subfolders of a home folder that are searched for workspaces."""


def is_private_copy(path: str) -> bool:
    """True if a path relative to the home folder is in a demo visitor's copy or a base of demos.

    >>> is_private_copy("visits/0123456789abcdef01234567/workspace"), is_private_copy("visits/museum")
    (True, False)
    """
    return _PRIVATE_COPY.fullmatch(path) is not None


def is_unfinished(name: str) -> bool:
    """True if a folder's name marks it as being written or deleted, or so left by a killed process."""
    return name.endswith(UNFINISHED) or _REMOVED.fullmatch(name) is not None


def unfinished_path(target: Path) -> Path:
    """Return a unique hidden path beside `target` to write a folder at; nothing is created.

    If the process is killed, `clear_unfinished` deletes the folder a day later.
    """
    return target.with_name(f".{target.name}.{uuid.uuid4().hex[:_RANDOM_DIGITS]}{UNFINISHED}")


def workspace_folders(home: Path) -> dict[str, Path]:
    """Return the workspaces in a home folder, up to 4 levels deep, by relative path.

    A folder that is itself a workspace is returned alone, under an empty path. Folders being written or deleted are
    skipped.

    Raises:
        NotFoundError: there is none.
        StoreError: a folder that could contain one is not readable.
    """
    workspaces = dict(_workspaces(home, "", DEPTH))
    if not workspaces:
        raise NotFoundError(f"There is no workspace at {home} or in its subfolders; check the name.", where=str(home))
    return workspaces


def _workspaces(folder: Path, path: str, depth: int) -> Iterator[tuple[str, Path]]:
    if is_workspace(folder):
        yield path, folder
        return
    if not depth:
        return
    for name in _folders(folder):
        below = f"{path}/{name}" if path else name
        if below != LOST_AND_FOUND and not is_unfinished(name):
            yield from _workspaces(folder / name, below, depth - 1)


def _folders(folder: Path) -> list[str]:
    """Names of a folder's subfolders, sorted; empty if the folder has disappeared."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except PermissionError as error:
        raise unreadable(folder) from error


def remove_folder(folder: Path) -> None:
    """Delete a folder if it exists, renaming it first so that nobody sees half of it."""
    gone = rename_for_removal(folder)
    if gone is not None:
        shutil.rmtree(gone, ignore_errors=True)


def rename_for_removal(folder: Path) -> Path | None:
    """Mark a folder for `clear_removed` by renaming it; return the new path, None if it is missing."""
    gone = folder.with_name(f"{folder.name}-{time.time_ns()}{_GONE}")
    try:
        return folder.rename(gone)
    except FileNotFoundError:
        return None


def clear_removed(place: Path) -> None:
    """Delete the subfolders of a folder that `rename_for_removal` has marked."""
    for left in place.glob(f"*{_GONE}"):
        if _REMOVED.fullmatch(left.name):
            shutil.rmtree(left, ignore_errors=True)


def clear_unfinished(place: Path) -> None:
    """Delete the subfolders at an `unfinished_path` that have not been written to for a day.

    Killed copies, backups and saves leave them.
    """
    for left in place.glob(
        f".*.{'[0-9a-f]' * _RANDOM_DIGITS}{UNFINISHED}"
    ):  # a strict pattern: the folder may be a user's own
        with suppress(FileNotFoundError):  # it has just become whole
            if left.is_dir() and not left.is_symlink() and time.time() - left.stat().st_mtime > _LEFT:
                shutil.rmtree(left, ignore_errors=True)
