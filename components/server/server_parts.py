"""The parts of a server besides the app: patches of its process, ASGI layers, start functions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from chunking.deployment import load_hosting, operator_settings
from chunking.deployment.operator_settings import LogForm
from chunking.errors import ChunkscopeError, ConfigError
from components.server.compressed_files import CompressedFiles
from components.server.page_base import PageBase
from components.server.process_settings import limit_arenas, shorten_waits
from components.server.security_headers import MetricsGate, SecurityHeaders
from components.streamlit_patches.deferred_downloads import check_downloads
from components.streamlit_patches.external_ip import block_external_ip
from components.streamlit_patches.tcp_nodelay import set_tcp_nodelay
from components.streamlit_patches.websocket_limits import limit_messages

__all__ = ["LOCAL_PARTS", "ServerParts", "server_parts"]


@dataclass(frozen=True, slots=True)
class ServerParts:
    """Patches of Streamlit and the process, ASGI layers, and start functions of a server."""

    patches: tuple[Callable[[], object], ...]
    """Functions called in this order, before the app is created."""
    layers: tuple[Callable[..., Any], ...]
    """ASGI layers around the app, the outermost first."""
    starts: tuple[Callable[[], object], ...] = ()
    """Functions called when the server starts."""


LOCAL_PARTS = ServerParts(
    patches=(
        limit_arenas,
        shorten_waits,
        set_tcp_nodelay,
        block_external_ip,
        limit_messages,
        check_downloads,
    ),
    layers=(
        SecurityHeaders,  # outermost: refusals of other layers get the headers too
        MetricsGate,
        PageBase,  # its page has nothing of a single request either
        CompressedFiles,  # innermost: its cached answers must hold nothing of a single request, such as a cookie
    ),
)
"""Parts for one person on their own machine."""


def server_parts() -> ServerParts:
    """Return `LOCAL_PARTS` for one person with a plain log; else the parts in `hosting/`.

    Invalid settings also give those of `hosting/`, as the operator may correct them while the server runs. Without the
    folder `hosting/`: `LOCAL_PARTS`.
    """
    try:
        settings = operator_settings()
        if not settings.shared and settings.sharing.log is LogForm.PLAIN:
            return LOCAL_PARTS
    except ChunkscopeError:
        pass  # every page reports it
    try:
        parts: ServerParts = load_hosting("server.hosted_parts").HOSTED_PARTS
    except ConfigError:  # every page reports it
        return LOCAL_PARTS
    return parts
