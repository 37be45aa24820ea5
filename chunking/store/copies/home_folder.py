"""What stands in the home folder of a deployment: its workspaces, and folders that do not last.

Folders come and go while somebody looks: a visit of a demo ends, a workspace leaves the bin for good.
"""

from __future__ import annotations

import os
import re
import shutil
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from chunking.errors import NotFoundError
from chunking.store.copies.workspace_files import OF_THE_DISK, is_workspace, unreadable

__all__ = [
    "BASES",
    "COPY",
    "DEPTH",
    "JOBS",
    "RANDOM_DIGITS",
    "RANDOM_ID",
    "SNAPSHOTS",
    "UNFINISHED",
    "VISITS",
    "WORKSPACES",
    "clear_removed",
    "clear_unfinished",
    "is_private_copy",
    "is_unfinished",
    "put_aside",
    "remove_folder",
    "workspace_folders",
]

WORKSPACES = "workspaces"
"""Those of people, a folder each."""
SNAPSHOTS = "snapshots"
"""Their frozen versions, a folder each."""
COPY = "workspace"
"""Of a workspace: in the folder of a snapshot, or of a visit."""
RANDOM_ID = re.compile(r"[0-9a-f]{16}")
"""What workspaces and snapshots are called."""
VISITS = "visits"
"""The private copies that visitors of a demo work in, a folder each."""
BASES = "bases"
"""What files that demos are made from were opened to; a server opens them again."""
JOBS = "jobs.sqlite"
"""Where a server writes its jobs down. It has the file for itself as long as one waits or runs; a backup would wait for
that, too.
"""
UNFINISHED = ".unfinished"
"""How folders end that are still being made, or were left by a process that was killed."""
RANDOM_DIGITS = 8
"""Hexadecimal ones, before that."""
_LEFT = 24 * 3_600.0
"""Seconds after which a folder that is still unfinished was left by a process that was killed."""
_GONE = ".gone"
_REMOVED = re.compile(rf"[0-9a-f]+-\d+{re.escape(_GONE)}")
"""A folder that is being deleted: its id, and when that began."""
_PRIVATE_COPY = re.compile(rf"(?:{VISITS}/[0-9a-f]{{24}}|{BASES}/[0-9a-f]{{16}})(?:/.*)?")
"""By the whole name: somebody's own folder that is called `visits` is theirs."""
DEPTH = 4
"""Folders below a home in which workspaces are looked for."""


def is_private_copy(path: str) -> bool:
    """Whether a path in a home folder is in a demo copy, which its server deletes.

    >>> is_private_copy("visits/0123456789abcdef01234567/workspace"), is_private_copy("visits/museum")
    (True, False)
    """
    return _PRIVATE_COPY.fullmatch(path) is not None


def is_unfinished(name: str) -> bool:
    """Whether a folder of this name is still being made, or being deleted."""
    return name.endswith(UNFINISHED) or _REMOVED.fullmatch(name) is not None


def workspace_folders(home: Path) -> dict[str, Path]:
    """The workspaces of a home folder by their paths in it; of a workspace itself, under an empty path.

    Raises:
        NotFoundError: there is none.
        StoreError: a folder may not be read, which could hold one.
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
        if below != OF_THE_DISK and not is_unfinished(name):
            yield from _workspaces(folder / name, below, depth - 1)


def _folders(folder: Path) -> list[str]:
    """The names of those in a folder, in order; none where it is gone meanwhile."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entry.name for entry in entries if entry.is_dir(follow_symlinks=False))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except PermissionError as error:
        raise unreadable(folder) from error


def remove_folder(folder: Path) -> None:
    """Delete a folder named by an id; it disappears in one step, so nobody meets half of it."""
    gone = put_aside(folder)
    if gone is not None:
        shutil.rmtree(gone, ignore_errors=True)


def put_aside(folder: Path) -> Path | None:
    """The first step of that, which can be taken back: the folder's name from now on; None where there is no folder."""
    gone = folder.with_name(f"{folder.name}-{time.time_ns()}{_GONE}")
    try:
        return folder.rename(gone)
    except FileNotFoundError:
        return None


def clear_removed(place: Path) -> None:
    """Delete what removals that were cut short have left in a folder."""
    for left in place.glob(f"*{_GONE}"):
        if _REMOVED.fullmatch(left.name):
            shutil.rmtree(left, ignore_errors=True)


def clear_unfinished(place: Path) -> None:
    """Delete what a killed copy, backup or save has left in a folder beside the workspaces there."""
    for left in place.glob(f".*.{'[0-9a-f]' * RANDOM_DIGITS}{UNFINISHED}"):  # the folder may be somebody's own
        with suppress(FileNotFoundError):  # it has just become whole
            if left.is_dir() and not left.is_symlink() and time.time() - left.stat().st_mtime > _LEFT:
                shutil.rmtree(left, ignore_errors=True)
