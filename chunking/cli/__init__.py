"""The `chunkscope` command: everything the app does, for scripts.

Data goes to stdout as JSON, progress and warnings to stderr; exit 0 done, 1 something failed, 2 wrong usage.
"""

from __future__ import annotations

from chunking.cli.argument_table import COMMANDS, Command
from chunking.cli.running import main

__all__ = ["COMMANDS", "Command", "main"]
