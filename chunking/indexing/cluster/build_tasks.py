"""What a worker does with one part of a build: read its input, write files, leave a record.

A task that is repeated gives the same result; one whose record exists does nothing. None takes a lock or commits.
"""

from __future__ import annotations

import hashlib
import socket
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, NamedTuple, ParamSpec

from chunking.config import Config
from chunking.errors import ModelError, ParseError, StoreError
from chunking.indexing.adding.file_stream import UnchangedFile, parse_key_of
from chunking.indexing.adding.intake import keeps_file
from chunking.indexing.cluster.run_folder import Record, RunFolder
from chunking.indexing.stages.document_cut import DocumentCut, cut_document
from chunking.indexing.stages.document_ids import with_ids
from chunking.indexing.stages.row_vectors import row_vectors
from chunking.model import Document
from chunking.parsing.builder.reader_types import ParseOptions
from chunking.store import Workspace
from chunking.store.bulk.arrow_files import sorted_span
from chunking.store.bulk.build_parts import (
    TextToEmbed,
    arrow_to_documents,
    arrow_to_texts,
    documents_to_arrow,
    files_to_arrow,
    join_vectors,
    keyed_rows,
    row_keys,
    sections_to_arrow,
    texts_to_arrow,
)
from chunking.store.bulk.fragments import lance_version, write_fragments
from chunking.store.cache_tables import vectors_to_arrow
from chunking.store.engine.faults import guarded
from chunking.store.engine.schema import DOCUMENTS, EMBEDDINGS, FILES, SECTIONS
from chunking.store.index.full_text import TEXT_FORM
from chunking.versions import chunks_version

if TYPE_CHECKING:
    from chunking.embedding import Embedder

__all__ = [
    "BuildJob",
    "ListedFile",
    "code_version",
    "cut_part",
    "describe_model",
    "embed_partition",
    "guarded_task",
    "join_part",
    "named_documents",
    "parse_file",
    "parse_part",
    "text_part",
]

P = ParamSpec("P")

_FILE_BYTES = 64 * 2**20
"""Bytes of source files in one fragment, about."""


class ListedFile(NamedTuple):
    """File of a run, and how it is read."""

    path: str
    root: str
    """Folder that its source is relative to."""
    source: str
    encoding: str | None
    parser: str
    size: int
    changed: int
    """Time of its last change, in nanoseconds: another makes it another run."""


@dataclass(frozen=True)
class BuildJob:
    """What every task of a run must know; the same on all machines."""

    run: str
    """Place of the run's folder."""
    workspace: str
    """Folder or address of the workspace."""
    config: Config
    code: str
    """`code_version` of the driver."""
    embedder: Embedder | None = None
    """None: the configuration's."""
    ocr: bool = False
    comments: bool = False
    model_key: str = ""
    """Key of the model as the first worker loaded it; empty before."""
    table: str = ""
    """Table of the index's rows."""

    @cached_property
    def folder(self) -> RunFolder:
        """Folder of the run."""
        return RunFolder(self.run)

    def options(self, file: ListedFile) -> ParseOptions:
        """Return the options that a file is parsed with."""
        return {"encoding": file.encoding, "ocr": self.ocr, "comments": self.comments, "parser": file.parser}

    def uri(self, table: str) -> str:
        """Return the place of a table of the workspace."""
        return f"{self.workspace}/{table}.lance"

    def check_worker(self) -> None:
        """Raise StoreError if this process has another version of what decides rows and files."""
        if (here := code_version()) != self.code:
            raise StoreError(
                f"The worker on {socket.gethostname()} has another version of Chunkscope or pylance ({here}) than this "
                f"machine ({self.code}); install the same on all machines.",
                where=socket.gethostname(),
            )

    def load_embedder(self) -> Embedder:
        """Return the embedder, whose key is the run's.

        Raises:
            ModelError: this machine lacks the model, or would compute with another one or in another precision.
        """
        from chunking.embedding import load_embedder

        try:
            embedder: Embedder = self.embedder or load_embedder(self.config.embedding)
        except ModelError as error:
            raise ModelError(f"On {socket.gethostname()}, a machine of the run: {error}", where=error.where) from error
        if self.model_key and embedder.key != self.model_key:
            embedder.prepare()  # which may change it
        if self.model_key and embedder.key != self.model_key:
            raise ModelError(
                f"The worker on {socket.gethostname()} would embed with {embedder.key}, another one with "
                f"{self.model_key}; set embedding.precision to what all machines can compute, such as fp32.",
                where="embedding.precision",
            )
        return embedder


def guarded_task(task: Callable[Concatenate[BuildJob, P], Record]) -> Callable[Concatenate[BuildJob, P], Record]:
    """Let a task raise a StoreError of one sentence if the disk is full, read-only or gone."""

    @wraps(task)
    def call(job: BuildJob, /, *arguments: P.args, **options: P.kwargs) -> Record:
        with guarded(job.workspace, "doing a part of the run"):
            return task(job, *arguments, **options)

    return call


def code_version() -> str:
    """Return the versions of the code that decides rows and files, the same on all machines of a run."""
    return f"{chunks_version()}.{TEXT_FORM}, pylance {lance_version()}"


@guarded_task
def describe_model(job: BuildJob, part: str) -> Record:
    """Load the model, and record its key, which only loading settles, and its dimension."""
    job.check_worker()
    embedder = job.load_embedder()
    embedder.prepare()
    return job.folder.write("model", part, {"key": embedder.key, "dimension": embedder.dimension})


# -- bytes to documents


def parse_file(job: BuildJob, file: ListedFile) -> tuple[Document, ...]:
    """Return a file's documents, read in a guarded process. Raises ParseError."""
    from chunking.parsing import parse_file_guarded

    return parse_file_guarded(file.path, root=file.root, **job.options(file))


@guarded_task
def parse_part(job: BuildJob, part: str, files: Sequence[ListedFile], stored: Sequence[UnchangedFile] = ()) -> Record:
    """Read files in guarded processes, and record their documents' sources, or why one failed.

    Args:
        stored: files as the workspace has them, which are not parsed again.
    """
    if (done := job.folder.read("parse", part)) is not None:
        return done
    job.check_worker()
    documents: list[Document] = []
    outcomes: list[dict[str, object]] = []
    for file in files:
        try:
            if (same := _stored_file(job, file, stored)) is not None:
                outcomes.append({"same": list(same)})
                continue
            family = parse_file(job, file)
        except ParseError as error:
            outcomes.append({"source": file.source, "error": str(error)})
            continue
        documents += family
        kept = family[0].hash if keeps_file(family[0]) else ""
        warnings = [(document.source, warning) for document in family for warning in document.warnings]
        outcomes.append(
            {
                "sources": [document.source for document in family],
                "kept": kept,
                "warnings": warnings,
                "parse_key": parse_key_of(job.options(file), len(family)),
            }
        )
    job.folder.write_table("parse", part, documents_to_arrow(documents))
    return job.folder.write("parse", part, {"outcomes": outcomes})


def _stored_file(job: BuildJob, file: ListedFile, stored: Sequence[UnchangedFile]) -> UnchangedFile | None:
    """Return what the workspace has of a file, if that is what would be read now. Raises ParseError."""
    from chunking.parsing.document import load_file

    if all(one.source != file.source for one in stored):
        return None
    present = UnchangedFile.of(file.source, load_file(file.path, file.root).data, job.options(file))
    return present if present in stored else None


# -- documents to rows without vectors


@guarded_task
def cut_part(
    job: BuildJob,
    part: str,
    files: Sequence[ListedFile],
    families: Sequence[Sequence[str]],
    kept: Mapping[str, str],
) -> Record:
    """Split the documents of a part under their final ids, and write all that needs no vector.

    Args:
        families: ids of the documents of each file that could be read, in order.
        kept: path of the files that this part stores, by hash.
    """
    if (done := job.folder.read("cut", part)) is not None:
        return done
    job.check_worker()
    documents = named_documents(job.folder, part, families)
    read = [one for one in (job.folder.read("parse", part) or {})["outcomes"] if "error" not in one]
    parse_keys = {doc_ids[0]: one["parse_key"] for doc_ids, one in zip(families, read, strict=True)}
    embedder = job.load_embedder()
    cuts: list[DocumentCut] = []
    failed: list[dict[str, str]] = []
    for document in documents:
        try:
            cuts.append(cut_document(document, job.config, embedder))
        except ParseError as error:
            failed.append({"source": document.source, "error": str(error)})
    texts: dict[str, TextToEmbed] = {}
    keys = [key for cut in cuts for key in _add_texts(texts, cut, embedder)]
    lengths = [[len(text) for text in some] for cut in cuts for some in cut.texts]
    job.folder.write_table("cut", part, keyed_rows([cut.rows for cut in cuts], keys, lengths))
    job.folder.write_table("texts", part, texts_to_arrow(texts))
    record = {
        "texts": len(texts),
        "failed": failed,
        "documents": [
            [cut.split.document.doc_id, cut.split.document.source, cut.split.document.language, cut.fingerprint]
            for cut in cuts
        ],
        "levels": Counter(row.level for cut in cuts for row in cut.split),
        "warnings": [(cut.split.document.source, text) for cut in cuts for text in cut.split.levels.warnings],
        "fragments": {
            DOCUMENTS: write_fragments(job.uri(DOCUMENTS), documents_to_arrow(documents, parse_keys)),
            SECTIONS: write_fragments(job.uri(SECTIONS), sections_to_arrow(documents)),
            FILES: _stored_files(job, kept),
        },
    }
    return job.folder.write("cut", part, record)


def named_documents(run: RunFolder, part: str, families: Sequence[Sequence[str]]) -> list[Document]:
    """Return the documents that `parse_part` left, under their final ids.

    Args:
        families: ids of the documents of each file that was parsed, in order.
    """
    documents = arrow_to_documents(run.read_table("parse", part))
    named: list[Document] = []
    for doc_ids in families:
        first = len(named)
        named += with_ids(documents[first : first + len(doc_ids)], doc_ids)
    return named


@guarded_task
def text_part(job: BuildJob, part: str, doc_ids: Sequence[str]) -> Record:
    """Split stored documents, with people's changes, and write the texts that their rows need vectors of.

    One that cannot be split is left out: the driver, which splits it again, reports it.
    """
    if (done := job.folder.read("cut", part)) is not None:
        return done
    job.check_worker()
    embedder, texts = job.load_embedder(), dict[str, TextToEmbed]()
    for document in Workspace.open(job.workspace, create=False).read_documents(doc_ids):
        with suppress(ParseError):
            _add_texts(texts, cut_document(document, job.config, embedder), embedder)
    job.folder.write_table("texts", part, texts_to_arrow(texts))
    return job.folder.write("cut", part, {"texts": len(texts)})


def _add_texts(texts: dict[str, TextToEmbed], cut: DocumentCut, embedder: Embedder) -> list[list[str]]:
    """Add the texts of a document's rows by key, and return the keys of each row's."""
    keys = [[embedder.cache_key(text) for text in some] for some in cut.texts]
    for row, names, some in zip(cut.split, keys, cut.texts, strict=True):
        for place, (key, text) in enumerate(zip(names, some, strict=True)):
            first = not place or (key in texts and texts[key].first)
            texts[key] = TextToEmbed(text, row.token_count // len(some), first)
    return keys


def _stored_files(job: BuildJob, kept: Mapping[str, str]) -> list[str]:
    """Write source files by hash; one that changed since it was read is left out, as it is no document's."""
    fragments: list[str] = []
    batch: dict[str, bytes] = {}
    for number, (hash, path) in enumerate(kept.items(), start=1):
        try:
            data = Path(path).read_bytes()
        except OSError:
            data = b""
        if hashlib.sha256(data).hexdigest() == hash:
            batch[hash] = data
        if batch and (number == len(kept) or sum(map(len, batch.values())) >= _FILE_BYTES):
            fragments += write_fragments(job.uri(FILES), files_to_arrow(batch))
            batch = {}
    return fragments


# -- texts to vectors


@guarded_task
def embed_partition(
    job: BuildJob, embedder: Embedder, part: str, span: tuple[str, str], parts: Sequence[str]
) -> Record:
    """Embed the texts of all parts whose key is in a span, each once, unless they are cached.

    The spans of a run divide the keys, which are hashes, so that each text has one owner.

    Args:
        embedder: `BuildJob.load_embedder`, kept by the worker.
        span: first key, and the first after the last; empty for no end.
    """
    if (done := job.folder.read("embed", part)) is not None:
        return done
    texts: dict[str, TextToEmbed] = {}
    for one in parts:
        for key, text in arrow_to_texts(sorted_span(job.folder.read_table("texts", one), "key", *span)).items():
            first = text.first or (key in texts and texts[key].first)
            texts[key] = text._replace(first=first)
    for key in Workspace.open(job.workspace, create=False).vectors.stored_keys(list(texts)):
        del texts[key]
    began = time.perf_counter()
    fragments: list[str] = []
    if texts:
        vectors = embedder.embed([text.text for text in texts.values()])
        fragments = write_fragments(job.uri(EMBEDDINGS), vectors_to_arrow(dict(zip(texts, vectors, strict=True))))
    record = {
        "texts": len(texts),
        "vectors": sum(text.first for text in texts.values()),
        "tokens": sum(text.tokens for text in texts.values()),
        "seconds": time.perf_counter() - began if texts else 0.0,
        "fragments": {EMBEDDINGS: fragments},
    }
    return job.folder.write("embed", part, record)


# -- rows with vectors


@guarded_task
def join_part(job: BuildJob, part: str, dimension: int) -> Record:
    """Give the rows of a part their vectors from the cache, and write them for the index's table."""
    if (done := job.folder.read("join", part)) is not None:
        return done
    job.check_worker()
    rows = job.folder.read_table("cut", part)
    keys, lengths = row_keys(rows)
    vectors = Workspace.open(job.workspace, create=False).vectors.get([key for some in keys for key in some])
    complete = join_vectors(rows, row_vectors(keys, lengths, vectors, dimension))
    fragments = write_fragments(job.uri(job.table), complete)
    return job.folder.write("join", part, {"rows": complete.num_rows, "fragments": {job.table: fragments}})
