"""Results of the retrieval modes: candidates or parents, with neighbours, in one storage call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from chunking.model import CHUNK, PARENT, SECTION, Chunk
from chunking.retrieval.context.context_tokens import content_tokens
from chunking.retrieval.context.expansion import join, runs
from chunking.retrieval.query.query import Query
from chunking.retrieval.ranking.fused_hits import Fused
from chunking.retrieval.ranking.ranked import Ranked
from chunking.retrieval.results.result_items import ShownResult
from chunking.retrieval.search_trace import Trace

if TYPE_CHECKING:
    from chunking.store import Neighbours

__all__ = ["Merging", "ParentTree", "by_parent", "merge", "merged_results", "own_results", "parent_results"]

_MERGED_FROM = 3
"""Multiple of `k` considered for merging: parents free places, which the next candidates take."""
_MERGED_MOST = 100
"""Maximum candidates considered beyond `k`."""


def own_results(query: Query, trace: Trace, ranked: Ranked) -> tuple[list[ShownResult], Neighbours]:
    """Return the first `k` candidates as results, and their neighbours, which it reads."""
    shown = [ShownResult(ranked.chunks[hit.chunk_id], hit) for hit in ranked.hits[: query.config.k]]
    return shown, _neighbours(query, trace, [one.chunk for one in shown])


def parent_results(query: Query, trace: Trace, ranked: Ranked) -> tuple[list[ShownResult], Neighbours]:
    """Return the first `k` parents of the candidates, each with the score of its best child.

    A chunk without a parent is a result itself.
    """
    chunks, k = ranked.chunks, query.config.k
    grouped = trace.timed("parents", "merge", lambda: by_parent(ranked.hits, chunks, k), len)
    best = [chunks[hits[0].chunk_id] for hits in grouped.values()]
    rows, sections = parents_in(best)
    neighbours = _neighbours(query, trace, best, also=rows, sections=sections, adjacent=False)
    tree = ParentTree(neighbours.also, sections)
    places = {hit.chunk_id: place for place, hit in enumerate(ranked.hits)}
    families = (hits for some in grouped.values() for hits in tree.grouped(some, chunks))
    first = sorted(families, key=lambda hits: places[hits[0].chunk_id])[:k]
    return [_parent(tree, chunks, hits) for hits in first], neighbours


def _parent(tree: ParentTree, chunks: Mapping[str, Chunk], hits: Sequence[Fused]) -> ShownResult:
    child = chunks[hits[0].chunk_id]
    parent = tree.parent(child)
    if parent is None:  # a chunk outside every section
        return ShownResult(child, hits[0])
    because = f"{len(hits)} of its {len(parent.children)} chunks were found; its score is that of the best."
    return ShownResult(parent, hits[0], tuple(hits), because)


def merged_results(query: Query, trace: Trace, ranked: Ranked) -> tuple[list[ShownResult], Neighbours]:
    """Return at most `k` results: candidates, or a parent where enough of its chunks are hits.

    Their neighbours are returned, too, read in one call together with the parents.
    """
    config, chunks = query.config, ranked.chunks
    first = ranked.hits[: min(_MERGED_FROM * config.k, config.k + _MERGED_MOST)]
    families = [hits for hits in by_parent(first, chunks, len(first)).values() if len(hits) > 1]
    rows, sections = parents_in(chunks[hits[0].chunk_id] for hits in families)
    outer = _recurring(
        chunks[hits[0].chunk_id].section_id for hits in families if chunks[hits[0].chunk_id].parent_id in rows
    )
    neighbours = _neighbours(
        query, trace, [chunks[hit.chunk_id] for hit in first], also=rows, sections=sections | outer
    )
    tokens = content_tokens(query.index.config.embedding)
    merging = Merging(ParentTree(neighbours.also, sections | outer), tokens, config.merge_share, config.budget)
    return trace.timed("parents", "merge", lambda: merge(first, chunks, merging, config.k), len), neighbours


def _neighbours(
    query: Query,
    trace: Trace,
    hits: Sequence[Chunk],
    *,
    also: Iterable[str] = (),
    sections: Iterable[str] = (),
    adjacent: bool = True,
) -> Neighbours:
    """Read the neighbours of each hit, the outline of each document and other rows in one storage call.

    Args:
        also: ids of further rows (parents).
        sections: ids of sections whose parts are read too.
        adjacent: False omits the neighbours.
    """
    config = query.config
    before, after = config.reach if adjacent else (0, 0)
    return trace.timed(
        "neighbours",
        "expand",
        lambda: query.index.neighbours(
            hits, before, after, across_parents=config.across_parents, also=also, children_of=sections
        ),
        lambda read: len({chunk.chunk_id for chunks in read.by_chunk.values() for chunk in chunks} | read.also.keys()),
    )


def _recurring(names: Iterable[str]) -> set[str]:
    """Return the names that occur more than once."""
    return {name for name, count in Counter(names).items() if count > 1}


# -- parents in the place of their chunks


def by_parent(hits: Iterable[Fused], chunks: Mapping[str, Chunk], most: int) -> dict[str, list[Fused]]:
    """Group candidates by parent id: the first `most` parents in the order of their best children.

    Candidates without a parent are one group, under "".
    """
    families: dict[str, list[Fused]] = {}
    for hit in hits:
        parent = chunks[hit.chunk_id].parent_id
        if parent in families or len(families) < most:
            families.setdefault(parent, []).append(hit)
    return families


def parents_in(chunks: Iterable[Chunk]) -> tuple[set[str], set[str]]:
    """Return the ids of the chunks' parents: those stored as rows, and sections, whose parts must be read."""
    ids = {(chunk.parent_id, chunk.parent_id == chunk.section_id) for chunk in chunks if chunk.parent_id}
    return {name for name, section in ids if not section}, {name for name, section in ids if section}


class ParentTree:
    """Parents of chunks, as read from the store."""

    def __init__(self, rows: Mapping[str, Chunk], sections: Collection[str]) -> None:
        """Build the tree; each run of adjacent parts of a section is a parent of its own.

        Small chunks of neighbouring sections that were joined belong to the outer section, whose other parts need not
        be adjacent.

        Args:
            rows: parents and direct children of sections, of any level, by id.
            sections: ids of sections whose parts are among the rows.
        """
        self._nodes = {row.chunk_id: row for row in rows.values() if row.level == PARENT}
        self._runs: dict[str, tuple[str, list[Chunk]]] = {}
        self._sections: dict[str, Chunk] = {}
        parts: dict[str, list[Chunk]] = {}
        for row in rows.values():
            # Larger sizes and nodes of subsections are children of a section too, and repeat its text.
            if row.parent_id in sections and row.level in (CHUNK, PARENT):
                parts.setdefault(row.parent_id, []).append(row)
        for section_id, some in parts.items():
            for number, run in enumerate(runs(some)):
                name = f"{section_id}.{number}" if number else section_id
                self._runs.update((part.chunk_id, (name, run)) for part in run)

    def parent(self, chunk: Chunk) -> Chunk | None:
        """Return the parent of a chunk or parent; None if it has none, or its parent was not read."""
        if chunk.chunk_id not in self._runs:
            return self._nodes.get(chunk.parent_id)
        name, run = self._runs[chunk.chunk_id]
        if name not in self._sections:
            self._sections[name] = _section(name, run)
        return self._sections[name]

    def grouped(self, hits: Iterable[Fused], chunks: Mapping[str, Chunk]) -> list[list[Fused]]:
        """Group candidates by parent, in the order of the best of each; those without a parent stay single."""
        families: dict[str, list[Fused]] = {}
        for hit in hits:
            parent = self.parent(chunks[hit.chunk_id])
            families.setdefault(parent.chunk_id if parent else hit.chunk_id, []).append(hit)
        return list(families.values())


def _section(name: str, parts: Sequence[Chunk]) -> Chunk:
    """Join adjacent parts of a section, in reading order, into one chunk."""
    first, last = parts[0], parts[-1]
    return replace(
        first,
        chunk_id=name,
        parent_id="",
        content=join(parts),
        end=max(part.end for part in parts),
        token_count=sum(part.token_count for part in parts),
        next_id=last.next_id,
        pages=tuple(page for part in parts for page in part.pages),
        bboxes=tuple(box for part in parts for box in part.bboxes),
        flags=(),
        hash="",
        description="",
        level=SECTION,
        children=tuple(part.chunk_id for part in parts),
        larger_ids=(),
    )


@dataclass(slots=True, eq=False)
class _Node:
    """Result under construction."""

    chunk: Chunk
    hits: list[Fused]
    """Matched candidates, best first."""
    because: str = ""


# -- merging: parents where enough of their chunks are hits


@dataclass(slots=True)
class Merging:
    """Auto-merging by the rule of HiChunk (Lu et al. 2025, arXiv 2509.11552).

    Candidates are added in the order of their rank. Once at least two results are children of one parent, make up at
    least `share` × (1 + used / budget) of its tokens, and the budget has room for it, the parent replaces them; its own
    parent is tried next. The fuller the budget, the larger the share must be.
    """

    tree: ParentTree
    tokens: Callable[[Chunk], int]
    """Function that counts the tokens of a chunk's content."""
    share: float
    budget: int
    """Maximum tokens of all results; 0: no limit."""
    _nodes: list[_Node] = field(default_factory=list)
    _places: dict[str, int] = field(default_factory=dict)
    """Ranks of the candidates so far.

    Scores do not give them, since candidates behind the reranked keep their own.
    """
    _used: int = 0

    def add(self, chunk: Chunk, hit: Fused, most: int) -> None:
        """Add the next candidate to the result that contains it, else as a new result.

        A parent replaces its results once they are enough. Beyond `most` results or the budget, the candidate is
        dropped.
        """
        self._places[hit.chunk_id] = len(self._places)
        container = next((node for node in self._nodes if _contains(node.chunk, chunk)), None)
        if container is not None:
            container.hits.append(hit)
            return
        if len(self._nodes) >= most or (self.budget and self._used >= self.budget):
            return
        self._nodes.append(_Node(chunk, [hit]))
        self._used += self.tokens(chunk)
        while self._merge(self._nodes[-1]):
            pass

    def results(self) -> list[ShownResult]:
        """Return the results in the order of their best candidates."""
        nodes = sorted(self._nodes, key=lambda node: self._places[node.hits[0].chunk_id])
        return [
            ShownResult(node.chunk, node.hits[0], tuple(node.hits) if node.because else (), node.because)
            for node in nodes
        ]

    def _merge(self, node: _Node) -> bool:
        """Replace a result and its siblings by their parent, as the last result; True if done."""
        parent = self.tree.parent(node.chunk)
        if parent is None:
            return False
        children = [one for one in self._nodes if self.tree.parent(one.chunk) is parent]
        child_tokens, parent_tokens = sum(self.tokens(one.chunk) for one in children), self.tokens(parent)
        needed = self.share * (1 + (self._used / self.budget if self.budget else 0))
        room = not self.budget or self._used - child_tokens + parent_tokens <= self.budget
        if len(children) < 2 or child_tokens < needed * parent_tokens or not room:
            return False
        because = (
            f"{len(children)} of its {len(parent.children)} chunks were found, which hold {child_tokens} of its "
            f"{parent_tokens} tokens ({needed:.0%} were needed); its score is that of the best."
        )
        hits = sorted((hit for one in children for hit in one.hits), key=lambda hit: self._places[hit.chunk_id])
        self._nodes = [one for one in self._nodes if one not in children]
        self._nodes.append(_Node(parent, hits, because))
        self._used += parent_tokens - child_tokens
        return True


def merge(hits: Iterable[Fused], chunks: Mapping[str, Chunk], merging: Merging, most: int) -> list[ShownResult]:
    """Merge candidates, best first, into at most `most` results."""
    for hit in hits:
        merging.add(chunks[hit.chunk_id], hit, most)
    return merging.results()


def _contains(parent: Chunk, chunk: Chunk) -> bool:
    return (
        parent.doc_id == chunk.doc_id
        and parent.start <= chunk.start
        and chunk.end <= parent.end
        and parent.level != chunk.level
    )
