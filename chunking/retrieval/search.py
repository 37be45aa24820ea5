"""A search, end to end: query → legs → fusion → rerankers → parents → neighbours → documents and context."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from chunking.config import QuerySyntax, Retrieval, SearchConfig
from chunking.errors import StoreError
from chunking.retrieval.answerability.absence import absence_of
from chunking.retrieval.context.context import assemble
from chunking.retrieval.context.context_tokens import context_counter
from chunking.retrieval.context.costs import hit_tokens
from chunking.retrieval.document_search import search_documents
from chunking.retrieval.leg_search import LegSearch
from chunking.retrieval.modes.retrieval_modes import MODES, RetrievalMode
from chunking.retrieval.query_parts import understand
from chunking.retrieval.ranking.repeats import deduplicate
from chunking.retrieval.rerank.reranking import reranked
from chunking.retrieval.results.document_groups import group
from chunking.retrieval.results.highlights import holds, terms
from chunking.retrieval.results.result_items import ShownResult, as_matched, as_result
from chunking.retrieval.results.results import Context, Result, SearchResult
from chunking.retrieval.search_request import Candidates, SearchRequest, Trace

if TYPE_CHECKING:
    import numpy as np

    from chunking.embedding import Embedder
    from chunking.store import Neighbours, Workspace

__all__ = ["search"]

_ONLY_PHRASES = "Only chunks that hold what stands in quotation marks are shown."
_NO_PHRASES = "No chunk was found that holds what stands in quotation marks; shown are the nearest without it."


def search(
    workspace: Workspace,
    query: str,
    config: SearchConfig | None = None,
    *,
    index: str | None = None,
    where: Mapping[str, str] | None = None,
    syntax: QuerySyntax = QuerySyntax.OPERATORS,
    embedder: Embedder | None = None,
    vector: np.ndarray | None = None,
) -> SearchResult:
    """Search an index by meaning, by words, or both.

    Takes at most one storage call a leg and size, and one for the neighbours and parents of all hits, however many
    there are
    (law 8): words that full text does not know are looked for as characters in one call more, and where it alone is
    searched and
    finds nothing the whole query in another; diversity needs one for the vectors that it compares. The model is needed
    for the
    meaning only: a search by words never loads it.

    Args:
        workspace: what to search in.
        query: any text; what stands in quotation marks every hit holds as a phrase, if any candidate does (else a note
            says so).
        config: how; the index's own search settings when None.
        index: its name; the newest when None. Where there is no index at all, whole documents are searched
            (`search_documents`).
        where: conditions that every hit fulfils, by key (see `store.FILTERS`).
        syntax: PLAIN where quotation marks are no condition, as in a question of an evaluation.
        embedder: makes the query's vector; by default the index's model, loaded when first needed.
        vector: the query's, (d,) of unit length, where it is known already: of many queries that were encoded at once.
    Raises:
        QueryError: the query is empty, or `where` has an unknown key.
        NotFoundError: no such index; or none at all, and no document.
        ModelError: the model is missing, or not the one that the index was built with.
    """
    if index is None and not workspace.indexes():
        return search_documents(workspace, query, config, where=where, syntax=syntax)
    understood, table = understand(query, syntax), workspace.index(index)
    wanted = terms(understood)
    while True:
        request = SearchRequest(
            table, understood, wanted, config or table.config.search, dict(where or {}), embedder, vector
        )
        try:
            return _searched(workspace, query, request)
        except StoreError:
            table, gone = workspace.index(index), table
            if table.row.table == gone.row.table:  # else it was built anew meanwhile: its next table answers
                raise


def _searched(workspace: Workspace, query: str, request: SearchRequest) -> SearchResult:
    table, before, trace = request.index, workspace.calls, Trace()
    legs = LegSearch(request, trace)
    mode = _mode(request, trace)
    weighing = legs.weighing()
    searched = mode.rank(legs, weighing)
    ranked = _with_phrases(request, trace, searched)
    ranked = reranked(request, trace, _distinct(request, trace, ranked))
    found, near = mode.show(request, trace, ranked)
    results = trace.timed("results", "assemble", lambda: _results(found, ranked, near), len)
    documents = trace.timed("documents", "assemble", lambda: group(results), len)
    context, hits = trace.timed(
        "context", "assemble", lambda: _context(request, trace, results), lambda made: len(made[0].sources)
    )
    return SearchResult(
        query=query,
        mode=request.config.mode,
        retrieval=mode.name,
        index=table.name,
        fingerprint=table.fingerprint,
        language=request.query.language,
        weights=weighing.weights,
        notes=(*request.query.notes, *weighing.notes, *trace.notes),
        results=results,
        documents=documents,
        doc_tocs=near.doc_tocs,
        stages=tuple(trace.stages),
        storage_calls=workspace.calls - before,
        context=context,
        hit_tokens=hits,
        absence=absence_of(request, searched) if results else None,
        candidates=tuple(as_matched(hit, rank, ranked.chunks) for rank, hit in enumerate(ranked.hits, start=1)),
    )


def _mode(request: SearchRequest, trace: Trace) -> RetrievalMode:
    """The mode asked for, or chunks where the index has no level for it: then a note says what to build."""
    mode = MODES[request.config.retrieval]
    if not mode.instead or mode.levels & set(request.index.levels):
        return mode
    trace.note(mode.instead)
    return MODES[Retrieval.CHUNK]


def _with_phrases(request: SearchRequest, trace: Trace, ranked: Candidates) -> Candidates:
    """The candidates that hold the query's phrases, whichever leg found them; all of them where none does."""
    if not request.query.phrases or not ranked.hits:
        return ranked
    phrases = request.terms.phrases
    kept = tuple(
        hit for hit in ranked.hits if hit.chunk_id in ranked.by_words or holds(ranked.chunks[hit.chunk_id], phrases)
    )
    if len(kept) < len(ranked.hits):
        trace.note(_ONLY_PHRASES if kept else _NO_PHRASES)
    return replace(ranked, hits=kept or ranked.hits)


def _distinct(request: SearchRequest, trace: Trace, ranked: Candidates) -> Candidates:
    """The candidates without repeats, where that is asked for, and where those stand."""
    if not request.config.deduplicate:
        return ranked
    kept, repeats = trace.timed(
        "deduplication", "fusion", lambda: deduplicate(ranked.hits, ranked.chunks), lambda made: len(made[0])
    )
    return replace(ranked, hits=tuple(kept), repeats=repeats)


def _results(found: Sequence[ShownResult], ranked: Candidates, near: Neighbours) -> tuple[Result, ...]:
    ranks = (
        {hit.chunk_id: rank for rank, hit in enumerate(ranked.hits, start=1)}
        if any(one.children for one in found)
        else {}
    )
    return tuple(
        as_result(one, rank, ranked, ranks, () if one.children else near.around.get(one.chunk.chunk_id, ()))
        for rank, one in enumerate(found, start=1)
    )


def _context(request: SearchRequest, trace: Trace, results: Sequence[Result]) -> tuple[Context, int]:
    """What would be sent, and the tokens of the results alone."""
    counter, note = context_counter(request.index.config.embedding)
    made = assemble(results, request.config.budget, counter)
    if note:
        trace.note(note)
    if results and not made.sources:
        trace.note(f"No result fits the budget of {request.config.budget} tokens; raise it, or use smaller chunks.")
    return made, sum(hit_tokens(result, counter) for result in results)
