"""Tasks of a sweep on a cluster: list texts, embed them, build an index, ask the questions.

A task that is repeated gives the same result. It writes to the sweep's scratch folder alone and only reads the
workspace, which the driver writes (`cluster_rounds`).
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple
from uuid import uuid4

from chunking.config import Config
from chunking.embedding.base import CachedEmbedder, Role, Unshared
from chunking.errors import ChunkscopeError, ParseError, StoreError
from chunking.evaluation.questions.question import QuestionSet
from chunking.evaluation.runs.evaluate import EvaluationOptions, evaluate
from chunking.evaluation.runs.trial_indexes import TrialIndex, Trials
from chunking.indexing.cluster.build_tasks import BuildJob
from chunking.indexing.cluster.run_folder import Record
from chunking.indexing.stages.document_cut import cut_document
from chunking.store import Role as WorkspaceRole
from chunking.store import RoleAccess, Workspace
from chunking.store.bulk.arrow_files import sorted_span
from chunking.store.bulk.build_parts import TextToEmbed, arrow_to_texts, texts_to_arrow
from chunking.store.cache_tables import vectors_to_arrow
from chunking.store.engine.faults import guarded

if TYPE_CHECKING:
    import numpy as np

__all__ = [
    "CopiedDocuments",
    "ModelUse",
    "SweepJob",
    "ask",
    "build_trial",
    "embed_queries",
    "embed_texts",
    "list_texts",
]

_VIEWER = RoleAccess(WorkspaceRole.VIEWER)


@dataclass(frozen=True)
class SweepJob(BuildJob):
    """What every task of a sweep must know; `run` is the sweep's scratch folder."""

    questions: QuestionSet = field(kw_only=True)

    def open_workspace(self) -> Workspace:
        """Open the workspace for reading."""
        return Workspace.open(self.workspace, create=False, access=_VIEWER)


class CopiedDocuments(NamedTuple):
    """Documents as the driver copied them, or as a parser read their files (`Trials.copy_documents`)."""

    folder: str
    """Folder of the workspace with the copies."""
    key: str
    """Their fingerprint (`Trials.documents`)."""
    parser: str
    unread: tuple[str, ...]


class ModelUse(NamedTuple):
    """Model that the vectors of a part are computed with."""

    config: Config
    """A configuration with this model."""
    key: str
    """Key of the model as the worker that listed the texts loaded it."""


# -- documents to texts, and texts to vectors


def list_texts(job: SweepJob, part: str, config: Config, documents: CopiedDocuments) -> Record:
    """List the texts of an index that the workspace has no vectors of, by their cache keys."""

    def list_missing() -> Record:
        copies = Workspace.open(documents.folder, create=False, access=_VIEWER)
        embedder = replace(job, config=config).load_embedder()
        texts: dict[str, TextToEmbed] = {}
        for document in copies.read_documents([row.doc_id for row in copies.documents()]):
            try:
                cut = cut_document(document, config, embedder)
            except ParseError:  # building the index reports it
                continue
            for row, some in zip(cut.split, cut.texts, strict=True):
                for place, text in enumerate(some):
                    first = not place or (text in texts and texts[text].first)
                    texts[text] = TextToEmbed(text, row.token_count // len(some), first)
        cached = CachedEmbedder(embedder, job.open_workspace().vectors)
        missing, key = cached.missing(list(texts)), cached.key
        if missing:
            cached.prepare()
            missing = missing if cached.key == key else cached.missing(list(texts))
        job.folder.write_table("texts", part, texts_to_arrow({cached.cache_key(text): texts[text] for text in missing}))
        return {"model": cached.key, "texts": len(missing)}

    return _done_once(job, "texts", part, list_missing)


def embed_texts(job: SweepJob, part: str, model: ModelUse, span: tuple[str, str], parts: Sequence[str]) -> Record:
    """Embed the texts of some lists whose key is in a span, each once.

    Args:
        span: first key, and the first after the last; empty for no end.
        parts: of the lists of this model.
    """
    texts: dict[str, TextToEmbed] = {}
    for one in parts:
        texts |= arrow_to_texts(sorted_span(job.folder.read_table("texts", one), "key", *span))
    return _embed(job, part, model, [text.text for text in texts.values()], "passage")


def embed_queries(job: SweepJob, part: str, model: ModelUse, queries: Sequence[str]) -> Record:
    """Embed the questions that the workspace has no vectors of."""
    return _embed(job, part, model, queries, "query")


def _embed(job: SweepJob, part: str, model: ModelUse, texts: Sequence[str], role: Role) -> Record:
    def embed() -> Record:
        embedder = replace(job, config=model.config, model_key=model.key).load_embedder()
        cache = _NewVectors(job.open_workspace())
        CachedEmbedder(embedder, cache).embed(texts, role=role)
        if cache.new:
            job.folder.write_table("vectors", part, vectors_to_arrow(cache.new))
        return {"vectors": len(cache.new)}

    return _done_once(job, "vectors", part, embed)


class _NewVectors(Unshared):
    """Cache of vectors that reads the workspace's and holds new ones in memory, for the driver to save."""

    def __init__(self, workspace: Workspace) -> None:
        self.new: dict[str, np.ndarray] = {}
        self._stored = workspace.vectors

    def get(self, keys: Sequence[str]) -> Mapping[str, np.ndarray]:
        return self._stored.get(keys) | {key: self.new[key] for key in keys if key in self.new}

    def put(self, rows: Mapping[str, np.ndarray]) -> None:
        self.new.update(rows)


# -- indexes and answers


def build_trial(job: SweepJob, part: str, config: Config, documents: CopiedDocuments) -> Record:
    """Build an index over a copy of the documents, from the vectors in the workspace's cache."""

    def build() -> Record:
        folder = Path(job.run) / "indexes" / f"{part}-{uuid4().hex[:8]}"
        with guarded(str(folder), "copying the documents"):
            shutil.copytree(documents.folder, folder)
        with _trials(job, str(folder), documents) as trials:
            trial = trials.trial(config)
        return {"folder": str(folder), "reasons": list(trial.reasons)}

    return _done_once(job, "indexes", part, build)


def ask(
    job: SweepJob,
    part: str,
    config: Config,
    n: int,
    ids: Sequence[str],
    documents: CopiedDocuments,
    built: Record,
    embedded: int,
) -> Record:
    """Evaluate a configuration with its index, and record the run.

    Args:
        n: results that count.
        ids: of the questions to have answers to; stored answers are reused.
        built: record of the index.
        embedded: texts embedded for it, unless another run has counted them.
    """

    def answer() -> Record:
        with _trials(job, built["folder"], documents) as trials:
            name = config.fingerprint()
            trials.adopt(TrialIndex(name, trials.scratch.index(name), embedded, tuple(built["reasons"])))
            options = EvaluationOptions(n=n, only=ids, keep=False)
            run = evaluate(trials.workspace, job.questions, config, options, trials=trials)
        return {"run": run.to_json()}

    return _done_once(job, "answers", part, answer)


def _trials(job: SweepJob, folder: str, documents: CopiedDocuments) -> Trials:
    return Trials.placed(
        job.open_workspace(),
        folder,
        documents.key,
        embedder=job.embedder,
        parser=documents.parser,
        unread=documents.unread,
    )


def _done_once(job: SweepJob, stage: str, part: str, task: Callable[[], Record]) -> Record:
    """Return the record of a part, made if missing; an error that concerns its configuration alone is its record."""
    if (done := job.folder.read(stage, part)) is not None:
        return done
    job.check_worker()
    try:
        record = task()
    except StoreError:
        raise
    except ChunkscopeError as error:
        record = {"error": str(error)}
    return job.folder.write(stage, part, record)
