"""What is drawn on the map: which chunks, in which groups, and where the hits are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import streamlit as st

from chunking.model import Chunk
from chunking.retrieval import Result, SearchResult
from chunking.retrieval.results.citation import document_file, document_title
from chunking.store import IndexRow, Workspace, distinct_labels
from components.index.chunk_map.figure import MOST_GROUPS, REST, Dot, MapHit
from components.index.chunk_map.projection import Projection, project, spread
from components.search.hits.snippets import beginning
from components.session.document_caches import clear_when_unused
from components.session.workspace import workspace

__all__ = ["MOST_DOTS", "ChunkMap", "drawn", "grouped", "hits_on", "members"]

MOST_DOTS = 6_000
"""Chunks that are drawn; of more, every so manieth, which the page says."""


@dataclass(frozen=True, slots=True)
class ChunkMap:
    """The map of an index, whatever is searched."""

    projection: Projection
    """Of all its chunks."""
    places: Mapping[str, int]
    """Chunk id to its row there."""
    chunks: Sequence[tuple[str, str, str, str]]
    """Of each that is drawn: chunk id, what its document is called, section, beginning."""


def drawn(target: Workspace, row: IndexRow) -> ChunkMap:
    """The map of an index, made once a version of it."""
    return _drawn(target.uri, row.table, row.updated, row.name)


@clear_when_unused
@st.cache_resource(show_spinner="Drawing the map of this index (once) …", max_entries=4)
def _drawn(address: str, table: str, updated: str, name: str) -> ChunkMap:
    index = workspace().index(name)
    found = index.vectors_of()
    projection = project(found.ids, found.doc_ids, found.vectors)
    chosen = [found.ids[place] for place in spread(len(found.ids), MOST_DOTS).tolist()]
    chunks = index.rows_by_id(chosen) if chosen else {}
    labels = distinct_labels({chunk.doc_id: (document_title(chunk), document_file(chunk)) for chunk in chunks.values()})
    rows = [
        (key, labels[chunk.doc_id], _section(chunk), beginning(chunk)) for key in chosen if (chunk := chunks.get(key))
    ]
    return ChunkMap(projection, {key: place for place, key in enumerate(found.ids)}, rows)


def _section(chunk: Chunk) -> str:
    """The heading under the document's title, which is what divides a document best; the title where it has none."""
    path = [title for title in chunk.title_path if title != document_title(chunk)]
    return path[0] if path else document_title(chunk)


def grouped(of: ChunkMap, by_section_of: str | None) -> tuple[list[Dot], list[str]]:
    """The dots, and the groups that have a colour, the largest first.

    Args:
        by_section_of: the document whose sections are the groups; None: every document is one.
    """
    projection = of.projection
    names = [
        _group(projection.doc_ids[of.places[key]], title, section, by_section_of)
        for key, title, section, _ in of.chunks
    ]
    sizes = Counter(name for name in names if name != REST)
    groups = [name for name, _ in sorted(sizes.items(), key=lambda item: (-item[1], item[0]))[:MOST_GROUPS]]
    dots = []
    for name, (key, title, section, text) in zip(names, of.chunks, strict=True):
        x, y = projection.points[of.places[key]].tolist()
        dots.append(
            Dot(
                key, x, y, name if name in groups else REST, f"{title} › {section}" if section != title else title, text
            )
        )
    return dots, groups


def _group(doc_id: str, title: str, section: str, by_section_of: str | None) -> str:
    return title if by_section_of is None else section if doc_id == by_section_of else REST


def members(hit: Result) -> list[str]:
    """The chunks of a hit: those that were found in a parent, itself, or what a summary stands for."""
    if hit.matched:
        return [child.chunk.chunk_id for child in hit.matched]
    return [hit.chunk.chunk_id, *hit.chunk.children] if not hit.chunk.content else [hit.chunk.chunk_id]


def hits_on(of: ChunkMap, result: SearchResult) -> list[MapHit]:
    """A ring for each chunk of a hit."""
    rings = []
    for hit in result.results:
        heading = hit.chunk.title_path[-1] if hit.chunk.title_path else document_title(hit.chunk)
        title = " · ".join(filter(None, (heading, document_file(hit.chunk))))
        for place in (of.places[key] for key in members(hit) if key in of.places):
            x, y = of.projection.points[place].tolist()
            rings.append(MapHit(hit.rank, x, y, title))
    return rings
