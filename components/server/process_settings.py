"""Settings of the server's process: thread switches, garbage collection, glibc heaps, open files.

Short switches and collections keep other people's runs waiting only briefly; fewer heaps let freed memory return to the
system; each open workspace takes up to five files, each browser a connection.
"""

from __future__ import annotations

import ctypes
import gc
import os
import sys
from functools import cache
from typing import Any

__all__ = [
    "NEEDED",
    "exclude_new_objects",
    "exclude_objects",
    "limit_arenas",
    "most_open_files",
    "raise_open_files",
    "release_memory",
    "shorten_waits",
]

_TURN = 0.001
"""Seconds that a thread may run while others wait. Python's default is five times as long, and a page run, which gives
up its turn for every file it checks and every element it draws, waits that long each time."""
_YOUNGEST = 10_000
"""New objects after which Python collects the youngest generation: a page creates 700 in a moment."""

_ARENA_MAX = -8
"""M_ARENA_MAX of `mallopt`."""

NEEDED = 2_048
"""Files and connections of a busy server: 640 for the 128 workspaces that it keeps open, as many browsers with their
files, and its jobs."""
_ENOUGH = 65_536
"""Limit to request if the system has none."""


def shorten_waits() -> None:
    """Shorten the thread switch interval and collect young objects less often; call it once."""
    sys.setswitchinterval(_TURN)
    gc.set_threshold(_YOUNGEST)


def exclude_objects() -> None:
    """Run a full collection, then exclude all remaining objects from later ones (`gc.freeze`).

    Such objects are modules and models. A full collection stops every thread. Objects excluded before are collected
    once more first: ended sessions and unloaded models among them would otherwise stay in memory for ever.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def exclude_new_objects() -> None:
    """Call `exclude_objects` again, for what was loaded since the server's start.

    Does nothing where the start excluded nothing, as in tests.
    """
    if gc.get_freeze_count():
        exclude_objects()


def limit_arenas() -> None:
    """Limit glibc to one heap per processor, at least two; call it before many threads exist.

    Does nothing without glibc. By default there are up to eight for each, and memory freed in one is useless to a
    thread of another: a server whose threads come and go held a tenth of its memory as such leftovers.
    """
    glibc = _glibc()
    if glibc is not None:
        glibc.mallopt(_ARENA_MAX, max(2, os.cpu_count() or 1))


def release_memory() -> None:
    """Collect garbage with `exclude_objects`, and return free memory to the system (glibc only).

    Stops all threads for half a second, so call it when nobody is there.
    """
    exclude_objects()
    glibc = _glibc()
    if glibc is not None:
        glibc.malloc_trim(0)


@cache
def _glibc() -> Any:
    library = ctypes.CDLL(None) if sys.platform == "linux" else None
    return library if hasattr(library, "malloc_trim") else None


def most_open_files() -> int | None:
    """Return the hard limit of this process's open files, 65,536 if unlimited; None on Windows."""
    if sys.platform == "win32":
        return None
    import resource

    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return _ENOUGH if hard == resource.RLIM_INFINITY else hard


def raise_open_files() -> int | None:
    """Raise this process's limit of open files, often 1,024, to the most allowed, up to 65,536.

    Returns:
        `most_open_files`; None on Windows, where nothing is changed.
    """
    most = most_open_files()
    if most is None or sys.platform == "win32":
        return None
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < min(most, _ENOUGH):
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, _ENOUGH), hard))
    return most
