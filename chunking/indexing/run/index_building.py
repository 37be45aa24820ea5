"""Carry out a plan at the requested fallback level, or at a lower one if that fails."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from contextlib import nullcontext
from typing import TYPE_CHECKING

from chunking.config import Config
from chunking.errors import EndpointError
from chunking.indexing.adding.adding_files import save
from chunking.indexing.planning.index_plan import make_plan
from chunking.indexing.run.fallback_levels import (
    FallbackLimits,
    LimitReached,
    fallback_sentence,
    next_lower_level,
    requested_level,
)
from chunking.indexing.run.index_run import IndexBuild
from chunking.indexing.run.run_records import Cancel, IndexProgress, IndexReport, OnPlan, OnProgress, Plan
from chunking.indexing.run.shared_progress import share_progress
from chunking.model import Document
from chunking.store import Workspace
from chunking.store.index.build_record import FallbackLevel

if TYPE_CHECKING:
    from chunking.embedding import Embedder

__all__ = ["build_index", "index_documents", "run_plan"]

_MOST_MEASURED = 5_000_000
"""Maximum characters of documents whose measures the plan passes to the run: about 110 MB."""


def run_plan(
    workspace: Workspace,
    plan: Plan,
    *,
    on_progress: OnProgress | None = None,
    cancelled: Cancel | None = None,
    embedder: Embedder | None = None,
) -> IndexReport:
    """Build or update the plan's index from the documents as they are now, and report the run.

    Each document is committed alone, so that the index can be searched meanwhile and after a kill. If settings, model
    or code have changed, the index is rebuilt in a new table, which replaces the current one in one commit at the end.

    If the language model fails, or a limit of time or memory is reached, the whole index is built at a lower fallback
    level (see `fallback_levels`): progress, report and index say so, and the next run starts at the top again, with
    the cached texts and embeddings.

    Args:
        on_progress: called after each batch.
        cancelled: called between batches; True stops.
    Raises:
        Cancelled: `cancelled` returned True; embeddings so far are cached, and the next run continues from them.
        LockedError: another process is writing to the workspace.
        ModelError, StoreError: the model or the disk failed; the earlier index still opens and searches.
        EndpointError: the embedding server failed; likewise.
    """
    from chunking.embedding import CachedEmbedder, load_embedder

    embedder = embedder or load_embedder(plan.config.embedding)
    fallback, limits, reasons = requested_level(plan.config), FallbackLimits(plan.config), list[str]()
    with workspace.writer(), share_progress(workspace, plan.name) as shared:
        on_progress, cancelled = shared.reports(on_progress), shared.stops(cancelled)
        while True:
            limited = limits if next_lower_level(fallback, plan.config) else None
            cached = CachedEmbedder(embedder, workspace.vectors)
            try:
                return IndexBuild(
                    workspace, plan, fallback, tuple(reasons), cached, on_progress, cancelled, limited
                ).run()
            except (EndpointError, LimitReached) as error:
                if isinstance(error, EndpointError) and error.kind != "llm":
                    raise
                fallback = _lower(plan, fallback, error, reasons)
                if on_progress is not None:
                    on_progress(
                        IndexProgress(
                            0, plan.chunks, f"Continuing at the fallback level {fallback}: {error}", fell=True
                        )
                    )
            limits.begin()


def _lower(
    plan: Plan, fallback: FallbackLevel, error: EndpointError | LimitReached, reasons: list[str]
) -> FallbackLevel:
    """Return the fallback level to continue at, adding the reason to `reasons`."""
    lower = next_lower_level(fallback, plan.config, without_endpoint=isinstance(error, EndpointError))
    if lower is None:  # unreachable: levels without a language model cannot fail for one, and the lowest has no limits
        raise error
    reasons.append(fallback_sentence(error, fallback, lower))
    return lower


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
    """Bring an index up to date with the workspace's documents: `make_plan`, then `run_plan`.

    The run reuses the plan's measures, as far as they fit in memory (`_MOST_MEASURED`).

    Args:
        name, doc_ids, embedder: as for `make_plan`.
        on_plan: called with the plan before anything is done.
        on_progress, cancelled: as for `run_plan`.
    Raises:
        ChunkscopeError: as `make_plan` and `run_plan`.
    """
    from chunking.splitting import MeasureCache, cached_measures, with_measure_cache

    with nullcontext() if cached_measures() else with_measure_cache(MeasureCache(_MOST_MEASURED, first=True)):
        plan = make_plan(workspace, config or Config(), name=name, doc_ids=doc_ids, embedder=embedder)
        if on_plan is not None:
            on_plan(plan)
        return run_plan(workspace, plan, on_progress=on_progress, cancelled=cancelled, embedder=embedder)


def index_documents(
    workspace: Workspace,
    documents: Iterable[Document],
    config: Config | None = None,
    *,
    files: Mapping[str, bytes] | None = None,
    name: str | None = None,
    dry_run: bool = False,
    on_plan: OnPlan | None = None,
    on_progress: OnProgress | None = None,
    cancelled: Cancel | None = None,
    embedder: Embedder | None = None,
) -> IndexReport:
    """Save documents, then build or update the index over the whole workspace; report the run.

    Args:
        documents: saved in batches, so that they need not be in memory together.
        files: source files to store, by hash (`read_files(...).sources`).
        dry_run: save and index nothing; the report has the plan's numbers.
        on_plan: called with the plan before anything is indexed.
        on_progress, cancelled: as for `run_plan`.
    """
    if dry_run:
        plan = make_plan(workspace, config or Config(), name=name, documents=tuple(documents), embedder=embedder)
        if on_plan is not None:
            on_plan(plan)
        return _as_report(plan)
    with workspace.writer():
        save(workspace, documents, files)
        return build_index(
            workspace,
            config,
            name=name,
            on_plan=on_plan,
            on_progress=on_progress,
            cancelled=cancelled,
            embedder=embedder,
        )


def _as_report(plan: Plan) -> IndexReport:
    return IndexReport(
        documents=plan.documents,
        chunks=plan.chunks,
        vectors=plan.vectors,
        embedded=plan.new,
        reused=plan.reused,
        removed=plan.removed,
        failed=plan.failed,
        seconds=plan.seconds_expected,
        fingerprint="",
        name=plan.name,
        fallback_level=plan.asked,
        levels=plan.levels,
        estimate=plan.estimate,
    )
