"""The server as the process that needs it sees it: started at the first file, and again when it is gone."""

from __future__ import annotations

import atexit
import errno
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import threading

from chunking.parsing.sandbox.limits import Limits
from chunking.project import LIBRARY

__all__ = ["Gone", "Line", "Server", "connect", "retire", "stop"]

_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_THREAD_LIMIT"), "1")
"""A process with threads is not safe to fork, and each of them maps memory that counts."""


class Gone(Exception):
    """The server has ended; another can be started."""


class Server:
    """A running server."""

    def __init__(self) -> None:
        if not hasattr(os, "fork"):
            raise OSError(errno.ENOSYS, "this system has no fork")
        self.folder = tempfile.mkdtemp(prefix="chunkscope-")
        self.control, theirs = socket.socketpair()
        paths = [str(LIBRARY), *filter(None, [os.environ.get("PYTHONPATH")])]
        try:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "chunking.parsing.sandbox", self.folder],
                stdin=theirs.fileno(),
                stdout=subprocess.DEVNULL,
                env={**os.environ, **_ONE_THREAD, "PYTHONPATH": os.pathsep.join(paths)},
            )
        except OSError:
            self.control.close()
            shutil.rmtree(self.folder, ignore_errors=True)
            raise
        finally:
            theirs.close()

    def close(self) -> None:
        """End it, its children and its files."""
        self.control.close()
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class Line:
    """The two sockets of one job."""

    def __init__(self, server: Server, limits: Limits, ending: str) -> None:
        self.server = server
        self.data, theirs = socket.socketpair()
        self.status, told = socket.socketpair()
        with theirs, told:
            self.data.setblocking(False)
            self.status.sendall(json.dumps({"limits": limits.as_record(), "ending": ending}).encode())
            try:
                socket.send_fds(server.control, [b"j"], [theirs.fileno(), told.fileno()])
            except ConnectionError as error:
                self.close()
                raise Gone("the server has ended") from error

    def close(self) -> None:
        """Hang up, which ends the job if it still runs."""
        self.data.close()
        self.status.close()


_lock = threading.Lock()
_server: Server | None = None


def connect(limits: Limits, ending: str) -> Line:
    """A line to a child of the server, which is started if it does not run.

    Args:
        ending: of the file's name, lower case, with the dot: tells which readers will be wanted.
    Raises:
        OSError: it cannot be started.
        Gone: it has just ended.
    """
    global _server
    with _lock:
        if _server is None:
            _server = Server()
        server = _server
        try:
            return Line(server, limits, ending)
        except Gone:
            _server = None
    server.close()
    raise Gone("the server has ended")


def retire(server: Server) -> None:
    """Use a server no more, which has ended or should."""
    global _server
    with _lock:
        if _server is server:
            _server = None
    server.close()


def stop() -> None:
    """End the server, if there is one; the next file starts another."""
    if _server is not None:
        retire(_server)


def _forget() -> None:
    """In a forked process: the server is its parent's."""
    global _server, _lock
    _server, _lock = None, threading.Lock()


atexit.register(stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
