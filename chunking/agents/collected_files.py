"""Which files `collect` may read: those below folders that whoever runs the server has named, links followed."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from chunking.agents.answers import plain_text
from chunking.errors import ConfigError

if TYPE_CHECKING:
    from chunking.model import Document
    from chunking.store import Workspace

__all__ = ["TEXT_FOLDER", "FilesBelow", "files_below", "text_document"]

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


def files_below(path: str, folders: Sequence[Path]) -> FilesBelow:
    """The files to read for a path, which is relative to one of the folders or absolute.

    Raises:
        ConfigError: no folder is named, or the path is not below one; the same sentence whether there is such a file or
            not.
        ParseError: it is below one, and is not there.
    """
    from chunking.parsing import find_files

    if not folders:
        raise ConfigError(
            "This server may not read any path; allow folders (--files of the command, CHUNKSCOPE_ALLOW_FOLDERS of "
            "the app), or send the text itself with a name.",
            where="path",
        )
    for folder in folders:
        root = folder.expanduser().resolve()
        target = _resolved(root, path)
        if target is not None and _is_visible(target, root):
            every = [file for file, _ in find_files([target])]
            inside = tuple(file for file in every if _resolved(root, str(file)) is not None)
            return FilesBelow(root, inside, tuple(file for file in every if file not in inside))
    names = ", ".join(folder.name for folder in folders)
    raise ConfigError(
        f"That path is not below a folder that this server may read ({names}); give one relative to it.", where="path"
    )


def text_document(text: str, name: str, workspace: Workspace) -> Document:
    """A text as a document below a folder for agents; without the disk, since shared servers read no file that nobody
    has named.

    Raises:
        ConfigError: the name is not that of a .md or .txt file.
        ParseError: it holds no text.
    """
    from chunking.indexing.ingest.document_ids import Ids
    from chunking.parsing import parse_all_guarded

    if not _NAME.fullmatch(name):
        raise ConfigError(
            "The name must be that of a .md or .txt file without folders, such as notes.md.", where="name"
        )
    (document,) = Ids.of(workspace).assign(
        parse_all_guarded(plain_text(text).encode(), f"{TEXT_FOLDER}/{name}", encoding="utf-8")
    )
    return document


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
