"""Search of an index, end to end: `Query` → `LegResults` → `Ranked` → `SearchResult`, each immutable."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from chunking.config import QuerySyntax, Retrieval, SearchConfig
from chunking.errors import StoreError
from chunking.retrieval.answers.absence import absence_of
from chunking.retrieval.context.context import assemble, hit_tokens
from chunking.retrieval.context.context_tokens import context_counter
from chunking.retrieval.context.expansion import adaptive_neighbours
from chunking.retrieval.document_search import search_documents
from chunking.retrieval.leg_search import LegSearch
from chunking.retrieval.modes.retrieval_modes import MODES, RetrievalMode
from chunking.retrieval.query.identifiers import QueryIdentifiers
from chunking.retrieval.query.query import Query
from chunking.retrieval.query.query_parts import understand
from chunking.retrieval.query.query_terms import contains_phrases, search_terms
from chunking.retrieval.ranking.cutoff import relative_scores
from chunking.retrieval.ranking.identifier_boost import boost_identifiers
from chunking.retrieval.ranking.ranked import Ranked, deduplicate
from chunking.retrieval.ranking.readability import Weighing
from chunking.retrieval.ranking.reranking import rerank
from chunking.retrieval.ranking.sentence_evidence import LanguageText
from chunking.retrieval.results.judging import Candidates, JudgedResults, judge, sentence_similarity
from chunking.retrieval.results.result_items import ShownResult, as_matched, as_result, group
from chunking.retrieval.results.search_result import Context, MatchedChild, Result, SearchResult
from chunking.retrieval.search_trace import Trace

if TYPE_CHECKING:
    from chunking.embedding import Embedder
    from chunking.store import Neighbours, Workspace

__all__ = ["search"]

_ONLY_PHRASES = "Only chunks that contain the quoted phrases are shown."
_NO_PHRASES = "No chunk contains the quoted phrases; the nearest chunks without them are shown."


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
    """Search an index by vectors, full text or both; without any index, documents by words.

    Storage calls are independent of the number of hits (law 8): one per leg and size, and one for the neighbours and
    parents of all hits; one more for words that full text does not know, for a whole query matched as characters, and
    for the vectors that diversity compares. A search by words never loads the model.

    Args:
        workspace: what to search in.
        query: any text; every hit contains its quotations as phrases, if any candidate does (else a note says so).
        config: search settings; the index's own when None.
        index: its name; the newest when None. Without any index, whole documents are searched (`search_documents`).
        where: conditions that every hit fulfils, by key (see `store.FILTERS`).
        syntax: PLAIN ignores quotation marks, as for questions of an evaluation.
        embedder: makes the query's vector; by default the index's model, loaded when first needed.
        vector: the query's, (d,) of unit length, where many queries were encoded at once.
    Raises:
        QueryError: the query is empty, or `where` has an unknown key.
        NotFoundError: no such index; or none at all, and no document.
        ModelError: the model is missing, or not the one that the index was built with.
    """
    if index is None and not workspace.indexes():
        return search_documents(workspace, query, config, where=where, syntax=syntax)
    parts, table = understand(query, syntax), workspace.index(index)
    terms = search_terms(parts)
    while True:
        search_config = config or table.config.search
        try:
            return _search(
                workspace, query, Query(table, parts, terms, search_config, dict(where or {}), embedder, vector)
            )
        except StoreError:
            failed, table = table, workspace.index(index)
            if table.row.table == failed.row.table:  # else it was rebuilt meanwhile: its next table answers
                raise


def _search(workspace: Workspace, text: str, query: Query) -> SearchResult:
    calls_before, trace = workspace.calls, Trace()
    legs = LegSearch(query, trace)
    mode = _mode(query, trace)
    weighing = legs.weighing()
    candidates = _with_identifiers(query, trace, weighing, mode.rank(legs, weighing))
    weighing = legs.adjusted(weighing)
    ranked = _distinct(query, trace, _with_phrases(query, trace, candidates))
    ranked = rerank(query, trace, ranked)
    shown, neighbours = mode.show(query, trace, ranked)
    every = trace.timed("results", "assemble", lambda: _results(query, shown, ranked, neighbours), len)
    rows = tuple(as_matched(hit, rank, ranked.chunks) for rank, hit in enumerate(ranked.hits, start=1))
    judged = _judged(query, trace, legs, weighing, rows, every)
    results = judged.results
    documents = trace.timed("documents", "assemble", lambda: group(results), len)
    context, hits = trace.timed(
        "context", "assemble", lambda: _context(query, trace, results), lambda pair: len(pair[0].sources)
    )
    return SearchResult(
        query=text,
        mode=query.config.mode,
        retrieval=mode.name,
        index=query.index.name,
        fingerprint=query.index.fingerprint,
        language=query.parts.language,
        weights=weighing.weights,
        weight_reason=weighing.reason,
        notes=(*query.parts.notes, *weighing.notes, *trace.notes),
        results=results,
        documents=documents,
        doc_tocs=neighbours.doc_tocs,
        stages=tuple(trace.stages),
        storage_calls=workspace.calls - calls_before,
        context=context,
        hit_tokens=hits,
        absence=absence_of(query, candidates) if results else None,
        left_out=judged.left_out,
        evidence=judged.evidence,
        candidates=rows,
    )


def _mode(query: Query, trace: Trace) -> RetrievalMode:
    """Return the configured mode, or chunks (with a note) if the index lacks the levels for it."""
    mode = MODES[query.config.retrieval]
    if not mode.instead or mode.levels & set(query.index.levels):
        return mode
    trace.note(mode.instead)
    return MODES[Retrieval.CHUNK]


def _with_phrases(query: Query, trace: Trace, ranked: Ranked) -> Ranked:
    """Keep candidates with the query's phrases, whichever leg matched them, or all if none has them."""
    if not query.parts.phrases or not ranked.hits:
        return ranked
    phrases = query.terms.phrases
    hits = tuple(
        hit
        for hit in ranked.hits
        if hit.chunk_id in ranked.by_words or contains_phrases(ranked.chunks[hit.chunk_id], phrases)
    )
    if len(hits) < len(ranked.hits):
        trace.note(_ONLY_PHRASES if hits else _NO_PHRASES)
    return replace(ranked, hits=hits or ranked.hits)


def _with_identifiers(query: Query, trace: Trace, weighing: Weighing, ranked: Ranked) -> Ranked:
    """Raise candidates with the query's identifiers, where full text is searched."""
    query_identifiers = QueryIdentifiers.of(query.parts)
    if not query_identifiers.names or "text" not in weighing.weights:
        return ranked
    return trace.timed(
        "identifiers", "fusion", lambda: boost_identifiers(ranked, query_identifiers), lambda one: len(one.hits)
    )


def _distinct(query: Query, trace: Trace, ranked: Ranked) -> Ranked:
    """Drop duplicates, if configured."""
    if not query.config.deduplicate:
        return ranked
    hits, repeats = trace.timed(
        "deduplication", "fusion", lambda: deduplicate(ranked.hits, ranked.chunks), lambda pair: len(pair[0])
    )
    return replace(ranked, hits=tuple(hits), repeats=repeats)


def _results(query: Query, shown: Sequence[ShownResult], ranked: Ranked, neighbours: Neighbours) -> tuple[Result, ...]:
    ranks = (
        {hit.chunk_id: rank for rank, hit in enumerate(ranked.hits, start=1)}
        if any(one.children for one in shown)
        else {}
    )
    results = tuple(
        as_result(
            one,
            rank,
            ranked,
            ranks,
            () if one.children else neighbours.by_chunk.get(one.chunk.chunk_id, ()),
            language=query.parts.language,
        )
        for rank, one in enumerate(shown, start=1)
    )
    return _with_chosen_neighbours(results, ranked, query.config) if any(query.config.adaptive) else results


def _with_chosen_neighbours(results: tuple[Result, ...], ranked: Ranked, config: SearchConfig) -> tuple[Result, ...]:
    """Leave out the neighbours that add nothing, on the sides that are `auto`."""
    if not results:
        return results
    hits = ranked.hits
    relative = relative_scores(
        np.array([hit.score for hit in hits]),
        min(hit.score for hit in hits),
        max(result.score for result in results),
    )
    scores: dict[str, float] = dict(zip((hit.chunk_id for hit in hits), relative.tolist(), strict=True))

    def score_of(chunk_id: str) -> float:
        return scores.get(chunk_id, 0.0)

    rows = []
    for result in results:
        chunk = result.chunk
        chosen = adaptive_neighbours(chunk, result.neighbours, config.adaptive, score_of(chunk.chunk_id), score_of)
        rows.append(replace(result, neighbours=chosen.chunks, neighbour_reasons=chosen.reasons))
    return tuple(rows)


def _judged(
    query: Query,
    trace: Trace,
    legs: LegSearch,
    weighing: Weighing,
    candidates: Sequence[MatchedChild],
    results: tuple[Result, ...],
) -> JudgedResults:
    """Leave results out and trim the others, if configured; sentences are embedded if there is a vector leg."""
    if not query.config.judges:
        return JudgedResults(results)
    compared = Candidates(
        [one.score for one in candidates],
        (LanguageText(one.chunk.content or one.chunk.summary, one.chunk.language) for one in candidates),
        query.index.row.languages or {one.chunk.language for one in candidates},
        _lowest_cosine(candidates),
    )
    similarity = None
    if query.config.trim and "vector" in weighing.weights and results:
        model = query.model()
        similarity = sentence_similarity(model, legs.query_vector(), lambda: trace.untimed(model.prepare))
    judged = trace.timed(
        "evidence", "evidence", lambda: judge(results, query.parts, query.config, compared, similarity), _staying
    )
    for note in judged.notes:
        trace.note(note)
    return judged


def _lowest_cosine(candidates: Sequence[MatchedChild]) -> float:
    """Return the lowest cosine similarity that the vector leg found; 0 without that leg."""
    legs = (one.legs.get("vector") for one in candidates)
    return min((leg.score for leg in legs if leg is not None and leg.score is not None), default=0.0)


def _staying(judged: JudgedResults) -> int:
    return len(judged.results)


def _context(query: Query, trace: Trace, results: Sequence[Result]) -> tuple[Context, int]:
    """Return the context, and the tokens of the results alone."""
    counter, note = context_counter(query.index.config.embedding)
    context = assemble(results, query.config.budget, counter)
    if note:
        trace.note(note)
    if results and not context.sources:
        trace.note(f"No result fits the budget of {query.config.budget} tokens; raise it, or use smaller chunks.")
    return context, sum(hit_tokens(result, counter) for result in results)
