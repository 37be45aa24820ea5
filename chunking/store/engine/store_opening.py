"""Open a workspace's store: resolve its URI, prepare its folder, check its format, import LanceDB.

A workspace of a later format is refused, not misread. Columns that came later are no new format: they are read as empty
and added by the next write (`schema.LATER`), so every workspace so far is of format 1, with the file or without it.
Raise the number when an earlier version would misread a table. A workspace outside of this machine's folders has no
such file: keep its readers and writers on one version.
"""

from __future__ import annotations

import json
import os
import re
import sys
import threading
import uuid
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec, module_from_spec
from pathlib import Path
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

from chunking.errors import NotFoundError, StoreError
from chunking.paths import begins_with_home
from chunking.store.engine.faults import guarded

__all__ = [
    "FORMAT",
    "check_format",
    "defer_imports",
    "import_lancedb",
    "local_folder",
    "mark_format",
    "may_be_shared",
    "prepare_folder",
]

FORMAT = 1
"""Version of the stored format."""
_FILE = "format.json"
_KEY = "chunkscope_store"

_guard = threading.Lock()
_REST_CLIENT = "lance_namespace_urllib3_client"
"""Package of LanceDB's REST client, whose import is deferred.

LanceDB needs some of its models; the package itself imports hundreds of functions that call a server, with a validator
each, which a local workspace never calls: half a second of a processor in every process.
"""

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)://")
_FILE_SCHEME, _MEMORY_SCHEME = "file", "memory"


# -- folder and form


def prepare_folder(folder: Path, create: bool, require_writing: Callable[[], None]) -> None:
    """Create a workspace's folder if it is missing, after `require_writing` raised nothing.

    Raises:
        NotFoundError: it is missing, and `create` is False.
        StoreError: it cannot be a workspace's folder, or cannot be made.
    """
    if begins_with_home(folder):  # LanceDB would expand it, nothing else does
        raise StoreError(
            f"The workspace {folder} starts with ~, which is not expanded; give the full path.", where=str(folder)
        )
    if not folder.exists():
        if not create:
            raise NotFoundError(
                f"There is no workspace at {folder}; index some documents into it first.", where=str(folder)
            )
        require_writing()
    if "\0" in str(folder):
        raise StoreError("A folder's name cannot contain a null character; choose another place for the workspace.")
    try:
        with guarded(str(folder), "making its folder"):
            folder.mkdir(parents=True, exist_ok=True)
    except StoreError as error:
        if isinstance(error.__cause__, FileNotFoundError):
            message = f"The folder {folder} for the workspace cannot be created; choose another place."
            raise StoreError(message, where=str(folder)) from error
        raise


def check_format(folder: Path) -> None:
    """Raise if a workspace has a later format than this version reads; no file means format 1.

    Raises:
        StoreError: the format is a later one, or the file that states it is damaged.
    """
    with guarded(str(folder), "opening it"):
        try:
            data = (folder / _FILE).read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return
    try:
        version = json.loads(data)[_KEY]
        later = version > FORMAT
    except (ValueError, KeyError, TypeError) as error:
        raise StoreError(
            (
                f"The file {_FILE} of the workspace {folder} is damaged; delete it unless a later version of "
                f"Chunkscope has used the workspace."
            ),
            where=str(folder),
        ) from error
    if later:
        raise StoreError(
            (
                f"The workspace {folder} is from a later version of Chunkscope (format {version}; this one "
                f"reads {FORMAT}); open it with that one."
            ),
            where=str(folder),
        )


def mark_format(folder: Path) -> None:
    """Write the file with the format version into a workspace's folder, unless it has one."""
    place = folder / _FILE
    if place.exists():
        return
    unfinished = folder / f"{_FILE}.{uuid.uuid4().hex[:8]}#"
    unfinished.write_text(json.dumps({_KEY: FORMAT}) + "\n", encoding="utf-8")
    os.replace(unfinished, place)


# -- LanceDB without its remote client, which takes half of the import


def defer_imports(name: str) -> None:
    """Register a package whose `__init__` runs only at the first use of an attribute.

    Its modules stay importable. Does nothing if the package is imported already, or not installed.
    """
    spec = None if name in sys.modules else find_spec(name)
    if spec is None or spec.loader is None:
        return
    module, loader = module_from_spec(spec), spec.loader

    def first_use(attribute: str) -> Any:
        if attribute.startswith("__"):  # asked by tools that inspect all modules
            raise AttributeError(f"module {name!r} has no attribute {attribute!r}")
        del vars(module)["__getattr__"]
        loader.exec_module(module)
        return getattr(module, attribute)

    vars(module)["__getattr__"] = first_use
    sys.modules[name] = module


def import_lancedb() -> ModuleType:
    """Import `lancedb`, deferring the import of its REST client to a first use."""
    with _guard:  # so that no thread meets the client half imported by another
        if "lancedb" not in sys.modules:
            defer_imports(_REST_CLIENT)
        return import_module("lancedb")


# -- place: a folder, the memory of this process, or object storage


def local_folder(uri: str) -> Path | None:
    """Return the folder of a path or `file://` URI; None for other URIs. It need not exist.

    Raises:
        StoreError: it names a folder of another machine.

    >>> local_folder("docs"), local_folder("file:///srv/my%20docs"), local_folder("s3://bucket/docs")
    (PosixPath('docs'), PosixPath('/srv/my docs'), None)
    """
    scheme = _scheme(uri)
    if scheme != _FILE_SCHEME:
        return None if scheme else Path(uri)
    parts = urlsplit(uri)
    if parts.netloc not in ("", "localhost"):
        raise StoreError(
            f"The workspace {uri} is on the machine {parts.netloc}; give a folder on this one, as file:///folder.",
            where=uri,
        )
    return Path(url2pathname(parts.path))


def may_be_shared(uri: str) -> bool:
    """True if other processes can write to the URI without a lock to stop them.

    >>> may_be_shared("docs"), may_be_shared("memory://docs"), may_be_shared("s3://bucket/docs")
    (False, False, True)
    """
    return _scheme(uri) not in ("", _FILE_SCHEME, _MEMORY_SCHEME)


def _scheme(uri: str) -> str:
    match = _SCHEME.match(uri)
    return match[1].lower() if match else ""
