"""What an index run would do, before it does it: vectors new, reused and removed, requests to a language model, and
seconds.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING

from chunking.config import Config, Strategy
from chunking.embedding.model_folder import counting_folder, counting_note, same_model
from chunking.indexing.plan.index_differences import IndexDifferences, Removed, compare, vector_count
from chunking.indexing.plan.plan_counting import CacheMisses, PlanCount
from chunking.indexing.run.chunk_vectors import DocumentRows
from chunking.indexing.run.document_encodings import RunEncodings
from chunking.indexing.run.enrichment_run import DocumentWriter, counter, no_language_model
from chunking.indexing.run.fallback_levels import LEVEL_DESCRIPTIONS, below, requested_level, uses_endpoint, writes
from chunking.indexing.run.run_records import Plan
from chunking.model import CHUNK, CLUSTER, Document
from chunking.splitting.strategies.custom_splitters import check_splitter
from chunking.store import Workspace

if TYPE_CHECKING:
    from chunking.embedding import CachedEmbedder, Embedder
    from chunking.enrichment import RequestEstimate

__all__ = ["DEFAULT_NAME", "make_plan"]

DEFAULT_NAME = "main"
_GUESSED_SPEED = 2_000.0
"""Tokens a second, for the first run in a workspace: half of what two slow cores do."""
_GUESSED_LOADING = 6.0
"""Seconds in which a run loads a model of this machine: 3 to 10 were measured, most of them for importing torch."""
_GUESSED_ANSWER = 2.0
"""Seconds in which a language model answers one request."""


def make_plan(
    workspace: Workspace,
    config: Config,
    *,
    name: str | None = None,
    doc_ids: Collection[str] | None = None,
    documents: Sequence[Document] = (),
    embedder: Embedder | None = None,
) -> Plan:
    """Cut what has changed, look up which texts are embedded and written already, and write nothing.

    The model is not loaded for it, but where texts are cut by their meaning, or of larger levels are longer than it
    reads.
    The language model is not asked.

    Args:
        name: of the index; `main` where there is none.
        doc_ids: the documents to index; None: all of the workspace.
        documents: not saved yet, counted as if they were.
        embedder: the configuration's where there is none.
    Raises:
        NotFoundError: one of `doc_ids` is not in the workspace.
        ModelError: the model is not at hand.
        ConfigError: a prompt cannot be filled, settings do not go together, or there is no splitter of the name given.
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
    found = compare(workspace, config, name, cached.key, doc_ids, documents, fallback=requested_level(config))
    whole = RunEncodings(config, cached, workspace, writes=False)
    count = PlanCount(config, cached, whole, Removed(found, config, cached.key), stays=not found.rebuild)
    needs = _count(count, _changed(workspace, found, documents), workspace)
    lacking = count.found(workspace.vectors)
    kept = sum(known.chunks for known in found.unchanged.values())
    chunks = kept + count.chunks
    share, unread, warnings = _readable(count, found, kept)
    levels = _levels(count, found)
    vectors = vector_count(levels)
    return Plan(
        name=name,
        config=config,
        doc_ids=None if doc_ids is None else tuple(doc_ids),
        documents=len(found.unchanged) + count.documents,
        chunks=chunks,
        vectors=vectors,
        new=lacking.vectors,
        reused=vectors - lacking.vectors,
        held=_held(found, config),
        removed=count.removed.total,
        unchanged=len(found.unchanged),
        rebuild=found.rebuild,
        unknown_share=share,
        unread=unread,
        seconds_expected=time.perf_counter() - started + _seconds(workspace, cached, lacking, needs),
        warnings=warnings,
        failed=tuple(count.failed),
        asked=requested_level(config),
        levels=levels,
        needs=needs,
        encode=lacking.encode,
        about=bool(needs and needs.requests) or bool(whole.lacking) or (config.enrich.raptor and _plants(count, found)),
    )


def _held(found: IndexDifferences, config: Config) -> int:
    """Vectors of the index as it is; without the summary tree where it is made anew, since nobody knows what of it
    stays.
    """
    if found.index is None:
        return 0
    return vector_count(
        {level: rows for level, rows in found.index.levels.items() if level != CLUSTER or not config.enrich.raptor}
    )


def _plants(count: PlanCount, found: IndexDifferences) -> bool:
    """The RAPTOR tree will be made anew: documents come, go or change, or were deleted from the index with it."""
    row = found.index.row if found.index is not None else None
    return count.documents > 0 or bool(found.gone) or (row is not None and row.built.tree != row.fingerprint)


def _changed(workspace: Workspace, found: IndexDifferences, unsaved: Sequence[Document]) -> Iterator[Document]:
    """The documents to cut; an unsaved one stands for the saved one of its id."""
    given = {document.doc_id: document for document in unsaved}
    yield from (workspace.with_changes(given[doc_id]) for doc_id in found.changed if doc_id in given)
    yield from workspace.read_documents([doc_id for doc_id in found.changed if doc_id not in given])


def _count(count: PlanCount, documents: Iterator[Document], workspace: Workspace) -> RequestEstimate | None:
    """Count documents with what is written about them, as far as that is known; gives what a language model would be
    asked.
    """
    config = count.config
    if uses_endpoint(config):
        from chunking.enrichment import estimate
        from chunking.llm import endpoint

        return estimate(
            count.cut(documents),
            config,
            workspace.texts,
            counter(config),
            max_tokens=counting_folder(config.embedding).content_tokens,
            endpoint=endpoint("llm"),
            vectors=count.whole.spans,
            on_enriched=lambda document, enriched: count.add(
                DocumentRows(document, enriched.levels, tuple(enriched.nodes))
            ),
        )
    writer = (
        DocumentWriter(config, workspace, count.whole.spans, lambda _: None, lambda: False) if writes(config) else None
    )
    for document, levels in count.cut(documents):
        count.add(writer.with_generated_texts(document, levels) if writer else DocumentRows(document, levels))
    return None


def _readable(count: PlanCount, found: IndexDifferences, kept: int) -> tuple[float, dict[str, float], tuple[str, ...]]:
    """Share of words that the model cannot read, the same by language, and what to warn of."""
    language = count.language()
    before = found.index.row if found.index is not None else None
    chunks = kept + count.chunks
    share = (
        (language.share * count.chunks + (before.unknown_share if before else 0.0) * kept) / chunks if chunks else 0.0
    )
    unread = (dict(before.built.unread) if before and not found.rebuild else {}) | dict(language.by_language)
    said = (
        counting_note(count.config.embedding),
        language.sentence,
        _pooling(count),
        *count.flag_sentences(),
        _unwritten(count),
    )
    return share, unread, tuple(sentence for sentence in said if sentence)


def _pooling(count: PlanCount) -> str | None:
    """What to say where late mode pools otherwise than the model does."""
    return count.whole.encoder.note if count.documents and count.whole.late else None


def _unwritten(count: PlanCount) -> str:
    """What to say where a language model is asked for and none is configured."""
    from chunking.llm import endpoint

    if not (count.documents and uses_endpoint(count.config)) or endpoint("llm") is not None:
        return ""
    lower = below(requested_level(count.config), count.config, without_endpoint=True)
    return (
        (
            f"{no_language_model()} As it is, the index will be built at the fallback level {lower} "
            f"({LEVEL_DESCRIPTIONS[lower]})."
        )
        if lower
        else no_language_model()
    )


def _levels(count: PlanCount, found: IndexDifferences) -> dict[str, int]:
    """Rows of each level that the index will hold."""
    levels = Counter(count.levels)
    if found.index is None or not found.unchanged:
        return dict(levels)
    if found.index.levels.keys() <= {CHUNK}:
        levels[CHUNK] += sum(known.chunks for known in found.unchanged.values())
        return dict(levels)
    by_document = found.index.levels_by_document()
    for doc_id in found.unchanged:
        levels.update(by_document[doc_id])
    return dict(levels)


def _seconds(
    workspace: Workspace, embedder: CachedEmbedder, lacking: CacheMisses, needs: RequestEstimate | None
) -> float:
    """How long models will take, about; that of this machine is loaded first."""
    from chunking.embedding import LocalEmbedder
    from chunking.llm import endpoint

    loading = (
        _GUESSED_LOADING
        if isinstance(embedder.embedder, LocalEmbedder) and (lacking.vectors or lacking.encode)
        else 0.0
    )
    configured = endpoint("llm") if needs else None
    asking = needs.requests * _GUESSED_ANSWER / configured.parallel if needs and configured else 0.0
    return loading + asking + lacking.tokens / _speed(workspace, embedder.key)


def _speed(workspace: Workspace, model_key: str) -> float:
    """Tokens a second that this model did last in this workspace."""
    measured = (row.tokens_per_second for row in workspace.indexes() if same_model(row.model_key, model_key))
    return next((speed for speed in measured if speed > 0), _GUESSED_SPEED)
