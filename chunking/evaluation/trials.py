"""Indexes that are built to be measured, beside the user's own: the same documents, the same caches, another place."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import gettempdir
from types import TracebackType
from typing import TYPE_CHECKING, Self
from uuid import uuid4

from filelock import FileLock, Timeout

from chunking.config import Config
from chunking.evaluation.keys import documents_key
from chunking.model import Chunk, Document
from chunking.store import DocumentRow, Index, Workspace

if TYPE_CHECKING:
    from chunking.embedding import Embedder

__all__ = ["Trial", "Trials"]

_FOLDER = ".trials"


@dataclass(frozen=True, slots=True)
class Trial:
    """An index that was built to be measured."""

    name: str
    index: Index
    embedder: Embedder
    embedded: int
    """Texts that had to go through the model for it."""
    reasons: tuple[str, ...]
    """Why it is not all that was asked for, a sentence each."""


class Trials:
    """A workspace of its own with the documents of another, whose saved embeddings, texts and encodings it shares.

    Nothing is embedded twice, and the user's indexes and lock are left alone. The folder is deleted at the end; one that a
    killed process left is deleted by the next `Trials` of that workspace.

    Args:
        workspace: whose documents are searched; as they are when the first index is built.
        embedder: the configuration's where there is none.
    """

    def __init__(self, workspace: Workspace, *, embedder: Embedder | None = None) -> None:
        self.workspace = workspace
        self._embedder = embedder
        self._built: dict[str, Trial] = {}
        self._chunks: dict[tuple[str, str], list[Chunk]] = {}
        self._lock: FileLock | None = None
        self._folder: Path | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    @cached_property
    def rows(self) -> dict[str, DocumentRow]:
        """The documents by id, as they are now."""
        return {row.doc_id: row for row in self.workspace.documents()}

    @cached_property
    def documents(self) -> str:
        """Their fingerprint (`documents_key`)."""
        return documents_key(self.rows.values())

    def embedder(self, config: Config) -> Embedder:
        """What embeds for a configuration.

        Raises:
            ModelError: it is not at hand.
        """
        from chunking.embedding import load_embedder

        return self._embedder or load_embedder(config.embedding)

    def trial(self, config: Config, *, say: Callable[[str], None] | None = None, cancelled: Callable[[], bool] | None = None) -> Trial:
        """The index of a configuration; built where no other that differs in its search only was built before.

        Raises:
            ChunkscopeError: as `indexing.build_index`.
        """
        from chunking.indexing import build_index

        name = config.fingerprint()
        if name not in self._built:
            embedder = self.embedder(config)
            report = build_index(
                self.scratch,
                config,
                name=name,
                on_progress=None if say is None else lambda progress: say(progress.message),
                cancelled=cancelled,
                embedder=embedder,
            )
            self._built[name] = Trial(name, self.scratch.index(name), embedder, report.embedded, report.reasons)
        return self._built[name]

    @property
    def scratch(self) -> Workspace:
        """The workspace of the trials."""
        return self._scratch

    @cached_property
    def _scratch(self) -> Workspace:
        folder = _claimed(self)
        scratch = Workspace.open(folder, caches=self.workspace)
        from chunking.indexing import save

        save(scratch, self.workspace.read_documents(list(self.rows)))
        return scratch

    def document(self, doc_id: str) -> Document:
        """A document, as it is searched."""
        return self.scratch.document(doc_id)

    def chunks_of(self, trial: Trial, doc_id: str) -> Sequence[Chunk]:
        """The chunks of a document in an index, read once."""
        key = (trial.name, doc_id)
        if key not in self._chunks:
            self._chunks[key] = trial.index.chunks_of(doc_id)
        return self._chunks[key]

    def close(self) -> None:
        """Delete everything that was built."""
        self._built.clear()
        self._chunks.clear()
        self.__dict__.pop("_scratch", None)
        if self._lock is not None and self._folder is not None:
            _removed(self._folder, self._lock)
            self._lock = self._folder = None


def _claimed(trials: Trials) -> Path:
    """A new folder, and its lock held; what processes left that are gone is deleted."""
    uri = trials.workspace.uri
    place = Path(gettempdir() if "://" in uri else uri) / _FOLDER
    place.mkdir(parents=True, exist_ok=True)
    for left in place.glob("*.lock"):
        lock = FileLock(left)
        with suppress(Timeout):
            lock.acquire(timeout=0)
            _removed(left.with_suffix(""), lock)
    while True:
        folder = place / f"{time.strftime('%Y%m%d')}-{uuid4().hex[:12]}"
        lock = FileLock(folder.with_suffix(".lock"))
        with suppress(Timeout):
            lock.acquire(timeout=0)
            if folder.with_suffix(".lock").exists():  # else another process took it for one that was left
                trials._lock, trials._folder = lock, folder
                return folder


def _removed(folder: Path, lock: FileLock) -> None:
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
    with suppress(OSError):
        folder.with_suffix(".lock").unlink()
    lock.release()
