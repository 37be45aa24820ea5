"""Lines on stdin as the SDK can read them: it drops a line with half a surrogate pair, and that call would never be
answered.
"""

from __future__ import annotations

import os
import re
from threading import Thread
from typing import BinaryIO

__all__ = ["mend_stdin", "mended_line"]

_ESCAPE = re.compile(rb"\\(?:u[dD][89abAB]..\\u[dD][c-fC-F]..|(u[dD][89a-fA-F]..)|.)", re.DOTALL)
"""Any escape of JSON: a whole pair, the half of one, another."""


def mend_stdin() -> None:
    """Put a pipe in the place of stdin, and copy what a host sends into it; to be called before the SDK takes stdin
    over.

    A thread copies until stdin ends: it sits in a read, as the SDK's does, and ends with the process.
    """
    source = os.fdopen(os.dup(0), "rb")
    reading, writing = os.pipe()
    os.dup2(reading, 0)
    os.close(reading)
    Thread(target=_copy, args=(source, os.fdopen(writing, "wb")), name="stdin", daemon=True).start()


def mended_line(line: bytes) -> bytes:
    r"""A line with U+FFFD for the escape of each half of a surrogate pair, as hosts send them that cut a text within an
    emoji.

    >>> mended_line(b'{"a": "\\ud83d", "b": "\\ud83d\\ude00"}')
    b'{"a": "\\ufffd", "b": "\\ud83d\\ude00"}'
    """
    return _ESCAPE.sub(lambda found: b"\\ufffd" if found[1] else found[0], line)


def _copy(source: BinaryIO, sink: BinaryIO) -> None:
    with sink:
        for line in source:
            sink.write(mended_line(line))
            sink.flush()
