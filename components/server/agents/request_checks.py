"""Host and origin checks of agents' requests, so that web pages cannot act as agents.

A site whose name resolves to this machine (DNS rebinding) sends that name as `Host`; a page of another site sends its
own address as `Origin`. Agents send no `Origin`. Neither check replaces a token.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import urlsplit

from chunking.deployment import OperatorSettings

__all__ = ["RefusedRequest", "refused_request"]

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
_STANDARD_PORTS = {"http": ":80", "https": ":443"}


class RefusedRequest(NamedTuple):
    """HTTP status and sentence of a refused request."""

    status: int
    sentence: str


def refused_request(headers: Mapping[str, str], settings: OperatorSettings) -> RefusedRequest | None:
    """Return the refusal of a request with a wrong `Host` or `Origin`; None if both are fine.

    Args:
        headers: values by lower-case name.
    """
    host = headers.get("host", "").lower()
    if not _is_own_host(host, settings):
        return RefusedRequest(
            421,
            (
                "Agents cannot call this server by that host name; use its public address, or ask its operator "
                "to add the host to CHUNKSCOPE_PUBLIC_URL or CHUNKSCOPE_AGENT_HOSTS."
            ),
        )
    origin = headers.get("origin")
    if origin is not None and not _is_own_origin(origin.lower(), host, settings):
        return RefusedRequest(403, "Pages of other sites cannot call this server; agents send no Origin.")
    return None


def _is_own_host(host: str, settings: OperatorSettings) -> bool:
    name, port = _name_and_port(host)
    if port and not port.removeprefix(":").isdecimal():
        return False
    named = settings.agent_hosts
    public = urlsplit(settings.sharing.public_url.lower())
    addressed = {public.netloc, public.netloc + _STANDARD_PORTS.get(public.scheme, "")} - {""}
    return name in _LOOPBACK or name in named or host in named or host in addressed


def _is_own_origin(origin: str, host: str, settings: OperatorSettings) -> bool:
    """True if a page of this server sends the request."""
    public = urlsplit(settings.sharing.public_url.lower())
    own = {f"http://{host}", f"https://{host}"}
    return origin in own or (bool(public.netloc) and origin == f"{public.scheme}://{public.netloc}")


def _name_and_port(host: str) -> tuple[str, str]:
    """Split a `Host` header into its name and its port with the colon.

    >>> _name_and_port("localhost:8501"), _name_and_port("[::1]:80"), _name_and_port("here")
    (('localhost', ':8501'), ('[::1]', ':80'), ('here', ''))
    """
    end = host.rfind("]") + 1 if host.startswith("[") else host.find(":")
    return (host, "") if end <= 0 else (host[:end], host[end:])
