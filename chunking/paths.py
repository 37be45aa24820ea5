"""Paths as people give them: text, or anything with `__fspath__`.

A path is taken as it is. `~` is not expanded: shells do that before a program sees it, and `Path("~/docs").expanduser()` does it in
Python. A workspace whose path begins with `~` is refused: LanceDB would expand it while all else does not.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

__all__ = ["AnyPath", "begins_with_home", "paths_of"]

AnyPath = str | os.PathLike[str]


def paths_of(paths: AnyPath | Iterable[AnyPath]) -> list[Path]:
    """One path or several.

    >>> paths_of("docs"), paths_of([Path("docs"), "notes.md"])
    ([PosixPath('docs')], [PosixPath('docs'), PosixPath('notes.md')])
    """
    return [Path(paths)] if isinstance(paths, (str, os.PathLike)) else [Path(path) for path in paths]


def begins_with_home(path: Path) -> bool:
    """Whether a shell would have put a home folder at its beginning.

    >>> begins_with_home(Path("~/docs")), begins_with_home(Path("docs/~"))
    (True, False)
    """
    return bool(path.parts) and path.parts[0].startswith("~")
