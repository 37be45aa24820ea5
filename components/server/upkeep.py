"""What a server does now and then while it runs: visits of a demo that are over, workspaces long in the bin, what
snapshots and copies
that were cut short have left are deleted; what sessions held that are over, and texts that nobody has asked for lately,
are given back."""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path

from streamlit.runtime import get_instance
from streamlit.runtime.caching.ttl_cache import TTLCache
from streamlit.runtime.memory_session_storage import MemorySessionStorage
from streamlit.runtime.websocket_session_manager import WebsocketSessionManager

from chunking.deployment import Deployment
from chunking.errors import ChunkscopeError
from chunking.store.copies.home_folder import BASES, SNAPSHOTS, VISITS, WORKSPACES, clear_removed, clear_unfinished
from chunking.text.byte_caches import clear_caches, drop_unused
from components.server.freed_memory import give_back
from components.session.host import deployment
from components.session.jobs import jobs

__all__ = ["begin_upkeep", "upkeep"]

_PLACES = (WORKSPACES, BASES, f"{SNAPSHOTS}/*", f"{VISITS}/*")
"""In the home folder: where workspaces stand besides it, and what a killed copy or save of one has left."""
EVERY = 60.0
"""Seconds between two rounds."""
UNUSED = 600.0
"""Seconds after which a cached text that nobody has asked for is let go."""


def begin_upkeep(stop: threading.Event) -> None:
    """Go round in a thread until `stop` is set, in every mode: one person's deleted workspaces are in the bin for a
    while, too.
    """
    try:
        here = deployment()
    except ChunkscopeError as error:  # every page says it too
        logging.getLogger(__name__).error("Nobody can enter: the operator's settings are invalid. %s", error)
        return
    threading.Thread(target=_rounds, args=(here, stop), name="upkeep", daemon=True).start()


def _rounds(here: Deployment, stop: threading.Event) -> None:
    while not stop.wait(EVERY):
        _apart("giving back what sessions held", release)
        _apart("looking at what runs", lambda: upkeep(here, jobs().busy))


def _apart(doing: str, step: Callable[[], object]) -> None:
    """A step by itself: where it fails, the log says so, and those after it are done all the same; it comes again in
    the next round.
    """
    try:
        step()
    except Exception:
        logging.getLogger(__name__).exception(f"Maintenance failed while {doing} and will be retried.")


def release() -> None:
    """Give back what sessions held that are over."""
    # What these import takes seconds: not while the server starts.
    from components.session.document_caches import clear_document_caches, clear_unused_caches
    from components.session.workspace import close_unused, is_anybody_here

    over: list[int] = []
    _apart("ending lost sessions", lambda: over.append(end_lost_sessions()))
    _apart("closing workspaces", lambda: over.append(close_unused()))
    _apart("letting go of texts", lambda: drop_unused(UNUSED))
    _apart("letting go of documents", lambda: clear_unused_caches(UNUSED))
    if any(over) and not is_anybody_here():
        for free in (clear_document_caches, clear_caches, give_back):
            _apart("giving memory back", free)


def end_lost_sessions() -> int:
    """End sessions whose browser has not come back in time; returns their number.

    Streamlit (1.67) looks for them only when another one loses its connection: up to 128 stayed after the last visitor
    had left, each
    with some megabytes and the files of an index.
    """
    sessions = get_instance()._session_mgr
    assert isinstance(sessions, WebsocketSessionManager)
    storage = sessions._session_storage
    assert isinstance(storage, MemorySessionStorage)
    assert isinstance(storage._cache, TTLCache)
    with sessions._storage_lock:
        ended = storage._cache.expire()
    for _, info in ended:
        try:
            info.session.shutdown()
        except Exception:  # the others end all the same
            logging.getLogger(__name__).exception("A session whose browser is gone could not be ended.")
    return len(ended)


def upkeep(here: Deployment, busy: frozenset[str]) -> None:
    """One round.

    Args:
        busy: addresses of workspaces in which a job waits or runs.
    """
    _apart("deleting what is over", lambda: _sweep(here, busy))
    _apart("emptying the bin", lambda: _empty_bin(here, busy))
    _apart("clearing deleted workspaces", lambda: clear_removed(here.workspaces.folder))
    _apart("clearing unfinished copies", lambda: _clear_copies(here.settings.home))


def _sweep(here: Deployment, busy: frozenset[str]) -> None:
    for address in here.sweep(busy):
        _apart("forgetting jobs", partial(jobs().leave, address))


def _empty_bin(here: Deployment, busy: frozenset[str]) -> None:
    days = here.settings.sharing.bin_days
    for id in here.workspaces.outdated(days):
        if str(here.workspaces.place(id)) not in busy:
            _apart("emptying the bin", partial(here.workspaces.remove, id, days))


def _clear_copies(home: Path) -> None:
    for place in (home, *(found for pattern in _PLACES for found in home.glob(pattern))):
        _apart("clearing unfinished copies", partial(clear_unfinished, place))
