"""A search, end to end: query → legs → fusion → hits with neighbours → documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from chunking.config import SearchConfig
from chunking.errors import StoreError
from chunking.retrieval.grouping import group
from chunking.retrieval.query import understand
from chunking.retrieval.results import SearchResult
from chunking.retrieval.steps import Steps

if TYPE_CHECKING:
    from chunking.embedding import Embedder
    from chunking.store import Workspace

__all__ = ["search"]


def search(
    workspace: Workspace,
    query: str,
    config: SearchConfig | None = None,
    *,
    index: str | None = None,
    where: Mapping[str, str] | None = None,
    embedder: Embedder | None = None,
) -> SearchResult:
    """Search an index by meaning, by words, or both.

    Takes at most one storage call a leg and one for the neighbours of all hits, however many there are (law 8): words that
    full text does not know are looked for as characters in one call more, only where the other leg was not searched. The
    model is needed for the meaning only: a search by words never loads it.

    Args:
        workspace: what to search in.
        query: any text; what stands in quotation marks every hit holds as a phrase, if any candidate does (else a note says so).
        config: how; the index's own search settings when None.
        index: its name; the newest when None.
        where: conditions that every hit fulfils, by key (see `store.FILTERS`).
        embedder: makes the query's vector; by default the index's model, loaded when first needed.
    Raises:
        QueryError: the query is empty, or `where` has an unknown key.
        NotFoundError: no such index.
        ModelError: the model is missing, or not the one that the index was built with.
    """
    understood, table = understand(query), workspace.index(index)
    while True:
        try:
            return _searched(workspace, query, Steps(table, understood, config or table.config.search, dict(where or {}), embedder))
        except StoreError:
            table, gone = workspace.index(index), table
            if table.row.table == gone.row.table:  # else it was built anew meanwhile: its next table answers
                raise


def _searched(workspace: Workspace, query: str, steps: Steps) -> SearchResult:
    table, before = steps.index, workspace.calls
    weighing = steps.weighing()
    legs = {name: steps.leg(name, alone=len(weighing.weights) == 1) for name in weighing.weights}
    chunks = {hit.chunk.chunk_id: hit.chunk for hits in legs.values() for hit in hits}
    fused = steps.with_phrases(steps.fused(legs, weighing), legs.get("text", ()), chunks)
    kept, repeats = steps.distinct(fused, chunks)
    near = steps.near([chunks[hit.chunk_id] for hit in kept])
    results = steps.results(kept, repeats, chunks, near.around)
    documents = steps.timed("documents", lambda: group(results), len)
    return SearchResult(
        query=query,
        mode=steps.config.mode,
        index=table.name,
        fingerprint=table.fingerprint,
        language=steps.query.language,
        weights=weighing.weights,
        notes=(*steps.query.notes, *weighing.notes, *steps.notes),
        results=results,
        documents=documents,
        doc_tocs=near.doc_tocs,
        stages=tuple(steps.stages),
        storage_calls=workspace.calls - before,
    )
