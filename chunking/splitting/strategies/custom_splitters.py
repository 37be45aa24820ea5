"""Custom splitters by name, and a version of each from its source.

A splitter takes a document's text and returns its chunks: strings, or (start, end) offsets in characters. The operator
of an installation registers one in one of three ways; a setting, a link or a form can only name it:

- `register_splitter("mine", function)` in a program that uses the library,
- an entry point of the group `chunkscope.splitters` in an installed package,
- the environment: `CHUNKSCOPE_SPLITTERS="mine=package.module:function;other=…"`.

On a shared server they work only if its operator allows them (`chunking.allowed`).

Splitters of other packages (`foreign_splitters`) are available if their package is installed; they take a size and an
overlap, too.

A version covers the splitter's module and the user's own modules that it imports, inside functions too: the splitter's
package, or modules in its folder. The standard library, installed packages, names made at run time and data files are
not covered; for changes in those, change the splitter's name or source.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import inspect
import logging
import os
import sys
import sysconfig
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextvars import ContextVar
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from chunking.allowed import allowed
from chunking.errors import ConfigError
from chunking.model import Document
from chunking.paths import LIBRARY
from chunking.plugins import SPLITTERS, entry_places, load_object
from chunking.splitting.strategies.foreign_splitters import FOREIGN, foreign_names
from chunking.splitting.strategies.splitter_contract import Lengths

__all__ = [
    "ENVIRONMENT",
    "LOADED",
    "Splitter",
    "check_splitter",
    "find_splitter",
    "reached_sources",
    "register_splitter",
    "split_with",
    "splitter_names",
    "splitter_version",
    "use_splitters",
]

Splitter = Callable[[str], Iterable[str | tuple[int, int]]]

ENVIRONMENT = "CHUNKSCOPE_SPLITTERS"
"""Environment variable with custom splitters.

Entries are `name=package.module:callable`, separated by semicolons.
"""
LOADED = "loaded:"
"""Name prefix of a workspace's stored chunks used as a splitter."""
_DIGITS = 16

_registered: dict[str, Splitter] = {}
_of_workspace: ContextVar[Mapping[str, Splitter]] = ContextVar(
    "splitters of the workspace", default=MappingProxyType({})
)
"""Stored chunks of this thread's workspace, as splitters."""

_LIBRARY = (LIBRARY / "chunking").resolve()
_INSTALLED = tuple(
    {Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib")}
)


def register_splitter(name: str, splitter: Splitter) -> None:
    """Register a splitter for this process by name; it replaces one of the same name.

    Raises:
        ConfigError: the name is empty, or the splitter cannot be called.

    >>> register_splitter("lines", str.splitlines)
    >>> find_splitter("lines")("a\\nb")
    ['a', 'b']
    """
    if not name.strip() or not callable(splitter):
        raise ConfigError(f"The splitter '{name}' needs a name and a callable.", where="splitter")
    _registered[name] = splitter


def use_splitters(splitters: Mapping[str, Splitter]) -> None:
    """Replace the workspace's splitters of this thread; other threads may work on other workspaces."""
    _of_workspace.set(MappingProxyType(dict(splitters)))


def splitter_names() -> tuple[str, ...]:
    """Return the names of usable splitters, sorted; nothing is loaded.

    Custom ones if the operator allows them, the workspace's stored chunks, and those of installed packages.
    """
    own = {*_registered, *_named_in_environment(), *entry_places(SPLITTERS)} if _own_allowed() else set()
    return tuple(sorted({*own, *_of_workspace.get(), *foreign_names()}))


def _own_allowed() -> bool:
    here = allowed()
    return here.everything or here.splitters


def split_with(name: str, document: Document, lengths: Lengths) -> Iterable[str | tuple[int, int]]:
    """Split a document with the splitter of a name: one of `find_splitter`, or another package's.

    Args:
        lengths: only splitters of other packages use them.
    Raises:
        ConfigError: there is none, it cannot be loaded, or its package is not installed.
    """
    if _is_foreign(name):
        return _foreign(name, lengths)(document)
    return find_splitter(name)(document.text)


def _is_foreign(name: str) -> bool:
    return name in FOREIGN and name not in _registered and name not in _of_workspace.get()


def _foreign(name: str, lengths: Lengths) -> Callable[[Document], Iterable[str | tuple[int, int]]]:
    if not (allowed().everything or FOREIGN[name].version):  # a server does not tell which packages it has
        raise allowed().no_splitter(name)
    return FOREIGN[name].cut(lengths)


def find_splitter(name: str) -> Splitter:
    """Return the custom splitter of a name.

    Looks among registered ones, then in the workspace, the environment and entry points.

    Raises:
        ConfigError: there is none, it may not be named, or it cannot be loaded.
    """
    own = _own_allowed()
    splitter = (_registered.get(name) if own else None) or _of_workspace.get().get(name)
    if splitter is not None:
        return splitter
    if not own:
        raise allowed().no_splitter(name)
    place = _named_in_environment().get(name) or entry_places(SPLITTERS).get(name)
    if place is None:
        names = ", ".join(splitter_names()) or "none"
        raise ConfigError(
            f"There is no splitter '{name}': register it, or name one that is (known: {names}).", where="splitter"
        )
    return _loaded(name, place)


def check_splitter(name: str) -> None:
    """Check that there is a splitter of a name, before documents are split with it.

    Raises:
        ConfigError: there is none, it cannot be loaded, or its package is not installed.
    """
    if _is_foreign(name):
        _foreign(name, Lengths(1, 0, len))
    else:
        find_splitter(name)


def splitter_version(name: str) -> str:
    """Return 16 hex digits that change when a splitter's chunks may; empty if there is no such splitter.

    They cover its source, the files of the user's own that it imports (see `reached_sources`), for a callable object
    the source of its class and its repr (the settings of a dataclass), for another package its version.
    """
    if name in FOREIGN and name not in _registered:
        return hashlib.sha256(f"{name} {FOREIGN[name].version}".encode()).hexdigest()[:_DIGITS]
    try:
        splitter = find_splitter(name)
    except ConfigError:
        return ""
    function: Any = splitter
    facts = ""
    while hasattr(function, "func"):  # functools.partial
        facts += f"{function.args!r} {function.keywords!r}"
        function = function.func
    if not (inspect.isroutine(function) or inspect.isclass(function)):
        facts, function = facts + _printed(function), type(function)
    try:
        source = inspect.getsource(function)
    except (OSError, TypeError):  # written in C, or typed at a prompt
        source = f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', '')}"
    return hashlib.sha256(f"{source}\0{facts}\0{reached_sources(function)}".encode()).hexdigest()[:_DIGITS]


def _printed(splitter: object) -> str:
    """Return the repr of an object; empty if that is only its address."""
    return "" if type(splitter).__repr__ is object.__repr__ else repr(splitter)


def _named_in_environment() -> dict[str, str]:
    rows = [row.partition("=") for row in os.environ.get(ENVIRONMENT, "").split(";") if row.strip()]
    wrong = next((name for name, _, place in rows if not name.strip() or ":" not in place), None)
    if wrong is not None:
        raise ConfigError(
            f"{ENVIRONMENT} has an invalid entry '{wrong.strip()}': write name=package.module:callable.",
            where=ENVIRONMENT,
        )
    return {name.strip(): place.strip() for name, _, place in rows}


def _loaded(name: str, place: str) -> Splitter:
    try:
        splitter = load_object(place, f"The splitter '{name}'", where="splitter")
        if not callable(splitter):
            raise ConfigError(f"The splitter '{name}' at {place} is not callable.", where="splitter")
    except ConfigError as error:
        if allowed().everything:
            raise
        logging.getLogger(__name__).warning("%s", error)
        raise allowed().no_splitter(name) from None
    return splitter  # type: ignore[no-any-return]


class _Stamp(NamedTuple):
    """A version of a file."""

    path: str
    changed: int
    size: int


def reached_sources(function: Callable[..., Any]) -> str:
    """Return digests of a function's file and the user's files that it imports, a line each.

    Empty without a file, and for a function of this library, whose code has a version of its own.
    """
    module = getattr(function, "__module__", None) or ""
    start = _file_of(module, function)
    if start is None or start.is_relative_to(_LIBRARY):
        return ""
    files = {module: start}
    todo = [module] if not _is_installed(start) else []
    while todo:
        name = todo.pop()
        for imported in _imports(_stamp(files[name]), name, is_package=files[name].name == "__init__.py"):
            file = None if imported in files else _file_in_package(imported, files) or _file_of(imported)
            if file is not None and _is_own(imported, file, module, start):
                files[imported] = file
                todo.append(imported)
    return "\n".join(f"{name} {_digest(_stamp(files[name]))}" for name in sorted(files))


def _file_of(module: str, function: Callable[..., Any] | None = None) -> Path | None:
    """Return the Python file of a module, found without importing it; None if there is none."""
    place: str | None = None
    try:
        if function is not None:
            place = inspect.getsourcefile(function)
        elif module in sys.modules:
            place = getattr(sys.modules[module], "__file__", None)
        elif "." not in module or module.rpartition(".")[0] in sys.modules:  # else finding it would run its package
            spec = importlib.util.find_spec(module)
            place = spec.origin if spec else None
    except (ImportError, TypeError, ValueError):
        return None
    path = Path(place).resolve() if place and place.endswith(".py") else None
    return path if path and path.is_file() else None


def _file_in_package(module: str, files: Mapping[str, Path]) -> Path | None:
    """Return the file of a module in one of the packages among some files."""
    package, _, name = module.rpartition(".")
    if package not in files or files[package].name != "__init__.py":
        return None
    folder = files[package].parent
    return next((file for file in (folder / f"{name}.py", folder / name / "__init__.py") if file.is_file()), None)


def _is_installed(file: Path) -> bool:
    return any(file.is_relative_to(folder) for folder in _INSTALLED) or "site-packages" in file.parts


def _is_own(module: str, file: Path, start: str, start_file: Path) -> bool:
    """True for a module of the user's package or folder; this library has a version of its own."""
    if _is_installed(file) or file.is_relative_to(_LIBRARY):
        return False
    return module.partition(".")[0] == start.partition(".")[0] or file.is_relative_to(start_file.parent)


def _stamp(file: Path) -> _Stamp:
    status = file.stat()
    return _Stamp(str(file), status.st_mtime_ns, status.st_size)


@lru_cache(maxsize=1024)
def _digest(stamp: _Stamp) -> str:
    return hashlib.sha256(Path(stamp.path).read_bytes()).hexdigest()


@lru_cache(maxsize=1024)
def _imports(stamp: _Stamp, module: str, *, is_package: bool) -> tuple[str, ...]:
    """Return modules that a file imports, and names that may be modules (`from helpers import split`)."""
    try:
        tree = ast.parse(Path(stamp.path).read_bytes())
    except (SyntaxError, ValueError):  # broken by a change since it was imported
        return ()
    return tuple(dict.fromkeys(name for node in ast.walk(tree) for name in _named(node, module, is_package=is_package)))


def _named(node: ast.AST, module: str, *, is_package: bool) -> Iterator[str]:
    if isinstance(node, ast.Import):
        for alias in node.names:
            yield from _with_packages(alias.name)
    elif isinstance(node, ast.ImportFrom):
        base = node.module or ""
        if node.level:
            parts = module.split(".")
            parts = parts[: len(parts) - node.level + is_package]
            base = ".".join([*parts, *filter(None, [base])])
        yield from _with_packages(base)
        yield from (f"{base}.{alias.name}" for alias in node.names)


def _with_packages(name: str) -> Iterator[str]:
    """Yield a module and its packages, `a`, `a.b`, `a.b.c`: importing the last runs them all."""
    parts = name.split(".")
    yield from (".".join(parts[:count]) for count in range(1, len(parts) + 1) if name)
