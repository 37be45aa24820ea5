"""Documents into a workspace, with the files that are kept of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from chunking.indexing.ingest.file_reading import read_files
from chunking.indexing.run.run_records import Failure, Progress
from chunking.model import Document
from chunking.paths import AnyPath
from chunking.store import Workspace

__all__ = ["add_files", "save"]

_BATCH_CHARACTERS = 8_000_000
"""Text saved in one commit, about."""
_BATCH_BYTES = 64 * 2**20
"""Source files saved in one commit, about."""


def add_files(
    workspace: Workspace,
    paths: AnyPath | Iterable[AnyPath],
    *,
    root: AnyPath | None = None,
    encoding: str | None = None,
    encodings: Mapping[str, str] | None = None,
    ocr: bool = False,
    comments: bool = False,
    on_progress: Callable[[Progress], None] | None = None,
    cancelled: Callable[[], bool] | None = None,
) -> tuple[list[Document], list[Failure]]:
    """Read files and folders and save what could be read; see `read_files`.

    Raises:
        ParseError: one of `paths` does not exist.
        LockedError, StoreError: the workspace cannot be written.
        Cancelled: as asked; nothing was saved.
    """
    with workspace.writer():
        read = read_files(
            paths,
            workspace,
            root=root,
            encoding=encoding,
            encodings=encodings,
            ocr=ocr,
            comments=comments,
            on_progress=on_progress,
            cancelled=cancelled,
        )
        save(workspace, read.documents, read.sources)
    return read.documents, read.failed


def save(workspace: Workspace, documents: Iterable[Document], files: Mapping[str, bytes] | None = None) -> None:
    """Save documents, several in a commit, their files before them.

    Args:
        documents: each followed by those of the files in it, which are saved in the same commit.
        files: source files by hash, of the documents whose formats are kept (`parsing.Format.keeps_file`).
    """
    batch: list[Document] = []
    kept: dict[str, bytes] = {}
    characters = size = 0  # of both, counted on: 20,000 small documents make one batch
    for document in documents:
        if not document.parent_id and (characters >= _BATCH_CHARACTERS or size >= _BATCH_BYTES):
            workspace.put_documents(batch, kept)
            batch, kept = [], {}
            characters = size = 0
        batch.append(document)
        characters += len(document.text)
        data = files.get(document.hash) if files and document.hash not in kept else None
        if data is not None:
            kept[document.hash] = data
            size += len(data)
    if batch:
        workspace.put_documents(batch, kept)
