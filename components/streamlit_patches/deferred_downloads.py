"""Check the right to a download at the click that creates it, and report errors as sentences.

Streamlit (1.67) calls a function left behind by a page run: in no session, for whoever names the file, as long as a
session shows the button; a role may be gone by then. Whatever is raised, the browser is told "Failed to generate file
for download".
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any

from streamlit.proto.ForwardMsg_pb2 import BackendOperationResponse, DeferredFileResponsePayload
from streamlit.runtime.backend_operation_handler import DeferredFileHandler
from streamlit.runtime.media_file_manager import MediaFileManager
from streamlit.runtime.media_file_storage import MediaFileStorageError

from chunking.errors import ChunkscopeError
from chunking.store.access import Right, refusal

if TYPE_CHECKING:
    from streamlit.proto.BackMsg_pb2 import BackendOperationRequest

    from chunking.store.access import Access

__all__ = ["check_downloads"]

_add = MediaFileManager.add_deferred
_may_take: Callable[[str, str], bool]
_execute: Callable[[MediaFileManager, str], str]
_FAILED = "The file could not be created; reload the page and try again."


def check_downloads(
    may_take: Callable[[str, str], bool] | None = None,
    execute: Callable[[MediaFileManager, str], str] = MediaFileManager.execute_deferred,
) -> None:
    """Patch Streamlit to check download rights at the click and explain errors. Idempotent.

    Args:
        may_take: test of (session that created the button, session that clicks); None: every session may.
        execute: creates the file and returns its address.
    """
    global _may_take, _execute
    _may_take, _execute = may_take or _every_session, execute
    MediaFileManager.add_deferred = _add_asking  # type: ignore[method-assign]
    DeferredFileHandler.handle = _answer  # type: ignore[method-assign]


def _every_session(maker: str, session: str) -> bool:
    return True


@wraps(_add)
def _add_asking(self: MediaFileManager, data_callable: Callable[[], Any], *args: Any, **named: Any) -> str:
    from components.session.current_workspace import current  # not while the server starts

    access: Access = current().access

    def make_file() -> Any:
        if not access.allows(Right.READ):
            raise refusal(Right.READ)
        return data_callable()

    return _add(self, make_file, *args, **named)


async def _answer(
    self: DeferredFileHandler, request: BackendOperationRequest, session_id: str
) -> BackendOperationResponse:
    files, file_id = self._get_media_file_mgr(), request.deferred_file.file_id
    entry = files._deferred_callables.get(file_id)
    try:
        if entry is not None and not _may_take(entry["session_id"], session_id):
            raise MediaFileStorageError("The file belongs to someone else.")
        url = await asyncio.to_thread(_execute, files, file_id)
    except Exception as error:
        cause = error.__cause__
        if not isinstance(cause, ChunkscopeError):
            logging.getLogger(__name__).exception("A download could not be created.")
        sentence = str(cause) if isinstance(cause, ChunkscopeError) else _FAILED
        return BackendOperationResponse(request_id=request.request_id, error_msg=sentence)
    return BackendOperationResponse(request_id=request.request_id, deferred_file=DeferredFileResponsePayload(url=url))
