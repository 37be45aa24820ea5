"""A workspace snapshot in one file: documents, indexes, runs and vectors.

The vectors are those of the indexed texts, of documents and of some questions.

The samples come as one (`make samples` writes it), which fills a new workspace without parsing, splitting, embedding or
evaluating. Its content equals that of an ordinary build: files, code or models other than the snapshot's are refused.
"""

from __future__ import annotations

import hashlib
import io
import json
import lzma
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from zipfile import BadZipFile

from chunking.config import Config
from chunking.errors import StoreError
from chunking.indexing.adding.intake import keeps_file
from chunking.model import CHUNK, Chunk, Document
from chunking.parsing import clean_source
from chunking.parsing.document import LoadedFile
from chunking.paths import AnyPath
from chunking.store import Index, Workspace
from chunking.store.index.build_record import BuildReport
from chunking.store.index.full_text import TEXT_FORM
from chunking.store.index.index import fill_index, pack_documents, pack_index, unpack_documents
from chunking.versions import chunks_version, results_version

if TYPE_CHECKING:
    import numpy as np

    from chunking.embedding import EncodingSnapshot, LateEncoder, LocalEmbedder, VectorSnapshot

__all__ = ["IndexSnapshot", "WorkspaceSnapshot"]

_FORMAT = 2
"""Version of the file format."""


@dataclass(frozen=True, slots=True)
class IndexSnapshot:
    """An index's rows and how its vectors are made of passages; their texts' vectors are elsewhere."""

    about: Mapping[str, Any]
    """Name, fingerprints and facts of its build."""
    packed_rows: bytes
    windows: np.ndarray
    """(3, w) int32: index row, passage and characters of each text whose vector is part of the row's."""

    @property
    def name(self) -> str:
        """Name of the index."""
        return str(self.about["name"])

    def row_vectors(self, passages: VectorSnapshot) -> np.ndarray:
        """Return (n, d) float32 unit vectors of the rows, equal to those of an index run."""
        import numpy as np

        rows, numbers, characters = self.windows
        parts = passages.rows[numbers] * characters[:, None].astype(np.float32)
        sums = np.add.reduceat(parts, np.flatnonzero(np.diff(rows, prepend=-1)))
        return np.asarray(sums / np.linalg.norm(sums, axis=1, keepdims=True), np.float32)


@dataclass(frozen=True)  # no slots: documents are unpacked when they are first asked for
class WorkspaceSnapshot:
    """Snapshot in memory: documents, rows of indexes, runs, and vectors of texts, questions, documents."""

    about: Mapping[str, Any]
    """Versions and files it was made with; see `of`."""
    packed_documents: bytes
    indexes: tuple[IndexSnapshot, ...]
    """In the order in which they are saved: pages open with the last."""
    packed_runs: bytes
    passages: VectorSnapshot
    """Vectors of the texts that the indexes embed."""
    questions: VectorSnapshot
    encodings: EncodingSnapshot
    """In the order of the documents."""

    @classmethod
    def of(
        cls,
        workspace: Workspace,
        indexes: Sequence[Index],
        encoder: LateEncoder,
        questions: Iterable[str],
        runs: Mapping[str, str] | None = None,
    ) -> WorkspaceSnapshot:
        """Take a snapshot of a workspace's documents and of indexes that embed each text alone.

        Vectors and encodings come from the workspace's caches; missing ones are computed. The indexes' embedding mode
        is not checked.

        Args:
            indexes: of one model; at least one.
            encoder: of the indexes' model, with the caches of the workspace.
            questions: query texts.
            runs: records of `Workspace.runs` by key.
        """
        import numpy as np

        from chunking.embedding import CachedEmbedder, EncodingSnapshot, VectorSnapshot

        stored = workspace.read_documents([row.doc_id for row in workspace.documents()])
        documents = sorted(stored, key=lambda document: document.source)
        embedder, cached = encoder.embedder, CachedEmbedder(encoder.embedder, workspace.vectors)
        packed = [pack_index(index) for index in indexes]
        parts = [_embedded_texts(embedder, chunks) for _, chunks in packed]
        texts = list(dict.fromkeys(text for each in parts for some in each for text in some))
        queries = list(dict.fromkeys(questions))
        passages = VectorSnapshot.of(dict(zip(texts, cached.embed(texts), strict=True)), embedder)
        about = {
            "format": _FORMAT,
            "code": _code(),
            "files": {document.source: document.hash for document in documents},
        }

        def windows(each: Sequence[Sequence[str]]) -> np.ndarray:
            places = [
                (row, number, len(text))
                for row, some in enumerate(each)
                for number, text in zip(passages.numbers(some), some, strict=True)
            ]
            return np.array(places, np.int32).T

        return cls(
            about,
            pack_documents(documents),
            tuple(
                IndexSnapshot(_facts(index), rows, windows(each))
                for index, (rows, _), each in zip(indexes, packed, parts, strict=True)
            ),
            lzma.compress(json.dumps(dict(runs or {}), ensure_ascii=False).encode(), preset=9),
            passages,
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
            documents, runs = (arrays[name].tobytes() for name in ("documents", "runs"))
            indexes = tuple(
                IndexSnapshot(facts, arrays[f"rows_{number}"].tobytes(), arrays[f"windows_{number}"])
                for number, facts in enumerate(about.pop("indexes"))
            )
            passages, questions = (
                VectorSnapshot(about["model"], arrays[f"{of}_digests"], arrays[f"{of}_vectors"])
                for of in ("passage", "question")
            )
            encodings = EncodingSnapshot.from_arrays(arrays)
            return cls(about, documents, indexes, runs, passages, questions, encodings)
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

        indexes = [one.about for one in self.indexes]
        about = json.dumps({**self.about, "indexes": indexes, "model": self.passages.model}, sort_keys=True).encode()
        bytes_ = {"about": about, "documents": self.packed_documents, "runs": self.packed_runs}
        bytes_ |= {f"rows_{number}": one.packed_rows for number, one in enumerate(self.indexes)}
        arrays: dict[str, Any] = {name: np.frombuffer(data, np.uint8) for name, data in bytes_.items()}
        for name, one in {"passage": self.passages, "question": self.questions}.items():
            arrays |= {f"{name}_digests": one.digests, f"{name}_vectors": one.vectors}
        arrays |= {f"windows_{number}": one.windows for number, one in enumerate(self.indexes)}
        np.savez_compressed(path, **arrays, **self.encodings.arrays())

    @cached_property
    def documents(self) -> list[Document]:
        """Documents of the snapshot, without modification times. Raises StoreError."""
        return unpack_documents(self.packed_documents)

    @cached_property
    def runs(self) -> dict[str, str]:
        """Records of `Workspace.runs` by key. Raises StoreError."""
        try:
            runs: dict[str, str] = json.loads(lzma.decompress(self.packed_runs))
        except (lzma.LZMAError, EOFError, ValueError) as error:
            raise StoreError("These bytes are not packed runs, or not all of them; make the snapshot again.") from error
        return runs

    def misfit(self, files: Sequence[LoadedFile], configs: Mapping[str, Config], embedder: object) -> str:
        """Return a sentence on why the snapshot would differ from a build; empty if it fits.

        Args:
            files: files that a build would read.
            configs: settings of the indexes that would be built, by name and in order.
            embedder: embedder of a build.
        """
        from chunking.embedding import LocalEmbedder

        if self.about.get("format") != _FORMAT or self.about["code"] != _code():
            return "It was made by another version of Chunkscope."
        built = [(one.name, one.about["config"]) for one in self.indexes]
        if built != [(name, config.fingerprint()) for name, config in configs.items()]:
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
        self,
        workspace: Workspace,
        files: Sequence[LoadedFile],
        configs: Mapping[str, Config],
        embedder: LocalEmbedder,
    ) -> None:
        """Save the caches, the indexes, the runs and the documents to an untouched workspace; hold `writer`.

        The documents come last: an interruption leaves a workspace that is still `untouched`, and can be filled again.

        Args:
            files, configs, embedder: those that fit (`misfit`).
        Raises:
            StoreError: the workspace cannot be written, or the rows are another version's; then nothing was written.
        """
        dated = {clean_source(file.source): file.updated_at for file in files}
        documents = [replace(document, updated_at=dated[document.source]) for document in self.documents]
        kept = {document.hash for document in documents if keeps_file(document)}
        self._put_caches(workspace, next(iter(configs.values())), embedder)
        for one in self.indexes:
            self._put_index(workspace, one, configs[one.name], embedder)
        if self.runs:
            workspace.runs.put(self.runs)
        workspace.put_documents(documents, {hash: file.data for file in files if (hash := _hash(file)) in kept})

    def _put_index(self, workspace: Workspace, one: IndexSnapshot, config: Config, embedder: LocalEmbedder) -> None:
        """Create and publish an index with its rows."""
        index = workspace.create_index(
            one.name, config, model_key=embedder.key, dimension=embedder.dimension, code_version=chunks_version()
        )
        fill_index(index, one.packed_rows, one.row_vectors(self.passages))
        index.optimize()
        done = replace(
            index.row,
            state="complete",
            fingerprint=one.about["fingerprint"],
            documents=len(self.documents),
            chunks=index.count(),
            unknown_share=one.about["unknown_share"],
            built=BuildReport.from_json(one.about["built"]),
        )
        workspace.publish(index, done)

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


def _code() -> str:
    """Return the versions of the code that the content depends on."""
    return f"{chunks_version()}.{TEXT_FORM}.{results_version()}"


def _embedded_texts(embedder: LocalEmbedder, chunks: Sequence[Chunk]) -> list[list[str]]:
    """Return the texts whose vectors make each row's, as an index run embeds them: only larger levels in windows."""
    from chunking.embedding import window_texts

    return [
        [chunk.embedding_content] if chunk.level == CHUNK else windows
        for chunk, windows in zip(chunks, window_texts(embedder, chunks), strict=True)
    ]


def _facts(index: Index) -> dict[str, Any]:
    return {
        "config": index.config.fingerprint(),
        "name": index.name,
        "fingerprint": index.fingerprint,
        "unknown_share": index.row.unknown_share,
        "built": index.row.built.to_json(),
    }


def _hash(file: LoadedFile) -> str:
    return hashlib.sha256(file.data).hexdigest()
