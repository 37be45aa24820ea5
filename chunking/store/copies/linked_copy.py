"""Copy a workspace by links, in milliseconds and no bytes, and compact workspaces.

Used for a private copy of a shared base, a duplicate, a backup on the same disk, and a frozen version. LanceDB's own
versions and tags do not serve the last: `optimize()` raises on a table with a tagged old version, and tags vanish with
the table of an index that is rebuilt. A copy holds no other table back and outlives every one.
"""

from __future__ import annotations

import errno
import os
import shutil
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from chunking.errors import LockedError, NotFoundError, StoreError
from chunking.store.access import EVERYTHING, Right
from chunking.store.copies.home_folder import RANDOM_DIGITS, UNFINISHED, clear_unfinished, workspace_folders
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

if TYPE_CHECKING:
    from chunking.store.workspace import Workspace

__all__ = ["Copied", "compact", "linked_copy", "made_whole"]

_LOOKS = 50
"""At the tables, each after those that were written to meanwhile are linked again."""
_NO_LINKS = {
    errno.EXDEV: "the two folders are on different disks",
    errno.EPERM: "the disk or its owner does not allow links",
    errno.EACCES: "the disk or its owner does not allow links",
    errno.EOPNOTSUPP: "the disk does not support links",
    errno.ENOTSUP: "the disk does not support links",
    errno.ENOSYS: "the disk does not support links",
    errno.EMLINK: "a file has reached its disk's limit of links",
}
"""Why a file cannot have a second name, by what the system says."""


@dataclass(frozen=True, slots=True)
class Copied:
    """What a copy is made of."""

    folder: Path
    linked: int
    """Files that it shares with the workspace it was made from."""
    linked_bytes: int
    copied: int
    """Files of its own."""
    copied_bytes: int
    looks: int
    """How often the tables were looked at: 1, and 1 more each time somebody had written meanwhile."""
    reason: str
    """Why files were copied that could have been linked, as a sentence; empty where there are none."""


def linked_copy(source: Workspace, folder: str | Path, *, link: bool = True, queries: bool = True) -> Copied:
    """Make a workspace of a workspace.

    It is the state between two commits, of all tables together, while people write: the tables that were written to
    meanwhile are looked at again, and what has come or changed in them is linked, until none was. The writer's lock is
    not taken: a build holds it for minutes, and who would write meanwhile would be refused. An index that is being
    built and not listed yet is left out. Nothing is found at `folder` before all of it is there.

    Args:
        folder: where it is to be; nothing may be there yet. On another disk the bytes are copied, and the result says
            so.
        link: False copies the bytes, so that damage to one is none to the other.
        queries: False leaves out what people have searched for, as the history and as queues to be labelled: for a copy
            that strangers get.
    Raises:
        AccessError: who the workspace was opened for may not read it.
        LockedError: somebody writes without a pause.
        StoreError: the workspace is in no folder, something is at `folder` already, or it cannot be written.
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
    with made_whole(target) as staging:
        copier = _Copier(source.folder, staging, target, link)
        copier.rest()
        _until_still(source, copier, frozenset() if queries else frozenset({SEARCH_HISTORY}))
        if not queries:
            _forget_queues(staging)
        result = copier.result()
    return result


@contextmanager
def made_whole(target: Path) -> Iterator[Path]:
    """Yield a staging folder that becomes `target` at the end; a failure deletes it.

    Raises:
        StoreError: there is something already, or it cannot be written.
    """
    if target.is_symlink() or (target.exists() and not (target.is_dir() and not any(target.iterdir()))):
        raise StoreError(f"{target} already exists; choose a folder that does not exist yet.", where=str(target))
    staging = target.with_name(f".{target.name}.{uuid.uuid4().hex[:RANDOM_DIGITS]}{UNFINISHED}")
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
    from chunking.store.workspace import Workspace

    queues = Workspace.open(staging, create=False, access=EVERYTHING).labelling_queues
    names = queues.names()
    if names:
        queues.delete(names)


def _until_still(source: Workspace, copier: _Copier, but: frozenset[str]) -> None:
    """Link all tables, but some by their names, until none was written to between two looks."""

    def stamps() -> dict[str, str]:
        return {name: stamp for name, stamp in source.table_stamps().items() if name not in but}

    there: Mapping[str, str] = {}
    for _ in range(_LOOKS):
        with suppress(NotFoundError):  # a table was deleted between two looks: the next one knows
            before = stamps()
            copier.looks += 1
            for name in there.keys() - before.keys():
                copier.drop(name)
            for name, stamp in before.items():
                if there.get(name) != stamp:
                    copier.table(name)
            there = before
            if stamps() == before:
                return
    raise LockedError(
        f"The workspace {source.uri} is being written to continuously; try again when it is less busy.",
        where=source.uri,
    )


@dataclass(frozen=True, slots=True)
class _CopiedFile:
    """A file of a copy."""

    linked: bool
    bytes: int
    of: tuple[int, int]
    """What tells the file that it was taken from, with its bytes, from another one of its name: its number on the disk,
    and when it was written."""


class _Copier:
    """Puts the files of one folder into another."""

    def __init__(self, source: Path, staging: Path, target: Path, link: bool) -> None:
        self.looks = 0
        self._source, self._staging, self._target, self._link = source, staging, target, link
        self._copies: dict[str, dict[str, _CopiedFile]] = {}
        """Of each table, by path, what was taken of its files; an empty name for what stands beside them."""
        self._reason = ""

    def rest(self) -> None:
        """What stands beside the tables."""
        self._bring_up("", workspace_files(self._source, but=TABLE))

    def table(self, name: str) -> None:
        """Copy a table's current files; of an earlier copy only those that differ."""
        self._bring_up(name, workspace_files(self._source / f"{name}{TABLE}", f"{name}{TABLE}"))

    def drop(self, name: str) -> None:
        """Undo `table`."""
        if self._copies.pop(name, None) is not None:
            shutil.rmtree(self._staging / f"{name}{TABLE}", ignore_errors=True)

    def result(self) -> Copied:
        """What was put there."""
        files_copied = [one for files in self._copies.values() for one in files.values()]
        linked, copied = ([one.bytes for one in files_copied if one.linked is is_link] for is_link in (True, False))
        return Copied(self._target, len(linked), sum(linked), len(copied), sum(copied), self.looks, self._reason)

    def _bring_up(self, name: str, files: Iterable[WorkspaceFile]) -> None:
        there = self._copies.setdefault(name, {})
        gone = set(there)
        for file in files:
            copy = self._take(file, there.get(file.path))
            if copy is not None:
                there[file.path] = copy
                gone.discard(file.path)
        for path in gone:
            with guarded(str(self._target), "copying files to it"):
                (self._staging / path).unlink(missing_ok=True)
            del there[path]

    def _take(self, file: WorkspaceFile, before: _CopiedFile | None) -> _CopiedFile | None:
        """A file as it is now; None where it is no part of a copy, or gone."""
        how = sharing(file.path)
        if how is Sharing.LEAVE_OUT:
            return None
        target = f"{self._staging}/{file.path}"
        with guarded(str(self._target), "copying files to it"), suppress(FileNotFoundError):
            # One that is gone was cleared away or replaced; where that matters, the table has another stamp now.
            facts = file.entry.stat(follow_symlinks=False)
            size, of = facts.st_size, (facts.st_ino, facts.st_mtime_ns)
            if before is not None:
                if how is Sharing.LINK and (before.bytes, before.of) == (size, of):
                    return before
                os.unlink(target)  # never written to in its place: it may be a link
            if how is Sharing.LINK and self._link and self._linked(file.entry.path, target):
                return _CopiedFile(True, size, of)
            _placed(lambda: shutil.copyfile(file.entry.path, target, follow_symlinks=False), target)
            return _CopiedFile(False, size, of)
        return None

    def _linked(self, source: str, target: str) -> bool:
        try:
            _placed(lambda: os.link(source, target, follow_symlinks=False), target)
        except OSError as error:
            if error.errno not in _NO_LINKS:
                raise
            self._reason = f"Files were copied instead of linked: {_NO_LINKS[error.errno]}."
            self._link = error.errno == errno.EMLINK  # of the next file that may not be so
            return False
        return True


def _placed(put: Callable[[], object], target: str) -> None:
    """Put a file there; its folder is made where there is none."""
    try:
        put()
    except FileNotFoundError:
        os.makedirs(os.path.dirname(target), exist_ok=True)
        put()


# -- compacting


@dataclass(frozen=True, slots=True)
class Compacted:
    """What came of it for a workspace."""

    path: str
    """In the home folder; empty for the workspace that was named itself."""
    before: int
    """Bytes of its folder."""
    after: int
    locked: bool
    """Somebody is writing to it: nothing was done."""


def compact(home: Path, *, on_progress: Callable[[str, int, int], None] | None = None) -> Iterator[Compacted]:
    """Tidy one workspace or all of a home folder; versions of the last ten minutes stay for readers.

    One that is deleted meanwhile is passed over.

    Args:
        on_progress: told a workspace's path, which of how many it is (from 1), and how many there are.
    Raises:
        NotFoundError: there is none.
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
