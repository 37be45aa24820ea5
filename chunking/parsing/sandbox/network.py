"""Deny network access to reading processes: neither a library nor a hostile file may fetch or report anything."""

from __future__ import annotations

import ctypes
import os
import sys
from typing import Any

__all__ = ["forbid"]

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
"""Audit events of Python; native code finds no network where the system can take it away."""

_CLONE_NEWUSER, _CLONE_NEWNET = 0x10000000, 0x40000000


def forbid() -> None:
    """Take the network from this process and all it starts, for good.

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
