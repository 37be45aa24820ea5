"""Index run at one fallback level: split, enrich, embed and commit each document."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

from chunking.display import first_names
from chunking.errors import Cancelled, ParseError, StoreError
from chunking.indexing.planning.index_differences import RemovedVectors, compare, vector_count
from chunking.indexing.run.chunk_vectors import vectors_for
from chunking.indexing.run.document_encodings import RunEncodings
from chunking.indexing.run.enrichment_run import DocumentWriter, cluster_tree
from chunking.indexing.run.failures import Failure, merge_similar
from chunking.indexing.run.fallback_levels import FallbackLimits, adds_text, config_at, requested_level
from chunking.indexing.run.run_records import (
    Cancel,
    IndexPhase,
    IndexProgress,
    IndexReport,
    OnProgress,
    Plan,
)
from chunking.indexing.stages.row_splitting import DocumentRows, split_rows
from chunking.model import Document
from chunking.store import DocumentChunks, Index, IndexRow, Workspace, document_stamp, measured_vector_index
from chunking.store.index.build_record import BuildReport, FallbackLevel, chunk_fingerprint
from chunking.versions import chunks_version

if TYPE_CHECKING:
    from chunking.embedding import CachedEmbedder

__all__ = ["Finish", "IndexBuild"]

_AT_ONCE = 512
"""Chunks of small documents embedded together, about; batches of similar length need many texts."""

_COMMIT_SHARE, _MOST_PER_COMMIT = 32, 8_192
"""Rows are written once they are a 32nd of those written so far, or so many.

Each commit lists all files, so a commit for each of n groups would write n² lines; this way a million chunks take some
200 commits.
"""
_FIRST_UPKEEP = 20_000
"""Rows written before search structures are first brought up to date during a run.

The number then doubles each time, so all updates together cost about twice the last one.
"""


class Finish(StrEnum):
    """Progress messages of the steps after the last chunk is written, in order."""

    INDEXES = "Finishing: bringing the full-text index up to date"
    VECTORS = "Finishing: bringing the vector index up to date"
    TIDY = "Finishing: listing the index and removing old versions"


class IndexBuild:
    """Index run at one fallback level; hold the workspace lock from the constructor to `run`'s end.

    Args:
        fallback: the level of the run; settings beyond it are ignored.
        reasons: why it is not a higher level.
        limits: None at the lowest level.
    """

    def __init__(
        self,
        workspace: Workspace,
        plan: Plan,
        fallback: FallbackLevel,
        reasons: tuple[str, ...],
        embedder: CachedEmbedder,
        on_progress: OnProgress | None,
        cancelled: Cancel | None,
        limits: FallbackLimits | None,
    ) -> None:
        self.workspace = workspace
        self.plan = plan
        self.fallback = fallback
        self.reasons = reasons
        self.embedder = embedder
        self.on_progress = on_progress
        self.cancelled = cancelled
        self.limits = limits
        self.started = time.perf_counter()
        self.phase = IndexPhase.PREPARE
        self.config = config_at(fallback, plan.config)
        self.differences = compare(workspace, plan.config, plan.name, embedder.key, plan.doc_ids, fallback=fallback)
        self.documents = RunEncodings(self.config, embedder, workspace)
        self.vectors = vectors_for(self.config, embedder, self.documents)
        self.writer = (
            DocumentWriter(self.config, workspace, self.documents.spans, self.say, self.stopped)
            if adds_text(self.config)
            else None
        )
        self.failed: list[Failure] = []
        self.warned: list[tuple[str, str]] = []
        self.removed = RemovedVectors(self.differences, self.config, embedder.key)
        self.done = self.differences.unchanged_chunks
        self.embedded: list[DocumentChunks] = []
        self.written = self.clusters_embedded = 0
        self.next_upkeep = _FIRST_UPKEEP
        self.time_left = TimeLeft(plan.seconds_expected, self.done, plan.chunks, plan.seconds_loading)

    @property
    def builds_aside(self) -> bool:
        """True if the run builds a new table while the current index of the name stays in use."""
        return self.differences.rebuild and self.differences.index is not None

    def run(self) -> IndexReport:
        """Write changed documents, remove deleted ones, complete the index, and return the report.

        The model is loaded first if the plan has vectors or documents for it, is an estimate, or is of another level.
        On any exception a table built aside is deleted.
        """
        sure = self.plan.estimate is None and self.fallback is requested_level(self.plan.config)
        if self.plan.new or self.plan.encode or not sure:
            self.phase = IndexPhase.LOAD
            self.tell(0, "Loading the model")
            self.embedder.prepare()
        self.time_left.begin_work()
        index = self.open_index()
        try:
            for group in self.groups():
                self.embed(index, group)
            self.write(index)
            index.remove_documents(self.differences.gone)
            return self.complete(index)
        except BaseException:
            # Half a replacement index is of no use; its embeddings are cached anyway.
            if self.builds_aside:
                with suppress(StoreError):
                    self.workspace.discard(index)
            raise

    def open_index(self) -> Index:
        """Return the index to write to: the current one, or a new one if all is rebuilt.

        It is listed as incomplete, unless it is built aside.
        """
        old = self.differences.index
        if old is not None and not self.differences.rebuild:
            config = old.row.config.model_copy(update={"index": self.plan.config.index})
            return self.workspace.publish(old, replace(old.row, config=config, state="incomplete"))
        index = self.workspace.create_index(
            self.plan.name,
            self.plan.config,
            model_key=self.embedder.key,
            dimension=self.embedder.dimension,
            code_version=chunks_version(),
        )
        # The fallback level is listed from the start: a run after a kill goes on only where it is on the same one.
        row = replace(index.row, built=BuildReport(requested_level(self.plan.config), self.fallback, self.reasons))
        return index if self.builds_aside else self.workspace.publish(index, row)

    def groups(self) -> Iterator[list[DocumentRows]]:
        """Split changed documents, and yield them with their rows in groups of about 512 chunks."""
        group: list[DocumentRows] = []
        chunks = 0
        for document in self.workspace.read_documents(self.differences.changed):
            self.phase = IndexPhase.SPLIT
            self.tell(0, f"Splitting {document.source}")
            try:
                group.append(self.rows(document))
                chunks += len(group[-1].levels.chunks)
            except ParseError as error:
                self.fail(document, error)
            if chunks >= _AT_ONCE:
                yield group
                group, chunks = [], 0
        if group:
            yield group

    def rows(self, document: Document) -> DocumentRows:
        """Return a document's rows, after splitting it and generating texts for them.

        Raises:
            ParseError: the document cannot be split.
        """
        rows = split_rows(document, self.config, self.documents.sentences)
        self.warned += [(document.source, warning) for warning in rows.levels.warnings]
        if self.writer is None:
            return rows
        self.phase = IndexPhase.ENRICH
        return replace(self.writer.with_generated_texts(rows.document, rows.levels), stored=document)

    def fail(self, document: Document, error: ParseError) -> None:
        """Record a document that cannot be split; its rows stay in an index that is not rebuilt."""
        self.failed.append(Failure(document.source, str(error)))
        if not self.differences.rebuild:
            self.removed.keep(document.doc_id)

    def embed(self, index: Index, group: list[DocumentRows]) -> None:
        """Embed a group's rows, and write them once they are many."""
        message = f"Embedding {first_names([one.document.source for one in group], 1)}"
        self.phase = IndexPhase.EMBED
        self.tell(0, message)
        vectors = self.vectors.of(group, lambda done: self.tell(done, message))
        for rows, own in zip(group, vectors, strict=True):
            stored = rows.stored or rows.document
            fingerprint = chunk_fingerprint(self.config, stored)
            self.embedded.append(DocumentChunks(rows.document, list(rows), own, fingerprint, document_stamp(stored)))
            self.removed.replace(rows.document.doc_id, rows)
            self.done += len(rows.levels.chunks)
        waiting = sum(len(one.rows) for one in self.embedded)
        if waiting >= min(max(_AT_ONCE, self.written // _COMMIT_SHARE), _MOST_PER_COMMIT):
            self.write(index)

    def write(self, index: Index) -> None:
        """Write the documents embedded since the last commit in one commit."""
        sources = [one.document.source for one in self.embedded]
        if sources:
            self.tell(0, f"Writing {first_names(sources, 1)}")
        index.replace_documents(self.embedded, has_rows=self.differences.replaced)
        self.written += sum(len(one.rows) for one in self.embedded)
        self.embedded = []
        if self.written >= self.next_upkeep:
            self.workspace.vectors.upkeep()
            if not self.builds_aside:  # else nobody searches it yet
                index.optimize()
            self.next_upkeep = 2 * self.written

    def complete(self, index: Index) -> IndexReport:
        """Update search indexes and summary tree, publish the index, and tidy the workspace."""
        self.finish(Finish.INDEXES)
        updated = index.optimize_if_due()
        indexed = index.indexed_documents()
        fingerprint = indexed.fingerprint
        if self.config.enrich.raptor and index.row.built.tree != fingerprint:
            self.plant_tree(index)
        self.finish(Finish.VECTORS)
        built = self.build_report(index, fingerprint, indexed.languages, updated)
        self.finish(Finish.TIDY)
        row = replace(
            index.row,
            state="complete",
            scope=self.plan.doc_ids,
            model_key=self.embedder.key,
            fingerprint=fingerprint,
            documents=len(indexed),
            chunks=indexed.chunks,
            unknown_share=self.plan.unknown_share,
            tokens_per_second=self.vectors.tokens_per_second or index.row.tokens_per_second,
            built=built,
        )
        self.workspace.publish(index, row)
        self.workspace.tidy()
        return self.report(row)

    def plant_tree(self, index: Index) -> None:
        """Build the RAPTOR tree over all chunks, and replace the index's tree by it."""
        assert self.writer is not None
        self.phase = IndexPhase.CLUSTER
        before = self.embedder.texts_encoded
        nodes, vectors = cluster_tree(index, self.config, self.embedder, self.writer, self.say, self.stopped)
        index.replace_tree(nodes, vectors)
        # Sentences are embedded, too, to choose summaries from.
        self.clusters_embedded = min(self.embedder.texts_encoded - before, len(nodes))

    def build_report(self, index: Index, fingerprint: str, languages: tuple[str, ...], updated: bool) -> BuildReport:
        """Build the index's vector index, and return the record of the build for the registry.

        Args:
            updated: rows may have been added to the vector index.
        """
        vector_index, vector_recall = measured_vector_index(index, updated=updated)
        earlier, writer = index.row.built, self.writer
        if writer is not None and writer.written:  # else all generated texts are of earlier runs
            reasons = (*self.reasons, *writer.by_rules)
            written = {} if self.differences.rebuild else dict(earlier.written)
            earlier = replace(earlier, written=written | writer.written, writer_model=writer.model, reasons=reasons)
        elif self.reasons:
            earlier = replace(earlier, reasons=self.reasons)
        return BuildReport(
            asked=requested_level(self.plan.config),
            ran=self.fallback,
            reasons=earlier.reasons,
            levels=index.count_levels(),
            written=earlier.written,
            writer_model=earlier.writer_model,
            vector_index=vector_index,
            vector_recall=vector_recall,
            tree=fingerprint if self.config.enrich.raptor else "",
            unread=dict(self.plan.unread),
            languages=languages,
        )

    def report(self, row: IndexRow) -> IndexReport:
        """Return the report of the run for the index as published in `row`."""
        vectors, embedded = vector_count(row.built.levels), self.vectors.embedded + self.clusters_embedded
        return IndexReport(
            documents=row.documents,
            chunks=row.chunks,
            vectors=vectors,
            embedded=embedded,
            reused=vectors - embedded,
            removed=self.removed.total,
            failed=tuple(self.failed),
            seconds=time.perf_counter() - self.started,
            fingerprint=row.fingerprint,
            name=row.name,
            fallback_level=row.built.ran,
            reasons=row.built.reasons,
            levels=row.built.levels,
            written=row.built.written,
            warnings=tuple(merge_similar(self.warned)),
        )

    def stopped(self) -> bool:
        """True if the caller has cancelled the run.

        Raises:
            LimitReached: the run is over the time or memory limit of its fallback level.
        """
        if self.limits is not None:
            self.limits.check()
        return self.cancelled is not None and self.cancelled()

    def finish(self, step: Finish) -> None:
        """Report a step after the last document as progress, with its number. Raises as `tell`."""
        self.phase, steps = IndexPhase.FINISH, list(Finish)
        self.tell(0, step.value, steps.index(step) + 1, len(steps))

    def say(self, message: str) -> None:
        """Report a progress message without newly embedded chunks. Raises as `tell`."""
        self.tell(0, message)

    def tell(self, more: int, message: str, step: int = 0, steps: int = 0) -> None:
        """Report progress to the caller; raises Cancelled or LimitReached if the run must stop.

        Args:
            more: chunks embedded but not committed.
            step: of `steps` after the last chunk, from 1.
        """
        if self.stopped():
            raise Cancelled(
                "The run was stopped; embeddings are cached, so the next run continues from there.",
                where=self.plan.name,
            )
        if self.on_progress is not None:
            done = self.done + more
            seconds = None if step or self.phase is IndexPhase.CLUSTER else self.time_left.after(done)
            stage = self.plan.seconds_loading if self.phase is IndexPhase.LOAD else None
            self.on_progress(
                IndexProgress(
                    done,
                    done if step and self.plan.estimate else max(self.plan.chunks, done),
                    message,
                    step,
                    steps,
                    self.phase,
                    seconds_left=seconds,
                    stage_seconds=stage,
                )
            )


# -- time left: from the plan at first, then ever more from the run so far


class TimeLeft:
    """Estimator of the seconds left for a run's documents, from its plan and its speed so far.

    The plan's estimate knows the work, but not the machine's speed today; the run so far knows the speed, but not
    whether the rest is alike. They are weighted by the share done.

    Args:
        expected: seconds that the plan expects.
        first: chunks present before the run, and `total` at its end.
        loading: those of `expected` for loading the model.
        clock: returns seconds.
    """

    def __init__(
        self,
        expected: float,
        first: int,
        total: int,
        loading: float = 0.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._expected, self._first, self._total, self._clock = expected, first, total, clock
        self._loading, self._began = loading, clock()

    def begin_work(self) -> None:
        """Start the clock for the documents, however long the model took to load."""
        self._expected, self._loading, self._began = self._expected - self._loading, 0.0, self._clock()

    def after(self, done: int) -> float | None:
        """Return the estimated seconds left once `done` chunks are done; None if that is unknown.

        Args:
            done: chunks that are embedded or need no embedding.

        >>> now = [0.0]
        >>> left = TimeLeft(16.0, 0, 100, loading=6.0, clock=lambda: now[0])
        >>> left.after(0)
        16.0
        >>> now[0] = 20.0  # the model took long; the documents take as long as expected
        >>> left.begin_work()
        >>> left.after(0)
        10.0
        >>> now[0] = 30.0  # twice as slow as expected
        >>> left.after(50)
        10.0
        """
        share = (done - self._first) / max(self._total - self._first, 1)
        now = self._clock()
        guessed = self._expected - (now - self._began)
        if share <= 0:
            return guessed if guessed > 0 else None
        measured = (now - self._began) * max(1 - share, 0.0) / share
        return measured if guessed <= 0 else share * measured + (1 - share) * guessed
