"""An index run at one fallback level: split, enrich, embed new texts, commit per document; cancellable."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from enum import StrEnum
from typing import TYPE_CHECKING

from chunking.display import first_names
from chunking.errors import Cancelled, ParseError, StoreError
from chunking.indexing.plan.index_differences import Removed, compare, vector_count
from chunking.indexing.run.chunk_vectors import DocumentRows, vectors_for
from chunking.indexing.run.cluster_tree import cluster_tree
from chunking.indexing.run.document_encodings import RunEncodings
from chunking.indexing.run.enrichment_run import DocumentWriter
from chunking.indexing.run.fallback_levels import FallbackLimits, config_at, requested_level, writes
from chunking.indexing.run.run_records import Cancel, Failure, IndexPhase, IndexProgress, IndexReport, OnProgress, Plan
from chunking.indexing.run.time_left import TimeLeft
from chunking.model import Document
from chunking.store import Index, IndexRow, Workspace, build_vector_index, document_stamp
from chunking.store.index.build_record import BuildReport, FallbackLevel
from chunking.store.index.fingerprint import chunk_fingerprint, index_fingerprint
from chunking.versions import chunks_version

if TYPE_CHECKING:
    from chunking.embedding import CachedEmbedder

__all__ = ["Finish", "IndexBuild"]

_AT_ONCE = 512
"""Chunks of small documents embedded together, about: batches of like length need many texts to choose from."""

_COMMITS_BETWEEN_UPKEEP = 200
"""Each commit lists all files of the table: without merging them, a run over n documents would write n² lines."""
_NUMBER = re.compile(r"\d+")


class Finish(StrEnum):
    """What is done over all documents after the last chunk is written, in this order; each takes its time on a large
    index.
    """

    INDEXES = "Finishing: bringing the full-text index up to date"
    VECTORS = "Finishing: bringing the vector index up to date"
    TIDY = "Finishing: listing the index and removing old versions"


class IndexBuild:
    """The workspace's lock is held from before it is made until `whole` has returned.

    Args:
        fallback: the level at which it runs; what the plan's settings ask for beyond it is left out.
        reasons: why it is not a higher one.
        limits: None where nothing lower is left to go to.
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
        self.found = compare(workspace, plan.config, plan.name, embedder.key, plan.doc_ids, fallback=fallback)
        self.documents = RunEncodings(self.config, embedder, workspace)
        self.vectors = vectors_for(self.config, embedder, self.documents)
        self.writer = (
            DocumentWriter(self.config, workspace, self.documents.spans, self.say, self.stopped)
            if writes(self.config)
            else None
        )
        self.failed: list[Failure] = []
        self.warned: list[tuple[str, str]] = []
        self.removed = Removed(self.found, self.config, embedder.key)
        self.done = sum(known.chunks for known in self.found.unchanged.values())
        self.commits = self.clusters_embedded = 0
        self.left = TimeLeft(plan.seconds_expected, self.done, plan.chunks)

    @property
    def beside(self) -> bool:
        """True where the index is built beside one of its name, which stays in use until the end."""
        return self.found.rebuild and self.found.index is not None

    def whole(self) -> IndexReport:
        """All of it."""
        if self.plan.new or self.plan.encode or self.fallback is not requested_level(self.plan.config):
            self.phase = IndexPhase.LOAD
            self.tell(0, "Loading the model")
            self.embedder.prepare()
        self.left.begin_work()
        index = self.opened()
        try:
            for group in self.groups():
                self.write(index, group)
            for doc_id in self.found.gone:
                index.remove_document(doc_id)
            return self.finished(index)
        except BaseException:
            # Half an index that was built beside the old one is of no use; its embeddings are kept anyway.
            if self.beside:
                with suppress(StoreError):
                    self.workspace.discard(index)
            raise

    def opened(self) -> Index:
        """The index to write to. One that can be found from now on is marked incomplete."""
        old = self.found.index
        if old is not None and not self.found.rebuild:
            return self.workspace.publish(old, replace(old.row, state="incomplete"))
        index = self.workspace.create_index(
            self.plan.name,
            self.plan.config,
            model_key=self.embedder.key,
            dimension=self.embedder.dimension,
            code_version=chunks_version(),
        )
        # The fallback level is listed from the start: a run after a kill goes on only where it is on the same one.
        row = replace(index.row, built=BuildReport(requested_level(self.plan.config), self.fallback, self.reasons))
        return index if self.beside else self.workspace.publish(index, row)

    def groups(self) -> Iterator[list[DocumentRows]]:
        """The changed documents with their rows, small ones together."""
        group: list[DocumentRows] = []
        chunks = 0
        for document in self.workspace.read_documents(self.found.changed):
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
        """A document cut, with what is written about it."""
        from chunking.splitting import shaped, split_document

        levels = split_document(document, self.config, sentences=self.documents.sentences)
        stored, document = document, shaped(document, self.config)
        self.warned += [(document.source, warning) for warning in levels.warnings]
        if self.writer is None:
            return DocumentRows(document, levels, stored=stored)
        self.phase = IndexPhase.ENRICH
        return replace(self.writer.with_generated_texts(document, levels), stored=stored)

    def fail(self, document: Document, error: ParseError) -> None:
        """Go on without a document; what the index holds of it stays."""
        self.failed.append(Failure(document.source, str(error)))
        if not self.found.rebuild:
            self.removed.keep(document.doc_id)

    def write(self, index: Index, group: list[DocumentRows]) -> None:
        """Embed a group of documents and commit each of them."""
        message = f"Embedding {first_names([one.document.source for one in group], 1)}"
        self.phase = IndexPhase.EMBED
        self.tell(0, message)
        vectors = self.vectors.of(group, lambda done: self.tell(done, message))
        left = sum(len(rows.levels.chunks) for rows in group)
        for rows, own in zip(group, vectors, strict=True):
            document, chunks = rows.document, len(rows.levels.chunks)
            self.tell(left, f"Writing {document.source}")
            stored = rows.stored or document
            fingerprint, known = chunk_fingerprint(self.config, stored), document.doc_id in self.found.held
            index.replace_document(document, list(rows), own, fingerprint, known=known, stamp=document_stamp(stored))
            self.removed.replace(document.doc_id, rows)
            self.done += chunks
            left -= chunks
            self.commits += 1
            if self.commits % _COMMITS_BETWEEN_UPKEEP == 0:
                index.optimize()

    def finished(self, index: Index) -> IndexReport:
        """Build corpus-level data, compact, and publish the index in place of its predecessor."""
        self.finish(Finish.INDEXES)
        index.optimize()
        known = index.documents()
        fingerprint = index_fingerprint(one.fingerprint for one in known.values())
        if self.config.enrich.raptor and index.row.built.tree != fingerprint:
            self.plant(index)
        self.finish(Finish.VECTORS)
        built = self.built(index, fingerprint)
        self.finish(Finish.TIDY)
        row = replace(
            index.row,
            state="complete",
            scope=self.plan.doc_ids,
            model_key=self.embedder.key,
            fingerprint=fingerprint,
            documents=len(known),
            chunks=sum(one.chunks for one in known.values()),
            unknown_share=self.plan.unknown_share,
            tokens_per_second=self.vectors.tokens_per_second or index.row.tokens_per_second,
            built=built,
        )
        self.workspace.publish(index, row)
        self.workspace.tidy()
        return self.report(row)

    def plant(self, index: Index) -> None:
        """Make the RAPTOR tree over all chunks."""
        assert self.writer is not None
        self.phase = IndexPhase.CLUSTER
        before = self.embedder.texts_encoded
        nodes, vectors = cluster_tree(index, self.config, self.embedder, self.writer, self.say, self.stopped)
        index.replace_tree(nodes, vectors)
        self.clusters_embedded = min(
            self.embedder.texts_encoded - before, len(nodes)
        )  # sentences are embedded, too, to choose from

    def built(self, index: Index, fingerprint: str) -> BuildReport:
        """What the index is now."""
        earlier, writer = index.row.built, self.writer
        if writer is not None and writer.written:  # else all that is written stands since an earlier run
            reasons = (*self.reasons, *writer.by_rules)
            written = {} if self.found.rebuild else dict(earlier.written)
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
            vector_index=build_vector_index(index),
            tree=fingerprint if self.config.enrich.raptor else "",
            unread=dict(self.plan.unread),
        )

    def report(self, row: IndexRow) -> IndexReport:
        """What was done."""
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
            warnings=tuple(_alike(self.warned)),
        )

    def stopped(self) -> bool:
        """Asked by those who write; also looks at the limits."""
        if self.limits is not None:
            self.limits.check()
        return self.cancelled is not None and self.cancelled()

    def finish(self, step: Finish) -> None:
        """Report a step of what is done over all documents, which takes its time after the last chunk."""
        self.phase, steps = IndexPhase.FINISH, list(Finish)
        self.tell(0, step.value, steps.index(step) + 1, len(steps))

    def say(self, message: str) -> None:
        """Report what is done beside embedding."""
        self.tell(0, message)

    def tell(self, more: int, message: str, step: int = 0, steps: int = 0) -> None:
        """Report progress, and stop here if that is wanted, or a limit is reached.

        Args:
            more: chunks that are embedded and not yet committed.
            step: of `steps` after the last chunk, from 1.
        """
        if self.stopped():
            raise Cancelled(
                "The run was stopped; embeddings are cached, so the next run continues from there.",
                where=self.plan.name,
            )
        if self.on_progress is not None:
            done = self.done + more
            left = None if step or self.phase is IndexPhase.CLUSTER else self.left.after(done)
            self.on_progress(
                IndexProgress(done, max(self.plan.chunks, done), message, step, steps, self.phase, seconds_left=left)
            )


def _alike(warned: Iterable[tuple[str, str]]) -> Iterator[str]:
    """The first of the sentences that differ only in the document they are about, and how many there are."""
    found: dict[str, list[str]] = {}
    for source, sentence in warned:
        found.setdefault(_NUMBER.sub("", sentence.replace(source, "")), []).append(sentence)
    for some in found.values():
        yield some[0] if len(some) == 1 else f"{some[0]} (So for {len(some):,} documents.)"
