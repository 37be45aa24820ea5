"""What the pages are made of, imported by one thread before any of them is drawn.

The first visitors come while the server still prepares itself. Two threads that import packages which need one another
give one of them a module that is half made: its page then fails, though nothing is wrong.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from threading import Lock

from chunking.errors import ChunkscopeError
from chunking.paths import PROJECT
from components.session.host import host

__all__ = ["import_pages"]

_LOCK = Lock()
_imported = False


def import_pages() -> None:
    """Import it, or wait until another thread has; afterwards it costs nothing."""
    global _imported
    with _LOCK:
        if not _imported:
            host_scripts = _host_scripts()
            for script in (PROJECT / "app.py", *sorted((PROJECT / "pages").glob("*.py")), *(host_scripts or ())):
                for module, names in _imports_of(script):
                    __import__(module, fromlist=names)
            _imported = host_scripts is not None


def _host_scripts() -> tuple[Path, ...] | None:
    """Scripts of the host; None while its settings cannot be used, which each page says."""
    try:
        return host().scripts
    except ChunkscopeError:
        return None


def _imports_of(script: Path) -> Iterator[tuple[str, list[str]]]:
    """The modules that a script imports when it begins, each with the names that it takes of it, some of which are
    modules too.
    """
    for statement in ast.parse(script.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.ImportFrom) and statement.module:
            yield statement.module, [name.name for name in statement.names]
        elif isinstance(statement, ast.Import):
            yield from ((name.name, []) for name in statement.names)
