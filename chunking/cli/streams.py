"""Output of the command: data to stdout, messages to stderr, one line each.

Where a person watches stdout (`attach_display`), records go to the view of the command instead of JSON, and stderr has
one line of progress that is drawn over itself.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chunking.cli.terminal.terminal_text import UNSAFE_IN_JSON, safe_text
from chunking.errors import ChunkscopeError

if TYPE_CHECKING:
    from chunking.cli.terminal.screen import ProgressLine, Screen

__all__ = [
    "attach_display",
    "complain",
    "drop_output",
    "flush",
    "is_terminal",
    "say",
    "say_result",
    "show_progress",
    "use_utf8",
    "write",
    "write_bytes",
    "write_drawn",
    "write_row",
]

_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]+")
"""Characters of file names that could break a line, colour a terminal, or reverse its text."""
_LINE_ENDS = str.maketrans({end: f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"})
"""Characters that JSON keeps and some readers take for the end of a line, with their escapes."""


@dataclass(slots=True)
class _Display:
    """Display of the running command; both None without a terminal."""

    screen: Screen | None = None
    progress: ProgressLine | None = None


_display = _Display()


@contextmanager
def attach_display(screen: Screen | None, progress: ProgressLine | None) -> Iterator[None]:
    """Send records to a screen and progress to a line while a command runs; None: plain lines.

    Pending records are drawn at the end, unless the command fails.
    """
    before = _display.screen, _display.progress
    _display.screen, _display.progress = screen, progress
    try:
        yield
        _clear_progress()
        if screen is not None:
            screen.draw()
    finally:
        _clear_progress()
        _display.screen, _display.progress = before


def is_terminal() -> bool:
    """True if stdout is a terminal."""
    return sys.stdout is not None and sys.stdout.isatty()


def use_utf8() -> None:
    """Make stdout and stderr UTF-8; half a surrogate pair becomes `\\udcXX`, in JSON its escape."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def say(message: object) -> None:
    """Print a message on stderr as one line, without control characters; a failure is ignored."""
    _clear_progress()
    with suppress(OSError):  # nobody listens; the work goes on
        print(_CONTROLS.sub(" ", str(message)), file=sys.stderr, flush=True)


def say_result(message: object) -> None:
    """Print a line on stderr that repeats part of a record; omitted if a view shows the record."""
    if _display.screen is None:
        say(message)


def complain(error: object) -> None:
    """Print an error on stderr, after the program's name."""
    say(f"chunkscope: {error}")


def show_progress(
    done: float, total: float, counted: str, message: str, *, left: float | None = None, share: float | None = None
) -> bool:
    """Draw the progress line; False if there is none, so that the caller prints lines instead.

    Args:
        counted, left, share: as for `ProgressLine.show`.
    """
    if _display.progress is None:
        return False
    _display.progress.show(done, total, counted, message, left=left, share=share)
    return True


def _clear_progress() -> None:
    if _display.progress is not None:
        _display.progress.clear()


def write_row(row: object) -> None:
    """Write an object as a line of JSON to stdout, or pass it to the command's view."""
    if _display.screen is not None:
        _clear_progress()
        _display.screen.add(row)
        return
    escapes = UNSAFE_IN_JSON if is_terminal() else _LINE_ENDS
    write(json.dumps(row, ensure_ascii=False, allow_nan=False).translate(escapes) + "\n")


def write(text: str) -> None:
    """Write text to stdout; on a terminal without control characters.

    Raises:
        BrokenPipeError: the reader has gone.
        ChunkscopeError: it cannot be written, such as to a full disk.
    """
    write_drawn(safe_text(text) if is_terminal() else text)


def write_drawn(text: str) -> None:
    """Write text to stdout unchanged, such as a coloured line; raises as `write` does."""
    _clear_progress()
    try:
        print(text, end="")
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _unwritable(error) from error


def write_bytes(data: bytes) -> None:
    """Write bytes to stdout unchanged; raises as `write` does."""
    try:
        sys.stdout.buffer.write(data)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _unwritable(error) from error


def flush() -> None:
    """Flush stdout; raises as `write` does."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _unwritable(error) from error


def drop_output() -> None:
    """Send stdout to the null device, so that its buffer raises no error at exit."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _unwritable(error: OSError) -> ChunkscopeError:
    drop_output()
    return ChunkscopeError(f"The output cannot be written ({error.strerror}); free some space or write it elsewhere.")
