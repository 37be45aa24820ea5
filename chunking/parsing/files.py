"""Which files of a folder are documents."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path

from chunking.errors import ParseError
from chunking.parsing.registry import FORMATS

__all__ = ["find_files"]

_KNOWN = frozenset(extension for row in FORMATS for extension in row.extensions)


def find_files(paths: Iterable[Path]) -> list[tuple[Path, Path]]:
    """The files to read, each with its root, in the order of `paths` and sorted inside a folder.

    A folder is searched through, without hidden files and folders, for known formats; it is the root of what is
    found in it. A file given by name is taken whatever its ending; its folder is its root. No file comes twice.

    Raises:
        ParseError: a path does not exist.
    """
    found: dict[Path, Path] = {}
    for path in paths:
        if path.is_dir():
            for file in sorted(_files_under(path)):
                found.setdefault(file, path)
        elif path.exists():
            found.setdefault(path, path.parent)
        else:
            raise ParseError(f"{path} does not exist; check the name.", where=str(path))
    return list(found.items())


def _files_under(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        for name in names:
            if not name.startswith(".") and Path(name).suffix.lower() in _KNOWN:
                yield Path(place, name)
