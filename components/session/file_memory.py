"""Size limit of downloads made by the server, as Streamlit holds each in memory."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from chunking.errors import QuotaError
from components.server.jobs.job_limits import machine_memory

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer

__all__ = ["BoundedFile", "most_bytes", "too_large"]

_SHARE, _LEAST = 8, 200 * 10**6
"""Divisor of the machine's memory, and bytes that are always allowed."""


def most_bytes() -> int:
    """Return the size limit of a download in bytes; 0 for no limit if the memory is unknown.

    It is an eighth of the machine's memory, at least 200 MB.
    """
    total = machine_memory()
    return max(_LEAST, total // _SHARE) if total else 0


def too_large(size: float, command: str) -> str:
    """Return why a download is too large, with the command to use instead; empty if it is not.

    Args:
        size: estimated bytes.
        command: command that writes the file straight to the disk.
    """
    most = most_bytes()
    if not most or size <= most:
        return ""
    return (
        f"This file would take about {size / 1000000000.0:.1f} GB of the server's memory; the limit is "
        f"{most / 1000000000.0:.1f} GB. On the machine itself, {command} writes it to disk."
    )


class BoundedFile(io.BytesIO):
    """An in-memory file; a write beyond the size limit raises QuotaError.

    Args:
        command: see `too_large`.
    """

    def __init__(self, command: str) -> None:
        super().__init__()
        self._command, self._most = command, most_bytes()

    def write(self, data: ReadableBuffer, /) -> int:
        """Write bytes; raises QuotaError if the file becomes too large."""
        size = self.tell() + memoryview(data).nbytes
        if self._most and size > self._most:
            raise QuotaError(too_large(size, self._command), where="file_memory")
        return super().write(data)
