"""What begins with the server: the first page is made ready while the browser still loads, and upkeep goes round until
the end.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from chunking.errors import ChunkscopeError
from components.server.open_files import raise_open_files
from components.server.page_imports import import_pages
from components.server.short_waits import leave_out_of_collections
from components.server.upkeep import begin_upkeep

__all__ = ["warm_up"]

_NAME = "warm-up"
_WARNS_WITHOUT_PAGE = "streamlit.runtime.scriptrunner_utils.script_run_context"
"""The logger by which Streamlit warns of a thread that has no page."""


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
