"""Carrying out a plan: cut, embed what is new, commit document by document; stop when asked to."""

from __future__ import annotations

import time
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from chunking.config import Config
from chunking.errors import Cancelled, ParseError, StoreError
from chunking.fingerprint import chunk_fingerprint, cutting_code, index_fingerprint
from chunking.indexing.adding import save
from chunking.indexing.comparing import Comparison, Removed, compare
from chunking.indexing.planning import make_plan
from chunking.indexing.records import Cancel, Failure, IndexReport, OnPlan, OnProgress, Plan, Progress
from chunking.model import Chunk, Document
from chunking.store import Index, Workspace

if TYPE_CHECKING:
    from chunking.embedding import CachedEmbedder, Embedder

__all__ = ["build_index", "index_documents", "run_plan"]

_AT_ONCE = 512
"""Chunks of small documents embedded together, about: batches of like length need many texts to choose from."""

_COMMITS_BETWEEN_UPKEEP = 200
"""Each commit lists all files of the table: without merging them, a run over n documents would write n² lines."""

Cut = tuple[Document, list[Chunk]]


def run_plan(
    workspace: Workspace,
    plan: Plan,
    *,
    on_progress: OnProgress | None = None,
    cancelled: Cancel | None = None,
    embedder: Embedder | None = None,
) -> IndexReport:
    """Do what a plan says, for the documents as they are now.

    Each document is committed by itself, so that the index can be searched meanwhile and after a kill. Where settings,
    model or code have changed, the index is built beside the one there is and takes its place in one commit at the end.

    Args:
        on_progress: called after each batch.
        cancelled: asked between batches; True stops.
    Raises:
        Cancelled: it was stopped; embeddings made so far are kept, and the next run goes on from them.
        LockedError: another process writes to the workspace.
        ModelError, StoreError: the model or the disk failed; what was there before still opens and searches.
    """
    from chunking.embedding import CachedEmbedder, load_embedder

    embedder = embedder or load_embedder(plan.config.embedding)
    with workspace.writer():
        found = compare(workspace, plan.config, plan.name, embedder.key, plan.doc_ids)
        return _Run(workspace, plan, found, CachedEmbedder(embedder, workspace.vectors), on_progress, cancelled).whole()


def build_index(
    workspace: Workspace,
    config: Config | None = None,
    *,
    name: str | None = None,
    doc_ids: Collection[str] | None = None,
    on_plan: OnPlan | None = None,
    on_progress: OnProgress | None = None,
    cancelled: Cancel | None = None,
    embedder: Embedder | None = None,
) -> IndexReport:
    """Plan and run: bring an index up to date with the workspace's documents; see `make_plan` and `run_plan`.

    Args:
        on_plan: called with the plan before anything is done.
    """
    plan = make_plan(workspace, config or Config(), name=name, doc_ids=doc_ids, embedder=embedder)
    if on_plan is not None:
        on_plan(plan)
    return run_plan(workspace, plan, on_progress=on_progress, cancelled=cancelled, embedder=embedder)


def index_documents(
    workspace: Workspace,
    documents: Sequence[Document],
    config: Config | None = None,
    *,
    name: str | None = None,
    dry_run: bool = False,
    on_plan: OnPlan | None = None,
    on_progress: OnProgress | None = None,
    embedder: Embedder | None = None,
) -> IndexReport:
    """Save documents and bring the index over the whole workspace up to date.

    Args:
        dry_run: write nothing; the report says what would be done.
        on_plan: called with the plan before anything is indexed.
    """
    if dry_run:
        plan = make_plan(workspace, config or Config(), name=name, documents=documents, embedder=embedder)
        if on_plan is not None:
            on_plan(plan)
        return _as_report(plan)
    with workspace.writer():
        save(workspace, documents)
        return build_index(workspace, config, name=name, on_plan=on_plan, on_progress=on_progress, embedder=embedder)


def _as_report(plan: Plan) -> IndexReport:
    return IndexReport(
        documents=plan.documents,
        chunks=plan.chunks,
        embedded=plan.new,
        reused=plan.reused,
        removed=plan.removed,
        failed=plan.failed,
        seconds=plan.seconds_expected,
        fingerprint="",
        name=plan.name,
    )


class _Run:
    """One run. The workspace's lock is held from before it is made until `whole` has returned."""

    def __init__(
        self,
        workspace: Workspace,
        plan: Plan,
        found: Comparison,
        embedder: CachedEmbedder,
        on_progress: OnProgress | None,
        cancelled: Cancel | None,
    ) -> None:
        self.workspace = workspace
        self.plan = plan
        self.found = found
        self.embedder = embedder
        self.on_progress = on_progress
        self.cancelled = cancelled
        self.started = time.perf_counter()
        self.encoded_before = embedder.texts_encoded
        self.failed: list[Failure] = []
        self.removed = Removed(found.index, found.unchanged)
        self.done = sum(known.chunks for known in found.unchanged.values())
        self.commits = 0
        self.speed = _Speed()

    @property
    def beside(self) -> bool:
        """True where the index is built beside one of its name, which stays in use until the end."""
        return self.found.rebuild and self.found.index is not None

    def whole(self) -> IndexReport:
        """All of it."""
        if self.plan.new:
            self.tell(0, "Loading the model")
            self.embedder.prepare()
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
            code_version=cutting_code(),
        )
        return index if self.beside else self.workspace.publish(index)

    def groups(self) -> Iterator[list[Cut]]:
        """The changed documents with their chunks, small ones together."""
        from chunking.cutting import chunk_document

        group: list[Cut] = []
        for document in self.workspace.read_documents(self.found.changed):
            self.tell(0, f"Cutting {document.source}")
            try:
                group.append((document, chunk_document(document, self.plan.config)))
            except ParseError as error:
                self.fail(document, error)
            if sum(len(chunks) for _, chunks in group) >= _AT_ONCE:
                yield group
                group = []
        if group:
            yield group

    def fail(self, document: Document, error: ParseError) -> None:
        """Go on without a document; what the index holds of it stays."""
        self.failed.append(Failure(document.source, str(error)))
        if not self.found.rebuild:
            self.removed.keep(document.doc_id)

    def write(self, index: Index, group: list[Cut]) -> None:
        """Embed a group of documents and commit each of them."""
        texts = [chunk.embedding_content for _, chunks in group for chunk in chunks]
        message = f"Embedding {group[0][0].source}" + (f" and {len(group) - 1} more" if len(group) > 1 else "")
        self.tell(0, message)
        with self.speed.measured(self.embedder, sum(chunk.token_count for _, chunks in group for chunk in chunks), len(set(texts))):
            vectors = self.embedder.embed(texts, on_progress=lambda done: self.tell(done, message))
        first = 0
        for document, chunks in group:
            self.tell(len(texts) - first, f"Writing {document.source}")
            fingerprint = chunk_fingerprint(self.plan.config, document)
            known = document.doc_id in self.found.held
            index.replace_document(document, chunks, vectors[first : first + len(chunks)], fingerprint, known=known)
            self.removed.replace(document.doc_id, chunks)
            self.done += len(chunks)
            first += len(chunks)
            self.commits += 1
            if self.commits % _COMMITS_BETWEEN_UPKEEP == 0:
                index.optimize()

    def finished(self, index: Index) -> IndexReport:
        """Tidy up, and list the index as complete, in the place of an earlier one."""
        self.tell(0, "Finishing the index")
        index.optimize()
        known = index.documents()
        chunks = sum(one.chunks for one in known.values())
        row = replace(
            index.row,
            state="complete",
            scope=self.plan.doc_ids,
            model_key=self.embedder.key,
            fingerprint=index_fingerprint(one.fingerprint for one in known.values()),
            documents=len(known),
            chunks=chunks,
            unknown_share=self.plan.unknown_share,
            tokens_per_second=self.speed.value or index.row.tokens_per_second,
        )
        self.workspace.publish(index, row)
        self.workspace.tidy()
        embedded = self.embedder.texts_encoded - self.encoded_before
        return IndexReport(
            documents=len(known),
            chunks=chunks,
            embedded=embedded,
            reused=chunks - embedded,
            removed=self.removed.total,
            failed=tuple(self.failed),
            seconds=time.perf_counter() - self.started,
            fingerprint=row.fingerprint,
            name=row.name,
        )

    def tell(self, more: int, message: str) -> None:
        """Report progress, and stop here if that is wanted.

        Args:
            more: chunks that are embedded and not yet committed.
        """
        if self.cancelled is not None and self.cancelled():
            raise Cancelled("The run was stopped; what it had embedded is kept, so the next one goes on from there.", where=self.plan.name)
        if self.on_progress is not None:
            total = max(self.plan.chunks, self.done + more)
            self.on_progress(Progress(self.done + more, total, message))


class _Speed:
    """Tokens that went through the model, and the seconds it took."""

    def __init__(self) -> None:
        self.seconds, self.tokens = 0.0, 0.0

    @contextmanager
    def measured(self, embedder: CachedEmbedder, tokens: int, texts: int) -> Iterator[None]:
        """Time an embedding of `texts` different texts; only the share of them that was not cached counts."""
        before, started = embedder.texts_encoded, time.perf_counter()
        yield
        encoded = embedder.texts_encoded - before
        if encoded:
            self.seconds += time.perf_counter() - started
            self.tokens += tokens * encoded / texts

    @property
    def value(self) -> float:
        """Tokens a second; 0 where nothing was embedded."""
        return self.tokens / self.seconds if self.seconds else 0.0
