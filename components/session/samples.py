"""The sample documents in a workspace: from a snapshot where that fits, else read, embedded and indexed the ordinary way.

The snapshot (`make samples` writes it) is what the ordinary way gives. Where it was made with other files, code or another model, the
samples are read, their index is built in the background, and the app says why.
"""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import streamlit as st

from chunking.config import Config
from chunking.errors import ModelError, ParseError, StoreError
from chunking.indexing import FilesRead, read_files
from chunking.indexing.ingest.adding_documents import save
from chunking.model import Document
from chunking.parsing import clean_source, find_files
from chunking.parsing.document import load_file
from chunking.store import Workspace
from components.session.jobs import jobs

if TYPE_CHECKING:
    import numpy as np

    from chunking.embedding import Embedder, LocalEmbedder
    from chunking.indexing import WorkspaceSnapshot
    from chunking.parsing.document import Loaded

__all__ = [
    "INDEX",
    "SAMPLES",
    "SAMPLE_SET",
    "Samples",
    "build",
    "holds_only_samples",
    "prepare",
    "question_vector",
    "save_questions",
    "why_not_ready",
]

SAMPLES = Path(__file__).parents[2] / "sample_data"
SAMPLE_SET = "Sample questions"
INDEX = "main"
"""The index of the samples with the default settings."""
_QUESTIONS = SAMPLES / "questions.jsonl"
_SNAPSHOT = SAMPLES / "snapshot.npz"


@dataclass(frozen=True)
class Samples:
    """The samples, ready to be put into a workspace: nothing of them is still to be read."""

    files: Sequence[Loaded]
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
        documents = self.read.documents if self.read is not None else self.snapshot.documents if self.snapshot is not None else []
        if SAMPLE_SET not in target.question_sets.names():  # one of that name may have been edited
            save_questions(target, documents)
        if self.snapshot is not None and self.embedder is not None:
            if self.read is None:
                self.snapshot.put_into(target, self.files, Config(), self.embedder)
            else:
                self.snapshot.put_vectors(target, self.embedder)
        if self.read is not None:
            save(target, self.read.documents, self.read.sources)
        _reasons()[target.uri] = self.why


def prepare() -> Samples:
    """Look whether the snapshot fits; where it does not, read the samples.

    Raises:
        ParseError: there are no samples here.
    """
    from chunking.embedding import LocalEmbedder, load_embedder
    from chunking.indexing import WorkspaceSnapshot

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


def build(target: Workspace, asker: str | None = None) -> None:
    """Have the index of the samples built in the background, where they came without one and there is a model for it.

    Args:
        asker: who has it built; the person of this session where not given.
    Raises:
        AccessError: they may not.
    """
    if why_not_ready(target.uri) and not target.indexes():
        jobs().start(target.uri, Config(), INDEX, asker=asker)


def question_vector(embedder: Embedder, question: str) -> np.ndarray | None:
    """The query vector of a sample question, (d,) float32 of unit length, as it came with the program; None for another model's, and where
    the snapshot cannot be read."""
    from chunking.embedding import LocalEmbedder
    from chunking.indexing import WorkspaceSnapshot

    try:
        kept = WorkspaceSnapshot.read(_SNAPSHOT).questions
    except StoreError:
        return None
    if not isinstance(embedder, LocalEmbedder) or not kept.fits(embedder, "query"):
        return None
    return kept.keyed(embedder, "query").get(embedder.cache_key(question, "query"))


def holds_only_samples(target: Workspace) -> bool:
    """The documents of a workspace are the samples, all of them and nothing else; where the files cannot be read, none are."""
    try:
        samples = _hashes()
    except ParseError:
        return False
    return {row.source: row.hash for row in target.documents()} == samples


@st.cache_resource(show_spinner=False)
def _hashes() -> dict[str, str]:
    """Of the sample files, by source."""
    files = [load_file(path, root) for path, root in find_files([SAMPLES])]
    return {clean_source(file.source): hashlib.sha256(file.data).hexdigest() for file in files}


def why_not_ready(address: str) -> str:
    """Why the samples of a workspace did not come with their index, as a sentence; empty where they did."""
    return _reasons().get(address, "")


@st.cache_resource(show_spinner=False)
def _reasons() -> dict[str, str]:
    """By the workspace's address, in this server's life."""
    return {}


def save_questions(target: Workspace, documents: Sequence[Document]) -> None:
    """Make the sample questions a set, on those of the sample documents that are there.

    Raises:
        QuestionError: none of their answers is in the documents.
    """
    from chunking import evaluation

    found = evaluation.read_questions(_QUESTIONS.read_bytes(), _QUESTIONS.name, documents)
    evaluation.save_set(target, replace(found.questions, name=SAMPLE_SET))
