"""Background threads of the server: one prepares the first page, one cleans up every minute.

A round frees what ended sessions held and texts unused for minutes, and deletes ended visits of a demo, workspaces long
in the bin, and leftovers of interrupted copies.
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
from components.server.process_settings import exclude_objects, raise_open_files, release_memory
from components.session.host import deployment
from components.session.jobs import jobs

__all__ = ["begin_upkeep", "upkeep", "warm_up"]

_PLACES = (WORKSPACES, BASES, f"{SNAPSHOTS}/*", f"{VISITS}/*")
"""Folders of the home folder with workspaces, and with leftovers of killed copies and saves."""
EVERY = 60.0
"""Seconds between two rounds."""
UNUSED = 600.0
"""Seconds after which an unused cached text is evicted."""

_NAME = "warm-up"
_WARNS_WITHOUT_PAGE = "streamlit.runtime.scriptrunner_utils.script_run_context"
"""Logger of Streamlit's warnings about threads without a page."""


def begin_upkeep(stop: threading.Event) -> None:
    """Start the thread that frees memory and cleans up every minute until `stop` is set.

    It runs in every mode: in the local one, too, deleted workspaces stay in the bin for a while. With invalid settings,
    only an error is logged.
    """
    try:
        here = deployment()
    except ChunkscopeError as error:  # every page reports it too
        logging.getLogger(__name__).error("Nobody can enter: the operator's settings are invalid. %s", error)
        return
    threading.Thread(target=_rounds, args=(here, stop), name="upkeep", daemon=True).start()


def _rounds(here: Deployment, stop: threading.Event) -> None:
    while not stop.wait(EVERY):
        _apart("releasing memory of ended sessions", release)
        _apart("checking running jobs", lambda: upkeep(here, jobs().busy))


def _apart(doing: str, step: Callable[[], object]) -> None:
    """Run one step; log its error, so that the next steps still run and this one again in the next round."""
    try:
        step()
    except Exception:
        logging.getLogger(__name__).exception(f"Maintenance failed while {doing} and will be retried.")


def release() -> None:
    """End lost sessions, close their workspaces, and evict caches unused for `UNUSED` seconds.

    If this ended something and nobody is left, clear all caches and return memory to the system. Errors are logged.
    """
    # These imports take seconds: not while the server starts.
    from components.session.document_caches import clear_document_caches, clear_unused_caches
    from components.session.workspace import close_unused, is_anybody_here

    over: list[int] = []
    _apart("ending lost sessions", lambda: over.append(end_lost_sessions()))
    _apart("closing workspaces", lambda: over.append(close_unused()))
    _apart("freeing cached texts", lambda: drop_unused(UNUSED))
    _apart("freeing cached documents", lambda: clear_unused_caches(UNUSED))
    if any(over) and not is_anybody_here():
        for free in (clear_document_caches, clear_caches, release_memory):
            _apart("giving memory back", free)


def end_lost_sessions() -> int:
    """End sessions whose browser has not reconnected in time; returns their number.

    Streamlit (1.67) checks them only when another one loses its connection: up to 128 stayed after the last visitor had
    left, each with some megabytes and the files of an index.
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
    """Delete ended visits, revoked snapshots, old workspaces in the bin, and unfinished copies.

    Jobs of deleted workspaces are forgotten. Errors are logged, and retried in the next round.

    Args:
        busy: addresses of workspaces with an active job, which stay.
    """
    _apart("deleting ended visits and revoked snapshots", lambda: _sweep(here, busy))
    _apart("emptying the bin", lambda: _empty_bin(here, busy))
    _apart("clearing deleted workspaces", lambda: clear_removed(here.workspaces.folder))
    _apart("clearing unfinished copies", lambda: _clear_copies(here.settings.home))


def _sweep(here: Deployment, busy: frozenset[str]) -> None:
    for address in here.sweep(busy):
        _apart("forgetting jobs", partial(jobs().forget_workspace, address))


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
    """Raise the limit of open files and start two background threads; the exit stops the upkeep.

    One thread imports the pages, opens the first workspace and the job queue, and ends by itself; the other is
    `begin_upkeep`'s.

    Args:
        app: the server; unused.
    """
    raise_open_files()
    logging.getLogger(_WARNS_WITHOUT_PAGE).addFilter(_has_page)
    threading.Thread(target=_prepare, name=_NAME, daemon=True).start()
    stop = threading.Event()
    begin_upkeep(stop)
    yield
    stop.set()


def _has_page(record: logging.LogRecord) -> bool:
    """False for log records of the warm-up thread, which fills caches before there is a page."""
    return record.threadName != _NAME


def _prepare() -> None:
    import_pages()
    from components.session.jobs import jobs
    from components.session.workspace import prepare

    try:
        prepare()
        jobs()  # starts the jobs left in the queue before the first visitor comes
    except ChunkscopeError as error:  # the first page reports it
        logging.getLogger(__name__).warning("The workspace could not be opened: %s", error)
    exclude_objects()
