"""Settings of the server's process: thread switches, garbage collection, heaps of glibc, and open files.

Short turns and collections keep other people's runs waiting only briefly; fewer heaps let freed memory go back to the
system; each workspace that is open takes up to five files, each browser a connection.
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
    "give_back",
    "keep_waits_short",
    "leave_loaded_out",
    "leave_out_of_collections",
    "limit_arenas",
    "most_open_files",
    "raise_open_files",
]

_TURN = 0.001
"""Seconds that a thread may go on while others want to. Python gives it five times as long, and a run of a page, which
hands its turn over for every file it looks at and every part it draws, waits so long each time."""
_YOUNGEST = 10_000
"""Objects, more than have gone, after which Python looks through the youngest for cycles: a page makes 700 in a moment.
"""

_ARENA_MAX = -8
"""M_ARENA_MAX of `mallopt`."""

NEEDED = 2_048
"""Files and connections of a busy server: 640 of the 128 workspaces that it keeps open, as many browsers, their files,
and its jobs'.
"""
_ENOUGH = 65_536
"""More is not asked for, where nothing limits it."""


def keep_waits_short() -> None:
    """Set it, once at the start."""
    sys.setswitchinterval(_TURN)
    gc.set_threshold(_YOUNGEST)


def leave_out_of_collections() -> None:
    """Have full collections, which stop everybody, pass over what is here now: modules that stay until the server ends,
    and models.

    What was passed over before is looked through once more: sessions that have ended and models that were put away are
    among it, and would stay in memory for ever.
    """
    gc.unfreeze()
    gc.collect()
    gc.freeze()


def leave_loaded_out() -> None:
    """The same for what has been loaded since a server's start; nothing happens where its start was not left out, as in
    tests.
    """
    if gc.get_freeze_count():
        leave_out_of_collections()


def limit_arenas() -> None:
    """Have all threads share a heap for each processor, before there are many of them.

    Left alone, glibc makes up to eight for each, and what is freed in one is of no use to a thread of another: a server
    whose threads come and go held a tenth of its memory as such leftovers.
    """
    glibc = _glibc()
    if glibc is not None:
        glibc.mallopt(_ARENA_MAX, max(2, os.cpu_count() or 1))


def give_back() -> None:
    """Collect what is no longer used, and return what is free. Everybody waits for half a second: for when nobody is
    there.
    """
    leave_out_of_collections()
    glibc = _glibc()
    if glibc is not None:
        glibc.malloc_trim(0)


@cache
def _glibc() -> Any:
    library = ctypes.CDLL(None) if sys.platform == "linux" else None
    return library if hasattr(library, "malloc_trim") else None


def most_open_files() -> int | None:
    """What the system lets a process of this user have open, once it asks; None where it does not say (Windows)."""
    if sys.platform == "win32":
        return None
    import resource

    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    return _ENOUGH if hard == resource.RLIM_INFINITY else hard


def raise_open_files() -> int | None:
    """Ask for as many as this process may have, since it often begins with 1,024. Gives what `most_open_files` does."""
    most = most_open_files()
    if most is None or sys.platform == "win32":
        return None
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != resource.RLIM_INFINITY and soft < min(most, _ENOUGH):
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(most, _ENOUGH), hard))
    return most
