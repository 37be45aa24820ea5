"""The tool `collect`: adds files or a text to the workspace and its index.

Files are read only from folders that the server's operator allows, links resolved.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from chunking.agents.answers import plain_text
from chunking.agents.answers.answer_models import Collected
from chunking.agents.long_calls import CallControl, IndexRun
from chunking.errors import ConfigError

if TYPE_CHECKING:
    from chunking.config import Config
    from chunking.model import Document
    from chunking.store import Workspace

__all__ = ["TEXT_FOLDER", "FilesBelow", "collect_documents", "files_below", "text_document"]

_MOST_FAILED = 20
"""Maximum sentences on unreadable files; more are counted."""

TEXT_FOLDER = "agents"
"""Workspace folder for texts that agents send, so that they replace no other document."""
_NAME = re.compile(r"[^\W_][\w .()+-]{0,95}\.(?:md|txt)")


def collect_documents(
    workspace: Workspace,
    path: str,
    text: str,
    name: str,
    folders: Sequence[Path],
    build: IndexRun,
    control: CallControl,
) -> Collected:
    """Save allowed files, or a named text, and update the newest index or build the first.

    Files that cannot be read are listed in `failed`. See `Toolbox.collect`.
    """
    from chunking.indexing import add_files
    from chunking.indexing.adding.adding_files import save
    from chunking.store import Right

    workspace.require(Right.WRITE)
    if bool(path) == bool(text):
        raise ConfigError("Give either the path of a file or folder, or text together with a name.", where="path")

    failed: list[str] = []
    if path:
        below = files_below(path, folders)
        documents, unread = add_files(
            workspace, below.files, root=below.root, on_progress=control.follow, cancelled=control.cancelled
        )
        added = list(documents.doc_ids)
        failed = [*(f"{one.source}: {one.error}" for one in unread), *_outside(below)]
    else:
        with workspace.writer():
            document = text_document(text, name, workspace)
            save(workspace, [document])
        added = [document.doc_id]
    if not added:
        return Collected(added=[], failed=_bounded(failed), chunks=_chunks(workspace), embedded=0, reused=0)
    index = workspace.index() if workspace.indexes() else None
    doc_ids = None if index is None or index.row.scope is None else list(dict.fromkeys([*index.row.scope, *added]))
    built = build(workspace, *_settings(workspace), doc_ids, control)
    return Collected(
        added=added,
        failed=_bounded(failed),
        index=built.name,
        chunks=built.chunks,
        embedded=built.embedded,
        reused=built.reused,
        notes=list(built.notes),
    )


# -- inputs


class FilesBelow(NamedTuple):
    """Files to read under a path, and links that are not read as they lead out of the folder."""

    root: Path
    """Allowed folder that contains them; document paths are relative to it."""
    files: tuple[Path, ...]
    outside: tuple[Path, ...]
    """Links that lead out of the folder; not read."""


def files_below(path: str, folders: Sequence[Path]) -> FilesBelow:
    """Return the files to read for a path, absolute or relative to an allowed folder.

    Raises:
        ConfigError: no folder is allowed, or the path is hidden or not below one; the same sentence whether there is
            such a file or not.
        ParseError: it is below one, and is not there.
    """
    from chunking.parsing import find_files

    if not folders:
        raise ConfigError(
            (
                "This server is not allowed to read files; allow folders (--files of the command, "
                "CHUNKSCOPE_ALLOW_FOLDERS of the app), or send the text itself with a name."
            ),
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
    """Parse a text as the document `agents/NAME` and assign its id; nothing is written.

    Raises:
        ConfigError: the name is not that of a .md or .txt file.
        ParseError: it holds no text.
    """
    from chunking.indexing.adding.intake import Ids
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
    """Resolve a path with its links; None if it leads out of the root."""
    try:
        target = (root / path).resolve()
    except (OSError, ValueError, RuntimeError):  # a zero byte, a loop of links
        return None
    return target if target.is_relative_to(root) else None


def _is_visible(target: Path, root: Path) -> bool:
    """True if no part of the path is hidden: reading a folder skips hidden files as well."""
    return not any(part.startswith(".") for part in target.relative_to(root).parts)


# -- the answer


def _settings(workspace: Workspace) -> tuple[Config, str | None]:
    """Return settings and name of the newest index, or the defaults for a first one."""
    from chunking.config import Config

    if not workspace.indexes():
        return Config(), None
    index = workspace.index()
    return index.config, index.name


def _chunks(workspace: Workspace) -> int:
    return workspace.index().row.chunks if workspace.indexes() else 0


def _outside(below: FilesBelow) -> list[str]:
    return [
        f"{file.relative_to(below.root).as_posix()}: the link points outside the folder, so it was not read."
        for file in below.outside
    ]


def _bounded(failed: Sequence[str]) -> list[str]:
    more = len(failed) - _MOST_FAILED
    return [*failed[:_MOST_FAILED], *([f"{more} more files could not be read."] if more > 0 else [])]
