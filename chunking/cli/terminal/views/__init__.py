"""Views: from the records of a command to lines for people. Each is a function of data, and writes nothing."""

from __future__ import annotations

from chunking.cli.terminal.views.view_table import VIEWS, View, find_view

__all__ = ["VIEWS", "View", "find_view"]
