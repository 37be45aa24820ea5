"""Screen that draws a command's records on a terminal as they arrive."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any, TextIO

from chunking.cli.terminal.look import TerminalLook
from chunking.cli.terminal.terminal_text import encodable, safe_record
from chunking.cli.terminal.views import View

__all__ = ["Screen", "terminal_look"]

_LEAST = 20
"""Minimum columns for a layout: narrower terminals break the lines themselves."""
_USUAL = 80
"""Default columns if the terminal does not report its width."""


def terminal_look(stream: TextIO, encoding: str = "utf-8") -> TerminalLook:
    """Detect the current width and the colours of a stream's terminal.

    Colours are left out where NO_COLOR is set, for terminals without any, and on Windows outside of a terminal known to
    have them.
    """
    plain = bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"
    able = sys.platform != "win32" or any(name in os.environ for name in ("WT_SESSION", "ANSICON", "TERM"))
    return TerminalLook(max(_columns(stream), _LEAST), able and not plain, encoding)


def _columns(stream: TextIO) -> int:
    """COLUMNS if set, else the width of the stream's own terminal."""
    named = os.environ.get("COLUMNS", "")
    if named.isdecimal() and int(named) > 0:
        return int(named)
    try:
        return os.get_terminal_size(stream.fileno()).columns or _USUAL
    except (OSError, ValueError):
        return _USUAL


class Screen:
    """Terminal output of one command, drawn by its view.

    Args:
        write: takes a line with its end.
    """

    def __init__(self, view: View, look: TerminalLook, write: Callable[[str], None]) -> None:
        self._view, self._look, self._write = view, look, write
        self._rows: list[dict[str, Any]] = []
        self._has_output = False

    def add(self, row: Any) -> None:
        """Add a record, and draw each group once it is complete."""
        key = self._view.key
        if self._rows and row.get(key) != self._rows[0].get(key):
            self.draw()
        self._rows.append(safe_record(row, self._look.encoding))
        if not key:
            self.draw()

    def draw(self) -> None:
        """Draw the pending records."""
        rows, self._rows = self._rows, []
        if not rows:
            return
        if self._has_output:
            self._write("\n")
        self._has_output = True
        for line in self._view.load()(rows, self._look):
            self._write(encodable(line, self._look.encoding) + "\n")
