"""Plan an index run: vectors to compute, reuse and remove, language model requests, and time."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from chunking.config import Config, Strategy
from chunking.embedding.model_folder import counting_folder, counting_note, same_model
from chunking.indexing.index_differences import IndexDifferences, RemovedVectors, compare, vector_count
from chunking.indexing.plan_counting import CacheMisses, PlanCount
from chunking.indexing.run.document_encodings import RunEncodings
from chunking.indexing.run.enrichment_run import DocumentWriter, counter, no_language_model
from chunking.indexing.run.fallback_levels import (
    LEVEL_DESCRIPTIONS,
    adds_text,
    next_lower_level,
    requested_level,
    uses_endpoint,
)
from chunking.indexing.run.run_records import Plan
from chunking.indexing.stages.row_splitting import DocumentRows
from chunking.model import CHUNK, CLUSTER, Document
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
) -> Plan:
    """Plan an index run: split changed documents and look up cached texts, but write nothing.

    The embedding model is loaded only for semantic splitting, and for texts of larger levels over its limit; the
    language model is never called.

    Args:
        name: of the index; None: `main`.
        doc_ids: documents to index; None: the whole workspace.
        documents: unsaved documents, counted as if they were saved.
        embedder: None: the configuration's.
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
    encodings = RunEncodings(config, cached, workspace, may_encode=False)
    count = PlanCount(
        config, cached, encodings, RemovedVectors(differences, config, cached.key), keeps_failed=not differences.rebuild
    )
    needs = _count(count, _changed(workspace, differences, documents), workspace)
    lacking = count.misses(workspace.vectors)
    kept_chunks = sum(one.chunks for one in differences.unchanged.values())
    chunks = kept_chunks + count.chunks
    share, unread, warnings = _readable(count, differences, kept_chunks)
    levels = _levels(count, differences)
    vectors = vector_count(levels)
    loading = _loading_seconds(cached, lacking)
    return Plan(
        name=name,
        config=config,
        doc_ids=None if doc_ids is None else tuple(doc_ids),
        documents=len(differences.unchanged) + count.documents,
        chunks=chunks,
        vectors=vectors,
        new=lacking.vectors,
        reused=vectors - lacking.vectors,
        held=_present_vectors(differences, config),
        removed=count.removed.total,
        unchanged=len(differences.unchanged),
        rebuild=differences.rebuild,
        unknown_share=share,
        unread=unread,
        seconds_expected=time.perf_counter() - started + loading + _seconds(workspace, cached, lacking, needs),
        seconds_loading=loading,
        warnings=warnings,
        failed=tuple(count.failed),
        asked=requested_level(config),
        levels=levels,
        needs=needs,
        encode=lacking.encode,
        about=bool(needs and needs.requests)
        or bool(encodings.lacking)
        or (config.enrich.raptor and _rebuilds_tree(count, differences)),
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


def _rebuilds_tree(count: PlanCount, differences: IndexDifferences) -> bool:
    """True if the RAPTOR tree will be rebuilt: documents change, or were deleted together with it."""
    row = differences.index.row if differences.index is not None else None
    return count.documents > 0 or bool(differences.gone) or (row is not None and row.built.tree != row.fingerprint)


def _changed(workspace: Workspace, differences: IndexDifferences, unsaved: Sequence[Document]) -> Iterator[Document]:
    """Documents to split; an unsaved one replaces the saved one of its id."""
    unsaved_by_id = {document.doc_id: document for document in unsaved}
    yield from (
        workspace.with_changes(unsaved_by_id[doc_id]) for doc_id in differences.changed if doc_id in unsaved_by_id
    )
    yield from workspace.read_documents([doc_id for doc_id in differences.changed if doc_id not in unsaved_by_id])


def _count(count: PlanCount, documents: Iterator[Document], workspace: Workspace) -> RequestEstimate | None:
    """Count documents with their generated texts; returns the language model requests, if any."""
    config = count.config
    if uses_endpoint(config):
        from chunking.enrichment import estimate
        from chunking.llm import endpoint

        return estimate(
            count.split(documents),
            config,
            workspace.texts,
            counter(config),
            max_tokens=counting_folder(config.embedding).content_tokens,
            endpoint=endpoint("llm"),
            vectors=count.encodings.spans,
            on_enriched=lambda document, enriched: count.add(
                DocumentRows(document, enriched.levels, tuple(enriched.nodes))
            ),
        )
    writer = (
        DocumentWriter(config, workspace, count.encodings.spans, lambda _: None, lambda: False)
        if adds_text(config)
        else None
    )
    for document, levels in count.split(documents):
        count.add(writer.with_generated_texts(document, levels) if writer else DocumentRows(document, levels))
    return None


def _readable(
    count: PlanCount, differences: IndexDifferences, kept: int
) -> tuple[float, dict[str, float], tuple[str, ...]]:
    """Share of words that the model cannot read, in total and by language, and warnings."""
    language = count.language()
    before = differences.index.row if differences.index is not None else None
    chunks = kept + count.chunks
    share = (
        (language.share * count.chunks + (before.unknown_share if before else 0.0) * kept) / chunks if chunks else 0.0
    )
    unread = (dict(before.built.unread) if before and not differences.rebuild else {}) | dict(language.by_language)
    sentences = (
        counting_note(count.config.embedding),
        language.sentence,
        _pooling(count),
        *count.flag_sentences(),
        _unwritten(count),
    )
    return share, unread, tuple(sentence for sentence in sentences if sentence)


def _pooling(count: PlanCount) -> str | None:
    """Note for a model that late mode pools differently, or None."""
    return count.encodings.encoder.note if count.documents and count.encodings.late else None


def _unwritten(count: PlanCount) -> str:
    """Note for a missing language model, or an empty string."""
    from chunking.llm import endpoint

    if not (count.documents and uses_endpoint(count.config)) or endpoint("llm") is not None:
        return ""
    lower = next_lower_level(requested_level(count.config), count.config, without_endpoint=True)
    return (
        (
            f"{no_language_model()} As it is, the index will be built at the fallback level {lower} "
            f"({LEVEL_DESCRIPTIONS[lower]})."
        )
        if lower
        else no_language_model()
    )


def _levels(count: PlanCount, differences: IndexDifferences) -> dict[str, int]:
    """Rows of each level that the index will hold."""
    levels = Counter(count.levels)
    if differences.index is None or not differences.unchanged:
        return dict(levels)
    if differences.index.levels.keys() <= {CHUNK}:
        levels[CHUNK] += sum(one.chunks for one in differences.unchanged.values())
        return dict(levels)
    by_document = differences.index.levels_by_document()
    for doc_id in differences.unchanged:
        levels.update(by_document[doc_id])
    return dict(levels)


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
