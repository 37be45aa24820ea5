"""A workspace for agents on this machine, over stdin and stdout: `mcp`."""

from __future__ import annotations

import argparse
import threading
from pathlib import Path
from typing import TYPE_CHECKING

from chunking.errors import ConfigError, NotFoundError

if TYPE_CHECKING:
    from chunking.store import Workspace

__all__ = ["mcp"]


def mcp(arguments: argparse.Namespace) -> int:
    """Serve the workspace as a Model Context Protocol server until stdin ends; the workspace is opened by the first
    call that needs it.
    """
    from chunking.agents import AppAddress, Toolbox

    if arguments.files and not arguments.write:
        raise ConfigError("--files lists folders for the tool collect, which needs --write; add it.", where="--files")
    for folder in arguments.files:
        if not folder.is_dir():
            raise ConfigError(f"The folder {folder} of --files does not exist; check the name.", where="--files")
    address = AppAddress.parse(arguments.address)
    opener = _WorkspaceOpener(arguments.workspace, write=arguments.write)
    toolbox = Toolbox(opener.open, address, tuple(arguments.files))
    try:
        from chunking.agents.mcp import build_server, serve_stdio
    except ModuleNotFoundError as error:
        raise ConfigError(
            f"The command mcp needs the package {error.name}: run pip install 'mcp==2.3.0'.", where="mcp"
        ) from error
    serve_stdio(
        build_server(
            lambda context: toolbox,
            arguments.profile,
            arguments.write,
            abandon=True,
            recall=lambda context: toolbox.measured_recall() if opener.is_open else "",
        )
    )
    return 0


class _WorkspaceOpener:
    """Opens the workspace once, when it is first needed: a host starts all its servers at once, and asks few of them.

    Raises:
        NotFoundError: there is no such folder, and it may not be made.
    """

    def __init__(self, uri: str, *, write: bool) -> None:
        if not write and "://" not in uri and not Path(uri).is_dir():
            raise NotFoundError(f"There is no workspace {uri}; check the name, or give --write to make one.", where=uri)
        self._uri, self._write = uri, write
        self._lock = threading.Lock()
        self._workspace: Workspace | None = None

    @property
    def is_open(self) -> bool:
        """Whether a call has needed it."""
        return self._workspace is not None

    def open(self) -> Workspace:
        """The workspace, with the right to write where that was asked for."""
        from chunking.store import Role, RoleAccess, Workspace

        with self._lock:
            if self._workspace is None:
                access = RoleAccess(Role.OWNER if self._write else Role.VIEWER)
                self._workspace = Workspace.open(self._uri, create=self._write, access=access)
            return self._workspace
