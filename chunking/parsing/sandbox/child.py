"""Child process of one file: apply the limits, read, send the result, and end."""

from __future__ import annotations

import ctypes
import gc
import importlib
import json
import os
import signal
import socket
import sys
import tempfile
import traceback
from collections.abc import Callable, Mapping
from typing import Any

from chunking.errors import ChunkscopeError, ParseError, TooLargeError
from chunking.parsing.sandbox.limits import OUT_OF_MEMORY, ChildLimits, apply
from chunking.parsing.sandbox.wire import LENGTHS, Frame, documents_frame, encode, lengths

__all__ = ["run"]

_READER_FAILED = 1
"""Exit code: the reader raised an unexpected exception."""
_PR_SET_PDEATHSIG = 1
_TRACEBACKS = "CHUNKSCOPE_TRACEBACKS"
"""Environment variable to let readers and libraries write to standard error, for debugging."""


def run(connection: socket.socket, limits: ChildLimits, folder: str, server: int) -> None:
    """Apply the limits, answer the one request on `connection`, and exit; never returns.

    Runs in a process forked from the server.

    Args:
        folder: for temporary files; the server deletes it.
        server: process id of the server.
    """
    code = _READER_FAILED
    try:
        _settle(connection, limits, folder, server)
        code = _work(connection, limits)
    except MemoryError:
        code = OUT_OF_MEMORY
    finally:
        if sys.exc_info()[0] is not None:
            traceback.print_exc()
        os._exit(code)  # not the way of the server, whose process this was


def _settle(connection: socket.socket, limits: ChildLimits, folder: str, server: int) -> None:
    """Detach the process from the server."""
    os.setpgid(0, 0)  # what the reader starts is ended with it
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)  # ended when the server is
        if os.getppid() != server:  # it was ended before that: nothing else would end this one
            os._exit(_READER_FAILED)
    for number in (signal.SIGCHLD, signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    own_socket = connection.fileno()
    os.closerange(3, own_socket)
    os.closerange(own_socket + 1, 4096)
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1) if os.environ.get(_TRACEBACKS) else (0, 1, 2):
        os.dup2(nothing, stream)
    os.environ["TMPDIR"] = tempfile.tempdir = folder
    gc.freeze()  # what the server holds is not looked through again, and so not copied
    gc.set_threshold(100_000)
    apply(limits)


def _work(connection: socket.socket, limits: ChildLimits) -> int:
    frame = _receive(connection)
    try:
        head, body = _WORK[frame.head["do"]](frame)
        answer = encode({"value": head}, body)
        if sum(map(len, answer)) > limits.result:
            raise TooLargeError(
                f"{frame.head['source']} yields a document that is too large; split it into smaller files."
            )
    except ChunkscopeError as error:
        answer = encode(_error_record(error), b"")
    except RecursionError:
        sentence = (
            f"{frame.head['source']} is nested too deeply to be read; save it again with the program that made it."
        )
        answer = encode(_error_record(ParseError(sentence, where=frame.head["source"])), b"")
    for part in filter(
        None, answer
    ):  # whoever has the whole answer has hung up: nothing more can be sent, not even nothing
        connection.sendall(part)
    return 0


def _error_record(error: ChunkscopeError) -> dict[str, Any]:
    return {"error": type(error).__name__, "message": str(error), "where": error.where}


def _receive(connection: socket.socket) -> Frame:
    """Receive the complete request from the trusted process that started the server."""
    head, body = lengths(_exactly(connection, LENGTHS))
    return Frame(json.loads(_exactly(connection, head)), bytes(_exactly(connection, body)))


def _exactly(connection: socket.socket, size: int) -> bytearray:
    data = bytearray(size)
    view, done = memoryview(data), 0
    while done < size:
        got = connection.recv_into(view[done:])
        if not got:
            raise ConnectionResetError("the request ended early")
        done += got
    return data


def _parse(frame: Frame) -> Frame:
    from chunking.parsing.document import parse_all

    return documents_frame(parse_all(frame.body, frame.head["source"], **frame.head["options"]))


def _render(frame: Frame) -> Frame:
    pages = importlib.import_module("chunking.parsing.formats.pdf.pages.page_images")
    width, height, data, mime = pages.render(frame.body, frame.head["page"], frame.head["width"])
    return Frame({"width": width, "height": height, "mime": mime}, bytes(data))


def _second(frame: Frame) -> Frame:
    reading = importlib.import_module("chunking.parsing.parsers.unstructured_reader")
    elements = reading.read_second(frame.body, frame.head["source"], frame.head["module"])
    return Frame({"elements": [list(one) for one in elements]}, b"")


def _table(frame: Frame) -> Frame:
    reading = importlib.import_module("chunking.parsing.formats.parquet_lines")
    return Frame({}, reading.json_lines(frame.body, frame.head["source"], frame.head["most_rows"]))


_WORK: Mapping[str, Callable[[Frame], Frame]] = {"parse": _parse, "render": _render, "second": _second, "table": _table}
