"""What visitors of a demo get copies of: the samples, a workspace's folder, or a file that a workspace was saved to."""

from __future__ import annotations

import hashlib
import shutil
import threading
from pathlib import Path

from chunking.deployment.operator_settings import OperatorSettings
from chunking.errors import NotFoundError, StoreError
from chunking.store import Role, RoleAccess, Workspace
from chunking.store.copies.home_folder import BASES
from chunking.store.copies.workspace_files import is_workspace
from chunking.store.workspace_file.archive import opened_archive
from chunking.store.workspace_file.file_format import FileLimits
from chunking.store.workspace_file.opening import open_workspace_file

__all__ = ["DemoBase"]


class DemoBase:
    """The base as the operator has named it. Thread-safe.

    Args:
        settings: of the operator.
    """

    def __init__(self, settings: OperatorSettings) -> None:
        name = settings.sharing.demo_base
        self.named = Path(name).expanduser() if name else None
        """What the operator has named; None for the samples."""
        self._bases = settings.home / BASES
        self._lock = threading.Lock()
        self._made: Path | None = None

    def open(self) -> Workspace:
        """It, to be read alone; a file is opened to a folder of its own first, once in the life of a server.

        Raises:
            NotFoundError: there is no such folder or file.
            WorkspaceFileError: the file is none of a workspace, or damaged.
            StoreError: it cannot be read, or its folder not be written.
        """
        assert self.named is not None, "the samples are no folder of the operator's"
        with self._lock:
            if self._made is None:
                self._made = self._opened(self.named) if self.named.is_file() else self.named
        return Workspace.open(self._made, create=False, access=RoleAccess(Role.VIEWER))

    def check(self) -> Workspace | None:
        """As `open`, and nothing is made: None for a file that is whole as far as its list says, and opened at the
        server's next start.
        """
        assert self.named is not None, "the samples are no folder of the operator's"
        folder = self._place(self.named) if self.named.is_file() else self.named
        if self.named.is_file() and not is_workspace(folder):
            with opened_archive(self.named, FileLimits()):
                return None
        return Workspace.open(folder, create=False, access=RoleAccess(Role.VIEWER))

    def _opened(self, file: Path) -> Path:
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
        """Where a file is opened to; the name says which file, of which size and date."""
        try:
            about = file.stat()
        except OSError as error:
            raise NotFoundError(
                "The base of demos is missing; tell whoever runs this server.", where=str(file)
            ) from error
        key = f"{file.absolute()}\n{about.st_size}\n{about.st_mtime_ns}"
        return self._bases / hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()[:16]
