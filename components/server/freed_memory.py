"""Memory that the server has freed goes back to the system, as far as the allocator of glibc lets it; elsewhere nothing
happens.
"""

from __future__ import annotations

import ctypes
import os
import sys
from functools import cache
from typing import Any

from components.server.short_waits import leave_out_of_collections

__all__ = ["give_back", "limit_arenas"]

_ARENA_MAX = -8
"""M_ARENA_MAX of `mallopt`."""


def limit_arenas() -> None:
    """Have all threads share a heap for each processor, before there are many of them.

    Left alone, glibc makes up to eight for each, and what is freed in one is of no use to a thread of another: a server
    whose threads
    come and go held a tenth of its memory as such leftovers.
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
