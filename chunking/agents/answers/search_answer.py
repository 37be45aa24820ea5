"""The tool `search`: hits within a token budget, and notes on how to use them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chunking.agents.addresses import AppAddress
from chunking.agents.answers.answer_models import NeighbourText, SearchHit, SearchHits
from chunking.text.byte_caches import MB, ByteCache

if TYPE_CHECKING:
    from chunking.config import Config
    from chunking.model import Chunk
    from chunking.retrieval import Result, SearchResult
    from chunking.retrieval.context.context import Counter
    from chunking.store import Index, Workspace

__all__ = ["SearchOptions", "chunk_title", "search_hits"]

_NOTHING = "Nothing was found: use other words, drop filters, or call list_documents to see what there is."

_staleness: ByteCache[str] = ByteCache(f"{__name__}.staleness", MB)


@dataclass(frozen=True, slots=True)
class SearchOptions:
    """Options of a search and its answer; see `Toolbox.search`."""

    mode: str
    retrieval: str
    k: int
    filters: Mapping[str, str]
    neighbours: int
    budget: int
    detail: bool
    operators: bool

    def config(self, base: Config | None) -> Config:
        """Return the index's settings with these options; the budget applies to the answer instead.

        Raises:
            ConfigError: an unknown mode, or a number out of range.
        """
        from chunking.config import Config

        names = {"search.mode": self.mode, "search.retrieval": self.retrieval}
        counts: dict[str, object] = {
            "search.k": self.k,
            "search.before": self.neighbours,
            "search.after": self.neighbours,
            "search.budget": 0,
        }
        return Config.from_settings({key: value for key, value in names.items() if value} | counts, base)


def search_hits(workspace: Workspace, query: str, options: SearchOptions, address: AppAddress) -> SearchHits:
    """Search the newest index, or whole documents without one, and fit hits to the budget.

    A hit that does not fit is left out and counted, even the first; smaller ones after it may still fit.
    """
    from chunking.config import Config, QuerySyntax
    from chunking.retrieval import search
    from chunking.retrieval.context.context_tokens import context_counter

    index = workspace.index() if workspace.indexes() else None
    config = options.config(index.config if index else None)
    syntax = QuerySyntax.OPERATORS if options.operators else QuerySyntax.PLAIN
    answer = search(workspace, query, config.search, where=options.filters, syntax=syntax)
    counter, _ = context_counter((index.config if index else Config()).embedding)
    hits = [
        _hit(result, address, index.config if index else Config(), detail=options.detail) for result in answer.results
    ]
    kept, tokens = _fit_budget(hits, options.budget, counter)
    return SearchHits(
        results=kept,
        tokens=tokens,
        left_out=len(hits) - len(kept),
        notes=list(dict.fromkeys(_notes(workspace, index, answer, options, len(hits) - len(kept)))),
        index=answer.index if options.detail else "",
        mode=answer.mode.value if options.detail else "",
    )


def chunk_title(chunk: Chunk) -> str:
    """Return the title of a chunk's document with its section path: `Handbook › Install`."""
    from chunking.retrieval.results.citation import cited_place, document_title

    return cited_place(document_title(chunk), "", chunk.title_path, chunk.start, chunk.end)[0]


def _hit(result: Result, address: AppAddress, config: Config, *, detail: bool) -> SearchHit:
    chunk = result.part
    hit = SearchHit(
        id=chunk.chunk_id,
        title=chunk_title(chunk),
        text=chunk.content or chunk.summary,
        url=address.of_chunk(result.chunk, config),
        before=[_neighbour(one) for one in result.neighbours if one.start < chunk.start],
        after=[_neighbour(one) for one in result.neighbours if one.start >= chunk.start],
    )
    if not detail:
        return hit
    own = {
        "doc": chunk.doc_id,
        "section": chunk.section_id,
        "start": chunk.start,
        "end": chunk.end,
        "pages": sorted(set(chunk.pages)),
    }
    why = f"{result.explanation} {result.evidence.explanation}" if result.evidence else result.explanation
    return hit.model_copy(update=own | {"score": round(result.score, 4), "why": why})


def _neighbour(chunk: Chunk) -> NeighbourText:
    return NeighbourText(id=chunk.chunk_id, text=chunk.content or chunk.summary)


def _fit_budget(hits: Sequence[SearchHit], budget: int, counter: Counter) -> tuple[list[SearchHit], int]:
    """Return the whole hits that fit the budget, in rank order, and their tokens; gaps are allowed."""
    kept, used = list[SearchHit](), 0
    for hit in hits:
        texts = [hit.title, hit.text, *(one.text for one in (*hit.before, *hit.after))]
        cost = int(sum(counter.count_each(texts)))
        if not budget or used + cost <= budget:
            kept.append(hit)
            used += cost
    return kept, used


def _notes(
    workspace: Workspace, index: Index | None, result: SearchResult, options: SearchOptions, left_out: int
) -> Iterator[str]:
    """Yield notes for the agent, the most important first."""
    if not result.results:
        yield _NOTHING
    if result.absence is not None and result.absence.probable:
        yield (
            f"The documents probably do not contain this. {result.absence.evidence} Say so rather than "
            f"answer from these results."
        )
    if left_out:
        yield (
            f"{left_out} of {len(result.results)} results did not fit the budget of {options.budget:,} tokens; "
            f"raise it, or ask for fewer."
        )
    if result.evidence is not None and (result.left_out or result.evidence.trimmed):
        yield f"{result.evidence.sentence} Fetch a hit by its id for the rest of its text."
    yield from result.notes
    if index is not None:
        stale = _stale(workspace, index)
        if stale:
            yield f"The index may not cover recent changes. {stale}"


def _stale(workspace: Workspace, index: Index) -> str:
    """Return why the index is out of date, cached until the next write; empty if it is current."""
    from chunking.indexing import staleness

    key = (workspace.uri, workspace.version(), index.name)
    sentence = _staleness.get(key)
    if sentence is None:
        sentence = staleness(workspace, index.row)
        _staleness.put(key, sentence)
    return sentence
