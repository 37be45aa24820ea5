"""Documents of a notebook by id, with splitters shared by all widgets of the kernel."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from chunking.config import EmbeddingConfig
from chunking.embedding.model_folder import counting_folder
from chunking.errors import ConfigError
from chunking.model import Document
from chunking.parsing import parse_file
from chunking.splitting import Chunker, model_sentences, token_counter
from chunking.text.byte_caches import MB, ByteCache

if TYPE_CHECKING:
    from chunking.store import Workspace

__all__ = ["WorkspaceDocuments", "documents_of", "measured_chunker", "workspace_documents"]

_EACH = 24
"""Bytes of a splitter's measurements per character: possible boundaries and running counts."""
_measures: ByteCache[Chunker] = ByteCache(
    "chunking.notebook.documents", 256 * MB, size=lambda one: _EACH * len(one.document.text)
)


class WorkspaceDocuments(Mapping[str, Document]):
    """Documents of a workspace, read on access; the last one is cached."""

    def __init__(self, workspace: Workspace, doc_ids: Sequence[str]) -> None:
        self._workspace, self._doc_ids = workspace, tuple(doc_ids)
        self._last: Document | None = None

    def __getitem__(self, doc_id: str) -> Document:
        if self._last is None or self._last.doc_id != doc_id:
            self._last = self._workspace.document(doc_id)
        return self._last

    def __iter__(self) -> Iterator[str]:
        return iter(self._doc_ids)

    def __len__(self) -> int:
        return len(self._doc_ids)


def workspace_documents(workspace: Workspace) -> tuple[WorkspaceDocuments, dict[str, str]]:
    """Return the documents of a workspace and their titles.

    Raises:
        ConfigError: it holds none.
    """
    titles = {row.doc_id: row.title for row in workspace.documents()}
    if not titles:
        raise ConfigError(
            f"The workspace {workspace.uri} holds no documents yet; add some with chunking.add_files.",
            where=workspace.uri,
        )
    return WorkspaceDocuments(workspace, list(titles)), titles


def documents_of(what: object) -> tuple[dict[str, Document], dict[str, str]]:
    """Return a document, several, or a parsed file, by id, with their titles.

    Raises:
        ConfigError: they are none, or two have one id.
        ParseError: the file cannot be read.
    """
    if isinstance(what, (str, os.PathLike)):
        what = parse_file(Path(what))
    candidates = [what] if isinstance(what, Document) else list(what) if isinstance(what, Iterable) else [what]
    wrong = next((one for one in candidates if not isinstance(one, Document)), None)
    if wrong is not None or not candidates:
        got = "nothing" if not candidates else f"a {type(wrong).__name__}"
        raise ConfigError(
            (
                f"explore() shows a document, several, a workspace or the path of a file, and got {got}; read "
                f"files with chunking.parse_file."
            ),
            where="explore",
        )
    documents = {one.doc_id: one for one in candidates if isinstance(one, Document)}
    if len(documents) < len(candidates):
        raise ConfigError(
            "Two of the documents have the same doc_id; parse them with different sources, or add them to a workspace.",
            where="explore",
        )
    return documents, {doc_id: one.title for doc_id, one in documents.items()}


def measured_chunker(document: Document, embedding: EmbeddingConfig) -> Chunker:
    """Return the splitter of a document, cached for equal documents.

    Raises:
        ModelError: the model that counts its tokens is not at hand.
    """
    folder = counting_folder(embedding)
    key = document.doc_id, document.hash, str(folder.path), folder.revision, embedding.model_dump_json()
    chunker = _measures.get(key)
    if chunker is None or chunker.document != replace(document, updated_at=chunker.document.updated_at):
        counter, sentences = token_counter(folder.path), model_sentences(embedding)
        chunker = Chunker(document, counter, max_tokens=folder.content_tokens, sentences=sentences)
        _measures.put(key, chunker)
    return chunker
