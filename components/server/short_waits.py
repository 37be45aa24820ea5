"""How Python is set in a server, so that one person's run keeps the others waiting only briefly: short turns, and short
collections.
"""

from __future__ import annotations

import gc
import sys

__all__ = ["keep_waits_short", "leave_loaded_out", "leave_out_of_collections"]

_TURN = 0.001
"""Seconds that a thread may go on while others want to. Python gives it five times as long, and a run of a page, which
hands its turn
over for every file it looks at and every part it draws, waits so long each time."""
_YOUNGEST = 10_000
"""Objects, more than have gone, after which Python looks through the youngest for cycles: a page makes 700 in a moment.
"""


def keep_waits_short() -> None:
    """Set it, once at the start."""
    sys.setswitchinterval(_TURN)
    gc.set_threshold(_YOUNGEST)


def leave_out_of_collections() -> None:
    """Have full collections, which stop everybody, pass over what is here now: modules that stay until the server ends,
    and models.

    What was passed over before is looked through once more: sessions that have ended and models that were put away are
    among it, and
    would stay in memory for ever.
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
