"""A workspace snapshot in one file: documents, an index, and vectors of both and of some questions.

The samples come as one (`make samples` writes it), which fills a new workspace without parsing, splitting or embedding.
Its content equals that of an ordinary build: files, code or models other than the snapshot's are refused.
"""

from __future__ import annotations

import hashlib
import io
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from chunking.config import Config
from chunking.errors import StoreError
from chunking.indexing.intake import keeps_file
from chunking.model import Document
from chunking.parsing import clean_source
from chunking.parsing.document import LoadedFile
from chunking.paths import AnyPath
from chunking.store import Index, Workspace
from chunking.store.index.build_record import BuildReport
from chunking.store.index.full_text import TEXT_FORM
from chunking.store.index.index import fill_index, pack_documents, pack_index, unpack_documents
from chunking.versions import chunks_version

if TYPE_CHECKING:
    import numpy as np

    from chunking.embedding import EncodingSnapshot, LateEncoder, LocalEmbedder, VectorSnapshot

__all__ = ["WorkspaceSnapshot"]

_FORMAT = 1
"""Version of the file format."""


@dataclass(frozen=True)  # no slots: documents are unpacked when they are first asked for
class WorkspaceSnapshot:
    """Snapshot in memory: documents, an index's rows, and vectors of texts, questions, documents."""

    about: Mapping[str, Any]
    """Versions and settings it was built with, and facts of the index; see `of`."""
    packed_documents: bytes
    packed_rows: bytes
    passages: VectorSnapshot
    """Vectors of the texts that the index embeds."""
    windows: np.ndarray
    """(3, w) int32: index row, passage and characters of each text whose vector is part of the row's."""
    questions: VectorSnapshot
    encodings: EncodingSnapshot
    """In the order of the documents."""

    @classmethod
    def of(
        cls, workspace: Workspace, index: Index, encoder: LateEncoder, questions: Iterable[str]
    ) -> WorkspaceSnapshot:
        """Take a snapshot of a workspace's documents and of an index that embeds each text alone.

        Vectors and encodings come from the workspace's caches; missing ones are computed. The index's embedding mode is
        not checked.

        Args:
            encoder: of the index's model, with the caches of the workspace.
            questions: query texts.
        """
        import numpy as np

        from chunking.embedding import CachedEmbedder, EncodingSnapshot, VectorSnapshot, window_texts

        stored = workspace.read_documents([row.doc_id for row in workspace.documents()])
        documents = sorted(stored, key=lambda document: document.source)
        rows, chunks = pack_index(index)
        embedder, cached = encoder.embedder, CachedEmbedder(encoder.embedder, workspace.vectors)
        parts = window_texts(embedder, chunks)
        texts, queries = list(dict.fromkeys(text for some in parts for text in some)), list(dict.fromkeys(questions))
        passages = VectorSnapshot.of(dict(zip(texts, cached.embed(texts), strict=True)), embedder)
        windows = [
            (row, number, len(text))
            for row, some in enumerate(parts)
            for number, text in zip(passages.numbers(some), some, strict=True)
        ]
        about = {
            "format": _FORMAT,
            "code": f"{chunks_version()}.{TEXT_FORM}",
            "config": index.config.fingerprint(),
            "files": {document.source: document.hash for document in documents},
            "name": index.name,
            "fingerprint": index.fingerprint,
            "unknown_share": index.row.unknown_share,
            "built": index.row.built.to_json(),
        }
        return cls(
            about,
            pack_documents(documents),
            rows,
            passages,
            np.array(windows, np.int32).T,
            VectorSnapshot.of(dict(zip(queries, cached.embed(queries, role="query"), strict=True)), embedder),
            EncodingSnapshot.of(documents, encoder),
        )

    @classmethod
    def read(cls, path: AnyPath) -> WorkspaceSnapshot:
        """Return the snapshot in a file that `write` wrote.

        Raises:
            StoreError: the file is missing, damaged, or anything else.
        """
        import numpy as np

        from chunking.embedding import EncodingSnapshot, VectorSnapshot

        path = Path(path)
        try:
            with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as file:
                arrays = {name: file[name] for name in file.files}
            about = json.loads(arrays["about"].tobytes())
            packed = (arrays["documents"].tobytes(), arrays["rows"].tobytes())
            vectors = [
                VectorSnapshot(about["model"], arrays[f"{of}_digests"], arrays[f"{of}_vectors"])
                for of in ("passage", "question")
            ]
            return cls(about, *packed, vectors[0], arrays["windows"], vectors[1], EncodingSnapshot.from_arrays(arrays))
        # a damaged zip entry may claim a compression that is not known (NotImplementedError) or to be encrypted
        # (RuntimeError)
        except (
            OSError,
            EOFError,
            ValueError,
            TypeError,
            KeyError,
            NotImplementedError,
            RuntimeError,
            BadZipFile,
            zlib.error,
        ) as error:
            raise StoreError(f"The snapshot {path.name} cannot be read; make it again.", where=str(path)) from error

    def write(self, path: AnyPath) -> None:
        """Write the snapshot to a file, .npz added if missing; equal ones give equal bytes."""
        import numpy as np

        about = json.dumps({**self.about, "model": self.passages.model}, sort_keys=True).encode()
        bytes_ = {"about": about, "documents": self.packed_documents, "rows": self.packed_rows}
        arrays: dict[str, Any] = {name: np.frombuffer(data, np.uint8) for name, data in bytes_.items()}
        for name, one in {"passage": self.passages, "question": self.questions}.items():
            arrays |= {f"{name}_digests": one.digests, f"{name}_vectors": one.vectors}
        np.savez_compressed(path, **arrays, **self.encodings.arrays(), windows=self.windows)

    @cached_property
    def documents(self) -> list[Document]:
        """Documents of the snapshot, without modification times. Raises StoreError."""
        return unpack_documents(self.packed_documents)

    def misfit(self, files: Sequence[LoadedFile], config: Config, embedder: object) -> str:
        """Return a sentence on why the snapshot would differ from a build; empty if it fits.

        Args:
            files: files that a build would read.
            config: settings of the index that would be built.
            embedder: embedder of a build.
        """
        from chunking.embedding import LocalEmbedder

        if self.about.get("format") != _FORMAT or self.about["code"] != f"{chunks_version()}.{TEXT_FORM}":
            return "It was made by another version of Chunkscope."
        if self.about["config"] != config.fingerprint():
            return "It was made with other settings."
        if {clean_source(file.source): _hash(file) for file in files} != self.about["files"]:
            return "The files have changed since it was made."
        fits = (
            isinstance(embedder, LocalEmbedder)
            and self.passages.fits(embedder)
            and self.questions.fits(embedder, "query")
        )
        return "" if fits else "Its vectors are of another embedding model."

    def put_into(
        self, workspace: Workspace, files: Sequence[LoadedFile], config: Config, embedder: LocalEmbedder
    ) -> None:
        """Save the caches, the index and the documents to an untouched workspace; hold `writer`.

        The documents come last: an interruption leaves a workspace that is still `untouched`, and can be filled again.

        Args:
            files, config, embedder: those that fit (`misfit`).
        Raises:
            StoreError: the workspace cannot be written, or the rows are another version's; then nothing was written.
        """
        dated = {clean_source(file.source): file.updated_at for file in files}
        documents = [replace(document, updated_at=dated[document.source]) for document in self.documents]
        kept = {document.hash for document in documents if keeps_file(document)}
        self._put_caches(workspace, config, embedder)
        index = workspace.create_index(
            self.about["name"],
            config,
            model_key=embedder.key,
            dimension=embedder.dimension,
            code_version=chunks_version(),
        )
        fill_index(index, self.packed_rows, self._row_vectors())
        index.optimize()
        done = replace(
            index.row,
            state="complete",
            fingerprint=self.about["fingerprint"],
            documents=len(documents),
            chunks=index.count(),
            unknown_share=self.about["unknown_share"],
            built=BuildReport.from_json(self.about["built"]),
        )
        workspace.publish(index, done)
        workspace.put_documents(documents, {hash: file.data for file in files if (hash := _hash(file)) in kept})

    def _put_caches(self, workspace: Workspace, config: Config, embedder: LocalEmbedder) -> None:
        """Save vectors and encodings, so that index, questions and live recall need no model."""
        from chunking.embedding import LateEncoder

        encoder = LateEncoder(embedder, config.embedding.late_window)
        self.put_vectors(workspace, embedder, self.encodings.title_states(self.documents, encoder))
        workspace.encodings.put_all(self.encodings.encodings(self.documents, encoder))

    def put_vectors(
        self, workspace: Workspace, embedder: LocalEmbedder, more: Mapping[str, np.ndarray] | None = None
    ) -> None:
        """Save the vectors of passages and questions to a workspace's cache, for any index.

        Args:
            embedder: of the model that computed them.
            more: further vectors to save, by key.
        """
        workspace.vectors.put(
            {**self.passages.keyed(embedder), **self.questions.keyed(embedder, "query"), **(more or {})}
        )

    def _row_vectors(self) -> np.ndarray:
        """(n, d) float32 unit vectors of the index's rows, equal to `embedding.embed_chunks`."""
        import numpy as np

        rows, passages, characters = self.windows
        parts = self.passages.rows[passages] * characters[:, None].astype(np.float32)
        sums = np.add.reduceat(parts, np.flatnonzero(np.diff(rows, prepend=-1)))
        return np.asarray(sums / np.linalg.norm(sums, axis=1, keepdims=True), np.float32)


def _hash(file: LoadedFile) -> str:
    return hashlib.sha256(file.data).hexdigest()
