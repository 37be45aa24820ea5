"""Files of a workspace's folder: those that two workspaces may share, and their bytes.

The engine never changes a file of data, of an index, of deleted rows, of a transaction or of a version (a manifest)
once it is written: a commit adds files, and tidying deletes them. So a second name (a hard link) of such a file holds
the same bytes for ever, whatever is done in either folder. Written anew in its place is only a hint at the newest
version, 13 bytes a table; lock files, and what runs try out, belong to the processes at work in one folder.
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
from chunking.store.scratch_folder import TRIALS

__all__ = [
    "OF_THE_DISK",
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
"""How the name of a table's folder ends."""
OF_THE_DISK = "lost+found"
"""At the top of a disk, for the system alone to read; passed over where a folder is all of a disk."""
_LOCK, _LOCKS = ".lock", "locks"
_UNFINISHED = "#"
"""In the name of a file that the engine is still writing; it gets its own name when it is whole."""
_IMMUTABLE = frozenset({"data", "_indices", "_deletions", "_transactions"})
_VERSIONS, _MANIFEST = "_versions", ".manifest"


class Sharing(Enum):
    """What a copy does with a file."""

    LINK = auto()
    COPY = auto()
    """It could be written to in its place: both folders have one of their own."""
    LEAVE_OUT = auto()


@dataclass(frozen=True, slots=True)
class WorkspaceFile:
    """A file of a folder."""

    path: str
    """From the folder on, with forward slashes."""
    entry: os.DirEntry[str]


def sharing(path: str) -> Sharing:
    """What a copy does with the file of a workspace; only what is known never to change is linked.

    >>> names = ("documents.lance/data/1.lance", "documents.lance/_versions/latest_version_hint.json", "writer.lock")
    >>> tuple(map(sharing, names))
    (<Sharing.LINK: 1>, <Sharing.COPY: 2>, <Sharing.LEAVE_OUT: 3>)
    >>> sharing(".trials/0123456789ab/chunks.lance/data/1.lance")
    <Sharing.LEAVE_OUT: 3>
    """
    *parents, name = path.split("/")
    first, folders = (parents[0], parents[1:]) if parents else ("", [])
    if name.endswith(_LOCK) or first in (_LOCKS, TRIALS) or _UNFINISHED in name:
        return Sharing.LEAVE_OUT
    if (
        first.endswith(TABLE)
        and folders
        and (folders[0] in _IMMUTABLE or (folders[0] == _VERSIONS and name.endswith(_MANIFEST)))
    ):
        return Sharing.LINK
    return Sharing.COPY


def workspace_files(folder: str | Path, below: str = "", *, but: str | None = None) -> Iterator[WorkspaceFile]:
    """The files below a folder; no links, nor what stands behind them: a workspace has none. What vanishes meanwhile is
    left out.

    Args:
        below: the folder's own path in the workspace, which the paths begin with.
        but: folders at the top whose names end so are passed over.
    Raises:
        StoreError: a folder may not be read: nobody knows what is in it.
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
            if (but is not None and entry.name.endswith(but)) or path == OF_THE_DISK:
                continue
            yield from workspace_files(entry.path, path)
        elif entry.is_file(follow_symlinks=False):
            yield WorkspaceFile(path, entry)


def unreadable(folder: str | Path) -> StoreError:
    """What is said of a folder that this user may not read, and that could hold a workspace."""
    message = f"This user may not read the folder {folder}; change its owner to the user of the server, or move it."
    return StoreError(message, where=str(folder))


def is_workspace(folder: Path) -> bool:
    """Whether there are tables in a folder; not where it may not be read."""
    try:
        with os.scandir(folder) as entries:
            return any(entry.name.endswith(TABLE) and entry.is_dir(follow_symlinks=False) for entry in entries)
    except (FileNotFoundError, NotADirectoryError, PermissionError):
        return False


def folder_bytes(folder: str | Path) -> int:
    """Bytes of a folder's files, each counted once, those shared with other folders included."""
    return distinct_bytes([folder])


def distinct_bytes(folders: Iterable[str | Path]) -> int:
    """Bytes of several folders' files, each counted once, however many have it."""
    return sum({(facts.st_dev, facts.st_ino): facts.st_size for facts in _facts(folders)}.values())


def own_bytes(folder: str | Path) -> int:
    """Bytes of a folder that no other folder shares: what deleting it would free.

    Of two copies whose original is deleted neither owns what they share, until one of them is deleted too.
    """
    return sum(facts.st_size for facts in _facts([folder]) if facts.st_nlink == 1)


def freed_bytes(folders: Iterable[str | Path]) -> int:
    """Bytes freed by deleting several folders: also those shared among them alone."""
    names: Counter[tuple[int, int]] = Counter()
    freed = 0
    for facts in _facts(folders):
        names[facts.st_dev, facts.st_ino] += 1
        if names[facts.st_dev, facts.st_ino] == facts.st_nlink:
            freed += facts.st_size
    return freed


def _facts(folders: Iterable[str | Path]) -> Iterator[os.stat_result]:
    """What the disk says of each name of a file; of those that vanish meanwhile nothing."""
    for file in (file for folder in folders for file in workspace_files(folder)):
        with suppress(FileNotFoundError):
            yield file.entry.stat(follow_symlinks=False)
