"""Entry point of the command: builds the parser, runs one command, turns errors into exit codes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from typing import Any

from chunking.cli.arguments.argument_table import COMMANDS, Command
from chunking.cli.arguments.command_words import Word, word
from chunking.cli.streams import attach_display, complain, drop_output, flush, is_terminal, say, use_utf8, write_drawn
from chunking.errors import ChunkscopeError, ConfigError

__all__ = ["main", "parser", "words_of"]

_JSON = word("--json", action="store_true", help="print JSON even on a terminal, where the default is formatted text")


def main(argv: Sequence[str] | None = None) -> int:
    """Parse the arguments, run one command, and turn its errors into a line and an exit code.

    Args:
        argv: command-line arguments; None: those of the process.
    Returns:
        The exit code: 0 done, or the reader of stdout has gone; 1 failed or interrupted (one line on stderr says why);
        2 wrong usage or settings.
    """
    encoding = str(getattr(sys.stdout, "encoding", None) or "utf-8")  # of the terminal: read before use_utf8()
    use_utf8()
    try:
        words = sys.argv[1:] if argv is None else argv
        only = next((word for word in words if not word.startswith("-")), "")
        arguments = parser(only).parse_args(words)
    except SystemExit as stop:  # argparse has said what is wrong, or printed the help
        return int(stop.code or 0)
    except BrokenPipeError:
        drop_output()
        return 0
    try:
        with _attach_terminal(arguments, encoding):
            code = int(arguments.run(arguments))
        flush()
    except ConfigError as error:
        complain(error)
        return 2
    except ChunkscopeError as error:
        complain(error)
        return 1
    except BrokenPipeError:  # the reader, such as `head`, has had enough: no fault of anyone
        drop_output()
        return 0
    except KeyboardInterrupt:
        say("Stopped; everything written so far is kept.")
        return 1
    return code


def parser(only: str | None = None) -> argparse.ArgumentParser:
    """Build the parser; `run` of its result calls the command. Wrong usage exits with code 2.

    Args:
        only: compute the words of this command alone; None: of all.
    """
    root = argparse.ArgumentParser(
        prog="chunkscope",
        description="Split documents into chunks, index and search them, and evaluate which settings find the most.",
        epilog="Data goes to stdout, progress and warnings to stderr; exit 0 done, 1 failed, 2 wrong usage.",
        allow_abbrev=False,
    )
    commands = root.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        sub = commands.add_parser(command.name, help=command.help, description=command.help, allow_abbrev=False)
        sub.set_defaults(run=command.run, command=command.name)
        for names, options in words_of(command) if only in (None, command.name) else ():
            sub.add_argument(*names, **{name: _escaped(value) for name, value in options.items()})
    return root


def words_of(command: Command) -> tuple[Word, ...]:
    """Return a command's arguments, with `--json` if a terminal draws its records."""
    from chunking.cli.terminal.views import find_view

    return (*command.words, _JSON) if find_view(command.name) else command.words


def _escaped(value: Any) -> Any:
    """Double the percent signs, which argparse reads as fields."""
    return value.replace("%", "%%") if isinstance(value, str) else value


@contextmanager
def _attach_terminal(arguments: argparse.Namespace, encoding: str) -> Iterator[None]:
    """Draw records on a terminal, unless `--json` is given; draw progress if stderr is a terminal."""
    progress = sys.stderr is not None and sys.stderr.isatty()
    drawn = is_terminal() and not getattr(arguments, "json", False)
    if not drawn and not progress:
        yield
        return
    from chunking.cli.terminal.screen import Screen, progress_line, terminal_look
    from chunking.cli.terminal.views import find_view

    view = find_view(arguments.command) if drawn else None
    screen = None if view is None else Screen(view, terminal_look(sys.stdout, encoding), write_drawn)
    signs = "utf-8" if _is_utf8(encoding) else "ascii"
    with (
        _use_encoding(encoding if screen else "utf-8"),
        attach_display(screen, progress_line(sys.stderr, partial(terminal_look, sys.stderr, signs))),
    ):
        yield


@contextmanager
def _use_encoding(encoding: str) -> Iterator[None]:
    """Write stdout in the encoding of its terminal; views have replaced what it cannot encode."""
    if _is_utf8(encoding) or not hasattr(sys.stdout, "reconfigure"):
        yield
        return
    sys.stdout.reconfigure(encoding=encoding, errors="replace")
    try:
        yield
    finally:
        with suppress(OSError):
            sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")


def _is_utf8(encoding: str) -> bool:
    return encoding.lower().replace("-", "") == "utf8"
