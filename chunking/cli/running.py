"""One run of the command: words in, exit code out; whatever goes wrong is one line on stderr."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial

from chunking.cli.command_parser import parser
from chunking.cli.streams import attach_display, complain, drop_output, flush, is_terminal, say, use_utf8, write_drawn
from chunking.errors import ChunkscopeError, ConfigError

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Args:
        argv: words after the program's name; those of the process where None.
    Returns:
        The exit code: 0 done, 1 failed (one line on stderr says why), 2 wrong usage.
    """
    encoding = str(
        getattr(sys.stdout, "encoding", None) or "utf-8"
    )  # of the terminal, before it is taken for one of UTF-8
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


@contextmanager
def _attach_terminal(arguments: argparse.Namespace, encoding: str) -> Iterator[None]:
    """Draw records if stdout is a terminal and `--json` is not given, and progress if stderr is a terminal."""
    progress = sys.stderr is not None and sys.stderr.isatty()
    drawn = is_terminal() and not getattr(arguments, "json", False)
    if not drawn and not progress:
        yield
        return
    from chunking.cli.terminal.progress_line import progress_line
    from chunking.cli.terminal.screen import Screen, terminal_look
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
