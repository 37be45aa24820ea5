"""Live output on a terminal: a command's records as they arrive, and a progress line redrawn in place."""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Callable
from typing import Any, TextIO

from chunking.cli.terminal.look import TerminalLook, share_bar
from chunking.cli.terminal.terminal_text import clip, duration, encodable, safe_record, safe_text, width
from chunking.cli.terminal.views import View

__all__ = ["ProgressLine", "Screen", "progress_line", "terminal_look"]

_LEAST = 20
"""Minimum columns for a layout: narrower terminals break the lines themselves."""
_USUAL = 80
"""Default columns if the terminal does not report its width."""
_BAR = 12
"""Columns of the bar; omitted in a terminal narrower than four bars."""
_REDRAW_SECONDS = 0.1
"""Minimum seconds between two drawings of one step."""
_LEAST_SHARE = 0.02
"""Share of the work done before the time left is estimated."""
_LEAST_SECONDS = 1.0
"""Seconds of work before the time left is estimated."""


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
        """Add a record to its group of equal `View.key`; draw the group before once another starts.

        Without a key, the record is drawn at once.
        """
        key = self._view.key
        if self._rows and row.get(key) != self._rows[0].get(key):
            self.draw()
        self._rows.append(safe_record(row, self._look.encoding))
        if not key:
            self.draw()

    def draw(self) -> None:
        """Draw the pending records with the view, after an empty line unless they are the first."""
        rows, self._rows = self._rows, []
        if not rows:
            return
        if self._has_output:
            self._write("\n")
        self._has_output = True
        for line in self._view.load()(rows, self._look):
            self._write(encodable(line, self._look.encoding) + "\n")


class ProgressLine:
    """Progress line on a terminal, drawn over itself.

    Args:
        columns: of the terminal, at the moment.
        clock: seconds.
    """

    def __init__(
        self,
        stream: TextIO,
        look: TerminalLook,
        *,
        columns: Callable[[], int] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._stream, self._look, self._clock = stream, look, clock
        self._columns = columns or (lambda: look.columns)
        self._width = 0
        """Columns of the line that is drawn now."""
        self._message, self._last_drawing = "", -math.inf
        self._counted, self._start = "", clock()

    def show(
        self,
        done: float,
        total: float,
        counted: str,
        message: str,
        *,
        left: float | None = None,
        share: float | None = None,
    ) -> None:
        """Draw the progress; several calls within a tenth of a second draw once.

        Args:
            counted: what `done` and `total` count, as a plural; a change restarts the estimate of the time left.
            left: seconds; None: estimated from the time it took so far.
            share: how far the work is, 0 to 1, where that is not `done` of `total`.
        """
        now = self._clock()
        if counted != self._counted:
            self._counted, self._start = counted, now
        if message == self._message and done < total and now - self._last_drawing < _REDRAW_SECONDS:
            return
        self._message, self._last_drawing = message, now
        share = min(done / total if total > 0 else 0.0, 1.0) if share is None else share
        if left is None and _LEAST_SHARE <= share < 1 and now - self._start >= _LEAST_SECONDS:
            left = (now - self._start) * (1 - share) / share
        self._draw(
            share,
            f"{done:,.0f} of {total:,.0f} {counted}",
            message,
            "" if left is None else f"about {duration(left)} left",
        )

    def clear(self) -> None:
        """Clear the line, before other output is written."""
        if self._width:
            self._write(f"\r{' ' * self._width}\r")
            self._width = 0
            self._last_drawing = -math.inf

    def _draw(self, share: float, counts: str, message: str, left: str) -> None:
        symbols, columns = (
            self._look.symbols,
            self._columns() - 1,
        )  # the last column stays free: some terminals go to the next line there
        bar = f"{share_bar(share, _BAR, symbols)} " if columns > 4 * _BAR else ""
        head, tail = f"{bar}{share:4.0%}", f" {symbols.dot} {left}" if left else ""
        room = columns - width(head) - width(tail)
        middle = f"  {counts}: {' '.join(safe_text(message).split())}"
        line = clip(head + (clip(middle, room, symbols.ellipsis) if room > 2 else "") + tail, columns, symbols.ellipsis)
        line = encodable(line, self._look.encoding)
        self._write(f"\r{line}{' ' * max(self._width - width(line), 0)}")
        self._width = max(width(line), 0)

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError:
            self._width = 0  # nobody watches any more; the work goes on


def progress_line(stream: TextIO | None, look: Callable[[], TerminalLook]) -> ProgressLine | None:
    """Return a progress line if the stream is a terminal that can redraw a line, else None."""
    if stream is None or not stream.isatty() or os.environ.get("TERM") == "dumb":
        return None
    return ProgressLine(stream, look(), columns=lambda: look().columns)
