"""The `chunkscope` command: everything the app does, for scripts.

Data goes to stdout as JSON, progress and warnings to stderr; exit 0 done, 1 something failed, 2 wrong usage.
"""

from __future__ import annotations

from chunking.cli.running import main
from chunking.cli.words import COMMANDS, Command

__all__ = ["COMMANDS", "Command", "main"]
