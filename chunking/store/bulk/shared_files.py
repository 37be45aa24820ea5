"""Files that all processes of a run see, in a folder or in object storage."""

from __future__ import annotations

import os
import shutil
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Protocol
from uuid import uuid4

from chunking.store.bulk.arrow_files import read_arrow, write_arrow
from chunking.store.bulk.fragments import pylance
from chunking.store.engine.store_opening import local_folder

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["SharedFiles", "shared_files"]


class SharedFiles(Protocol):
    """Protocol of the files below a place, by names such as `cut/000001.json`.

    A file appears when it is complete. Errors are those of the storage: callers turn them into a sentence
    (`faults.guarded`).
    """

    def read(self, name: str) -> bytes | None:
        """Return a file; None if it is missing."""

    def create(self, name: str, data: bytes) -> None:
        """Write a file, unless there is one of that name."""

    def read_table(self, name: str) -> pa.Table:
        """Return the table in a file of `write_table`."""

    def write_table(self, name: str, table: pa.Table) -> None:
        """Write a table to a file, replacing an earlier one."""

    def names(self, folder: str) -> list[str]:
        """Return the names of what is in a folder, files and subfolders; empty: at the place itself."""

    def make(self) -> None:
        """Create the place."""

    def remove(self) -> None:
        """Delete the place and all below it."""


def shared_files(place: str) -> SharedFiles:
    """Return the files below a folder or an address of object storage."""
    folder = local_folder(place)
    return _ObjectFiles(place) if folder is None else _FolderFiles(folder)


class _FolderFiles:
    """SharedFiles of a folder, which all processes see under the same path."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def read(self, name: str) -> bytes | None:
        try:
            return (self._folder / name).read_bytes()
        except FileNotFoundError:
            return None

    def create(self, name: str, data: bytes) -> None:
        place = self._place(name)
        unfinished = place.with_name(f"{place.name}.{uuid4().hex[:8]}#")
        unfinished.write_bytes(data)
        with suppress(FileExistsError):
            os.link(unfinished, place)
        unfinished.unlink()

    def read_table(self, name: str) -> pa.Table:
        return read_arrow(self._folder / name)

    def write_table(self, name: str, table: pa.Table) -> None:
        write_arrow(self._place(name), table)

    def names(self, folder: str) -> list[str]:
        try:
            return os.listdir(self._folder / folder)
        except FileNotFoundError:
            return []

    def make(self) -> None:
        self._folder.mkdir(parents=True)

    def remove(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def _place(self, name: str) -> Path:
        place = self._folder / name
        place.parent.mkdir(exist_ok=True)  # not its parents: a workspace that is gone is not made again
        return place


class _ObjectFiles:
    """SharedFiles in object storage, read and written by Lance with the credentials of the tables beside them.

    `create` looks before it writes. Of two processes that do so at the same moment the later one replaces the file.
    """

    def __init__(self, address: str) -> None:
        self._address = address

    def __reduce__(self) -> tuple[type[_ObjectFiles], tuple[str]]:
        return _ObjectFiles, (self._address,)  # each process has its own connection

    @cached_property
    def _session(self) -> Any:
        pylance()
        from lance.file import LanceFileSession

        return LanceFileSession(self._address)

    def read(self, name: str) -> bytes | None:
        if not self._session.contains(name):
            return None
        with TemporaryDirectory() as folder:
            return self._downloaded(name, folder).read_bytes()

    def create(self, name: str, data: bytes) -> None:
        if self._session.contains(name):
            return
        with TemporaryDirectory() as folder:
            file = Path(folder, "file")
            file.write_bytes(data)
            self._session.upload_file(str(file), name)

    def read_table(self, name: str) -> pa.Table:
        with TemporaryDirectory() as folder:
            return read_arrow(self._downloaded(name, folder))

    def write_table(self, name: str, table: pa.Table) -> None:
        with TemporaryDirectory() as folder:
            file = Path(folder, "file")
            write_arrow(file, table)
            self._session.upload_file(str(file), name)

    def names(self, folder: str) -> list[str]:
        listed = self._session.list_with_delimiter(folder or None)
        return [name.rpartition("/")[2] for name in (*listed.common_prefixes, *listed.objects)]

    def make(self) -> None:
        """Do nothing: object storage has no folders."""

    def remove(self) -> None:
        with ThreadPoolExecutor() as pool:
            list(pool.map(self._session.delete_file, self._session.list()))

    def _downloaded(self, name: str, folder: str) -> Path:
        file = Path(folder, "file")
        self._session.download_file(name, str(file))
        return file
