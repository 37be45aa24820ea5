"""Parents in the place of their chunks: always, or where enough of their chunks were found.

All of this is arithmetic over chunks already read: one storage call brings the neighbours of all hits and all parents
that
may take their place.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from chunking.model import CHUNK, PARENT, SECTION, Chunk
from chunking.retrieval.context.expansion import join, runs
from chunking.retrieval.ranking.fused_hits import Fused
from chunking.retrieval.results.result_items import ShownResult

__all__ = ["Merging", "Tree", "by_parent", "merged", "parents_in"]


def by_parent(hits: Iterable[Fused], chunks: Mapping[str, Chunk], most: int) -> dict[str, list[Fused]]:
    """Candidates by the id of their parent, the first `most` parents in the order of their best children."""
    found: dict[str, list[Fused]] = {}
    for hit in hits:
        parent = chunks[hit.chunk_id].parent_id
        if parent in found or len(found) < most:
            found.setdefault(parent, []).append(hit)
    return found


def parents_in(chunks: Iterable[Chunk]) -> tuple[set[str], set[str]]:
    """Of the parents of chunks, those with a row of their own and those that are sections, whose parts have to be read."""
    ids = {(chunk.parent_id, chunk.parent_id == chunk.section_id) for chunk in chunks if chunk.parent_id}
    return {name for name, section in ids if not section}, {name for name, section in ids if section}


class Tree:
    """The parents that were read."""

    def __init__(self, rows: Mapping[str, Chunk], sections: Collection[str]) -> None:
        """Take what the store gave.

        Small chunks of neighbouring sections that were joined stand in the section above, whose other parts need not
        touch
        them: each run of parts that do is a parent of its own.

        Args:
            rows: parents, and what stands right under sections, of any level, by id.
            sections: those whose parts are among them.
        """
        self._nodes = {row.chunk_id: row for row in rows.values() if row.level == PARENT}
        self._runs: dict[str, tuple[str, list[Chunk]]] = {}
        self._made: dict[str, Chunk] = {}
        parts: dict[str, list[Chunk]] = {}
        for row in (
            rows.values()
        ):  # larger sizes and the nodes of subsections stand under a section too, and hold the same text again
            if row.parent_id in sections and row.level in (CHUNK, PARENT):
                parts.setdefault(row.parent_id, []).append(row)
        for section_id, some in parts.items():
            for number, run in enumerate(runs(some)):
                name = f"{section_id}.{number}" if number else section_id
                self._runs.update((part.chunk_id, (name, run)) for part in run)

    def parent(self, chunk: Chunk) -> Chunk | None:
        """What a chunk or parent is a part of; None where that was not read, or there is nothing."""
        if chunk.chunk_id not in self._runs:
            return self._nodes.get(chunk.parent_id)
        name, run = self._runs[chunk.chunk_id]
        if name not in self._made:
            self._made[name] = _section(name, run)
        return self._made[name]

    def apart(self, hits: Iterable[Fused], chunks: Mapping[str, Chunk]) -> list[list[Fused]]:
        """Candidates by their parents, in the order of the best of each; what has none stands alone."""
        found: dict[str, list[Fused]] = {}
        for hit in hits:
            parent = self.parent(chunks[hit.chunk_id])
            found.setdefault(parent.chunk_id if parent else hit.chunk_id, []).append(hit)
        return list(found.values())


def _section(name: str, parts: Sequence[Chunk]) -> Chunk:
    """A section as one chunk, made of its parts in reading order, with no text missing between them."""
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
    """A result that is being put together."""

    chunk: Chunk
    hits: list[Fused]
    """Best first."""
    because: str = ""


@dataclass(slots=True)
class Merging:
    """Auto-merge of HiChunk (Lu et al. 2025, arXiv 2509.11552).

    Candidates are taken in the order of their rank. As soon as at least two results are children of one parent, and
    hold
    at least `share` × (1 + used / budget) of its tokens, and the budget has room for it, the parent takes their place;
    the
    same is then asked of the parent's parent. The fuller the budget, the more of a parent must have been found.
    """

    tree: Tree
    tokens: Callable[[Chunk], int]
    """Of a chunk's content."""
    share: float
    budget: int
    """Most tokens of all results; 0: no limit."""
    _nodes: list[_Node] = field(default_factory=list)
    _places: dict[str, int] = field(default_factory=dict)
    """Of the candidates so far. Scores do not tell them: those that no reranker reached keep theirs, and stand behind.
    """
    _used: int = 0

    def add(self, chunk: Chunk, hit: Fused, most: int) -> None:
        """Take the next candidate, unless there are `most` results already or no room; what lies in a result joins it."""
        self._places[hit.chunk_id] = len(self._places)
        inside = next((node for node in self._nodes if _holds(node.chunk, chunk)), None)
        if inside is not None:
            inside.hits.append(hit)
            return
        if len(self._nodes) >= most or (self.budget and self._used >= self.budget):
            return
        self._nodes.append(_Node(chunk, [hit]))
        self._used += self.tokens(chunk)
        while self._merge(self._nodes[-1]):
            pass

    def found(self) -> list[ShownResult]:
        """The results, by their best candidates."""
        nodes = sorted(self._nodes, key=lambda node: self._places[node.hits[0].chunk_id])
        return [
            ShownResult(node.chunk, node.hits[0], tuple(node.hits) if node.because else (), node.because)
            for node in nodes
        ]

    def _merge(self, node: _Node) -> bool:
        """Put the parent of a result in the place of all its children; whether that was done. It then is the last
        result.
        """
        parent = self.tree.parent(node.chunk)
        if parent is None:
            return False
        children = [one for one in self._nodes if self.tree.parent(one.chunk) is parent]
        held, whole = sum(self.tokens(one.chunk) for one in children), self.tokens(parent)
        needed = self.share * (1 + (self._used / self.budget if self.budget else 0))
        room = not self.budget or self._used - held + whole <= self.budget
        if len(children) < 2 or held < needed * whole or not room:
            return False
        because = (
            f"{len(children)} of its {len(parent.children)} chunks were found, which hold {held} of its "
            f"{whole} tokens ({needed:.0%} "
            "were needed); its score is that of the best."
        )
        hits = sorted((hit for one in children for hit in one.hits), key=lambda hit: self._places[hit.chunk_id])
        self._nodes = [one for one in self._nodes if one not in children]
        self._nodes.append(_Node(parent, hits, because))
        self._used += whole - held
        return True


def merged(hits: Iterable[Fused], chunks: Mapping[str, Chunk], merging: Merging, most: int) -> list[ShownResult]:
    """Candidates, best first, as at most `most` results."""
    for hit in hits:
        merging.add(chunks[hit.chunk_id], hit, most)
    return merging.found()


def _holds(parent: Chunk, chunk: Chunk) -> bool:
    return (
        parent.doc_id == chunk.doc_id
        and parent.start <= chunk.start
        and chunk.end <= parent.end
        and parent.level != chunk.level
    )
