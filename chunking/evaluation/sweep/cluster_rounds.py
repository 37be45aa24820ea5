"""Driver of a sweep on a cluster: spreads the work over processes, and alone saves results.

Runs, report and saved vectors are those of `Rounds`, whichever worker does a task and however often.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

from chunking.config import Config
from chunking.errors import ChunkscopeError
from chunking.evaluation.questions.question import QuestionSet
from chunking.evaluation.runs.evaluate import key_of
from chunking.evaluation.runs.question_search import encoded_queries
from chunking.evaluation.runs.run import Cancel, EvaluationRun, OnProgress, check_cancelled
from chunking.evaluation.runs.trial_indexes import Trials
from chunking.evaluation.sweep.cluster_tasks import (
    CopiedDocuments,
    ModelUse,
    SweepJob,
    ask,
    build_trial,
    embed_queries,
    embed_texts,
    list_texts,
)
from chunking.evaluation.sweep.sweep import Sweep
from chunking.evaluation.sweep.sweep_candidate import SweepCandidate
from chunking.evaluation.sweep.sweep_rounds import Rounds
from chunking.indexing.cluster.build_tasks import code_version
from chunking.indexing.cluster.cluster_limits import check_settings
from chunking.indexing.cluster.key_partitions import key_spans, partition_count
from chunking.indexing.cluster.ray_engine import BuildEngine, Calls, engine_on_ray
from chunking.indexing.cluster.run_folder import Record
from chunking.store import Right
from chunking.store.cache_tables import arrow_to_vectors
from chunking.store.scratch_folder import ScratchFolder

__all__ = ["ClusterRounds", "spread_rounds"]

_INDEXES = 4
"""Indexes for each worker that are on the disk at the same time."""


@contextmanager
def spread_rounds(
    address: str | None,
    workers: int | None,
    trials: Trials,
    sweep: Sweep,
    questions: QuestionSet,
    notes: Sequence[str],
    on_progress: OnProgress | None,
    cancelled: Cancel | None,
    clock: Callable[[], float],
) -> Iterator[Rounds]:
    """Yield the rounds of a sweep on Ray, with a scratch folder in the workspace's.

    Args:
        address, workers: as of `ray_session`.
        trials: as of `Rounds`; its `on_plan` is not called.
    Raises:
        ConfigError: a configuration needs what a cluster cannot do yet.
        MissingPackageError: Ray or pylance is not installed.
        StoreError: the workspace is in no folder, or there is no cluster at the address.
    """
    for one in sweep.configs():
        if one.config is not None:
            check_settings(one.config)
    trials.workspace.require(Right.WRITE)
    scratch = ScratchFolder.inside(str(trials.workspace.bulk_writer().folder))
    try:
        with engine_on_ray(address, workers, partial(check_cancelled, cancelled)) as engine:
            yield ClusterRounds(engine, scratch.path, trials, sweep, questions, notes, on_progress, cancelled, clock)
    finally:
        scratch.remove()


@dataclass(slots=True)
class _SharedIndex:
    """Index of some configurations."""

    part: str
    """Name of its tasks."""
    config: Config
    documents: CopiedDocuments
    model: str = ""
    """Key of its model; empty before its texts are listed."""
    lacking: Mapping[str, bool] = field(default_factory=dict)
    """Keys of the texts that had no vector, with True if a row begins with the text."""
    uncounted: int = 0
    """Number of texts embedded for it that no run has counted."""
    built: Record | None = None
    error: str = ""
    """Why it cannot be built."""


class ClusterRounds(Rounds):
    """Rounds whose vectors, indexes and runs are computed by the workers of an engine.

    Args:
        engine: runs the tasks.
        folder: of the sweep, which all processes see under the same path.
        arguments: as of `Rounds`.
    """

    def __init__(
        self,
        engine: BuildEngine,
        folder: Path,
        trials: Trials,
        sweep: Sweep,
        questions: QuestionSet,
        *arguments: Any,
    ) -> None:
        super().__init__(trials, sweep, questions, *arguments)
        self._engine = engine
        self._job = SweepJob(
            run=str(folder),
            workspace=trials.workspace.bulk_writer().place,
            config=sweep.base,
            code=code_version(),
            embedder=trials.given_embedder,
            questions=questions,
        )
        self._indexes: dict[str, _SharedIndex] = {}
        """By group."""
        self._errors: dict[int, str] = {}
        """Why a configuration has no run, by its number."""
        self._numbers = count()

    def _batches(self, limited: bool) -> Iterator[Sequence[SweepCandidate]]:
        """Yield the remaining configurations in groups of as many indexes as are on the disk at the same time."""
        most = self._engine.workers * (1 if limited else _INDEXES)
        batch: list[SweepCandidate] = []
        for one in self._left:
            if len({other.group for other in (*batch, one)}) > most:
                yield batch
                batch = []
            batch.append(one)
        if batch:
            yield batch

    def _holds(self, one: SweepCandidate) -> bool:
        index = self._indexes.get(one.group)
        return index is not None and index.built is not None

    def _release(self, one: SweepCandidate) -> None:
        index = self._indexes.pop(one.group, None)
        if index is not None and index.built is not None:
            shutil.rmtree(index.built["folder"], ignore_errors=True)

    def _measure(self, batch: Sequence[SweepCandidate], ids: Sequence[str]) -> None:
        """Build the missing indexes of configurations, then ask all of them their questions."""
        new = self._new_indexes(batch)
        if new:
            began = self._clock()
            self._list_texts(new)
            self._embed_texts(new)
            self._build_indexes([one for one in new if not one.error])
            self._building.add(len(new), self._clock() - began)
        self._embed_queries(batch, ids)
        self._ask(batch, ids)
        for one in batch:
            if error := self._indexes[one.group].error or self._errors.pop(one.number, ""):
                self._fail(one, ChunkscopeError(error))

    def _new_indexes(self, batch: Sequence[SweepCandidate]) -> list[_SharedIndex]:
        """Copy the documents of configurations, and return the indexes that no round has built."""
        new: list[_SharedIndex] = []
        for one in batch:
            if one.group in self._indexes:
                continue
            copies = one.trials.copy_documents(partial(self._tell, one, done=0), self._cancelled)
            documents = CopiedDocuments(
                str(copies.bulk_writer().folder), one.trials.documents, one.trials.parser, one.trials.unread
            )
            new.append(_SharedIndex(self._part(), one.config, documents))
            self._indexes[one.group] = new[-1]
        return new

    def _list_texts(self, new: Sequence[_SharedIndex]) -> None:
        """Find out which texts of new indexes the workspace has no vectors of."""
        calls = {one.part: (one.config, one.documents) for one in new}
        by_part = {one.part: one for one in new}
        for part, record, error in self._each("texts", list_texts, calls, "Splitting the documents", "indexes"):
            one = by_part[part]
            one.error, one.model = error, record.get("model", "")
            if not error:
                rows = self._job.folder.read_table("texts", part)
                one.lacking = dict(zip(rows["key"].to_pylist(), rows["first"].to_pylist(), strict=True))

    def _embed_texts(self, new: Sequence[_SharedIndex]) -> None:
        """Embed the texts that new indexes lack, each once, and count them for the first index that needs them."""
        calls: dict[str, tuple[Any, ...]] = {}
        for model in dict.fromkeys(one.model for one in new if one.lacking):
            mine = [one for one in new if one.model == model and one.lacking]
            texts = len({key for one in mine for key in one.lacking})
            for span in key_spans(partition_count(texts, self._engine.workers)):
                calls[self._part()] = (ModelUse(mine[0].config, model), span, [one.part for one in mine])
        embedded: set[str] = set()
        failed: list[tuple[str, tuple[str, str], str]] = []
        for part, record, error in self._each("vectors", embed_texts, calls, "Embedding", "parts of the texts"):
            if error:
                use, span, _ = calls[part]
                failed.append((use.key, span, error))
            else:
                embedded |= self._save_vectors(part, record)
        for one in new:
            own = embedded & one.lacking.keys()
            embedded -= own
            one.uncounted = sum(one.lacking[key] for key in own)
            self._embedded += one.uncounted
            for model, (low, high), error in failed:
                if one.model == model and any(key >= low and (not high or key < high) for key in one.lacking):
                    one.error = error

    def _save_vectors(self, part: str, record: Record) -> set[str]:
        """Save what a task embedded in the workspace; returns the keys."""
        if not record["vectors"]:
            return set()
        vectors = arrow_to_vectors(self._job.folder.read_table("vectors", part))
        self._trials.workspace.vectors.put(vectors)
        return set(vectors)

    def _build_indexes(self, new: Sequence[_SharedIndex]) -> None:
        calls = {one.part: (one.config, one.documents) for one in new}
        by_part = {one.part: one for one in new}
        for part, record, error in self._each("indexes", build_trial, calls, "Building", "indexes"):
            by_part[part].error = error
            by_part[part].built = None if error else record

    def _embed_queries(self, batch: Sequence[SweepCandidate], ids: Sequence[str]) -> None:
        """Embed the questions for each model of the configurations, each once."""
        question_texts = [one.text for one in self._questions.only(ids).questions]
        uses: dict[str, ModelUse] = {}
        queries: dict[str, dict[str, None]] = {}
        for one in batch:
            index = self._indexes[one.group]
            encoded = encoded_queries(one.config, question_texts, self._questions.syntax)
            if index.built is not None and encoded:
                uses.setdefault(index.model, ModelUse(one.config, index.model))
                queries.setdefault(index.model, {}).update(dict.fromkeys(encoded.values()))
        calls = {self._part(): (use, list(queries[model])) for model, use in uses.items()}
        for part, record, error in self._each("vectors", embed_queries, calls, "Embedding", "sets of questions"):
            if not error:
                self._save_vectors(part, record)
                continue
            for one in batch:
                if self._indexes[one.group].model == calls[part][0].key:
                    self._errors[one.number] = error

    def _ask(self, batch: Sequence[SweepCandidate], ids: Sequence[str]) -> None:
        """Evaluate the configurations, each by one worker, and save each run when it is there."""
        calls: dict[str, tuple[Any, ...]] = {}
        by_part: dict[str, SweepCandidate] = {}
        for one in batch:
            index = self._indexes[one.group]
            if index.built is None or one.number in self._errors:
                continue
            part = self._part()
            by_part[part] = one
            calls[part] = (one.config, one.n, ids, index.documents, index.built, index.uncounted)
            index.uncounted = 0
        since = self._clock()
        for part, record, error in self._each("answers", ask, calls):
            one = by_part[part]
            questions, now = one.lacks(ids), self._clock()
            self._asking.add(questions, now - since)
            since = now
            run = None if error else EvaluationRun.from_json(record["run"])
            if run is not None and run.key != key_of(one.trials, self._questions, one.config, one.n):
                error = "A worker has another version of Chunkscope or of a model; install the same on all machines."
            if run is None or error:
                self._errors[one.number] = error
                continue
            done = ("evaluated settings on", run.question_set)
            self._trials.workspace.runs.put({run.key: run.to_json()}, done=done)
            one.run, one.new = run, True
            self._tell(one, "Asking the questions", 0)

    def _each(
        self, stage: str, task: Callable[..., Record], calls: Calls, doing: str = "", parts: str = ""
    ) -> Iterator[tuple[str, Record, str]]:
        """Run a task for each part, and yield part, record, and why it has none.

        Args:
            doing, parts: words of the progress; empty: the caller reports it.
        """
        if not calls:
            return
        if doing:
            self._report(f"{doing}: 0 of {len(calls):,} {parts}")
        for number, (part, fault) in enumerate(self._engine.each(self._job, task, calls), start=1):
            record = self._job.folder.read(stage, part) or {}
            gone = f"Each worker that measured it ended ({fault}); add memory, or take fewer workers."
            yield part, record, gone if fault else record.get("error", "")
            if doing:
                self._report(f"{doing}: {number:,} of {len(calls):,} {parts}")
            check_cancelled(self._cancelled)

    def _part(self) -> str:
        return f"{next(self._numbers):06d}"
