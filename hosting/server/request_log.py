"""The server's log as JSON lines, with a line for each upload, download and sign-in.

No line names or quotes a document.
"""

from __future__ import annotations

import json
import logging
import time
import traceback
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import streamlit.config
import streamlit.logger
from starlette.datastructures import MutableHeaders

from chunking.deployment.operator_settings import LogForm
from chunking.errors import ChunkscopeError, ConfigError
from components.server.event_log import REQUEST, log, new_id
from components.session.host import deployment

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["JsonLines", "RequestLog", "begin_log"]

_LOGGED = ("/_stcore/upload_file", "/media", "/auth", "/oauth2callback")
"""Starts of the addresses that are logged; the rest of an address names files, and is left out."""

_PLACES = 8
"""Most stack frames logged with an error, the innermost."""


def begin_log() -> None:
    """Switch this process's log to JSON lines if the operator chose that form.

    Changes nothing if a setting is invalid, which each page reports.
    """
    try:
        form = deployment().settings.sharing.log
    except ConfigError:
        return
    if form is LogForm.JSON:
        _write_objects()


def _write_objects() -> None:
    """Format all loggers of this process as JSON lines, also Streamlit's later ones."""
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    logging.basicConfig(handlers=[handler], level=logging.WARNING, force=True)
    logging.getLogger("chunkscope").setLevel(logging.INFO)
    streamlit.config.set_option("logger.enableRich", False)  # it draws what an error says past every logger
    streamlit.logger.setup_formatter = _as_objects
    streamlit.logger.update_formatter()


def _as_objects(logger: logging.Logger) -> None:
    for handler in list(logger.handlers):
        logger.removeHandler(handler)
    logger.propagate = False
    handler = logging.StreamHandler()
    handler.setFormatter(JsonLines())
    logger.addHandler(handler)


class RequestLog:
    """ASGI layer that logs uploads, downloads and sign-ins, and adds a new `X-Request-ID`."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        kind = next((one for one in _LOGGED if scope["type"] == "http" and one in scope["path"]), None)
        if kind is None:
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 0
        token = REQUEST.set(new_id())

        async def noted(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                MutableHeaders(scope=message)["X-Request-ID"] = REQUEST.get()
            await send(message)

        try:
            await self._app(scope, receive, noted)
        finally:
            ms = round(1_000 * (time.perf_counter() - began), 1)
            log("request", {"method": scope["method"], "at": kind, "status": status, "ms": ms})
            REQUEST.reset(token)


class JsonLines(logging.Formatter):
    """Formatter of log records as JSON lines, without errors' messages and libraries' texts.

    Keys: `time` (UTC), `level`, `logger`, `event`; `request`, `error` and facts where there are any.
    """

    def format(self, record: logging.LogRecord) -> str:
        entry: dict[str, Any] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": getattr(record, "event", "") or _words(record),
        }
        if request := REQUEST.get():
            entry["request"] = request
        entry |= {name: value for name, value in getattr(record, "facts", {}).items() if value not in ("", None)}
        if errors := _errors(record):
            entry["error"] = errors
        return json.dumps(entry, ensure_ascii=False, default=lambda value: type(value).__name__)


def _words(record: logging.LogRecord) -> str:
    """Return the program's own message.

    A library's formatted text may quote anything, so only its place is logged.
    """
    if record.args or record.name.split(".")[0] in ("chunking", "components", "hosting", "uvicorn"):
        return str(record.msg)
    return f"{record.module}:{record.lineno}"


def _errors(record: logging.LogRecord) -> list[dict[str, Any]]:
    """Return class and stack frames of a record's errors, the innermost frame last; never their messages."""
    errors = [record.exc_info[1]] if record.exc_info else []
    errors += (
        [one for one in record.args or () if isinstance(one, ChunkscopeError)] if isinstance(record.args, tuple) else []
    )
    return [{"class": type(one).__name__, "at": _places(one)} for one in errors if one is not None]


def _places(error: BaseException) -> list[str]:
    frames = traceback.extract_tb(error.__traceback__)[-_PLACES:]
    return [
        f"{'/'.join(frame.filename.replace(chr(92), '/').split('/')[-3:])}:{frame.lineno} {frame.name}"
        for frame in frames
    ]
