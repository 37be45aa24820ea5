"""Server process as seen by its parent: started, restarted when gone, one exchange per file."""

from __future__ import annotations

import atexit
import errno
import json
import os
import selectors
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from chunking.errors import Cancelled
from chunking.parsing.sandbox.limits import ChildLimits
from chunking.parsing.sandbox.wire import LENGTHS, lengths
from chunking.paths import LIBRARY

__all__ = ["ChildOutcome", "Gone", "JobSockets", "ServerProcess", "connect", "exchange", "retire", "stop"]

_ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_THREAD_LIMIT"), "1")
"""Variables that forbid threads: a process with threads is not safe to fork, and threads map memory."""

_PIECE = 1 << 20
_POLL_SECONDS = 0.1
"""Seconds between two checks for cancellation."""


class Gone(Exception):
    """Error for a server that has ended; another can be started."""


class ServerProcess:
    """Server process that the constructor starts, its control socket and its temporary folder.

    Raises:
        OSError: it cannot be started, as on a system without fork.
    """

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
        """End the server and its children, by force after 5 seconds, and delete its folder."""
        self.control.close()
        try:
            self.process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)


class JobSockets:
    """Two sockets of one job, for data and status; the constructor hands the job to the server.

    Raises:
        Gone: the server has ended.
    """

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
        """Close both sockets, which makes the server kill the child if it still runs."""
        self.data.close()
        self.status.close()


_lock = threading.Lock()
_server: ServerProcess | None = None


def connect(limits: ChildLimits, ending: str) -> JobSockets:
    """Hand a job to the server, which is started if none runs, and return the job's sockets.

    Args:
        ending: extension in lower case, with the dot: tells which readers are needed.
    Raises:
        OSError: it cannot be started.
        Gone: it has just ended; the next call starts another.
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
    """End a server and stop using it, so that the next file starts another."""
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
    """Forget the server in a forked process, since it belongs to the parent."""
    global _server, _lock
    _server, _lock = None, threading.Lock()


atexit.register(stop)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget)


class ChildOutcome(NamedTuple):
    """Outcome of a child: its complete answer, or else how it ended."""

    answer: bytearray | None
    """Complete frame; None if the child ended without one."""
    status: dict[str, Any]
    """Status with the `exit` code (negative for a signal), and why the server `killed` the child."""


class _Exchange:
    def __init__(self, line: JobSockets, parts: Sequence[bytes], most: int) -> None:
        self._line, self._most = line, most
        self._unsent = [memoryview(part) for part in parts if part]
        self._answer = bytearray()
        self._status = bytearray()
        self._open = selectors.DefaultSelector()
        self._open.register(line.data, selectors.EVENT_READ | selectors.EVENT_WRITE)
        self._open.register(line.status, selectors.EVENT_READ)

    def run(self, cancelled: Callable[[], bool] | None) -> ChildOutcome:
        with self._open:
            while self._open.get_map():
                for key, events in self._open.select(None if cancelled is None else _POLL_SECONDS):
                    self._handle(key.fileobj, events)
                if self._is_whole():
                    return ChildOutcome(self._answer, {})
                if len(self._answer) > LENGTHS and sum(lengths(self._answer)) > self._most:
                    return ChildOutcome(None, {"killed": "result"})
                if cancelled is not None and cancelled():
                    raise Cancelled("Reading was cancelled; what was read before stays.")
        if not self._status:
            raise Gone("the server ended before the child")
        return ChildOutcome(None, json.loads(self._status))

    def _handle(self, line: Any, events: int) -> None:
        if events & selectors.EVENT_WRITE:
            self._send()
        if events & selectors.EVENT_READ:
            into = self._answer if line is self._line.data else self._status
            try:
                got = line.recv(_PIECE)
            except BlockingIOError:
                return
            except ConnectionError:
                got = b""
            into += got
            if not got:
                self._open.unregister(line)

    def _send(self) -> None:
        try:
            sent = self._line.data.send(self._unsent[0])
        except BlockingIOError:
            return
        except ConnectionError:  # the child has ended early: its status says why
            self._unsent.clear()
        else:
            self._unsent[0] = self._unsent[0][sent:]
            if not self._unsent[0]:
                del self._unsent[0]
        if not self._unsent:
            self._open.modify(self._line.data, selectors.EVENT_READ)

    def _is_whole(self) -> bool:
        return len(self._answer) >= LENGTHS and len(self._answer) == LENGTHS + sum(lengths(self._answer))


def exchange(line: JobSockets, parts: Sequence[bytes], most: int, cancelled: Callable[[], bool] | None) -> ChildOutcome:
    """Send a request, wait for the answer or the child's end, and close the sockets.

    Args:
        parts: the request, from `wire.encode`.
        most: maximum bytes of an answer; a larger one counts as a child `killed` for its `result`.
    Raises:
        Gone: the server has ended.
        Cancelled: `cancelled` returned True; the child is killed.
    """
    try:
        return _Exchange(line, parts, most).run(cancelled)
    finally:
        line.close()
