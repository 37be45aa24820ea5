"""The commands `app` (serve the app in a browser) and `mcp` (serve a workspace to agents over stdio)."""

from __future__ import annotations

import argparse
import errno
import hashlib
import os
import socket
import sys
import threading
import time
import urllib.request
import webbrowser
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from chunking.cli.streams import say
from chunking.display import first_names
from chunking.errors import ConfigError, NotFoundError, ParseError
from chunking.paths import DATA, PROJECT

if TYPE_CHECKING:
    from chunking.store import Workspace

__all__ = ["app", "choose_port", "mcp", "workspace_of"]

_HOST = "127.0.0.1"
"""Loopback address: docs/deploy says how others reach a server."""
_PORT = 8501
_TRIES = 100
"""Number of consecutive ports to try."""
_LAST_PORT = 65_535
_PATIENCE = 120.0
"""Seconds to wait for a server's answer, including the compilation of its modules."""


def app(arguments: argparse.Namespace) -> int:
    """Add the given documents and questions to a workspace, and serve the app until Ctrl+C.

    Prints its address on stderr, and opens a browser there unless `--no-browser` is given.

    Raises:
        ConfigError: no port or setting can be used.
        ModelError: the model that counts tokens is not installed.
        ChunkscopeError: none of the documents or questions can be read, or the workspace cannot be written.
    """
    port = choose_port(arguments.port)
    _use_settings(arguments)
    questions = _fill_workspace(arguments)
    query = f"?{urlencode({'questions': questions})}" if questions else ""
    address = f"http://{_HOST}:{port}"
    say(f"Chunkscope is at {address}/{query} (stop it with Ctrl+C)")
    if not arguments.no_browser:
        threading.Thread(target=_open_browser, args=(address, query), daemon=True).start()
    sys.path.insert(0, str(PROJECT))  # of a wheel's packages this one alone is below another
    try:
        import_module("components.server.launch").serve(_HOST, port)
    except KeyboardInterrupt:  # it has ended as it should
        say("Stopped.")
    return 0


def choose_port(requested: int | None) -> int:
    """Choose the requested port (default 8501), or the first free one after it; 0: any free one.

    Raises:
        ConfigError: not a port, not allowed, or a hundred consecutive ports are in use.
    """
    if requested is not None and not 0 <= requested <= _LAST_PORT:
        raise ConfigError(f"--port is {requested}; give 0 to {_LAST_PORT}.", where="--port")
    first = _PORT if requested is None else requested
    tried = range(first, min(first + _TRIES, _LAST_PORT + 1)) if first else range(1)
    for port in tried:
        with socket.socket() as probe:
            if os.name == "posix":  # as the server binds it: one that was closed a moment ago is free
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                probe.bind((_HOST, port))
            except OSError as error:
                if error.errno == errno.EADDRINUSE:
                    continue
                message = (
                    f"Port {port} cannot be used ({error.strerror}); give another one with --port, or 0 for any "
                    f"that is free."
                )
                raise ConfigError(message, where="--port") from error
            chosen = int(probe.getsockname()[1])
        if requested and chosen != requested:
            say(f"Port {requested} is in use; using {chosen}.")
        return chosen
    message = (
        f"Every port from {tried[0]} to {tried[-1]} is in use; give another one with --port, or 0 for any free one."
    )
    raise ConfigError(message, where="--port")


def workspace_of(paths: Sequence[Path]) -> Path:
    """Return the workspace folder for a set of documents, the same at each start.

    Nothing is created. The folder lies in a home folder of its own, so that two such apps have separate jobs: below
    `CHUNKSCOPE_HOME` if that is set, else below the program's data folder.
    """
    joined = "\n".join(sorted({str(path.resolve()) for path in paths}))
    name = f"{_title(paths[:1])}-{hashlib.sha256(joined.encode('utf-8', 'surrogateescape')).hexdigest()[:8]}"
    return Path(os.environ.get("CHUNKSCOPE_HOME") or DATA).absolute() / "folders" / name / "workspace"


def _title(paths: Sequence[Path]) -> str:
    """Return the workspace name for a set of documents."""
    return first_names([paths[0].resolve().name or "documents", *map(str, paths[1:])], 1)


def _use_settings(arguments: argparse.Namespace) -> None:
    """Start sessions with the file of `--config`; check first that its model is installed."""
    from chunking.config import Config
    from chunking.embedding.model_folder import counting_folder

    config = Config()
    if arguments.config:
        config = Config.from_file(arguments.config)
        os.environ["CHUNKSCOPE_CONFIG"] = str(Path(arguments.config).absolute())
    counting_folder(config.embedding)


def _fill_workspace(arguments: argparse.Namespace) -> str:
    """Choose the app's workspace, add documents and questions; return the question set's name or ""."""
    if arguments.workspace:
        folder = Path(arguments.workspace).absolute()
        _choose_workspace(
            arguments.workspace if "://" in arguments.workspace else folder, folder.name
        )  # an address is refused below
    elif arguments.paths:
        _choose_workspace(workspace_of(arguments.paths), _title(arguments.paths))
    elif not arguments.questions:
        return ""
    from chunking.deployment import Mode, operator_settings

    mode = operator_settings().sharing.mode
    if mode is not Mode.LOCAL:
        message = (
            f"Documents, questions and a workspace can be given only in the mode local, and the mode is {mode}; "
            f"unset CHUNKSCOPE_MODE."
        )
        raise ConfigError(message, where="CHUNKSCOPE_MODE")
    target = os.environ.get("CHUNKSCOPE_WORKSPACE")
    if not target:
        raise ConfigError(
            "Questions need their documents; give these too, or --workspace with a workspace that has them.",
            where="--questions",
        )
    return _add(arguments, target) if arguments.paths or arguments.questions else ""


def _choose_workspace(folder: str | Path, name: str) -> None:
    """Set the environment variables that tell the server and its workers their workspace."""
    os.environ["CHUNKSCOPE_WORKSPACE"] = str(folder)
    os.environ["CHUNKSCOPE_WORKSPACE_NAME"] = name


def _add(arguments: argparse.Namespace, folder: str) -> str:
    """Add documents and questions, report unreadable ones; return the question set's name or ""."""
    from chunking.cli.commands.evaluation_arguments import Corpus, questions_of
    from chunking.cli.commands.files import add
    from chunking.store import Workspace

    workspace = Workspace.open(folder)
    with workspace.writer():  # held from before the files get their ids
        if arguments.paths and not _has_files(workspace, arguments):
            say("Reading the documents …")
            add(arguments.paths, arguments, workspace)
        rows = workspace.documents()
        if not rows:
            raise ParseError("There is no document to show; give files that can be read.")
        if not arguments.questions:
            return ""
        there = Corpus(workspace, list(workspace.read_documents([row.doc_id for row in rows])), ())
        options = argparse.Namespace(questions=arguments.questions, syntax=None, workspace=folder)
        return questions_of(options, there).questions.name


def _has_files(workspace: Workspace, arguments: argparse.Namespace) -> bool:
    """True if the workspace has these very files, and no option asks to read them differently."""
    from chunking.parsing import clean_source, find_files
    from chunking.parsing.document import load_file

    if any((arguments.ocr, arguments.comments, arguments.encoding, arguments.edits, arguments.pins, arguments.config)):
        return False
    stored = {(row.source, row.hash) for row in workspace.documents()}
    try:
        for path, root in find_files(arguments.paths) if stored else ():
            file = load_file(path, root)
            if (clean_source(file.source), hashlib.sha256(file.data).hexdigest()) not in stored:
                return False
    except ParseError:
        return False  # reading them says why
    return bool(stored)


def _open_browser(address: str, query: str) -> None:
    """Open a browser once the server answers."""
    over = time.monotonic() + _PATIENCE
    while time.monotonic() < over:
        try:
            with urllib.request.urlopen(f"{address}/_stcore/health", timeout=2):
                pass
        except OSError:
            time.sleep(0.2)
        else:
            webbrowser.open(f"{address}/{query}")
            return


# -- agents


def mcp(arguments: argparse.Namespace) -> int:
    """Serve a workspace over the Model Context Protocol until stdin ends; the first call opens it.

    Read-only unless `--write` is given, which also makes a missing workspace.
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
    """Opener of a workspace at the first call: a host starts all its servers, and uses few of them.

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
        """True once a call has opened the workspace."""
        return self._workspace is not None

    def open(self) -> Workspace:
        """Return the workspace, opened at the first call, writable if `write` is set."""
        from chunking.store import Role, RoleAccess, Workspace

        with self._lock:
            if self._workspace is None:
                access = RoleAccess(Role.OWNER if self._write else Role.VIEWER)
                self._workspace = Workspace.open(self._uri, create=self._write, access=access)
            return self._workspace
