"""Limits checked before work begins; on a personal machine only the floor of free disk.

`hosting/` limits people further (`hosting.quotas`).
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from chunking.deployment.operator_settings import LimitSettings, OperatorSettings
from chunking.display import GIGABYTE, bytes_text
from chunking.errors import QuotaError, StoreError
from chunking.llm.metering import Meter

__all__ = ["Quotas", "existing_folder", "free_bytes", "reading_disk"]


class Quotas:
    """Limits of a deployment; each check raises QuotaError. Thread-safe.

    Here only the free disk is limited; `hosting/` overrides the empty checks.

    Args:
        settings: of the operator.
        free: function from a folder to the free bytes of its disk.
    """

    def __init__(self, settings: OperatorSettings, free: Callable[[Path], int] | None = None) -> None:
        self._settings, self._free = settings, free or free_bytes

    @property
    def limits(self) -> LimitSettings:
        """Limits set by the operator."""
        return self._settings.limits

    def check_disk(self, person: str, adding: int = 0, *, uri: str = "") -> None:
        """Raise QuotaError if too little of the disk would stay free for something new.

        Args:
            person: whose workspaces are measured (in `hosting/` only).
            adding: bytes about to come, where known.
            uri: address of the workspace, where there is one: it counts as its owners'.
        """
        if short := self.shortage(adding):
            raise QuotaError(
                (
                    f"Nothing new can start: {short}. Reading and searching still work; delete documents or "
                    f"indexes, or ask whoever runs the server for more space."
                ),
                where="free_disk",
            )

    def shortage(self, adding: int = 0) -> str:
        """Return the middle of a sentence if too little of the disk would stay free, else "".

        Args:
            adding: bytes about to come.
        """
        free, floor = self._free(self._settings.home), self.limits.free_disk * GIGABYTE
        return (
            f"the disk of this server has {bytes_text(free)} free, and {bytes_text(floor)} stay free"
            if free - adding < floor
            else ""
        )

    def check_owning(self, person: str, folder: Path, *, heir: str = "") -> None:
        """Raise QuotaError unless a person may become an owner of a workspace; here never.

        Args:
            folder: of the workspace; the person's share of it counts once.
            heir: name of the person, if somebody else reads the message.
        """

    def check_documents(self, *, there: int, adding: int, characters: int, more: int) -> None:
        """Raise QuotaError unless documents may be added to a workspace; here never.

        Args:
            there, characters: documents of the workspace and their characters, without those replaced.
            adding, more: documents about to come, and their characters.
        """

    def check_file(self, *, documents: int = 0, characters: int = 0, chunks: int = 0) -> None:
        """Raise QuotaError unless a file may become a workspace; here never.

        Args:
            documents, characters: in the file.
            chunks: of its largest index.
        """

    def check_chunks(self, chunks: int) -> None:
        """Raise QuotaError unless an index may have this many chunks; here never."""

    def check_configurations(self, configurations: int) -> None:
        """Raise QuotaError unless a sweep may try this many configurations; here never."""

    def check_llm(self, person: str, requests: int = 1, cost: float = 0.0) -> None:
        """Raise QuotaError unless a person may send requests to the model servers; here never.

        Args:
            requests, cost: about to be sent, and their price where known.
        """

    def meter(self, person: str) -> Meter | None:
        """Return the counter of a person's requests to model servers; None, as here: no limit."""
        return None

    def check_search(self, person: str) -> None:
        """Count a person's search; QuotaError if they search in a loop. Here it does nothing."""


def existing_folder(folder: Path) -> Path:
    """Return the folder, or its nearest existing parent."""
    return next((one for one in (folder, *folder.absolute().parents) if one.is_dir()), Path("/"))


def free_bytes(folder: Path) -> int:
    """Return the free bytes of the disk of a folder or its nearest existing parent. Raises StoreError."""
    with reading_disk(folder):
        return shutil.disk_usage(existing_folder(folder)).free


@contextmanager
def reading_disk(folder: Path) -> Iterator[None]:
    """Turn errors of the disk under a folder into StoreError."""
    try:
        yield
    except StoreError:
        raise
    except OSError as error:
        message = (
            f"How full the disk of {folder} is cannot be told ({error.strerror or error}); an operator can run "
            f"chunkscope doctor."
        )
        raise StoreError(message, where=str(folder)) from error
