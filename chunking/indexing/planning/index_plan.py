"""Plan an index run: vectors to compute, reuse and remove, language model requests, and time."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from chunking.config import Config, Strategy
from chunking.embedding.model_folder import counting_note, same_model
from chunking.indexing.planning.index_differences import IndexDifferences, compare, vector_count
from chunking.indexing.planning.plan_counting import CacheMisses, flag_sentences, language_check
from chunking.indexing.planning.plan_totals import PlannedDocuments, PlanTotals
from chunking.indexing.run.enrichment_run import no_language_model
from chunking.indexing.run.fallback_levels import (
    LEVEL_DESCRIPTIONS,
    next_lower_level,
    requested_level,
    uses_endpoint,
)
from chunking.indexing.run.run_records import Plan, rounded
from chunking.model import CHUNK, CLUSTER, DOCUMENT, PARENT, SECTION, Document
from chunking.splitting.strategies.custom_splitters import check_splitter
from chunking.store import Workspace

if TYPE_CHECKING:
    from chunking.embedding import CachedEmbedder, Embedder
    from chunking.enrichment import RequestEstimate

__all__ = ["DEFAULT_NAME", "make_plan"]

DEFAULT_NAME = "main"
"""Name of an index if none is given."""
_GUESSED_SPEED = 2_000.0
"""Tokens a second in a workspace's first run: half of what two slow cores do."""
_GUESSED_ANSWER = 2.0
"""Seconds of a language model per request."""


def make_plan(
    workspace: Workspace,
    config: Config,
    *,
    name: str | None = None,
    doc_ids: Collection[str] | None = None,
    documents: Sequence[Document] = (),
    embedder: Embedder | None = None,
    exact: bool = False,
) -> Plan:
    """Plan an index run: split changed documents and look up cached texts, but write nothing.

    Of changed documents with more than 5 million characters a sample is split, always the same, and the plan's counts
    are estimates (`Plan.estimate`). The embedding model is loaded only for semantic splitting, and for texts of larger
    levels over its limit; the language model is never called.

    Args:
        name: of the index; None: `main`.
        doc_ids: documents to index; None: the whole workspace.
        documents: unsaved documents, counted as if they were saved.
        embedder: None: the configuration's.
        exact: split all changed documents, however many.
    Raises:
        NotFoundError: one of `doc_ids` is not in the workspace.
        ModelError: the model is not on this machine.
        ConfigError: a prompt cannot be filled, settings conflict, or there is no custom splitter of the name.
        StoreError: the workspace cannot be read.
    """
    from chunking.embedding import CachedEmbedder, load_embedder
    from chunking.enrichment.raptor import check_reduction

    started = time.perf_counter()
    if config.enrich.raptor:
        check_reduction(config.enrich.raptor_reduction)
    for category in ("", *(name for name, _ in config.categories)):
        own = config.for_category(category).chunk
        if own.strategy is Strategy.CUSTOM:  # said at once: every document would be cut by a simpler strategy
            check_splitter(own.splitter)
    cached = CachedEmbedder(embedder or load_embedder(config.embedding), workspace.vectors)
    name = name or DEFAULT_NAME
    differences = compare(workspace, config, name, cached.key, doc_ids, documents, fallback=requested_level(config))
    totals = PlannedDocuments(workspace, config, cached, differences, documents).totals(exact=exact)
    counting = time.perf_counter() - started
    kept_chunks = differences.unchanged_chunks
    chunks = kept_chunks + totals.chunks
    unchanged = _unchanged_levels(differences)
    levels = dict(totals.levels + unchanged)
    vectors, present = vector_count(levels), _present_vectors(differences, config)
    new = min(totals.misses.vectors, vectors)
    estimate = totals.estimate
    if estimate is not None:
        counting *= estimate.documents / max(estimate.sampled, 1)
        estimate = replace(
            estimate,
            least_chunks=kept_chunks + estimate.least_chunks,
            most_chunks=kept_chunks + estimate.most_chunks,
        )
    share, unread, warnings = _readable(config, cached, totals, differences, kept_chunks)
    loading = _loading_seconds(cached, totals.misses)
    return Plan(
        name=name,
        config=config,
        doc_ids=None if doc_ids is None else tuple(doc_ids),
        documents=differences.unchanged + totals.documents,
        chunks=chunks,
        vectors=vectors,
        new=new,
        reused=vectors - new,
        held=present,
        removed=min(totals.removed, present) if estimate else totals.removed,
        unchanged=differences.unchanged,
        rebuild=differences.rebuild,
        other_vector_index=differences.other_vector_index,
        unknown_share=share,
        unread=unread,
        seconds_expected=counting + loading + _seconds(workspace, cached, totals.misses, totals.needs),
        seconds_loading=loading,
        warnings=warnings,
        failed=totals.failed,
        asked=requested_level(config),
        levels=levels,
        needs=totals.needs,
        encode=totals.misses.encode,
        about=estimate is not None
        or bool(totals.needs and totals.needs.requests)
        or totals.lacks_spans
        or (config.enrich.raptor and _rebuilds_tree(totals, differences)),
        estimate=estimate,
    )


def _present_vectors(differences: IndexDifferences, config: Config) -> int:
    """Number of vectors in the current index, without a summary tree that will be rebuilt."""
    if differences.index is None:
        return 0
    return vector_count(
        {
            level: rows
            for level, rows in differences.index.levels.items()
            if level != CLUSTER or not config.enrich.raptor
        }
    )


def _rebuilds_tree(totals: PlanTotals, differences: IndexDifferences) -> bool:
    """True if the RAPTOR tree will be rebuilt: documents change, or were deleted together with it."""
    row = differences.index.row if differences.index is not None else None
    return totals.documents > 0 or bool(differences.gone) or (row is not None and row.built.tree != row.fingerprint)


def _readable(
    config: Config, embedder: CachedEmbedder, totals: PlanTotals, differences: IndexDifferences, kept: int
) -> tuple[float, dict[str, float], tuple[str, ...]]:
    """Share of words that the model cannot read, in total and by language, and warnings."""
    language = language_check(config, totals.beginnings)
    before = differences.index.row if differences.index is not None else None
    chunks = kept + totals.chunks
    share = (
        (language.share * totals.chunks + (before.unknown_share if before else 0.0) * kept) / chunks if chunks else 0.0
    )
    unread = (dict(before.built.unread) if before and not differences.rebuild else {}) | dict(language.by_language)

    def about(number: int) -> str:
        return f"{number:,}" if totals.estimate is None else f"About {rounded(number):,}"

    sentences = (
        counting_note(config.embedding),
        language.sentence,
        totals.pooling_note,
        *flag_sentences(totals.flags, embedder.max_tokens, about),
        _unwritten(config, totals),
    )
    return share, unread, tuple(sentence for sentence in sentences if sentence)


def _unwritten(config: Config, totals: PlanTotals) -> str:
    """Note for a missing language model, or an empty string."""
    from chunking.llm import endpoint

    if not (totals.documents and uses_endpoint(config)) or endpoint("llm") is not None:
        return ""
    lower = next_lower_level(requested_level(config), config, without_endpoint=True)
    return (
        (
            f"{no_language_model()} As it is, the index will be built at the fallback level {lower} "
            f"({LEVEL_DESCRIPTIONS[lower]})."
        )
        if lower
        else no_language_model()
    )


def _unchanged_levels(differences: IndexDifferences) -> Counter[str]:
    """Rows of each level of the documents whose rows stay: of all, without those of the others, which are read."""
    index = differences.index
    if index is None or not differences.unchanged:
        return Counter()
    if index.levels.keys() <= {CHUNK}:
        return Counter({CHUNK: differences.unchanged_chunks})
    others = index.levels_by_document({*differences.gone, *differences.replaced}).values()
    levels = Counter(index.levels) - sum(others, Counter({CLUSTER: index.levels.get(CLUSTER, 0)}))
    return Counter({level: levels[level] for level in sorted(levels, key=_reading_order)})


def _reading_order(level: str) -> tuple[bool, ...]:
    """Key to sort levels as they follow each other in a document's rows."""
    return level != CHUNK, level != PARENT, level == DOCUMENT, level == SECTION


def _seconds(
    workspace: Workspace, embedder: CachedEmbedder, lacking: CacheMisses, needs: RequestEstimate | None
) -> float:
    """Estimated seconds that loaded models work."""
    from chunking.llm import endpoint

    configured = endpoint("llm") if needs else None
    asking = needs.requests * _GUESSED_ANSWER / configured.parallel if needs and configured else 0.0
    return asking + lacking.tokens / _speed(workspace, embedder.key)


def _loading_seconds(embedder: CachedEmbedder, lacking: CacheMisses) -> float:
    """Estimated seconds to load a local model; 0 if none is needed."""
    from chunking.embedding import LocalEmbedder

    is_needed = lacking.vectors or lacking.encode
    return embedder.embedder.loading_seconds if is_needed and isinstance(embedder.embedder, LocalEmbedder) else 0.0


def _speed(workspace: Workspace, model_key: str) -> float:
    """Tokens a second of the model's last run in this workspace."""
    measured = (row.tokens_per_second for row in workspace.indexes() if same_model(row.model_key, model_key))
    return next((speed for speed in measured if speed > 0), _GUESSED_SPEED)
