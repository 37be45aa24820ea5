"""The server process as its parent sees it: started at the first file, and restarted when gone."""

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

from chunking.parsing.sandbox.limits import ChildLimits
from chunking.paths import LIBRARY

__all__ = ["Gone", "JobSockets", "ServerProcess", "connect", "retire", "stop"]

_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_THREAD_LIMIT"), "1")
"""A process with threads is not safe to fork, and each thread maps memory that counts."""


class Gone(Exception):
    """The server has ended; another can be started."""


class ServerProcess:
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


class JobSockets:
    """The two sockets of one job."""

    def __init__(self, server: ServerProcess, limits: ChildLimits, ending: str) -> None:
        self.server = server
        self.data, theirs = socket.socketpair()
        self.status, status_end = socket.socketpair()
        with theirs, status_end:
            self.data.setblocking(False)
            self.status.sendall(json.dumps({"limits": limits.as_record(), "ending": ending}).encode())
            try:
                socket.send_fds(server.control, [b"j"], [theirs.fileno(), status_end.fileno()])
            except ConnectionError as error:
                self.close()
                raise Gone("the server has ended") from error

    def close(self) -> None:
        """Hang up, which ends the job if it still runs."""
        self.data.close()
        self.status.close()


_lock = threading.Lock()
_server: ServerProcess | None = None


def connect(limits: ChildLimits, ending: str) -> JobSockets:
    """Connect to a child of the server, which is started if needed.

    Args:
        ending: extension in lower case, with the dot: tells which readers are needed.
    Raises:
        OSError: it cannot be started.
        Gone: it has just ended.
    """
    global _server
    with _lock:
        if _server is None:
            _server = ServerProcess()
        server = _server
        try:
            return JobSockets(server, limits, ending)
        except Gone:
            _server = None
    server.close()
    raise Gone("the server has ended")


def retire(server: ServerProcess) -> None:
    """Stop using a server, which has ended or should."""
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
    """In a forked process: the server belongs to its parent."""
    global _server, _lock
    _server, _lock = None, threading.Lock()


atexit.register(stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)
