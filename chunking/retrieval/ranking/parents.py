"""Replacement of chunks by their parents: always, or where enough of a parent's chunks are hits.

Everything is computed on chunks that were read already, in one storage call for all neighbours and parents.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from chunking.model import CHUNK, PARENT, SECTION, Chunk
from chunking.retrieval.context.expansion import join, runs
from chunking.retrieval.ranking.fused_hits import Fused
from chunking.retrieval.results.result_items import ShownResult

__all__ = ["Merging", "ParentTree", "by_parent", "merge", "parents_in"]


def by_parent(hits: Iterable[Fused], chunks: Mapping[str, Chunk], most: int) -> dict[str, list[Fused]]:
    """Candidates by the id of their parent, the first `most` parents in the order of their best children."""
    families: dict[str, list[Fused]] = {}
    for hit in hits:
        parent = chunks[hit.chunk_id].parent_id
        if parent in families or len(families) < most:
            families.setdefault(parent, []).append(hit)
    return families


def parents_in(chunks: Iterable[Chunk]) -> tuple[set[str], set[str]]:
    """Ids of the chunks' parents: those with a row of their own, and sections, whose parts must be read."""
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
        """The parent of a chunk or parent; None where it has none, or its parent was not read."""
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
    """A result under construction."""

    chunk: Chunk
    hits: list[Fused]
    """Best first."""
    because: str = ""


@dataclass(slots=True)
class Merging:
    """Auto-merge of HiChunk (Lu et al. 2025, arXiv 2509.11552).

    Candidates are added in the order of their rank. Once at least two results are children of one parent, make up at
    least `share` × (1 + used / budget) of its tokens, and the budget has room for it, the parent replaces them; its own
    parent is tried next. The fuller the budget, the larger the share must be.
    """

    tree: ParentTree
    tokens: Callable[[Chunk], int]
    """Of a chunk's content."""
    share: float
    budget: int
    """Most tokens of all results; 0: no limit."""
    _nodes: list[_Node] = field(default_factory=list)
    _places: dict[str, int] = field(default_factory=dict)
    """Ranks of the candidates so far; scores do not give them, since candidates behind the reranked keep their own."""
    _used: int = 0

    def add(self, chunk: Chunk, hit: Fused, most: int) -> None:
        """Add the next candidate to the result that contains it, else as a new one within the limits."""
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
        """Results in the order of their best candidates."""
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
            f"{len(children)} of its {len(parent.children)} chunks were found, which hold {child_tokens} "
            f"of its {parent_tokens} tokens ({needed:.0%} "
            "were needed); its score is that of the best."
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
