"""A search, end to end: query → legs → fusion → second looks → parents → neighbours → documents and context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from chunking.config import SearchConfig
from chunking.errors import StoreError
from chunking.retrieval.context.context import assemble
from chunking.retrieval.context.context_tokens import context_counter
from chunking.retrieval.context.costs import hit_tokens
from chunking.retrieval.query_parts import understand
from chunking.retrieval.ranking.fused_hits import Fused
from chunking.retrieval.rerank.reranking import reranked
from chunking.retrieval.results.document_groups import group
from chunking.retrieval.results.result_items import Found, as_matched, as_result
from chunking.retrieval.results.results import Context, Result, SearchResult
from chunking.retrieval.retrieval_modes import chosen
from chunking.retrieval.search_steps import Steps

if TYPE_CHECKING:
    import numpy as np

    from chunking.embedding import Embedder
    from chunking.store import Neighbours, Workspace

__all__ = ["search"]


def search(
    workspace: Workspace,
    query: str,
    config: SearchConfig | None = None,
    *,
    index: str | None = None,
    where: Mapping[str, str] | None = None,
    embedder: Embedder | None = None,
    vector: np.ndarray | None = None,
) -> SearchResult:
    """Search an index by meaning, by words, or both.

    Takes at most one storage call a leg and size, and one for the neighbours and parents of all hits, however many there are
    (law 8): words that full text does not know are looked for as characters in one call more, only where the other leg was
    not searched, and diversity needs one for the vectors that it compares. The model is needed for the meaning only: a
    search by words never loads it.

    Args:
        workspace: what to search in.
        query: any text; what stands in quotation marks every hit holds as a phrase, if any candidate does (else a note says so).
        config: how; the index's own search settings when None.
        index: its name; the newest when None.
        where: conditions that every hit fulfils, by key (see `store.FILTERS`).
        embedder: makes the query's vector; by default the index's model, loaded when first needed.
        vector: the query's, (d,) of unit length, where it is known already: of many queries that were encoded at once.
    Raises:
        QueryError: the query is empty, or `where` has an unknown key.
        NotFoundError: no such index.
        ModelError: the model is missing, or not the one that the index was built with.
    """
    understood, table = understand(query), workspace.index(index)
    while True:
        steps = Steps(table, understood, config or table.config.search, dict(where or {}), embedder, vector)
        try:
            return _searched(workspace, query, steps)
        except StoreError:
            table, gone = workspace.index(index), table
            if table.row.table == gone.row.table:  # else it was built anew meanwhile: its next table answers
                raise


def _searched(workspace: Workspace, query: str, steps: Steps) -> SearchResult:
    table, before = steps.index, workspace.calls
    retrieval, mode = chosen(steps.config.retrieval, steps)
    weighing = steps.weighing()
    ranked = reranked(steps, steps.distinct(steps.with_phrases(mode.rank(steps, weighing))))
    found, near = mode.show(steps, ranked)
    results = steps.timed("results", "assemble", lambda: _results(steps, found, ranked, near), len)
    documents = steps.timed("documents", "assemble", lambda: group(results), len)
    context, hits = steps.timed("context", "assemble", lambda: _context(steps, results), lambda made: len(made[0].sources))
    return SearchResult(
        query=query,
        mode=steps.config.mode,
        retrieval=retrieval,
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
        context=context,
        hit_tokens=hits,
        candidates=tuple(as_matched(hit, rank, steps.chunks) for rank, hit in enumerate(ranked, start=1)),
    )


def _results(steps: Steps, found: Sequence[Found], ranked: Sequence[Fused], near: Neighbours) -> tuple[Result, ...]:
    ranks = {hit.chunk_id: rank for rank, hit in enumerate(ranked, start=1)} if any(one.children for one in found) else {}
    return tuple(
        as_result(
            one,
            rank,
            steps.chunks,
            ranks,
            () if one.children else near.around.get(one.chunk.chunk_id, ()),
            steps.repeats,
            steps.terms,
            exact=steps.exact,
        )
        for rank, one in enumerate(found, start=1)
    )


def _context(steps: Steps, results: Sequence[Result]) -> tuple[Context, int]:
    """What would be sent, and the tokens of the results alone."""
    counter, note = context_counter(steps.index.config.embedding)
    made = assemble(results, steps.config.budget, counter)
    steps.notes += [note] if note else []
    if results and not made.sources:
        steps.notes.append(f"No result fits into the budget of {steps.config.budget} tokens; raise it, or cut smaller chunks.")
    return made, sum(hit_tokens(result, counter) for result in results)
