"""The form of the server's log, and a line in it for each file that comes or goes."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

import streamlit.config
import streamlit.logger
from starlette.datastructures import MutableHeaders

from chunking.deployment.operator_settings import LogForm
from chunking.errors import ConfigError
from components.server.event_log import REQUEST, log, new_id
from components.session.host import deployment
from hosting.server.json_log import JsonLines

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

__all__ = ["RequestLog", "begin_log"]

_LOGGED = ("/_stcore/upload_file", "/media", "/auth", "/oauth2callback")
"""Beginnings of the addresses at which something of a person comes or goes; what follows them names it, and is not
told.
"""


def begin_log() -> None:
    """Write the log in the form that the operator has set; each page names a setting that cannot be used."""
    try:
        form = deployment().settings.sharing.log
    except ConfigError:
        return
    if form is LogForm.JSON:
        _write_objects()


def _write_objects() -> None:
    """From now on every logger of this process writes objects, Streamlit's own ones also where they are made later."""
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
    """A layer around Streamlit's server: a line for each upload, download and sign-in, whose id the answer has as
    `X-Request-ID`.

    Args:
        app: what answers.
    """

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
