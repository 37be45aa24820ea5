"""The sample documents in a workspace: from a snapshot where that fits, else read the ordinary way, without an index.

The snapshot (`make samples` writes it) is what the ordinary way gives: documents, an index with the default settings,
and what the model has made of the sample questions, so that nothing is parsed or embedded.
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
"""The index of the samples with the default settings."""
QUESTION_FILE = SAMPLES / "questions.jsonl"
_SNAPSHOT = SAMPLES / "snapshot.npz"

BASELINE = {
    **{key: str(value) for key, value in PLAIN_SPLITTING.items()},
    **BASELINE_SPLITTING,
    "search.mode": "vector",
    "search.retrieval": "chunk",
}
"""How most people split and search: by vectors alone."""
HANDBOOK = "handbook_operations-handbook"
"""Id of the document that the guide looks at."""
QUESTION = "At how many readings per second should another intake node be added?"
"""A sample question: vector search does not find its answer among the first five, hybrid search has it first."""
GRID = {
    "size": ("100", "150", "250"),
    "prefix": ("none", "title_path"),
    "search.retrieval": ("chunk", "multi_granularity"),
}
"""What the guide estimates beside `BASELINE` and the defaults: few enough to be read as a picture."""


@dataclass(frozen=True)
class Samples:
    """The samples, ready to be put into a workspace: nothing of them is still to be read."""

    files: Sequence[LoadedFile]
    snapshot: WorkspaceSnapshot | None
    """None where it cannot be read, or its vectors are another model's."""
    embedder: LocalEmbedder | None
    """None where there is no model."""
    read: FilesRead | None
    """The documents as they were read now; None where the snapshot has them."""
    why: str
    """Why they had to be read, as a sentence; empty where the snapshot has them."""

    def put_into(self, target: Workspace) -> None:
        """Put them into a workspace without documents, with the sample questions; hold `Workspace.writer`.

        The documents come last: what is cut short before is done again at the next start.
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
    """Look whether the snapshot fits; where it does not, read the samples.

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
        made = load_embedder(config.embedding)
        embedder = made if isinstance(made, LocalEmbedder) else None
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
    """The stored query vector of a sample question, (d,) float32 of unit length.

    None for another model's vectors, and where the snapshot cannot be read.
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
    """Make the sample questions a set, on those of the sample documents that are there.

    Raises:
        QuestionError: none of their answers is in the documents.
    """
    from chunking import evaluation

    found = evaluation.read_questions(QUESTION_FILE.read_bytes(), QUESTION_FILE.name, documents)
    evaluation.save_set(target, replace(found.questions, name=SAMPLE_SET))
