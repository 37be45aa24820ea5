"""Files or a text added to the workspace and its index, as an agent gets it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from chunking.agents.answers.answer_models import Collected
from chunking.agents.call_control import CallControl
from chunking.agents.collected_files import FilesBelow, files_below, text_document
from chunking.agents.index_run import IndexRun
from chunking.errors import ConfigError

if TYPE_CHECKING:
    from chunking.config import Config
    from chunking.store import Workspace

__all__ = ["collected"]

_MOST_FAILED = 20
"""Sentences on files that could not be read; more are counted."""


def collected(
    workspace: Workspace,
    path: str,
    text: str,
    name: str,
    folders: Sequence[Path],
    build: IndexRun,
    control: CallControl,
) -> Collected:
    """Add and index; see `Toolbox.collect`."""
    from chunking.indexing import IndexProgress, add_files
    from chunking.indexing.ingest.adding_documents import save
    from chunking.store import Right

    workspace.require(Right.WRITE)
    if bool(path) == bool(text):
        raise ConfigError("Give either the path of a file or folder, or text together with a name.", where="path")

    def on_progress(progress: IndexProgress) -> None:
        control.report(progress.done, progress.total, progress.message)

    failed: list[str] = []
    if path:
        below = files_below(path, folders)
        documents, unread = add_files(
            workspace, below.files, root=below.root, on_progress=on_progress, cancelled=control.cancelled
        )
        failed = [*(f"{one.source}: {one.error}" for one in unread), *_outside(below)]
    else:
        with workspace.writer():
            documents = [text_document(text, name, workspace)]
            save(workspace, documents)
    added = [one.doc_id for one in documents]
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


def _settings(workspace: Workspace) -> tuple[Config, str | None]:
    """Settings and name of the index to update: the newest, or a first one with the defaults."""
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
