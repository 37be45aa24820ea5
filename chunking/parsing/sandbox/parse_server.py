"""Server that takes files from its parent process and forks a child for each, a few at a time.

Standard input is a Unix socket. Each byte on it brings two file descriptors: `data`, over which the child gets the file
and sends its answer, and `status`, over which the limits come and the child's end is reported; if its other end is
closed, nobody waits and the child is killed. The server never looks at what it is sent, and has one thread: forking
is safe.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import select
import shutil
import signal
import socket
import tempfile
import time
from collections import deque
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Any

from chunking.errors import ConfigError
from chunking.parsing.sandbox import child
from chunking.parsing.sandbox.limits import MAX_CHILDREN, ChildLimits

__all__ = ["ParseServer", "import_readers"]


@dataclass(slots=True, eq=False)
class _Job:
    """A file waiting or being read."""

    data: socket.socket
    status: socket.socket
    limits: ChildLimits
    ending: str
    process: int = 0
    deadline: float = 0.0
    folder: str = ""
    killed: str = ""
    """Reason, if the server killed the child."""


class ParseServer:
    """Server that forks a child for each job, at most `MAX_CHILDREN` at once.

    The constructor handles SIGCHLD for this process; `serve` starts work.

    Args:
        control: socket on which jobs arrive.
        folder: for children's temporary files; deleted at the end.
    """

    def __init__(self, control: socket.socket, folder: str) -> None:
        self._control = control
        self._folder = folder
        self._waiting: deque[_Job] = deque()
        self._running: list[_Job] = []
        self._wakeup, waker = socket.socketpair()
        self._wakeup.setblocking(False)
        waker.setblocking(False)
        self._waker = waker
        signal.signal(signal.SIGCHLD, lambda *_: None)
        signal.set_wakeup_fd(waker.fileno(), warn_on_full_buffer=False)

    def serve(self) -> None:
        """Serve until the other end of `control` closes; then kill children and delete `folder`."""
        try:
            while self._turn():
                pass
        finally:
            # A child that ends later would write to a socket that is closed by then, and Python would complain.
            signal.set_wakeup_fd(-1)
            for job in self._running:
                _kill(job, "end")
            shutil.rmtree(self._folder, ignore_errors=True)

    def _turn(self) -> bool:
        """Handle the next event; False if there is no client left."""
        jobs = {job.status: job for job in (*self._running, *self._waiting) if not job.killed}
        ready, _, _ = select.select([self._control, self._wakeup, *jobs], [], [], self._patience())
        if self._control in ready and not self._accept():
            return False
        if self._wakeup in ready:
            with suppress(BlockingIOError):
                self._wakeup.recv(4096)
        for job in (jobs[one] for one in ready if one in jobs):
            self._drop(job)
        self._reap()
        while self._waiting and len(self._running) < MAX_CHILDREN:
            self._start(self._waiting.popleft())
        return True

    def _patience(self) -> float | None:
        """Seconds until the first deadline."""
        deadlines = [job.deadline for job in self._running if not job.killed]
        return max(min(deadlines) - time.monotonic(), 0) if deadlines else None

    def _accept(self) -> bool:
        """Accept a job from the parent; False if it is gone."""
        try:
            mark, numbers, _, _ = socket.recv_fds(self._control, 1, 2)
        except ConnectionError:
            return False
        if not mark:
            return False
        data, status = (socket.socket(fileno=number) for number in numbers)
        try:
            request: dict[str, Any] = json.loads(status.recv(65_536))
        except (OSError, ValueError):  # given up already
            data.close()
            status.close()
            return True
        self._waiting.append(_Job(data, status, ChildLimits(**request["limits"]), request["ending"]))
        return True

    def _drop(self, job: _Job) -> None:
        """Drop a job whose client hung up."""
        if job.process:
            _kill(job, "cancelled")
        elif job in self._waiting:
            self._waiting.remove(job)
            job.data.close()
            job.status.close()

    def _start(self, job: _Job) -> None:
        import_readers(job.ending)
        job.folder = tempfile.mkdtemp(dir=self._folder)
        server = os.getpid()
        job.process = os.fork()
        if not job.process:
            signal.set_wakeup_fd(-1)
            child.run(job.data, job.limits, job.folder, server)
        job.data.close()
        job.deadline = time.monotonic() + job.limits.wall
        self._running.append(job)

    def _reap(self) -> None:
        """Report ended children, and kill overdue ones."""
        for job in list(self._running):
            process, status = os.waitpid(job.process, os.WNOHANG)
            if process:
                self._running.remove(job)
                _finish(job, status)
            elif not job.killed and time.monotonic() >= job.deadline:
                _kill(job, "wall")


def _finish(job: _Job, status: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(job.process, signal.SIGKILL)  # what it has started
    shutil.rmtree(job.folder, ignore_errors=True)
    code = os.waitstatus_to_exitcode(status)
    with suppress(OSError):
        job.status.sendall(json.dumps({"exit": code, "killed": job.killed}).encode())
    job.status.close()


def _kill(job: _Job, why: str) -> None:
    if job.killed:
        return
    job.killed = why
    for kill in (os.killpg, os.kill):  # its group, once it has one of its own
        with suppress(ProcessLookupError, PermissionError):
            kill(job.process, signal.SIGKILL)


_ALWAYS = ("chunking.parsing.document", "chunking.parsing.sandbox.child", "resource")


@cache
def _warm_up() -> None:
    """Read a text of this program's own: each child inherits compiled patterns instead of compiling them itself."""
    from chunking.parsing.document import parse_all

    with suppress(ConfigError):  # as in `import_readers`
        parse_all(b"# Heading\n\nA sentence, and another one.\n", "warm-up.md")
    gc.collect()
    gc.freeze()  # no later collection writes to these objects, so their pages stay shared


@cache
def import_readers(ending: str) -> None:
    """Import the readers of an extension, or of plain text if unknown, once, before forking.

    Modules that are not installed are skipped.

    Args:
        ending: the extension in lower case, with the dot.
    """
    from chunking.parsing.parsers.parser_table import PARSERS
    from chunking.parsing.registry import FORMATS

    with suppress(ConfigError):  # of an installed package; the child meets it again and says so
        len(PARSERS)  # looks through all installed packages, which takes longer than reading a small file
    try:
        rows = [row for row in FORMATS if ending in row.extensions] or [row for row in FORMATS if row.name == "text"]
    except ConfigError:
        rows = []
    for module in [*_ALWAYS, *(module for row in rows for module in row.preload)]:
        try:
            importlib.import_module(module)
        except ImportError:
            continue
    _warm_up()
