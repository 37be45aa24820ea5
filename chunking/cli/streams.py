"""What the command writes: data to stdout, every other word to stderr, a line each."""

from __future__ import annotations

import json
import os
import re
import sys
from contextlib import suppress

from chunking.errors import ChunkscopeError

__all__ = ["complain", "drop_output", "flush", "say", "use_utf8", "write", "write_bytes", "write_row"]

_CONTROLS = re.compile("[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
"""What a file's name could break a line or colour a terminal with."""
_LINE_ENDS = str.maketrans({end: f"\\u{ord(end):04x}" for end in "\x85\u2028\u2029"})
"""JSON leaves these as they are, and some readers take them for the end of a line."""


def use_utf8() -> None:
    """Write UTF-8 wherever this runs; half a surrogate pair (from a file's name) becomes `\\udcXX`, in JSON its escape."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")


def say(message: object) -> None:
    """A line on stderr."""
    with suppress(OSError):  # nobody listens; the work goes on
        print(_CONTROLS.sub(" ", str(message)), file=sys.stderr, flush=True)


def complain(error: object) -> None:
    """Say what failed."""
    say(f"chunkscope: {error}")


def write_row(row: object) -> None:
    """An object as a line of JSON on stdout."""
    write(json.dumps(row, ensure_ascii=False, allow_nan=False).translate(_LINE_ENDS) + "\n")


def write(text: str) -> None:
    """Text on stdout.

    Raises:
        BrokenPipeError: the reader has gone.
        ChunkscopeError: it cannot be written, such as to a full disk.
    """
    try:
        print(text, end="")
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _unwritable(error) from error


def write_bytes(data: bytes) -> None:
    """Bytes on stdout, as they are; raises what `write` does."""
    try:
        sys.stdout.buffer.write(data)
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _unwritable(error) from error


def flush() -> None:
    """Bring out what is still held back; raises what `write` does."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise _unwritable(error) from error


def drop_output() -> None:
    """Throw away what stdout still holds: the interpreter would try to write it at its end, and complain."""
    with suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _unwritable(error: OSError) -> ChunkscopeError:
    drop_output()
    return ChunkscopeError(f"The output cannot be written ({error.strerror}); free some space or write it elsewhere.")
