"""The MCP routes, `/mcp` with all tools and `/mcp/research` with two, and the servers behind them.

Streamable HTTP, stateless. Before the SDK sees a request, these are checked: whether agents are allowed, host name and
origin, token, and the number of the caller's open requests. Each tool call checks its rights again. The MCP servers are
created for the first agent, and run in a task of the app's lifespan.

A site whose name resolves to this machine (DNS rebinding) sends that name as `Host`; a page of another site sends its
own address as `Origin`. Agents send no `Origin`. Neither check replaces a token.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import AsyncIterator, Callable, Hashable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import TYPE_CHECKING, Generic, Literal, NamedTuple, Protocol, TypeVar
from urllib.parse import urlsplit

import anyio
import anyio.to_thread
import streamlit as st
from starlette.datastructures import Headers, QueryParams
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from chunking.deployment import OperatorSettings
from chunking.errors import AccessError, ChunkscopeError, NotFoundError
from chunking.store.access import Right
from components.server.event_log import REQUEST, new_id
from components.server.page_imports import import_pages
from components.session.host import AgentGrant, AgentRequest, deployment, host

if TYPE_CHECKING:
    from anyio.abc import TaskGroup, TaskStatus
    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send

    from chunking.llm.metering import Meter
    from chunking.store import Workspace

__all__ = [
    "AT_ONCE",
    "BODY_LIMIT",
    "CALLER",
    "PATH",
    "RESEARCH_PATH",
    "AgentCaller",
    "AgentDoor",
    "DoorProfile",
    "LazyServers",
    "McpServer",
    "ServerKey",
    "agent_routes",
    "refused_request",
]

PATH = "/mcp"
RESEARCH_PATH = f"{PATH}/research"
CALLER: ContextVar[AgentCaller] = ContextVar("agent_caller")
"""Caller of the request handled in this context; worker threads get a copy."""
AT_ONCE = 16
"""Most concurrent requests of one caller on a path; more are refused and can be sent again."""
DoorProfile = Literal["full", "research"]
ServerKey = tuple[DoorProfile, bool]
"""Profile, and True if the list of tools includes those that write."""
_PROFILES: dict[str, DoorProfile] = {PATH: "full", RESEARCH_PATH: "research"}
_SIGN_IN_FILES = ("oauth-protected-resource", "oauth-authorization-server", "openid-configuration")
"""Files that clients request where a token is needed; Streamlit would answer with its page and 200."""
_BUSY = f"You have more than {AT_ONCE} requests in progress; wait for their answers and send this one again."
_OFF = "Agent access is off here; the operator can set CHUNKSCOPE_AGENTS."
_NO_STREAM = "Send requests by POST; this server opens no streams and has no sessions."
_NOT_INSTALLED = "This installation lacks the package mcp, which serves agents; install the full version."

BODY_LIMIT = 2**20
"""Most bytes of a request body."""

K = TypeVar("K", bound=Hashable)

_LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]"})
_STANDARD_PORTS = {"http": ":80", "https": ":443"}


def agent_routes(servers: LazyServers[ServerKey]) -> list[BaseRoute]:
    """Return routes for both MCP paths, and routes that answer 404 for sign-in files.

    All are below the app's own path if it has one; sign-in files are answered at the root too. A `Mount` would answer
    `POST /mcp` with a redirect.
    """
    prefix = _path_prefix()
    door = [Route(prefix + path, endpoint=AgentDoor(profile, servers)) for path, profile in _PROFILES.items()]
    files = [
        Route(f"{base}/.well-known/{name}{{rest:path}}", _not_found) for base in {prefix, ""} for name in _SIGN_IN_FILES
    ]
    return [*door, *files]


async def _not_found(request: Request) -> Response:
    return _refusal(404, "not_found", "Agents can sign in to this server only with tokens.")


class AgentDoor:
    """ASGI app for one MCP path: checks each request, then refuses it or passes it to a server.

    It checks whether agents are allowed, host name, origin, method, token, and the caller's open requests.

    Args:
        profile: selects the tools.
        servers: handle the admitted requests.
    """

    def __init__(self, profile: DoorProfile, servers: LazyServers[ServerKey]) -> None:
        self._profile, self._servers = profile, servers
        self._under_way: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request: by the MCP server, or with an error as JSON."""
        token = REQUEST.set(new_id())
        try:
            answer = await self._answer(scope)
            await answer(scope, receive, send)
        finally:
            REQUEST.reset(token)

    async def _answer(self, scope: Scope) -> ASGIApp:
        headers = Headers(scope=scope)
        try:
            refused = _refused(scope["method"], headers)
            if refused is not None:
                return refused
            caller, may_write = await anyio.to_thread.run_sync(_find_caller, scope)
        except AccessError as error:
            challenge = 'Bearer error="invalid_token"' if "authorization" in headers else "Bearer"
            return _refusal(401, "invalid_token", str(error), {"WWW-Authenticate": challenge})
        except NotFoundError as error:
            return _refusal(404, "not_found", str(error))
        except ChunkscopeError as error:  # an invalid setting of the operator, a damaged directory
            return _refusal(503, "unavailable", str(error))
        grant = caller.grant
        whose = grant.token or f"{grant.person}/{grant.workspace}"
        if self._under_way[whose] >= AT_ONCE:
            return _refusal(429, "too_many_requests", _BUSY, {"Retry-After": "1"})
        return self._serve(caller, whose, (self._profile, may_write and self._profile == "full"))

    def _serve(self, caller: AgentCaller, whose: str, key: ServerKey) -> ASGIApp:
        async def serve(scope: Scope, receive: Receive, send: Send) -> None:
            self._under_way[whose] += 1
            token = CALLER.set(caller)
            try:
                manager = await self._servers.manager(key)
            except ImportError:
                await _refusal(501, "not_installed", _NOT_INSTALLED)(scope, receive, send)
            else:
                await manager.handle_request(scope, receive, send)
            finally:
                CALLER.reset(token)
                self._under_way[whose] -= 1
                self._under_way += Counter()  # drops callers without open requests

        return serve


def _refused(method: str, headers: Headers) -> Response | None:
    settings = deployment().settings
    if not settings.answers_agents:
        return _refusal(404, "off", _OFF)
    wrong = refused_request(headers, settings)
    if wrong is not None:
        return _refusal(wrong.status, "refused", wrong.sentence)
    if method != "POST":
        return _refusal(405, "method_not_allowed", _NO_STREAM, {"Allow": "POST"})
    return None


def _find_caller(scope: Scope) -> tuple[AgentCaller, bool]:
    """Import the pages' modules and identify the caller; run in a thread, as both block."""
    import_pages()
    headers, client = Headers(scope=scope), scope.get("client") or ("",)
    request = AgentRequest(headers, QueryParams(scope["query_string"]), client[0], _app_address(scope, headers))
    caller = AgentCaller(host().agent_grant(request), request.app)
    return caller, caller.may_write


def _app_address(scope: Scope, headers: Headers) -> str:
    """Return the app's address for links: the public one, else the one requested."""
    public = deployment().settings.sharing.public_url
    return public.rstrip("/") if public else f"{scope['scheme']}://{headers['host']}{_path_prefix()}"


def _path_prefix() -> str:
    below = str(st.get_option("server.baseUrlPath")).strip("/")
    return f"/{below}" if below else ""


def _refusal(status: int, code: str, sentence: str, headers: Mapping[str, str] | None = None) -> Response:
    return JSONResponse({"error": code, "error_description": sentence}, status, headers)


@dataclass(frozen=True, slots=True)
class AgentCaller:
    """The grant of an agent's request (person, rights, workspace), and the app's address."""

    grant: AgentGrant
    app: str
    """Address of the app, with which links begin."""

    @property
    def may_write(self) -> bool:
        """True if this caller may change the workspace now."""
        return self.grant.access.allows(Right.WRITE)

    def open(self) -> Workspace:
        """Open the workspace with this caller's rights.

        Raises:
            AccessError: the caller may not read it, as the role or the token was revoked.
            StoreError: the workspace is lost.
        """
        from components.session.workspace import workspace_of  # imports the modules of the pages

        return workspace_of(self.grant.uri, self.grant.access)

    def check_search(self) -> None:
        """Count a search of this person. Raises QuotaError if they search too fast."""
        deployment().quotas.check_search(self.grant.person)

    def check_adding(self, size: int) -> None:
        """Raise QuotaError unless the quotas allow one more document of `size` bytes."""
        quotas, rows = deployment().quotas, self.open().documents()
        quotas.check_disk(self.grant.person, size, uri=self.grant.uri)
        quotas.check_documents(there=len(rows), adding=1, characters=sum(row.characters for row in rows), more=0)

    def payer(self) -> Meter | None:
        """Return the meter that counts this caller's model requests; None if nothing is counted."""
        return deployment().quotas.meter(self.grant.person)


class RequestManager(Protocol):
    """Request handler that works while `run` is entered: the SDK's session manager."""

    def run(self) -> AbstractAsyncContextManager[None]: ...

    async def handle_request(self, scope: Scope, receive: Receive, send: Send) -> None: ...


class McpServer(Protocol):
    """Protocol of the MCP SDK's server: its session manager and the method that creates it."""

    @property
    def session_manager(self) -> RequestManager: ...

    def streamable_http_app(self, *, host: str, stateless_http: bool, max_request_body_size: int) -> object: ...


class LazyServers(Generic[K]):
    """Running request managers by server key, each created on first use inside `running`.

    Args:
        build: builds the server of a key; called in a thread, once per key.
    """

    def __init__(self, build: Callable[[K], McpServer]) -> None:
        self._build = build
        self._managers: dict[K, RequestManager] = {}
        self._group: TaskGroup | None = None
        self._lock: anyio.Lock | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Let `manager` start servers in this context; its exit ends all of them."""
        async with anyio.create_task_group() as group:
            self._group, self._lock = group, anyio.Lock()
            try:
                yield
            finally:
                self._group, self._lock = None, None
                self._managers.clear()
                group.cancel_scope.cancel()

    async def manager(self, key: K) -> RequestManager:
        """Return the running manager of a server, starting it on first use.

        Raises:
            RuntimeError: outside of `running`.
            ImportError: the SDK is not installed.
        """
        if self._group is None or self._lock is None:
            raise RuntimeError("the servers for agents run only inside the app's lifespan")
        async with self._lock:
            if key not in self._managers:
                server = await anyio.to_thread.run_sync(self._make, key)
                self._managers[key] = await self._group.start(_run, server)
            return self._managers[key]

    def _make(self, key: K) -> McpServer:
        import_pages()  # in parallel, one import could see a half-initialised module
        return self._build(key)


async def _run(server: McpServer, *, task_status: TaskStatus[RequestManager]) -> None:
    # Creates the manager. Its app is not used: nothing would run its lifespan. With this `host` the SDK does not check
    # Host and Origin; `refused_request` has done so, for the names that the operator has set.
    server.streamable_http_app(host="0.0.0.0", stateless_http=True, max_request_body_size=BODY_LIMIT)
    async with server.session_manager.run():
        task_status.started(server.session_manager)
        await anyio.sleep_forever()


class RefusedRequest(NamedTuple):
    """HTTP status and sentence of a refused request."""

    status: int
    sentence: str


def refused_request(headers: Mapping[str, str], settings: OperatorSettings) -> RefusedRequest | None:
    """Return why the `Host` or `Origin` of a request is refused; None if neither is.

    Allowed hosts are loopback names, the operator's `agent_hosts` and the public address. A missing `Origin` is
    allowed, as agents send none.

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
