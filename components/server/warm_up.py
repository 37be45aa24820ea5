"""What begins with the server: the first page is made ready while the browser still loads, and upkeep goes round until the end."""

from __future__ import annotations

import gc
import logging
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from chunking.deployment.health.open_files import raise_open_files
from chunking.errors import ChunkscopeError
from components.server.layers.own_origin import allow_public_address
from components.server.page_imports import import_pages
from components.server.upkeep import begin_upkeep

__all__ = ["warm_up"]


@asynccontextmanager
async def warm_up(app: object) -> AsyncIterator[None]:
    """Begin when the server starts, in a thread: it answers meanwhile.

    Args:
        app: the server; nothing is asked of it.
    """
    allow_public_address()
    raise_open_files()
    threading.Thread(target=_prepare, name="warm-up", daemon=True).start()
    stop = threading.Event()
    begin_upkeep(stop)
    yield
    stop.set()


def _prepare() -> None:
    import_pages()
    from components.session.jobs import jobs
    from components.session.workspace import prepare

    try:
        prepare()
        jobs()  # what the server before this one had left in the queue does not wait for a visitor
    except ChunkscopeError as error:  # the first page says it
        logging.getLogger(__name__).warning("The workspace could not be opened: %s", error)
    gc.collect()
    gc.freeze()  # what is here now stays: a full collection, which stops everybody, need not look at it
