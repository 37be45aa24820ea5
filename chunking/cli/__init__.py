"""The `chunkscope` command: everything the app does, for scripts and for people on a terminal.

Data goes to stdout as JSON, or drawn where that is a terminal, progress and warnings to stderr.
Exit 0 done, 1 something failed, 2 wrong usage.
"""

from __future__ import annotations

from chunking.cli.arguments.argument_table import COMMANDS, Command
from chunking.cli.running import main

__all__ = ["COMMANDS", "Command", "main"]
