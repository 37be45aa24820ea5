"""`/_stcore/metrics` of Streamlit: counts of sessions and caches, to whoever asks; here only where the operator has
named it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.responses import PlainTextResponse

from chunking.errors import ConfigError
from components.session.host import deployment

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["MetricsGate"]

_PATH = "/_stcore/metrics"


class MetricsGate:
    """A layer around Streamlit's server, which answers 404 there unless `CHUNKSCOPE_METRICS` is on.

    Args:
        app: what answers everything else.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] == "http" and scope["path"].rstrip("/").endswith(_PATH) and not _wanted():
            await PlainTextResponse("Not Found", 404)(scope, receive, send)
            return
        await self._app(scope, receive, send)


def _wanted() -> bool:
    try:
        return deployment().settings.sharing.metrics
    except ConfigError:  # the page says it
        return False
