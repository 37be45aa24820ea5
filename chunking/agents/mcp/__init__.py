"""Model Context Protocol server of the tools; the only package that imports the SDK: import it lazily."""

from __future__ import annotations

from chunking.agents.mcp.server import AgentCall, build_server
from chunking.agents.mcp.stdio import serve_stdio

__all__ = ["AgentCall", "build_server", "serve_stdio"]
