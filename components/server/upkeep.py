"""What a server does now and then while it runs: visits of a demo that are over, workspaces long in the bin, what snapshots and copies
that were cut short have left are deleted; what sessions held that are over is given back."""

from __future__ import annotations

import logging
import threading

from chunking.deployment import Deployment, Mode
from chunking.errors import ChunkscopeError
from chunking.store.copies.home_folder import BASES, SNAPSHOTS, VISITS, WORKSPACES, clear_removed, clear_unfinished, remove_folder
from components.server.freed_memory import give_back
from components.server.session_owners import end_lost_sessions
from components.session.identity import deployment
from components.session.jobs import jobs

__all__ = ["begin_upkeep", "upkeep"]

_PLACES = (WORKSPACES, BASES, f"{SNAPSHOTS}/*", f"{VISITS}/*")
"""In the home folder: where workspaces stand besides it, and what a killed copy or save of one has left."""
EVERY = 60.0
"""Seconds between two rounds."""


def begin_upkeep(stop: threading.Event) -> None:
    """Go round in a thread until `stop` is set, in every mode: one person's deleted workspaces are in the bin for a while, too."""
    try:
        here = deployment()
    except ChunkscopeError as error:  # every page says it too
        logging.getLogger(__name__).error("Nobody is let in: the operator's settings cannot be used. %s", error)
        return
    threading.Thread(target=_rounds, args=(here, stop), name="upkeep", daemon=True).start()


def _rounds(here: Deployment, stop: threading.Event) -> None:
    while not stop.wait(EVERY):
        try:
            upkeep(here, jobs().busy)
            release()
        except (ChunkscopeError, OSError) as error:
            logging.getLogger(__name__).warning("Upkeep failed and will be tried again. %s", error)


def release() -> None:
    """Give back what sessions held that are over."""
    # What these import takes seconds: not while the server starts.
    from components.session.measured_documents import forget_measured
    from components.session.workspace import close_unused, forget_documents, is_anybody_here

    over = end_lost_sessions() + close_unused()
    if over and not is_anybody_here():
        forget_documents()
        forget_measured()
        give_back()


def upkeep(here: Deployment, busy: frozenset[str]) -> None:
    """One round.

    Args:
        busy: addresses of workspaces in which a job waits or runs.
    """
    match here.settings.sharing.mode:
        case Mode.DEMO:
            here.visits.sweep(busy)
        case Mode.TEAM:
            here.snapshots.sweep()
    home = here.settings.home
    for place in (home, *(found for pattern in _PLACES for found in home.glob(pattern))):
        clear_unfinished(place)
    for id in here.workspaces.outdated(here.settings.sharing.bin_days):
        place = here.workspaces.place(id)
        if str(place) not in busy:
            remove_folder(place)
            if not place.exists():
                here.workspaces.forget(id)
            clear_removed(place.parent)  # of a removal that was cut short: its workspace is not forgotten yet
