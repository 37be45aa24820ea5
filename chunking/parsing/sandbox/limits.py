"""How much reading one file may take. Set inside the child, so that nothing a file does can get round them."""

from __future__ import annotations

import os
import signal
import sys
from dataclasses import asdict, dataclass

__all__ = ["MAX_CHILDREN", "OCR", "OUT_OF_MEMORY", "SECOND_PARSER", "ChildLimits", "apply", "mapped_bytes"]


@dataclass(frozen=True, slots=True)
class ChildLimits:
    """Of one child. The defaults are far above what files of `parsing.MAX_BYTES` took that somebody wanted read."""

    memory: int = 2 * 2**30
    """Bytes over what the libraries themselves take. Not on macOS, which does not keep to it: there the time limits
    hold.
    """
    cpu: int = 180
    """Seconds of computing."""
    wall: int = 300
    """Seconds from start to end, waiting included."""
    result: int = 2**29
    """Bytes of the document that comes back: 50 million characters (`text_builder.MAX_CHARACTERS`) and all that is said
    of them.
    """
    file: int = 256 * 2**20
    """Bytes of a temporary file: the image of a page on its way to text recognition."""
    open_files: int = 256

    def as_record(self) -> dict[str, int]:
        """Plain values, as they travel to the server; `ChildLimits(**record)` makes them again."""
        return asdict(self)


OCR = ChildLimits(cpu=1_800, wall=3_600)
"""Text recognition takes seconds a page: 1,800 are some 600 pages."""

SECOND_PARSER = ChildLimits(memory=3 * 2**30, cpu=60, wall=90, result=2**27)
"""Somebody waits for it; its libraries alone map a gigabyte."""

MAX_CHILDREN = min(max(os.cpu_count() or 2, 2), 4)
"""Files read side by side; more would only share the memory."""

OUT_OF_MEMORY = 12
"""Exit code of a child."""


def apply(limits: ChildLimits) -> None:
    """Bind the calling process, and the processes it starts, to the limits; there is no way back."""
    import resource

    _set(resource.RLIMIT_CORE, 0)  # a dump would hold the user's file
    _set(resource.RLIMIT_CPU, limits.cpu, limits.cpu + 2)  # told apart from other ends by its signal, then for good
    _set(resource.RLIMIT_FSIZE, limits.file)
    _set(resource.RLIMIT_NOFILE, limits.open_files)
    if sys.platform.startswith("linux"):
        _set(resource.RLIMIT_AS, mapped_bytes() + limits.memory)
    signal.alarm(limits.wall + 10)  # should the server that watches the time be gone


def mapped_bytes() -> int:
    """Address space that this process has mapped already: what the libraries take, most of it shared with the server."""
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
