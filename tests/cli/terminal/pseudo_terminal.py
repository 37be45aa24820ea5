"""The command on a pseudo-terminal of a given width, and what such a terminal shows of its output."""

from __future__ import annotations

import fcntl
import os
import re
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from chunking.cli.terminal.terminal_text import width
from tests.cli.command import ROOT

__all__ = ["TerminalRun", "Watch", "on_terminal", "plain", "visible"]

_STYLE = re.compile(r"\x1b\[[0-9;]*m")


@dataclass(frozen=True, slots=True)
class TerminalRun:
    """What a run gave on a terminal."""

    code: int
    raw: str
    """All that stdout and stderr sent, with the terminal's line ends."""

    @property
    def lines(self) -> list[str]:
        """The lines that stand there at the end, without styles."""
        return visible(self.raw)


Watch = Callable[..., TerminalRun]
"""Runs the command in this process, by its words and the columns of the terminal."""


def plain(text: str) -> str:
    """A text without its styles; nothing else of a terminal's language is in it."""
    plain = _STYLE.sub("", text)
    assert "\x1b" not in plain, repr(plain)
    return plain


def visible(raw: str) -> list[str]:
    """Lines of a terminal: what follows a carriage return stands over what was before it."""
    lines = []
    for line in plain(raw).replace("\r\n", "\n").split("\n"):
        cells: list[str] = []
        for part in line.split("\r"):
            cells = [*_cells(part), *cells[width(part) :]]
        lines.append("".join(cells).rstrip())
    return lines


def _cells(text: str) -> list[str]:
    """A text a column each; the second column of a wide character is empty, and marks stand in the column of theirs."""
    cells: list[str] = []
    for letter in text:
        if width(letter):
            cells += [letter, *[""] * (width(letter) - 1)]
        elif cells:
            cells[-1] += letter
    return cells


def on_terminal(
    *words: object, columns: int = 80, env: Mapping[str, str | None] | None = None, piped: bool = False
) -> TerminalRun:
    """Run the command with stdout and stderr on a terminal.

    Args:
        env: variables to change; None: to take away.
        piped: stdout goes where nobody looks, and only stderr to the terminal.
    """
    environment = {**os.environ, "TERM": "xterm-256color"} | {
        key: value for key, value in (env or {}).items() if value is not None
    }
    for name in ("NO_COLOR", "COLUMNS", "LINES", *(key for key, value in (env or {}).items() if value is None)):
        if not (env or {}).get(name):
            environment.pop(name, None)
    leader, follower = os.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    command = [sys.executable, "-m", "chunking", *map(str, words)]
    out = subprocess.DEVNULL if piped else follower
    with subprocess.Popen(
        command, stdin=subprocess.DEVNULL, stdout=out, stderr=follower, cwd=ROOT, env=environment
    ) as process:
        os.close(follower)
        try:
            raw = _read(leader)
        finally:
            os.close(leader)
    return TerminalRun(process.returncode, raw.decode("utf-8", "replace"))


def _read(leader: int) -> bytes:
    """All that comes until the other side is closed, which Linux reports as an error."""
    pieces = []
    while True:
        try:
            piece = os.read(leader, 65536)
        except OSError:
            break
        if not piece:
            break
        pieces.append(piece)
    return b"".join(pieces)
