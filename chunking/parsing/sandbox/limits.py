"""Limit the resources of the child reading a file, and take the network from it, for good.

Neither a library nor a hostile file may fetch or report anything.
"""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from dataclasses import asdict, dataclass
from typing import Any

__all__ = ["MAX_CHILDREN", "OCR", "OUT_OF_MEMORY", "SECOND_PARSER", "ChildLimits", "apply", "forbid", "mapped_bytes"]

_REFUSED = frozenset(
    {
        "socket.bind",
        "socket.connect",
        "socket.getaddrinfo",
        "socket.gethostbyaddr",
        "socket.gethostbyname",
        "socket.getnameinfo",
        "socket.sendmsg",
        "socket.sendto",
        "urllib.Request",
        "http.client.connect",
        "ftplib.connect",
        "smtplib.connect",
    }
)
"""Audit events refused in Python; native code has no network if the system can take it away."""

_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000


@dataclass(frozen=True, slots=True)
class ChildLimits:
    """Limits of a child's memory, time, files and result.

    The defaults are far above the needs of legitimate files.
    """

    memory: int = 2 * 2**30
    """Bytes beyond the libraries' own. Not enforced on macOS: there the time limits apply."""
    cpu: int = 180
    """Seconds of CPU time."""
    wall: int = 300
    """Seconds from start to end, waiting included."""
    result: int = 2**29
    """Bytes of the resulting document: 50 million characters (`text_builder.MAX_CHARACTERS`) with all blocks."""
    file: int = 256 * 2**20
    """Bytes of a temporary file: a page image for text recognition."""
    open_files: int = 256

    def as_record(self) -> dict[str, int]:
        """Return the limits as a dict for the server; `ChildLimits(**record)` restores them."""
        return asdict(self)


OCR = ChildLimits(cpu=1_800, wall=3_600)
"""Limits for text recognition, which takes seconds a page: 1,800 are some 600 pages."""

SECOND_PARSER = ChildLimits(memory=3 * 2**30, cpu=60, wall=90, result=2**27)
"""Limits for the second parser: a user waits for it, and its libraries alone map a gigabyte."""

MAX_CHILDREN = min(max(os.cpu_count() or 2, 2), 4)
"""Most files read at once; more would only share the memory."""

OUT_OF_MEMORY = 12
"""Exit code of a child that is out of memory."""


def apply(limits: ChildLimits) -> None:
    """Apply the limits of memory, CPU time and files to this process and its children, for good.

    An alarm ends this process ten seconds after `wall` in case the server is gone. `result` is checked by the child and
    its parent; memory is limited on Linux only.
    """
    import resource

    _set(resource.RLIMIT_CORE, 0)  # a dump would hold the user's file
    _set(resource.RLIMIT_CPU, limits.cpu, limits.cpu + 2)  # told apart from other ends by its signal, then for good
    _set(resource.RLIMIT_FSIZE, limits.file)
    _set(resource.RLIMIT_NOFILE, limits.open_files)
    if sys.platform.startswith("linux"):
        _set(resource.RLIMIT_AS, mapped_bytes() + limits.memory)
    signal.alarm(limits.wall + 10)  # should the server that watches the time be gone


def mapped_bytes() -> int:
    """Return the bytes of address space that this process maps, mostly libraries.

    Raises:
        OSError: the system has no `/proc` (it is not Linux).
    """
    with open("/proc/self/statm", "rb") as file:
        return int(file.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")


def _set(what: int, soft: int, hard: int | None = None) -> None:
    import resource

    most = resource.getrlimit(what)[1]
    values = [
        value if most == resource.RLIM_INFINITY else min(value, most)
        for value in (soft, soft if hard is None else hard)
    ]
    resource.setrlimit(what, (values[0], values[1]))


def forbid() -> None:
    """Take the network from this process and its children, irreversibly.

    On Linux the process moves into an empty network namespace where allowed (in some containers it is not); everywhere
    an audit hook refuses what Python would send. On macOS there is only the hook.
    """
    if sys.platform.startswith("linux"):
        _leave_network()
    sys.addaudithook(_refuse)


def _refuse(event: str, arguments: tuple[Any, ...]) -> None:
    if event in _REFUSED:
        raise PermissionError(f"Reading a file needs no network ({event}).")


def _leave_network() -> bool:
    """Move into an empty network namespace; False if not allowed."""
    user, group = os.getuid(), os.getgid()
    unshare = getattr(ctypes.CDLL(None, use_errno=True), "unshare", None)
    if unshare is None:
        return False
    if unshare(_CLONE_NEWNET) == 0:  # root may
        return True
    if unshare(_CLONE_NEWUSER | _CLONE_NEWNET) != 0:
        return False
    for name, line in (("setgroups", "deny"), ("uid_map", f"{user} {user} 1"), ("gid_map", f"{group} {group} 1")):
        _write(f"/proc/self/{name}", line)
    return True


def _write(path: str, line: str) -> None:
    try:
        with open(path, "w", encoding="ascii") as file:
            file.write(line)
    except OSError:
        pass  # the process is then nobody to itself; to the files it is who it was
