"""The MCP server for agents, at the app's own address."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from starlette.routing import BaseRoute

from components.server.agents.agent_door import PATH, RESEARCH_PATH, LazyServers, McpServer, ServerKey, agent_routes

__all__ = ["PATH", "RESEARCH_PATH", "routes", "run_agent_servers"]


def _build(key: ServerKey) -> McpServer:
    from components.server.agents.app_server import app_server  # imports the modules of the pages

    return app_server(key)


_SERVERS: LazyServers[ServerKey] = LazyServers(_build)


def routes() -> list[BaseRoute]:
    """Return the routes of both MCP paths and the 404 answers for sign-in files, for `st.App`."""
    return agent_routes(_SERVERS)


def run_agent_servers() -> AbstractAsyncContextManager[None]:
    """Return a context manager in which MCP servers can start; its exit ends them."""
    return _SERVERS.running()
