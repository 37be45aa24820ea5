"""Send each answer at once, also on a connection that the browser keeps open.

Streamlit (1.67) binds the port itself and leaves the socket's protocol at 0. asyncio turns Nagle's algorithm off
(TCP_NODELAY) only for sockets that name TCP, so the body of every answer after the first on a connection waited 40 ms
for the browser's delayed acknowledgement.
"""

from __future__ import annotations

import socket
from asyncio import BaseProtocol, BaseTransport
from functools import wraps

from uvicorn.protocols.http.auto import AutoHTTPProtocol

__all__ = ["set_tcp_nodelay"]

_connect = AutoHTTPProtocol.connection_made


def set_tcp_nodelay() -> None:
    """Set TCP_NODELAY on every connection from now on, in this process. Idempotent."""
    AutoHTTPProtocol.connection_made = _connect_without_delay  # type: ignore[method-assign]


@wraps(_connect)
def _connect_without_delay(self: BaseProtocol, transport: BaseTransport) -> None:
    connection = transport.get_extra_info("socket")
    if connection is not None and connection.family in (socket.AF_INET, socket.AF_INET6):
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    _connect(self, transport)
