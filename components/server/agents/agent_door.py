"""The routes by which agents come in: `/mcp` with all tools, `/mcp/research` with the two of deep research. Streamable HTTP, stateless.

Each request is looked at before the SDK sees it: whether agents are answered, by which host name and from where it comes, whose token it
has, and how many requests of the same caller are under way. What it may do is asked again by each call.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

import anyio.to_thread
import streamlit as st
from starlette.datastructures import Headers, QueryParams
from starlette.responses import JSONResponse, Response
from starlette.routing import BaseRoute, Route

from chunking.deployment.structured_log import REQUEST, new_id
from chunking.errors import AccessError, ChunkscopeError, NotFoundError
from components.server.agents.agent_callers import AgentCaller, agent_caller
from components.server.agents.lazy_servers import LazyServers
from components.server.agents.request_checks import refused_request
from components.session.identity import deployment

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["AT_ONCE", "CALLER", "PATH", "AgentDoor", "Profile", "ServerKey", "agent_routes"]

PATH = "/mcp"
CALLER = "chunkscope.agent"
"""Key of the caller in a request's scope."""
AT_ONCE = 16
"""Requests of one caller under way; more are refused and can be sent again."""
Profile = Literal["full", "research"]
ServerKey = tuple[Profile, bool]
"""Profile, and whether the tools that change something are in the list."""
_PROFILES: dict[str, Profile] = {PATH: "full", f"{PATH}/research": "research"}
_SIGN_IN_FILES = ("oauth-protected-resource", "oauth-authorization-server", "openid-configuration")
"""A client looks for these where a token is needed; Streamlit would answer with its page and 200."""
_BUSY = f"More than {AT_ONCE} requests of yours are under way; wait for their answers and send this one again."
_OFF = "Agents are not answered here; the operator can set CHUNKSCOPE_AGENTS."
_NO_STREAM = "Send requests by POST; this server opens no streams and has no sessions."
_NOT_INSTALLED = "This installation lacks the packages that answer agents (mcp); install the full one."


def agent_routes(servers: LazyServers[ServerKey]) -> list[BaseRoute]:
    """The routes for `st.App`, below the app's own path where it has one. A `Mount` would answer `POST /mcp` with a redirect."""
    below = st.get_option("server.baseUrlPath").strip("/")
    prefix = f"/{below}" if below else ""
    door = [Route(prefix + path, endpoint=AgentDoor(profile, servers)) for path, profile in _PROFILES.items()]
    bases = {prefix, ""}
    return [*door, *(Route(f"{base}/.well-known/{name}{{rest:path}}", _not_found) for base in bases for name in _SIGN_IN_FILES)]


async def _not_found(request: Request) -> Response:
    return _refusal(404, "not_found", "This server signs agents in by tokens alone.")


class AgentDoor:
    """Answers one of the paths.

    Args:
        profile: which tools it offers.
        servers: answer who is let in.
    """

    def __init__(self, profile: Profile, servers: LazyServers[ServerKey]) -> None:
        self._profile, self._servers = profile, servers
        self._under_way: Counter[str] = Counter()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        token = REQUEST.set(new_id())
        try:
            answer = await self._answer(scope)
            await answer(scope, receive, send)
        finally:
            REQUEST.reset(token)

    async def _answer(self, scope: Scope) -> ASGIApp:
        headers = Headers(scope=scope)
        try:
            refused = _refused(scope, headers)
            if refused is not None:
                return refused
            query, client = dict(QueryParams(scope["query_string"])), (scope.get("client") or ("",))[0]
            caller, may_write = await anyio.to_thread.run_sync(_find_caller, headers, query, client)  # asks SQLite
        except AccessError as error:
            challenge = 'Bearer error="invalid_token"' if "authorization" in headers else "Bearer"
            return _refusal(401, "invalid_token", str(error), {"WWW-Authenticate": challenge})
        except NotFoundError as error:
            return _refusal(404, "not_found", str(error))
        except ChunkscopeError as error:  # a setting of the operator that cannot be used, a damaged directory
            return _refusal(503, "unavailable", str(error))
        return self._serve(scope, caller, may_write)

    def _serve(self, scope: Scope, caller: AgentCaller, may_write: bool) -> ASGIApp:
        whose = caller.token or caller.person or caller.workspace
        if self._under_way[whose] >= AT_ONCE:
            return _refusal(429, "too_many_requests", _BUSY, {"Retry-After": "1"})

        async def serve(scope: Scope, receive: Receive, send: Send) -> None:
            self._under_way[whose] += 1
            try:
                scope[CALLER] = caller
                try:
                    manager = await self._servers.manager((self._profile, may_write and self._profile == "full"))
                except ImportError:
                    await _refusal(501, "not_installed", _NOT_INSTALLED)(scope, receive, send)
                    return
                await manager.handle_request(scope, receive, send)
            finally:
                self._under_way[whose] -= 1
                self._under_way += Counter()  # forgets who has none

        return serve


def _refused(scope: Scope, headers: Headers) -> ASGIApp | None:
    settings = deployment().settings
    if not settings.answers_agents:
        return _refusal(404, "off", _OFF)
    wrong = refused_request(headers, settings)
    if wrong is not None:
        return _refusal(wrong.status, "refused", wrong.sentence)
    if scope["method"] != "POST":
        return _refusal(405, "method_not_allowed", _NO_STREAM, {"Allow": "POST"})
    return None


def _find_caller(headers: Mapping[str, str], query: Mapping[str, str], client: str) -> tuple[AgentCaller, bool]:
    caller = agent_caller(headers, query, client)
    return caller, caller.may_write


def _refusal(status: int, code: str, sentence: str, headers: Mapping[str, str] | None = None) -> Response:
    return JSONResponse({"error": code, "error_description": sentence}, status, headers)
