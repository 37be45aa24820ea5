"""The source files of a custom splitter: its module, and the user's own modules that it imports.

Imports are followed, inside functions too, to the user's own code: the splitter's package, or modules in its folder.
The standard library, installed packages, names made at run time and data files are not; for changes in those, change
the splitter's name or source.
"""

from __future__ import annotations

import ast
import hashlib
import importlib.util
import inspect
import sys
import sysconfig
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from chunking.project import LIBRARY

__all__ = ["reached_sources"]

_LIBRARY = (LIBRARY / "chunking").resolve()
_INSTALLED = tuple(
    {Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib")}
)


class _Stamp(NamedTuple):
    """A version of a file."""

    path: str
    changed: int
    size: int


def reached_sources(function: Callable[..., Any]) -> str:
    """Digests of the files that a function depends on, one line each, sorted by module.

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
    """The Python file of a module, found without importing it; None if there is none."""
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
    """The file of a module in one of the packages among some files."""
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
    """Modules that a file imports, and names that may be modules (`from helpers import split`)."""
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
    """`a`, `a.b`, `a.b.c`: importing the last runs them all."""
    parts = name.split(".")
    yield from (".".join(parts[:count]) for count in range(1, len(parts) + 1) if name)
