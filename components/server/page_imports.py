"""Import of all modules of the pages, by one thread before the first page is drawn.

The first visitors come while the server still starts. Two threads that import packages which need each other may see a
half-initialised module: the page then fails although nothing is wrong.
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
    """Import what app.py, the pages and the host's scripts import; later calls return at once.

    A call waits while another thread imports. While the operator's settings are invalid, the host's scripts are left
    out, and the next call tries again.
    """
    global _imported
    with _LOCK:
        if not _imported:
            host_scripts = _host_scripts()
            for script in (PROJECT / "app.py", *sorted((PROJECT / "pages").glob("*.py")), *(host_scripts or ())):
                for module, names in _imports_of(script):
                    __import__(module, fromlist=names)
            _imported = host_scripts is not None


def _host_scripts() -> tuple[Path, ...] | None:
    """Return the host's scripts; None while its settings are invalid, which each page reports."""
    try:
        return host().scripts
    except ChunkscopeError:
        return None


def _imports_of(script: Path) -> Iterator[tuple[str, list[str]]]:
    """Yield the modules that a script imports at the top, each with the names imported from it.

    Some of these names are modules too.
    """
    for statement in ast.parse(script.read_text(encoding="utf-8")).body:
        if isinstance(statement, ast.ImportFrom) and statement.module:
            yield statement.module, [name.name for name in statement.names]
        elif isinstance(statement, ast.Import):
            yield from ((name.name, []) for name in statement.names)
