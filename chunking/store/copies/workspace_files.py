"""Classify a workspace's files as shareable by hard link or not, and count bytes on disk.

The engine never changes a file of data, of an index, of deleted rows, of a transaction or of a version (a manifest)
once it is written: a commit adds files, and tidying deletes them. So a hard link to such a file holds the same bytes
for ever, whatever happens in either folder. Only the hint at the newest version is rewritten in place (13 bytes a
table); lock files and trial folders belong to the processes at work in one folder.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path

from chunking.errors import StoreError
from chunking.store.scratch_folder import RUNS, TRIALS

__all__ = [
    "LOST_AND_FOUND",
    "TABLE",
    "Sharing",
    "WorkspaceFile",
    "distinct_bytes",
    "folder_bytes",
    "freed_bytes",
    "is_workspace",
    "own_bytes",
    "sharing",
    "unreadable",
    "workspace_files",
]

TABLE = ".lance"
"""Suffix of a table's folder."""
LOST_AND_FOUND = "lost+found"
"""Folder at the root of a disk that only the system may read; skipped in searches for workspaces."""
_LOCK, _LOCKS = ".lock", "locks"
_UNFINISHED = "#"
"""Part of the name of a file that the engine is still writing; it is renamed once complete."""
_IMMUTABLE = frozenset({"data", "_indices", "_deletions", "_transactions"})
_VERSIONS, _MANIFEST = "_versions", ".manifest"


class Sharing(Enum):
    """Treatment of a workspace's file in a copy: hard link, copy, or leave out."""

    LINK = auto()
    COPY = auto()
    """The file could be rewritten in place, so both folders need one."""
    LEAVE_OUT = auto()


@dataclass(frozen=True, slots=True)
class WorkspaceFile:
    """File inside a workspace's folder, with its relative path and directory entry."""

    path: str
    """Relative to the folder, with forward slashes."""
    entry: os.DirEntry[str]


def sharing(path: str) -> Sharing:
    """Return the treatment of a file in a copy by its path: link only files that never change.

    >>> names = ("documents.lance/data/1.lance", "documents.lance/_versions/latest_version_hint.json", "writer.lock")
    >>> tuple(map(sharing, names))
    (<Sharing.LINK: 1>, <Sharing.COPY: 2>, <Sharing.LEAVE_OUT: 3>)
    >>> sharing(".trials/0123456789ab/chunks.lance/data/1.lance")
    <Sharing.LEAVE_OUT: 3>
    """
    *parents, name = path.split("/")
    first, folders = (parents[0], parents[1:]) if parents else ("", [])
    if name.endswith(_LOCK) or first in (_LOCKS, RUNS, TRIALS) or _UNFINISHED in name:
        return Sharing.LEAVE_OUT
    if (
        first.endswith(TABLE)
        and folders
        and (folders[0] in _IMMUTABLE or (folders[0] == _VERSIONS and name.endswith(_MANIFEST)))
    ):
        return Sharing.LINK
    return Sharing.COPY


def workspace_files(folder: str | Path, below: str = "", *, but: str | None = None) -> Iterator[WorkspaceFile]:
    """Yield the files at all levels below a folder, without symbolic links; none if it is missing.

    Args:
        below: the folder's own path in the workspace, prepended to the paths.
        but: suffix of top-level folders to skip.
    Raises:
        StoreError: a folder is not readable, so its contents are unknown.
    """
    try:
        with os.scandir(folder) as entries:
            listing = list(entries)
    except FileNotFoundError:
        return
    except PermissionError as error:
        raise unreadable(folder) from error
    for entry in listing:
        path = f"{below}/{entry.name}" if below else entry.name
        if entry.is_dir(follow_symlinks=False):
            if (but is not None and entry.name.endswith(but)) or path == LOST_AND_FOUND:
                continue
            yield from workspace_files(entry.path, path)
        elif entry.is_file(follow_symlinks=False):
            yield WorkspaceFile(path, entry)


def unreadable(folder: str | Path) -> StoreError:
    """Return the StoreError for a folder that this user may not read, which could hold a workspace."""
    message = f"This user may not read the folder {folder}; change its owner to the user of the server, or move it."
    return StoreError(message, where=str(folder))


def is_workspace(folder: Path) -> bool:
    """True if a folder directly holds a table's folder (`*.lance`); False if it is not readable."""
    try:
        with os.scandir(folder) as entries:
            return any(entry.name.endswith(TABLE) and entry.is_dir(follow_symlinks=False) for entry in entries)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return False


def folder_bytes(folder: str | Path) -> int:
    """Return the bytes of a folder's files, those shared with other folders included."""
    return distinct_bytes([folder])


def distinct_bytes(folders: Iterable[str | Path]) -> int:
    """Return the bytes of several folders' files, counting a hard-linked file once."""
    return sum({(facts.st_dev, facts.st_ino): facts.st_size for facts in _file_stats(folders)}.values())


def own_bytes(folder: str | Path) -> int:
    """Return the bytes that deleting a folder would free: its files with no other hard link.

    Two copies whose original is deleted share files that neither owns, until one of them is deleted too.
    """
    return sum(facts.st_size for facts in _file_stats([folder]) if facts.st_nlink == 1)


def freed_bytes(folders: Iterable[str | Path]) -> int:
    """Return the bytes that deleting several folders together would free.

    A file counts, once, if all its hard links are in these folders.
    """
    names: Counter[tuple[int, int]] = Counter()
    freed = 0
    for facts in _file_stats(folders):
        names[facts.st_dev, facts.st_ino] += 1
        if names[facts.st_dev, facts.st_ino] == facts.st_nlink:
            freed += facts.st_size
    return freed


def _file_stats(folders: Iterable[str | Path]) -> Iterator[os.stat_result]:
    """Stat results of all names of files in folders, skipping files that disappear meanwhile."""
    for file in (file for folder in folders for file in workspace_files(folder)):
        with suppress(FileNotFoundError):
            yield file.entry.stat(follow_symlinks=False)
