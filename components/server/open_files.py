"""How many files the server may have open: each workspace that somebody works in takes up to five, each browser a
connection.
"""

from __future__ import annotations

import sys

__all__ = ["NEEDED", "most_open_files", "raise_open_files"]

NEEDED = 2_048
"""Files and connections of a busy server: 640 of the 128 workspaces that it keeps open, as many browsers, their files,
and its jobs'.
"""
_ENOUGH = 65_536
"""More is not asked for, where nothing limits it."""


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
