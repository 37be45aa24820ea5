"""Copy a workspace by hard links, in milliseconds and without bytes, and compact workspaces.

Used for demo copies of a shared base, duplicates, backups on the same disk, and frozen versions. LanceDB's own versions
and tags cannot freeze a version: `optimize()` raises on a table with a tagged old version, and tags vanish with the
table of a rebuilt index. A copy keeps no other table from changing and outlives them all.
"""

from __future__ import annotations

import errno
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from chunking.errors import LockedError, NotFoundError, StoreError
from chunking.store.access import EVERYTHING, Right
from chunking.store.copies.home_folder import clear_unfinished, unfinished_path, workspace_folders
from chunking.store.copies.workspace_files import (
    TABLE,
    Sharing,
    WorkspaceFile,
    folder_bytes,
    is_workspace,
    sharing,
    workspace_files,
)
from chunking.store.engine.faults import guarded
from chunking.store.engine.schema import SEARCH_HISTORY
from chunking.store.workspace import Workspace

__all__ = ["Copied", "compact", "linked_copy", "staging_folder"]

_LOOKS = 50
"""Maximum passes over the tables; each pass links again the tables written to since the one before."""
_NO_LINKS = {
    errno.EXDEV: "the two folders are on different disks",
    errno.EPERM: "the disk or its owner does not allow links",
    errno.EACCES: "the disk or its owner does not allow links",
    errno.EOPNOTSUPP: "the disk does not support links",
    errno.ENOTSUP: "the disk does not support links",
    errno.ENOSYS: "the disk does not support links",
    errno.EMLINK: "a file has reached its disk's limit of links",
}
"""Reason why a file cannot be linked, by error number."""


@dataclass(frozen=True, slots=True)
class Copied:
    """Result of `linked_copy`: its folder, with number and bytes of files linked and copied."""

    folder: Path
    linked: int
    """Files shared with the original workspace."""
    linked_bytes: int
    copied: int
    """Files that are not shared."""
    copied_bytes: int
    looks: int
    """Passes over the tables: 1, and 1 more each time the workspace was written to meanwhile."""
    reason: str
    """Sentence why linkable files were copied; empty if none were."""


def linked_copy(source: Workspace, folder: str | Path, *, link: bool = True, queries: bool = True) -> Copied:
    """Copy a workspace to a new folder by hard links, as a consistent state of all its tables.

    The copy is the state between two commits, while users go on writing: tables written to meanwhile are linked again,
    until none was. The writer's lock is not taken, since an index run holds it for minutes and other writers would be
    refused. An index that is being built and not listed yet is left out. `folder` appears only when it is complete.

    Args:
        folder: where to put it; must not exist yet, or be empty. On another disk the bytes are copied, and the result
            says so.
        link: False copies the bytes, so that damage to one workspace leaves the other intact.
        queries: False leaves out the search history and the labelling queues: for a copy that strangers get.
    Raises:
        AccessError: the workspace's access does not allow reading it.
        LockedError: the workspace is written to without a pause.
        StoreError: the workspace is in no folder, `folder` is not empty, inside the workspace, or cannot be written.
    """
    source.require(Right.READ)
    target = Path(folder)
    if source.folder is None:
        raise StoreError(
            f"The workspace {source.uri} is not in a folder on this machine; copy it where it is stored.",
            where=source.uri,
        )
    if target.absolute().is_relative_to(source.folder.absolute()):
        raise StoreError(f"A copy of {source.uri} cannot be inside it; choose another folder.", where=str(target))
    with staging_folder(target) as staging:
        copier = _Copier(source.folder, staging, target, link)
        copier.copy_other_files()
        _copy_until_consistent(source, copier, frozenset() if queries else frozenset({SEARCH_HISTORY}))
        if not queries:
            _forget_queues(staging)
        result = copier.result()
    return result


@contextmanager
def staging_folder(target: Path) -> Iterator[Path]:
    """Yield a new folder to fill, which is renamed to `target` at the end; a failure deletes it.

    Raises:
        StoreError: `target` exists and is not an empty folder, or it cannot be written.
    """
    if target.is_symlink() or (target.exists() and not (target.is_dir() and not any(target.iterdir()))):
        raise StoreError(f"{target} already exists; choose a folder that does not exist yet.", where=str(target))
    staging = unfinished_path(target)
    try:
        with guarded(str(target), "making its folder"):
            staging.mkdir(parents=True)
        yield staging
        with guarded(str(target), "putting it in its place"):
            os.rename(staging, target)
    except FileExistsError as error:
        raise StoreError(
            f"{target} already exists; choose a folder that does not exist yet.", where=str(target)
        ) from error
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _forget_queues(staging: Path) -> None:
    queues = Workspace.open(staging, create=False, access=EVERYTHING).labelling_queues
    names = queues.names()
    if names:
        queues.delete(names)


def _copy_until_consistent(source: Workspace, copier: _Copier, but: frozenset[str]) -> None:
    """Link all tables except some, by name, until none is written to between two passes."""

    def stamps() -> dict[str, str]:
        return {name: stamp for name, stamp in source.table_stamps().items() if name not in but}

    there: Mapping[str, str] = {}
    for _ in range(_LOOKS):
        with suppress(NotFoundError):  # a table was deleted between two passes
            before = stamps()
            copier.looks += 1
            for name in there.keys() - before.keys():
                copier.delete_table(name)
            for name, stamp in before.items():
                if there.get(name) != stamp:
                    copier.copy_table(name)
            there = before
            if stamps() == before:
                return
    raise LockedError(
        f"The workspace {source.uri} is being written to continuously; try again when it is less busy.",
        where=source.uri,
    )


@dataclass(frozen=True, slots=True)
class _CopiedFile:
    linked: bool
    bytes: int
    of: tuple[int, int]
    """Identity of the original: its inode, and the time of its last write."""


class _Copier:
    """Links or copies the files of one workspace folder into another."""

    def __init__(self, source: Path, staging: Path, target: Path, link: bool) -> None:
        self.looks = 0
        self._source, self._staging, self._target, self._link = source, staging, target, link
        self._copies: dict[str, dict[str, _CopiedFile]] = {}
        """Files copied so far, by table and path; those outside the tables are under an empty name."""
        self._reason = ""

    def copy_other_files(self) -> None:
        """Copy the files outside the tables."""
        self._update("", workspace_files(self._source, but=TABLE))

    def copy_table(self, name: str) -> None:
        """Copy a table's current files; if it was copied before, only those that changed."""
        self._update(name, workspace_files(self._source / f"{name}{TABLE}", f"{name}{TABLE}"))

    def delete_table(self, name: str) -> None:
        """Delete the copy of a table."""
        if self._copies.pop(name, None) is not None:
            shutil.rmtree(self._staging / f"{name}{TABLE}", ignore_errors=True)

    def result(self) -> Copied:
        files_copied = [one for files in self._copies.values() for one in files.values()]
        linked, copied = ([one.bytes for one in files_copied if one.linked is is_link] for is_link in (True, False))
        return Copied(self._target, len(linked), sum(linked), len(copied), sum(copied), self.looks, self._reason)

    def _update(self, name: str, files: Iterable[WorkspaceFile]) -> None:
        there = self._copies.setdefault(name, {})
        gone = set(there)
        for file in files:
            copy = self._copy_file(file, there.get(file.path))
            if copy is not None:
                there[file.path] = copy
                gone.discard(file.path)
        for path in gone:
            with guarded(str(self._target), "copying files to it"):
                (self._staging / path).unlink(missing_ok=True)
            del there[path]

    def _copy_file(self, file: WorkspaceFile, before: _CopiedFile | None) -> _CopiedFile | None:
        """Link or copy a file; return None if it is left out of copies, or has disappeared."""
        how = sharing(file.path)
        if how is Sharing.LEAVE_OUT:
            return None
        target = f"{self._staging}/{file.path}"
        with guarded(str(self._target), "copying files to it"), suppress(FileNotFoundError):
            # A missing file was cleared away or replaced; if that matters, the table has another stamp now.
            facts = file.entry.stat(follow_symlinks=False)
            size, of = facts.st_size, (facts.st_ino, facts.st_mtime_ns)
            if before is not None:
                if how is Sharing.LINK and (before.bytes, before.of) == (size, of):
                    return before
                os.unlink(target)  # never rewritten in place: it may be a link
            if how is Sharing.LINK and self._link and self._link_file(file.entry.path, target):
                return _CopiedFile(True, size, of)
            _place(lambda: shutil.copyfile(file.entry.path, target, follow_symlinks=False), target)
            return _CopiedFile(False, size, of)
        return None

    def _link_file(self, source: str, target: str) -> bool:
        try:
            _place(lambda: os.link(source, target, follow_symlinks=False), target)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            self._reason = f"Files were copied instead of linked: {_NO_LINKS[error.errno]}."
            self._link = error.errno == errno.EMLINK  # EMLINK concerns this file only
            return False
        return True


def _place(put: Callable[[], object], target: str) -> None:
    """Call `put`, creating the folder of `target` first if it is missing."""
    try:
        put()
    except FileNotFoundError:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        put()


# -- compacting


@dataclass(frozen=True, slots=True)
class Compacted:
    """Bytes of one workspace's folder before and after compacting it, or that it was locked."""

    path: str
    """Relative to the home folder; empty if the workspace itself was named."""
    before: int
    """Bytes of its folder before."""
    after: int
    locked: bool
    """Another process is writing to it, so nothing was done."""


def compact(home: Path, *, on_progress: Callable[[str, int, int], None] | None = None) -> Iterator[Compacted]:
    """Compact the workspaces of a home folder by `Workspace.tidy`, yielding each one's sizes.

    If `home` is itself a workspace, it is the only one. A locked one is yielded unchanged; one deleted meanwhile is
    skipped. Versions of the last ten minutes stay for readers. At the end, remains of killed copies are deleted beside
    the workspaces (`clear_unfinished`).

    Args:
        on_progress: called with a workspace's path, its number (from 1), and the number of workspaces.
    Raises:
        NotFoundError: there is no workspace.
    """
    folders = workspace_folders(home)
    for number, (path, folder) in enumerate(folders.items(), 1):
        if on_progress is not None:
            on_progress(path, number, len(folders))
        before, locked = folder_bytes(folder), False
        try:
            Workspace.open(folder, create=False).tidy()
        except LockedError:
            locked = True
        except StoreError:
            if is_workspace(folder):
                raise
            continue
        yield Compacted(path, before, folder_bytes(folder), locked)
    for place in {folder.parent for folder in folders.values()}:
        clear_unfinished(place)
