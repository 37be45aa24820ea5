"""What the Agents page is made of: how to connect a client, each tool to try, and the last calls."""

from __future__ import annotations

from components.agents.call_table import call_table
from components.agents.connect_panel import connect_panel
from components.agents.index_state import show_index_state
from components.agents.tool_panel import tool_panel

__all__ = ["call_table", "connect_panel", "show_index_state", "tool_panel"]
