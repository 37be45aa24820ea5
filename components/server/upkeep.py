"""Background threads of the server: one prepares the first page, one cleans up every minute.

A round gives back what ended sessions held and texts unused for minutes, and deletes ended visits of a demo,
workspaces long in the bin, and leftovers of interrupted copies.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
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
from components.server.page_imports import import_pages
from components.server.process_settings import give_back, leave_out_of_collections, raise_open_files
from components.session.host import deployment
from components.session.jobs import jobs

__all__ = ["begin_upkeep", "upkeep", "warm_up"]

_PLACES = (WORKSPACES, BASES, f"{SNAPSHOTS}/*", f"{VISITS}/*")
"""In the home folder: where workspaces stand besides it, and what a killed copy or save of one has left."""
EVERY = 60.0
"""Seconds between two rounds."""
UNUSED = 600.0
"""Seconds after which a cached text that nobody has asked for is let go."""

_NAME = "warm-up"
_WARNS_WITHOUT_PAGE = "streamlit.runtime.scriptrunner_utils.script_run_context"
"""The logger by which Streamlit warns of a thread that has no page."""


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
        _apart("releasing memory of ended sessions", release)
        _apart("checking running jobs", lambda: upkeep(here, jobs().busy))


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
    _apart("freeing cached texts", lambda: drop_unused(UNUSED))
    _apart("freeing cached documents", lambda: clear_unused_caches(UNUSED))
    if any(over) and not is_anybody_here():
        for free in (clear_document_caches, clear_caches, give_back):
            _apart("giving memory back", free)


def end_lost_sessions() -> int:
    """End sessions whose browser has not come back in time; returns their number.

    Streamlit (1.67) looks for them only when another one loses its connection: up to 128 stayed after the last visitor
    had left, each with some megabytes and the files of an index.
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
    _apart("deleting ended visits and revoked snapshots", lambda: _sweep(here, busy))
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
    for place in (home, *(folder for pattern in _PLACES for folder in home.glob(pattern))):
        _apart("clearing unfinished copies", partial(clear_unfinished, place))


@asynccontextmanager
async def warm_up(app: object) -> AsyncIterator[None]:
    """Begin when the server starts, in a thread: it answers meanwhile.

    Args:
        app: the server; nothing is asked of it.
    """
    raise_open_files()
    logging.getLogger(_WARNS_WITHOUT_PAGE).addFilter(_has_page)
    threading.Thread(target=_prepare, name=_NAME, daemon=True).start()
    stop = threading.Event()
    begin_upkeep(stop)
    yield
    stop.set()


def _has_page(record: logging.LogRecord) -> bool:
    """Whether a record is of a thread that should have a page: this module's fills caches on purpose before there is
    one.
    """
    return record.threadName != _NAME


def _prepare() -> None:
    import_pages()
    from components.session.jobs import jobs
    from components.session.workspace import prepare

    try:
        prepare()
        jobs()  # what the server before this one had left in the queue does not wait for a visitor
    except ChunkscopeError as error:  # the first page says it
        logging.getLogger(__name__).warning("The workspace could not be opened: %s", error)
    leave_out_of_collections()
