"""Which files of a folder are documents."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from chunking.errors import ParseError
from chunking.parsing.registry import FORMATS
from chunking.paths import AnyPath, paths_of

__all__ = ["find_files"]

_INSTALLED = frozenset({"node_modules", "site-packages", "__pycache__"})
"""Folders of code that other people wrote."""


def find_files(paths: AnyPath | Iterable[AnyPath]) -> list[tuple[Path, Path]]:
    """The files to read, each with its root, in the order of `paths` and sorted inside a folder.

    A folder is searched through, without hidden files and folders and those of installed packages, for known formats; it is
    the root of what is found in it. Of `.json` and `.zip` files, which may be anything, it gives those that a parser named. A file given by
    name is taken whatever its ending; its folder is its root. No file comes twice, however it is written. A folder inside
    that cannot be opened comes as if it were a file, so that reading it says so.

    Raises:
        ParseError: a path does not exist, or cannot be looked at.
    """
    found: dict[str, tuple[Path, Path]] = {}
    for path in paths_of(paths):
        for file in sorted(_files_under(path)) if _is_folder(path) else [path]:
            found.setdefault(os.path.abspath(file), (file, path if file is not path else path.parent))
    return list(found.values())


def _is_folder(path: Path) -> bool:
    try:
        if not path.exists():
            raise ParseError(f"{path} does not exist; check the name.", where=str(path))
        return path.is_dir()
    except OSError as error:  # a name that is too long, a folder above it that may not be entered
        raise ParseError(f"{path} cannot be opened ({error.strerror}); check its name and its permissions.", where=str(path)) from error


def _is_document(name: str) -> bool:
    """By its ending; where files with that may be anything, by a word in the names that parsers give their output."""
    named = [row for row in FORMATS if Path(name).suffix in row.extensions]
    return any(not row.name_words or any(word in name for word in row.name_words) for row in named)


def _files_under(folder: Path) -> Iterator[Path]:
    closed: list[OSError] = []
    for place, folders, names in os.walk(folder, onerror=closed.append):
        folders[:] = [name for name in folders if not name.startswith(".") and name not in _INSTALLED]
        for name in names:
            if not name.startswith(".") and _is_document(name.lower()):
                yield Path(place, name)
    yield from (Path(error.filename) for error in closed)
