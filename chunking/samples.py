"""Load the sample documents into a workspace, from a snapshot if it fits the installation.

The snapshot (`make samples` writes it) has documents, an index with the default settings, and the vectors of the
sample questions, so that nothing is parsed or embedded. Otherwise the samples are read like other files, without index.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from chunking.config import BASELINE_SPLITTING, PLAIN_SPLITTING, Config
from chunking.errors import ModelError, StoreError
from chunking.paths import PROJECT

if TYPE_CHECKING:
    import numpy as np

    from chunking.embedding import Embedder, LocalEmbedder
    from chunking.indexing import FilesRead, WorkspaceSnapshot
    from chunking.model import Document
    from chunking.parsing.document import LoadedFile
    from chunking.store import Workspace

__all__ = [
    "BASELINE",
    "GRID",
    "HANDBOOK",
    "INDEX",
    "QUESTION",
    "QUESTION_FILE",
    "SAMPLES",
    "SAMPLE_SET",
    "Samples",
    "prepare",
    "question_vector",
    "save_questions",
]

SAMPLES = PROJECT / "sample_data"
SAMPLE_SET = "Sample questions"
INDEX = "main"
"""Name of the samples' index with the default settings."""
QUESTION_FILE = SAMPLES / "questions.jsonl"
_SNAPSHOT = SAMPLES / "snapshot.npz"

BASELINE = {
    **{key: str(value) for key, value in PLAIN_SPLITTING.items()},
    **BASELINE_SPLITTING,
    "search.mode": "vector",
    "search.retrieval": "chunk",
}
"""Settings of the usual way to split and search: fixed size, vector search only."""
HANDBOOK = "handbook_operations-handbook"
"""Id of the document that the guide shows."""
QUESTION = "At how many readings per second should another intake node be added?"
"""Sample question that shows the value of hybrid search.

Vector search misses its answer in the first five results; hybrid search ranks it first.
"""
GRID = {
    "size": ("100", "150", "250"),
    "prefix": ("none", "title_path"),
    "search.retrieval": ("chunk", "multi_granularity"),
}
"""Settings that the guide estimates besides `BASELINE` and the defaults: few enough for a chart."""


@dataclass(frozen=True)
class Samples:
    """Sample files with their snapshot or the documents parsed from them, ready to be saved."""

    files: Sequence[LoadedFile]
    snapshot: WorkspaceSnapshot | None
    """The snapshot; None if it cannot be read or its vectors belong to another model."""
    embedder: LocalEmbedder | None
    """The packaged model; None if it is missing."""
    read: FilesRead | None
    """Documents read from the files now; None if the snapshot has them."""
    why: str
    """Sentence about why the files had to be read; empty if the snapshot has the documents."""

    def put_into(self, target: Workspace) -> None:
        """Save the samples, their questions and a snapshot's index in an empty workspace.

        The caller holds `Workspace.writer`.

        Documents are saved last: an interrupted run is repeated at the next start. A question set that exists already
        under this name stays as it is.
        """
        from chunking.indexing.adding_files import save

        documents = (
            self.read.documents
            if self.read is not None
            else self.snapshot.documents
            if self.snapshot is not None
            else []
        )
        if SAMPLE_SET not in target.question_sets.names():  # one of that name may have been edited
            save_questions(target, documents)
        if self.snapshot is not None and self.embedder is not None:
            if self.read is None:
                self.snapshot.put_into(target, self.files, Config(), self.embedder)
            else:
                self.snapshot.put_vectors(target, self.embedder)
        if self.read is not None:
            save(target, self.read.documents, self.read.sources)


def prepare() -> Samples:
    """Load the snapshot of the samples, or parse the sample files if it does not fit.

    Raises:
        ParseError: there are no samples here.
    """
    from chunking.embedding import LocalEmbedder, load_embedder
    from chunking.indexing import WorkspaceSnapshot, read_files
    from chunking.parsing import find_files
    from chunking.parsing.document import load_file

    config, files = Config(), [load_file(path, root) for path, root in find_files([SAMPLES])]
    embedder, snapshot, why = None, None, ""
    try:
        loaded = load_embedder(config.embedding)
        embedder = loaded if isinstance(loaded, LocalEmbedder) else None
        snapshot = WorkspaceSnapshot.read(_SNAPSHOT)
        why = snapshot.misfit(files, config, embedder)
    except (ModelError, StoreError) as error:
        why = str(error)
    if not why:
        return Samples(files, snapshot, embedder, None, "")
    logging.getLogger(__name__).warning("The snapshot of the samples is not used: %s", why)
    fits = snapshot is not None and embedder is not None and snapshot.passages.fits(embedder)
    return Samples(files, snapshot if fits else None, embedder, read_files([SAMPLES]), why)


def question_vector(embedder: Embedder, question: str) -> np.ndarray | None:
    """Return the stored query vector of a sample question, (d,) float32 of unit length.

    None for any other question, or if the snapshot cannot be read or belongs to another model.
    """
    from chunking.embedding import LocalEmbedder
    from chunking.indexing import WorkspaceSnapshot

    try:
        kept = WorkspaceSnapshot.read(_SNAPSHOT).questions
    except StoreError:
        return None
    if not isinstance(embedder, LocalEmbedder) or not kept.fits(embedder, "query"):
        return None
    return kept.keyed(embedder, "query").get(embedder.cache_key(question, "query"))


def save_questions(target: Workspace, documents: Sequence[Document]) -> None:
    """Save the sample questions about the given documents as a question set.

    Raises:
        QuestionError: the documents contain none of the answers.
    """
    from chunking import evaluation

    result = evaluation.read_questions(QUESTION_FILE.read_bytes(), QUESTION_FILE.name, documents)
    evaluation.save_set(target, replace(result.questions, name=SAMPLE_SET))
