"""The argument that every command with a view takes besides its own: `--json`."""

from __future__ import annotations

from typing import Any

from chunking.cli.terminal.views import find_view

__all__ = ["output_words"]

_JSON: tuple[tuple[str, ...], dict[str, Any]] = (
    ("--json",),
    {"action": "store_true", "help": "print JSON on a terminal too, as into a pipe or a file"},
)


def output_words(command: str) -> tuple[tuple[tuple[str, ...], dict[str, Any]], ...]:
    """Names and options of the arguments that choose how a command's records are shown; none for a command that prints text."""
    return (_JSON,) if find_view(command) else ()
