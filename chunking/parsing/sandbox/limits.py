"""Limits of reading one file, set inside the child so that the file cannot evade them."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import asdict, dataclass

__all__ = ["MAX_CHILDREN", "OCR", "OUT_OF_MEMORY", "SECOND_PARSER", "ChildLimits", "apply", "mapped_bytes"]


@dataclass(frozen=True, slots=True)
class ChildLimits:
    """Limits of a child. The defaults are far above what legitimate files of `parsing.MAX_BYTES` took."""

    memory: int = 2 * 2**30
    """Bytes beyond the libraries' own. Not enforced on macOS: there the time limits apply."""
    cpu: int = 180
    """Seconds of computing."""
    wall: int = 300
    """Seconds from start to end, waiting included."""
    result: int = 2**29
    """Bytes of the resulting document: 50 million characters (`text_builder.MAX_CHARACTERS`) and all facts."""
    file: int = 256 * 2**20
    """Bytes of a temporary file: a page image for text recognition."""
    open_files: int = 256

    def as_record(self) -> dict[str, int]:
        """Plain values for the server; `ChildLimits(**record)` restores them."""
        return asdict(self)


OCR = ChildLimits(cpu=1_800, wall=3_600)
"""Text recognition takes seconds a page: 1,800 are some 600 pages."""

SECOND_PARSER = ChildLimits(memory=3 * 2**30, cpu=60, wall=90, result=2**27)
"""A user waits for it; its libraries alone map a gigabyte."""

MAX_CHILDREN = min(max(os.cpu_count() or 2, 2), 4)
"""Files read side by side; more would only share the memory."""

OUT_OF_MEMORY = 12
"""Exit code of a child."""


def apply(limits: ChildLimits) -> None:
    """Apply the limits to this process and those it starts, irreversibly."""
    import resource

    _set(resource.RLIMIT_CORE, 0)  # a dump would hold the user's file
    _set(resource.RLIMIT_CPU, limits.cpu, limits.cpu + 2)  # told apart from other ends by its signal, then for good
    _set(resource.RLIMIT_FSIZE, limits.file)
    _set(resource.RLIMIT_NOFILE, limits.open_files)
    if sys.platform.startswith("linux"):
        _set(resource.RLIMIT_AS, mapped_bytes() + limits.memory)
    signal.alarm(limits.wall + 10)  # should the server that watches the time be gone


def mapped_bytes() -> int:
    """Address space mapped so far: the libraries, mostly shared with the server."""
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def _set(what: int, soft: int, hard: int | None = None) -> None:
    import resource

    most = resource.getrlimit(what)[1]
    values = [
        value if most == resource.RLIM_INFINITY else min(value, most)
        for value in (soft, soft if hard is None else hard)
    ]
    resource.setrlimit(what, (values[0], values[1]))
