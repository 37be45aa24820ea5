"""Load the sample documents into a workspace, from a snapshot if it fits the installation.

The snapshot (`make samples` writes it) has documents, an index of the baseline and one of the default settings, their
runs on the sample questions, and the questions' vectors, so that nothing is parsed, embedded or evaluated. Otherwise
the samples are read like other files, without indexes and runs.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from chunking.config import BASELINE, Config
from chunking.errors import ModelError, QuestionError, StoreError
from chunking.paths import PROJECT

if TYPE_CHECKING:
    import numpy as np

    from chunking.embedding import Embedder, LocalEmbedder
    from chunking.indexing import FilesRead, WorkspaceSnapshot
    from chunking.model import Document
    from chunking.parsing.document import LoadedFile
    from chunking.store import Workspace

__all__ = [
    "ACROSS_SET",
    "BASELINE",
    "BASELINE_INDEX",
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
    "sample_indexes",
    "save_questions",
]

SAMPLES = PROJECT / "sample_data"
SAMPLE_SET = "Sample questions"
ACROSS_SET = "Questions across languages"
"""Sample questions in one language about documents in another, in a set of their own: most models find none."""
INDEX = "main"
"""Name of the samples' index with the default settings."""
BASELINE_INDEX = "baseline"
"""Name of the samples' index with the settings of `BASELINE`."""
QUESTION_FILE = SAMPLES / "questions.jsonl"
_SET_FILES = {ACROSS_SET: SAMPLES / "questions_across.jsonl", SAMPLE_SET: QUESTION_FILE}
"""File of each sample question set, in the order they are saved: pages open with the newest."""
_SNAPSHOT = SAMPLES / "snapshot.npz"

HANDBOOK = "handbook_operations-handbook"
"""Id of the document that the guide shows."""
QUESTION = "How do we cut a possibly hacked host off the network without losing its memory?"
"""Sample question that the baseline misses on its index and the default settings answer at rank 1."""
GRID = {
    "size": ("100", "175", "250"),
    "prefix": ("none", "title_path"),
    "search.retrieval": ("chunk", "multi_granularity"),
}
"""Settings that the guide estimates besides `BASELINE` and the defaults: few enough for a chart."""


def sample_indexes() -> dict[str, Config]:
    """Return the settings of the samples' indexes by name; pages open with the last."""
    return {BASELINE_INDEX: Config.from_settings(BASELINE), INDEX: Config()}


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
        """Save the samples, their questions and a snapshot's indexes and runs in an empty workspace.

        The caller holds `Workspace.writer`.

        Documents are saved last: an interrupted run is repeated at the next start. Question sets that exist already
        under these names stay as they are.
        """
        from chunking.indexing.adding.adding_files import save

        documents = (
            self.read.documents
            if self.read is not None
            else self.snapshot.documents
            if self.snapshot is not None
            else []
        )
        stored = target.question_sets.names()
        save_questions(target, documents, [name for name in _SET_FILES if name not in stored])  # may have been edited
        if self.snapshot is not None and self.embedder is not None:
            if self.read is None:
                self.snapshot.put_into(target, self.files, sample_indexes(), self.embedder)
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
        why = snapshot.misfit(files, sample_indexes(), embedder)
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


def save_questions(
    target: Workspace, documents: Sequence[Document], sets: Iterable[str] = (ACROSS_SET, SAMPLE_SET)
) -> None:
    """Save the sample questions about the given documents as question sets.

    Documents without an answer across languages get no set of these.

    Args:
        sets: names of the sets to save, in this order.
    Raises:
        QuestionError: the documents contain no answer of the set `SAMPLE_SET`; nothing is saved then.
    """
    from chunking import evaluation

    by_name = {}
    for name in sets:
        file = _SET_FILES[name]
        try:
            by_name[name] = evaluation.read_questions(file.read_bytes(), file.name, documents).questions
        except QuestionError:
            if name == SAMPLE_SET:
                raise
    for name, questions in by_name.items():
        evaluation.save_set(target, replace(questions, name=name))
