"""Backups of a workspace, or of a deployment's home folder, taken while people work.

A backup is trusted: it holds the engine's own files, linked on the same disk and copied elsewhere. `backup.json` lists
hash and size of every file, and the fingerprint of every index. Restoring checks them, and reads no file outside of the
backup, whatever that list names.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import stat
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path, PurePosixPath
from typing import Any

from chunking.errors import NotFoundError, StoreError
from chunking.paths import model_cache
from chunking.store.copies.home_folder import DEPTH, JOBS, is_private_copy, is_unfinished, workspace_folders
from chunking.store.copies.linked_copy import Copied, linked_copy, staging_folder
from chunking.store.copies.workspace_files import (
    LOST_AND_FOUND,
    Sharing,
    is_workspace,
    sharing,
    unreadable,
    workspace_files,
)
from chunking.store.engine.faults import guarded
from chunking.store.index.build_record import index_fingerprint
from chunking.store.workspace import Workspace
from chunking.text.bounded_json import read_json

__all__ = ["BackedUp", "back_up", "restore"]

_LIST, _CONTENT = "backup.json", "home"
_MARK, _FORMAT = "chunkscope_backup", 1
_DATABASE = ".sqlite"
_OF_DATABASES = ("-wal", "-shm", "-journal")
_BLOCK = 2**20
_LONGEST_LIST = 2**28
"""Most bytes of the list: some million files."""
_LONGEST_NAME = 100
"""Most characters of a file's name in a message."""


@dataclass(slots=True)
class BackedUp:
    """Result of a backup: its files and bytes, and the workspaces saved, failed and left out."""

    folder: Path
    workspaces: dict[str, dict[str, str]] = field(default_factory=dict)
    """Path in the home folder to the fingerprints of the workspace's indexes, by name."""
    files: int = 0
    shared_bytes: int = 0
    """Bytes linked to the workspaces' own files: they cost no disk, and are lost with it."""
    own_bytes: int = 0
    reason: str = ""
    """Why files were copied that could have been linked; empty if none were."""
    failed: dict[str, str] = field(default_factory=dict)
    """Path to the error of each workspace that could not be backed up and is missing."""
    deleted: int = 0
    """Number of workspaces that were deleted during the backup, and are missing."""
    private: int = 0
    """Number of temporary copies of demo visitors, which are left out."""


def back_up(
    home: Path, target: Path, *, link: bool = True, on_progress: Callable[[str, int, int], None] | None = None
) -> BackedUp:
    """Back up a home folder or a workspace while people work in it.

    Databases (`*.sqlite`) come first and workspaces after them: each is the state between two of its commits. Other
    files are copied as they are; symbolic links, locks, the queue of jobs, demo visitors' copies and unpacked models
    are left out.
    Files deleted meanwhile are missing. A workspace that cannot be copied is noted in `failed`; the others are saved.

    Args:
        target: where it is to be; nothing may be there yet.
        link: False copies the bytes also on the same disk, so that damage to one is none to the other.
        on_progress: called with a workspace's path, its number (from 1), and the number of workspaces.
    Raises:
        NotFoundError: there is no workspace but a demo's private copies.
        StoreError: something is at `target`, it is inside of the home folder, it cannot be written, or no workspace can
            be copied.
    """
    if all(map(is_private_copy, workspace_folders(home))):
        message = f"There is nothing at {home} to back up except temporary copies of demo visitors."
        raise NotFoundError(message, where=str(home))
    if target.absolute().is_relative_to(home.absolute()):
        raise StoreError(f"A backup of {home} cannot be inside it; choose another folder.", where=str(target))
    done = BackedUp(target)
    with staging_folder(target) as unfinished, guarded(str(target), "backing up"):
        content = unfinished / _CONTENT
        if not is_workspace(home):
            _take_rest(home, content)
        # Listed after the databases: all that those name and nobody has deleted since is there.
        workspaces = workspace_folders(home)
        folders = {path: folder for path, folder in workspaces.items() if not is_private_copy(path)}
        done.private = len(workspaces) - len(folders)
        for number, (path, folder) in enumerate(folders.items(), 1):
            if on_progress is not None:
                on_progress(path, number, len(folders))
            (content / path).parent.mkdir(parents=True, exist_ok=True)
            try:
                copied = _take_workspace(folder, content / path, link=link)
                indexes = {} if copied is None else _fingerprints(content / path)
            except StoreError as error:
                done.failed[path] = str(error).replace(str(content / path), str(folder))
                shutil.rmtree(content / path, ignore_errors=True)
                continue
            if copied is None:
                done.deleted += 1
                continue
            done.shared_bytes += copied.linked_bytes
            done.reason = done.reason or copied.reason
            done.workspaces[path] = indexes
        if done.failed and not done.workspaces:
            raise StoreError(next(iter(done.failed.values())), where=str(home))
        sizes = {file.path: file.entry.stat(follow_symlinks=False).st_size for file in workspace_files(content)}
        done.files = len(sizes)
        done.own_bytes = sum(sizes.values()) - done.shared_bytes
        listed = {
            _MARK: _FORMAT,
            "saved": datetime.now(UTC).isoformat(timespec="seconds"),
            "workspaces": done.workspaces,
            "files": {path: _hash(content / path) for path in sizes},
            "bytes": sizes,
        }
        (unfinished / _LIST).write_text(json.dumps(listed, indent=1), encoding="ascii")  # a name need not be Unicode
    return done


def restore(backup: Path, target: Path) -> dict[str, dict[str, str]]:
    """Copy a backup into a new folder, and verify the files' hashes and the indexes' fingerprints.

    Only files that stand in the backup itself are read: no links, nor what stands behind them, pipes or devices.

    Args:
        target: where the home folder, or the workspace, is to be; nothing may be there yet.
    Returns:
        As `BackedUp.workspaces`.
    Raises:
        NotFoundError: there is no backup.
        StoreError: it is damaged, of a later version, larger than the free disk, or cannot be written; nothing is left
            at `target` then.
    """
    listed = _listed(backup)
    with staging_folder(target) as unfinished, guarded(str(target), "restoring it"):
        files = list(_listed_files(listed, backup))
        _check_room(sum(size for *_, size in files), unfinished, target)
        for entry, path, digest, size in files:
            if _restore_file(entry, unfinished / path, size) != digest:
                raise _damaged(path, backup)
        workspaces = (
            {path: _fingerprints(folder) for path, folder in workspace_folders(unfinished).items()}
            if listed["workspaces"]
            else {}
        )
        if workspaces != listed["workspaces"]:
            raise StoreError(
                f"The files restored from {backup} differ from those backed up; use another backup.", where=str(backup)
            )
    return workspaces


def _take_workspace(folder: Path, target: Path, *, link: bool) -> Copied | None:
    """Copy a workspace; None if it was deleted before or during the copy."""
    try:
        copied = linked_copy(Workspace.open(folder, create=False), target, link=link)
    except StoreError:
        if is_workspace(folder):
            raise
        return None
    if not is_workspace(folder):  # the copy may lack what was deleted before its turn came
        shutil.rmtree(target)
        return None
    return copied


def _take_rest(home: Path, content: Path) -> None:
    """Copy the files of a home folder that belong to no workspace."""
    for place, below, names in os.walk(home, onerror=_raise_unreadable):
        here = Path(place)
        path = here.relative_to(home)
        below[:] = [name for name in below if not (here / name).is_symlink() and _is_rest(here / name, path / name)]
        for name in names:
            source, target = here / name, content / path / name
            if (
                name == JOBS
                or source.is_symlink()
                or name.endswith(_OF_DATABASES)
                or sharing(name) is Sharing.LEAVE_OUT
            ):
                continue
            target.parent.mkdir(parents=True, exist_ok=True)
            if name.endswith(_DATABASE):
                _copy_database(source, target)
            else:
                with suppress(FileNotFoundError):  # deleted meanwhile
                    shutil.copyfile(source, target)


def _raise_unreadable(error: OSError) -> None:
    if isinstance(error, PermissionError):
        raise unreadable(error.filename) from error


def _is_rest(folder: Path, path: Path) -> bool:
    """True unless a folder is a workspace, a demo visitor's, unfinished, the disk's own, or that of unpacked models."""
    workspace = len(path.parts) <= DEPTH and is_workspace(folder)
    return not (
        workspace
        or is_unfinished(folder.name)
        or is_private_copy(path.as_posix())
        or path.as_posix() == LOST_AND_FOUND
        or folder.absolute() == model_cache().absolute()
    )


def _copy_database(source: Path, target: Path) -> None:
    try:
        with (
            closing(sqlite3.connect(f"{source.absolute().as_uri()}?mode=ro", uri=True)) as there,
            closing(sqlite3.connect(target)) as here,
        ):
            there.backup(here)
    except sqlite3.Error as error:
        if not source.exists():
            target.unlink(missing_ok=True)
            return  # deleted meanwhile
        raise StoreError(
            f"The database {source} cannot be read ({error}); restore it from an earlier backup.", where=str(source)
        ) from error


def _fingerprints(folder: Path) -> dict[str, str]:
    """Return the fingerprint of each index of a workspace, by name, read from its rows."""
    workspace = Workspace.open(folder, create=False)
    names = [row.name for row in workspace.indexes()]
    return {name: index_fingerprint(workspace.index(name).document_fingerprints().values()) for name in sorted(names)}


def _hash(path: str | Path) -> str:
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _listed(backup: Path) -> dict[str, Any]:
    """Read and validate the list of a backup."""
    damaged = StoreError(f"The list of the backup {backup} is damaged; use another backup.", where=str(backup))
    try:
        facts = (backup / _LIST).lstat()
        if not stat.S_ISREG(facts.st_mode) or facts.st_size > _LONGEST_LIST:
            raise damaged
        text = (backup / _LIST).read_bytes()
    except FileNotFoundError as error:
        raise NotFoundError(
            f"There is no backup at {backup}; give the folder that `chunkscope backup` made.", where=str(backup)
        ) from error
    try:
        listed: dict[str, Any] = read_json(text)
        version = listed[_MARK]
        complete = all(isinstance(listed[name], dict) for name in ("files", "workspaces")) and isinstance(
            listed.get("bytes", {}), dict
        )
    except (ValueError, KeyError, TypeError) as error:
        raise damaged from error
    if version != _FORMAT:
        raise StoreError(
            f"The backup {backup} was made by a later version of Chunkscope; restore it with that one.",
            where=str(backup),
        )
    if not complete:
        raise damaged
    return listed


def _listed_files(listed: dict[str, Any], backup: Path) -> Iterator[tuple[os.DirEntry[str], str, str, int]]:
    """Yield (entry, path, hash, bytes) of every listed file; raises unless it is in the backup itself."""
    content = backup / _CONTENT
    there = {} if content.is_symlink() else {file.path: file.entry for file in workspace_files(content)}
    sizes = listed.get("bytes", {})
    for path, digest in listed["files"].items():
        if path not in there:
            raise StoreError(
                f"A file is missing in the backup {backup} ({_name(path)}); use another backup.", where=str(backup)
            )
        size = there[path].stat(follow_symlinks=False).st_size
        if size != sizes.get(path, size):
            raise _damaged(path, backup)
        yield there[path], path, digest, size


def _check_room(needed: int, folder: Path, target: Path) -> None:
    free = shutil.disk_usage(folder).free
    if needed > free:
        message = (
            f"The backup takes {needed / 1e9:,.1f} GB, and {free / 1e9:,.1f} GB are free at {target}; free some, "
            f"or choose another disk."
        )
        raise StoreError(message, where=str(target))


def _restore_file(entry: os.DirEntry[str], target: Path, size: int) -> str:
    """Copy exactly `size` bytes of a file, and return their hash."""
    target.parent.mkdir(parents=True, exist_ok=True)
    digest = hashlib.sha256()
    with open(entry.path, "rb") as source, open(target, "wb") as copy:
        while size > 0 and (block := source.read(min(_BLOCK, size))):
            copy.write(block)
            digest.update(block)
            size -= len(block)
    return digest.hexdigest()


def _damaged(path: str, backup: Path) -> StoreError:
    return StoreError(
        f"A file of the backup {backup} is damaged ({_name(path)}); use another backup.", where=str(backup)
    )


def _name(path: str) -> str:
    """Return the file name of an untrusted path, safe to print in a message.

    >>> _name("a/b.lance")
    'b.lance'
    """
    return repr(PurePosixPath(path).name[:_LONGEST_NAME])[1:-1]
