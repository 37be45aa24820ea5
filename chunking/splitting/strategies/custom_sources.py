"""Which source files decide what a splitter of the user's own gives: its module and those of the user's that it imports.

Followed are the imports of a file, inside functions too, as far as they lead to the user's own code: the package that the
splitter is of, or the modules that lie in the folder beside it. Not followed are the standard library and installed packages,
names that are made up while the program runs, and data that is read from files; for those, change the splitter's name or source.
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
_INSTALLED = tuple({Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib", "purelib", "platlib")})


class _Stamp(NamedTuple):
    """A file as it was; one that was changed has another stamp."""

    path: str
    changed: int
    size: int


def reached_sources(function: Callable[..., Any]) -> str:
    """Digests of all files that a function's outcome depends on, a line each, sorted by module; empty where there is no file.

    Empty, too, for a function of this library: its code has versions of its own.
    """
    module = getattr(function, "__module__", None) or ""
    start = _file_of(module, function)
    if start is None or start.is_relative_to(_LIBRARY):
        return ""
    found = {module: start}
    todo = [module] if not _is_installed(start) else []
    while todo:
        name = todo.pop()
        for imported in _imports(_stamp(found[name]), name, is_package=found[name].name == "__init__.py"):
            file = None if imported in found else _inside(imported, found) or _file_of(imported)
            if file is not None and _is_own(imported, file, module, start):
                found[imported] = file
                todo.append(imported)
    return "\n".join(f"{name} {_digest(_stamp(found[name]))}" for name in sorted(found))


def _file_of(module: str, function: Callable[..., Any] | None = None) -> Path | None:
    """The Python file of a module, which is not imported for it; None where there is none, or no such module."""
    place: str | None = None
    try:
        if function is not None:
            place = inspect.getsourcefile(function)
        elif module in sys.modules:
            place = getattr(sys.modules[module], "__file__", None)
        elif "." not in module or module.rpartition(".")[0] in sys.modules:  # else its package would be run to find it
            spec = importlib.util.find_spec(module)
            place = spec.origin if spec else None
    except (ImportError, TypeError, ValueError):
        return None
    path = Path(place).resolve() if place and place.endswith(".py") else None
    return path if path and path.is_file() else None


def _inside(module: str, found: Mapping[str, Path]) -> Path | None:
    """The file of a module of a package that was found, imported or not."""
    package, _, name = module.rpartition(".")
    if package not in found or found[package].name != "__init__.py":
        return None
    folder = found[package].parent
    return next((file for file in (folder / f"{name}.py", folder / name / "__init__.py") if file.is_file()), None)


def _is_installed(file: Path) -> bool:
    return any(file.is_relative_to(folder) for folder in _INSTALLED) or "site-packages" in file.parts


def _is_own(module: str, file: Path, start: str, start_file: Path) -> bool:
    """Of the user's package, or beside the user's module; never of this library, whose code has a version of its own."""
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
    """Names of the modules that a file imports, also those that may be names in a module (`from helpers import split`)."""
    try:
        tree = ast.parse(Path(stamp.path).read_bytes())
    except (SyntaxError, ValueError):  # changed since it was imported, and not whole
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
