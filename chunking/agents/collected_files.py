"""Which files `collect` may read: those below folders that whoever runs the server has named, links followed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

from chunking.agents.answers import plain_text
from chunking.errors import ConfigError

__all__ = ["TEXT_FOLDER", "FilesBelow", "files_below", "text_file"]

TEXT_FOLDER = "agents"
"""Folder of the workspace for texts that agents send, so that they take the place of no other document."""
_NAME = re.compile(r"[^\W_][\w .()+-]{0,95}\.(?:md|txt)")


class FilesBelow(NamedTuple):
    """The files under a path."""

    root: Path
    """The named folder that they are below: paths of documents are relative to it."""
    files: tuple[Path, ...]
    outside: tuple[Path, ...]
    """Links inside the folder that lead out of it; not to be read."""
    encoding: str | None = None
    """How they are written; None: detected for each."""


def files_below(path: str, folders: Sequence[Path]) -> FilesBelow:
    """The files to read for a path, which is relative to one of the folders or absolute.

    Raises:
        ConfigError: no folder is named, or the path is not below one; the same sentence whether there is such a file or not.
        ParseError: it is below one, and is not there.
    """
    from chunking.parsing import find_files

    if not folders:
        raise ConfigError("This server reads no files: start it with --files FOLDER, or send the text itself with a name.", where="path")
    for folder in folders:
        root = folder.expanduser().resolve()
        target = _resolved(root, path)
        if target is not None and _is_visible(target, root):
            every = [file for file, _ in find_files([target])]
            inside = tuple(file for file in every if _resolved(root, str(file)) is not None)
            return FilesBelow(root, inside, tuple(file for file in every if file not in inside))
    names = ", ".join(folder.name for folder in folders)
    raise ConfigError(f"That path is not below a folder that this server may read ({names}); give one relative to it.", where="path")


@contextmanager
def text_file(text: str, name: str) -> Iterator[FilesBelow]:
    """A text as a file below a folder that is deleted at the end.

    Raises:
        ConfigError: the name is not that of a .md or .txt file.
    """
    if not _NAME.fullmatch(name):
        raise ConfigError("The name has to be that of a .md or .txt file without folders, such as notes.md.", where="name")
    with TemporaryDirectory(prefix="chunkscope-") as place:
        root = Path(place).resolve()
        file = root / TEXT_FOLDER / name
        file.parent.mkdir()
        file.write_bytes(plain_text(text).encode())
        yield FilesBelow(root, (file,), (), "utf-8")


def _resolved(root: Path, path: str) -> Path | None:
    """Where a path leads, links followed; None where that is not below the root."""
    try:
        target = (root / path).resolve()
    except (OSError, ValueError, RuntimeError):  # a zero byte, a loop of links
        return None
    return target if target.is_relative_to(root) else None


def _is_visible(target: Path, root: Path) -> bool:
    """Whether no part of it is hidden: reading a folder leaves hidden files out as well."""
    return not any(part.startswith(".") for part in target.relative_to(root).parts)
