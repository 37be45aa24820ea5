"""Visits of a demo: private, linked copies of a base workspace that end hours after the last click.

A token that the server gave to the browser identifies a visitor. Nobody else can name the copy: its folder bears the
token's hash. The base is the samples, a workspace's folder, or a file that a workspace was saved to.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import shutil
import threading
import time
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

from chunking.deployment.operator_settings import OperatorSettings
from chunking.errors import AccessError, NotFoundError, StoreError
from chunking.store import Role, RoleAccess, Workspace
from chunking.store.copies.home_folder import BASES, COPY, VISITS, clear_removed, remove_folder
from chunking.store.copies.linked_copy import linked_copy
from chunking.store.copies.workspace_files import is_workspace
from chunking.store.workspace_file.archive import FileLimits, open_archive
from chunking.store.workspace_file.opening import open_workspace_file

__all__ = ["MOST_VISITS", "UNTOUCHED", "DemoBase", "Visit", "Visits", "is_token", "visit_id"]

MOST_VISITS = 2_000
"""Most visits at a time on a server.

An unchanged copy takes some hundred directory entries and a few thousand bytes.
"""
_CLICKED = "clicked"
_UNTOUCHED = b"untouched"
"""Content of the click mark until a click after the first page; then empty, as in earlier versions."""
_ID = re.compile(r"[0-9a-f]{24}")
_TOKEN = re.compile(r"[A-Za-z0-9_-]{43}")
_NOTED = 20.0
"""Seconds after which a click is written anew."""
_FIRST = 10.0
"""Seconds in which the first page is drawn, which may run several times."""
UNTOUCHED = 900.0
"""Seconds after which a visit ends that saw only the first page, such as a crawler's."""
_MAKING = 3_600.0
"""Seconds after which a folder that is no visit counts as left over."""


@dataclass(frozen=True, slots=True)
class Visit:
    """A demo visitor's copy of the base workspace, and its last use."""

    id: str
    folder: Path
    """Folder of the workspace."""
    clicked: float
    """Last use, in seconds since 1970."""
    touched: bool = False
    """True if there was a click after the first page."""
    fresh: bool = False
    """True if the copy was made just now."""


def is_token(text: str) -> bool:
    """True if a text has the form of a visitor's token: 43 characters of URL-safe base64."""
    return _TOKEN.fullmatch(text) is not None


def visit_id(token: str) -> str:
    """Return a visitor's id, which is a hash of their token.

    Raises:
        AccessError: the token is malformed.
    """
    if not is_token(token):
        raise AccessError("This visit is unknown; reload the page to start a new one.")
    return hashlib.sha256(token.encode("ascii")).hexdigest()[:24]


class Visits:
    """The copies of all demo visitors.

    Args:
        home: folder of the deployment.
        idle_hours: after the last click, until a visit ends.
        now: the clock, in seconds since 1970.
    """

    def __init__(self, home: Path, idle_hours: float, now: Callable[[], float] = time.time) -> None:
        self.folder = home / VISITS
        self.idle_seconds = idle_hours * 3_600
        self._now = now
        self._lock = threading.Lock()

    def click(self, id: str, base: Callable[[], Workspace], busy: Callable[[], Collection[str]] = tuple) -> Visit:
        """Note a visitor's click, and make a copy if they have none or theirs has ended.

        Args:
            base: opens what the copy is made of.
            busy: gives the addresses of workspaces in which a job waits or runs: those have not ended.
        Raises:
            StoreError: there are `MOST_VISITS` copies already, or the copy cannot be written.
        """
        visit = self._lasting(id, busy)
        if visit is None:
            with self._lock:
                visit = self._lasting(id, busy)
                if visit is None:
                    self._end(id)
                    if sum(1 for _ in self.all()) >= MOST_VISITS:
                        raise StoreError("Too many people are visiting this demo now; come back in an hour.")
                    return self._begin(id, base())
        if self._now() - visit.clicked > (_NOTED if visit.touched else _FIRST):
            self._note(id, touched=True)
        return visit

    def _lasting(self, id: str, busy: Callable[[], Collection[str]]) -> Visit | None:
        """Return a visitor's visit unless it has ended."""
        visit = self._visit(id)
        return visit if visit is not None and (self._left(visit) > 0 or str(visit.folder) in busy()) else None

    def _begin(self, id: str, base: Workspace) -> Visit:
        """Make a visitor's copy.

        The mark comes first: without it the folder would be nobody's and block the next attempt.
        """
        folder = self.folder / id / COPY
        try:
            folder.parent.mkdir(parents=True)
            self._note(id, touched=False)
            linked_copy(base, folder, queries=False)
        except BaseException:
            self._end(id)
            raise
        return Visit(id, folder, self._now(), fresh=True)

    def seconds_left(self, id: str) -> float:
        """Return the seconds until a visit ends without another click; 0 if it has ended."""
        visit = self._visit(id)
        return max(0.0, self._left(visit)) if visit is not None else 0.0

    def all(self) -> Iterator[Visit]:
        """Yield the visits that have not been deleted, in no order."""
        return filter(None, map(self._visit, self._names()))

    def is_ended(self, address: str) -> bool:
        """True if an address is where a visitor's copy would be, and none is there (any more)."""
        folder = Path(address)
        return folder.parent.parent == self.folder and not folder.is_dir()

    def sweep(self, busy: Collection[str] = ()) -> list[str]:
        """Delete ended copies, those unused since the first page, and what killed processes left.

        A copy that cannot be deleted is logged, and retried with the next sweep.

        Args:
            busy: addresses of workspaces in which a job waits or runs: they stay.
        Returns:
            The addresses of the deleted copies.
        """
        clear_removed(self.folder)
        ended = []
        for id in self._names():
            try:
                with self._lock:
                    visit = self._visit(id)
                    if visit is not None and self._is_over(visit) and str(visit.folder) not in busy:
                        self._end(id)
                        ended.append(str(visit.folder))
                    elif visit is None and self._is_left_over(id):
                        self._end(id)
            except OSError:
                logging.getLogger(__name__).exception("An ended visit could not be deleted.")
        return ended

    def _names(self) -> list[str]:
        """Return the names of all folders, of visits or not."""
        try:
            return os.listdir(self.folder)
        except FileNotFoundError:
            return []

    def _is_left_over(self, name: str) -> bool:
        """True if a folder that is no visit was left by a killed process."""
        try:
            return self._now() - (self.folder / name).stat().st_mtime > _MAKING
        except FileNotFoundError:
            return False

    def _visit(self, id: str) -> Visit | None:
        """Return a visit that has both its mark and its finished copy."""
        if not _ID.fullmatch(id):
            return None
        folder = self.folder / id / COPY
        try:
            mark = (folder.parent / _CLICKED).stat()
        except FileNotFoundError:
            return None
        return Visit(id, folder, mark.st_mtime, touched=mark.st_size == 0) if folder.is_dir() else None

    def _left(self, visit: Visit) -> float:
        return visit.clicked + self.idle_seconds - self._now()

    def _is_over(self, visit: Visit) -> bool:
        return self._left(visit) <= 0 or (not visit.touched and self._now() - visit.clicked > UNTOUCHED)

    def _note(self, id: str, *, touched: bool) -> None:
        mark = self.folder / id / _CLICKED
        mark.write_bytes(b"" if touched else _UNTOUCHED)
        os.utime(mark, (self._now(), self._now()))

    def _end(self, name: str) -> None:
        remove_folder(self.folder / name)


class DemoBase:
    """Workspace that demo visitors get copies of: the operator's folder or file. Thread-safe.

    Args:
        settings: of the operator.
    """

    def __init__(self, settings: OperatorSettings) -> None:
        name = settings.sharing.demo_base
        self.named = Path(name).expanduser() if name else None
        """The operator's folder or file; None for the samples."""
        self._bases = settings.home / BASES
        self._lock = threading.Lock()
        self._folder: Path | None = None

    def open(self) -> Workspace:
        """Open the base read-only; a file is unpacked first, once in a server's life.

        Raises:
            NotFoundError: there is no such folder or file.
            WorkspaceFileError: the file is none of a workspace, or damaged.
            StoreError: it cannot be read, or its folder not be written.
        """
        assert self.named is not None, "the samples are no folder of the operator's"
        with self._lock:
            if self._folder is None:
                self._folder = self._copy_of(self.named) if self.named.is_file() else self.named
        return Workspace.open(self._folder, create=False, access=RoleAccess(Role.VIEWER))

    def check(self) -> Workspace | None:
        """Open the base like `open`, but write nothing.

        None for a file that passes the check of its list and has not been unpacked yet.
        """
        assert self.named is not None, "the samples are no folder of the operator's"
        folder = self._place(self.named) if self.named.is_file() else self.named
        if self.named.is_file() and not is_workspace(folder):
            with open_archive(self.named, FileLimits()):
                return None
        return Workspace.open(folder, create=False, access=RoleAccess(Role.VIEWER))

    def _copy_of(self, file: Path) -> Path:
        folder = self._place(file)
        if not is_workspace(folder):
            try:
                open_workspace_file(file, folder)
            except StoreError:
                if not is_workspace(folder):  # else another process was faster
                    raise
        for other in self._bases.iterdir():
            if other != folder:  # of the file before; visitors' copies do not need it
                shutil.rmtree(other, ignore_errors=True)
        return folder

    def _place(self, file: Path) -> Path:
        """Return the folder to unpack a file to; its name depends on the file's path, size and date."""
        try:
            about = file.stat()
        except OSError as error:
            raise NotFoundError(
                "The demo template is missing; tell whoever runs this server.", where=str(file)
            ) from error
        key = f"{file.absolute()}\n{about.st_size}\n{about.st_mtime_ns}"
        return self._bases / hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()[:16]
