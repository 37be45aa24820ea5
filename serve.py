"""Chunkscope's server: `make app`, or `streamlit run serve.py`. The app itself is app.py."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import streamlit as st
from starlette.middleware import Middleware

from components.server.agents import routes, run_agent_servers
from components.server.server_parts import server_parts
from components.server.upkeep import warm_up
from components.session.page.run_log import show_fault

_PARTS = server_parts()
for _patch in _PARTS.patches:
    _patch()


@asynccontextmanager
async def lifespan(app: object) -> AsyncIterator[None]:
    """Call the start functions, then run background threads and MCP servers in this context."""
    for start in _PARTS.starts:
        start()
    async with warm_up(app), run_agent_servers():
        yield


app = st.App(
    "app.py",
    lifespan=lifespan,
    on_script_error=show_fault,
    routes=routes(),
    middleware=[Middleware(layer) for layer in _PARTS.layers],
)
