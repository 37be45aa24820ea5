"""Agents at the app's own address: who they are, what they may do, and the routes by which they come in."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager

from starlette.routing import BaseRoute

from components.server.agents.agent_door import PATH, RESEARCH_PATH, LazyServers, McpServer, ServerKey, agent_routes

__all__ = ["PATH", "RESEARCH_PATH", "answering_agents", "routes"]


def _build(key: ServerKey) -> McpServer:
    from components.server.agents.app_server import app_server  # imports what the pages are made of

    return app_server(key)


_SERVERS: LazyServers[ServerKey] = LazyServers(_build)


def routes() -> list[BaseRoute]:
    """The routes of this process, for `st.App`."""
    return agent_routes(_SERVERS)


def answering_agents() -> AbstractAsyncContextManager[None]:
    """What answers them, for the lifespan of the app."""
    return _SERVERS.running()
