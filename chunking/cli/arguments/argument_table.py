"""Table of the commands and their arguments; parser, help and documentation are generated from it."""

from __future__ import annotations

from chunking.cli.arguments.command_words import Command
from chunking.cli.arguments.evaluation_rows import EVALUATION
from chunking.cli.arguments.export_rows import EXPORT
from chunking.cli.arguments.indexing_rows import INDEXING
from chunking.cli.arguments.serving_rows import SERVING
from chunking.cli.arguments.workspace_rows import WORKSPACES

__all__ = ["COMMANDS", "Command"]

COMMANDS: tuple[Command, ...] = (*INDEXING, *EVALUATION, *EXPORT, *WORKSPACES, *SERVING)
"""In the order of the help."""
