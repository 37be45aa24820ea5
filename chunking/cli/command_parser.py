"""The parser of all commands, made from their table, and the argument that commands with a view take besides their own:
`--json`.
"""

from __future__ import annotations

import argparse
from typing import Any

from chunking.cli.argument_table import COMMANDS, Command
from chunking.cli.command_words import Word, word

__all__ = ["parser", "words_of"]

_JSON = word("--json", action="store_true", help="print JSON on a terminal too, as into a pipe or a file")


def parser(only: str | None = None) -> argparse.ArgumentParser:
    """The parser of all commands; `run` of what it gives is the command's function. Wrong words end it with exit code
    2.

    Args:
        only: the command whose words are wanted, so that those of the others need not be computed; all where it is
            None.
    """
    whole = argparse.ArgumentParser(
        prog="chunkscope",
        description="Split documents into chunks, index and search them, and evaluate which settings find the most.",
        epilog="Data goes to stdout, progress and warnings to stderr; exit 0 done, 1 failed, 2 wrong usage.",
        allow_abbrev=False,
    )
    commands = whole.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        sub = commands.add_parser(command.name, help=command.help, description=command.help, allow_abbrev=False)
        sub.set_defaults(run=command.run, command=command.name)
        for names, options in words_of(command) if only in (None, command.name) else ():
            sub.add_argument(*names, **{name: _escaped(value) for name, value in options.items()})
    return whole


def words_of(command: Command) -> tuple[Word, ...]:
    """A command's own words, and `--json` where people on a terminal see its records drawn."""
    from chunking.cli.terminal.views import find_view

    return (*command.words, _JSON) if find_view(command.name) else command.words


def _escaped(value: Any) -> Any:
    """Argparse takes a percent sign in a help text for a field."""
    return value.replace("%", "%%") if isinstance(value, str) else value
