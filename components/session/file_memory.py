"""How large a file may be that the server makes for a download: Streamlit holds it in memory, whatever it is given."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from chunking.errors import QuotaError
from components.server.jobs.job_limits import machine_memory

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["BoundedFile", "most_bytes", "too_large"]

_SHARE, _LEAST = 8, 200 * 10**6
"""Of the memory of the machine, its container or unit; and bytes that are let through on any."""


def most_bytes() -> int:
    """Bytes of the largest file that is made; 0 for no limit, where the system does not tell its memory."""
    total = machine_memory()
    return max(_LEAST, total // _SHARE) if total else 0


def too_large(size: float, command: str) -> str:
    """Why a file is not made, as a sentence with the way to it; empty where it is.

    Args:
        size: about how many bytes it will take.
        command: of the command line, which writes it straight to the disk.
    """
    most = most_bytes()
    if not most or size <= most:
        return ""
    return (
        f"This file would take about {size / 1000000000.0:.1f} GB of the server's memory; the limit is "
        f"{most / 1000000000.0:.1f} GB. On the machine itself, {command} writes it to disk."
    )


class BoundedFile(io.BytesIO):
    """A file in memory that ends where it is over the limit, whatever size was expected of it.

    Args:
        command: as `too_large` has it.
    """

    def __init__(self, command: str) -> None:
        super().__init__()
        self._command, self._most = command, most_bytes()

    def write(self, data: ReadableBuffer, /) -> int:
        """Raises QuotaError where there would be too much in it."""
        size = self.tell() + memoryview(data).nbytes
        if self._most and size > self._most:
            raise QuotaError(too_large(size, self._command), where="file_memory")
        return super().write(data)
