"""Map tab: the chunks of an index as points with the hits among them, or its summary tree."""

from __future__ import annotations

from typing import Any

import streamlit as st

from chunking.embedding import load_embedder
from chunking.model import CLUSTER
from chunking.retrieval import SearchResult
from chunking.retrieval.query.query import query_vector
from chunking.retrieval.query.query_parts import understand
from chunking.retrieval.results.citation import cite, document_file, document_title
from chunking.store import IndexRow, Workspace
from components.index.map_points import ChunkMap, group_dots, hit_chunks, hits_on, index_map, map_figure
from components.index.summary_tree import nodes, tree_figure
from components.kit.charts import CHART_CONFIG
from components.kit.wording import plain, quantity

__all__ = ["chunk_map"]

_POINTS, _TREE = "Points", "Summary tree"
_DOCUMENT, _SECTION = "Document", "Section"
_MOST_TEXT = 2_000
_CONFIG = CHART_CONFIG | {"scrollZoom": True}


def chunk_map(target: Workspace, row: IndexRow, result: SearchResult, *, height: int) -> None:
    """Draw the hits on a map of the index's chunks (a sample if many), or in its summary tree.

    Args:
        target: workspace of the index.
        row: the searched index.
        result: the search.
        height: height of the figure, in pixels.
    """
    look = _POINTS
    if CLUSTER in target.index(row.name).levels:
        look = str(
            st.segmented_control(
                "Show", [_POINTS, _TREE], default=_POINTS, required=True, key="map.look", label_visibility="collapsed"
            )
        )
    (_tree if look == _TREE else _points)(target, row, result, height)


def _colour() -> str:
    """Draw the choice of what colours mean, and return it."""
    chosen = st.segmented_control(
        "Colour by",
        [_DOCUMENT, _SECTION],
        default=_DOCUMENT,
        required=True,
        key="map.colour",
        help="Section: sections of the document with the best hit; all others are grey.",
    )
    return str(chosen)


def _points(target: Workspace, row: IndexRow, result: SearchResult, height: int) -> None:
    of = index_map(target, row)
    if not of.chunks:
        st.info("This index has no vectors yet.")
        return
    left, right = st.columns([3, 1.1], gap="medium")
    with right:
        colour = _colour()
    best = next((group.doc_id for group in result.documents if group.doc_id), None)
    dots, groups = group_dots(of, best if colour == _SECTION else None)
    dark = st.context.theme.type == "dark"
    rings, question = hits_on(of, result, target.index(row.name)), _question(row, result, of)
    figure = map_figure(dots, rings, question, groups=groups, dark=dark, height=height)
    with left:
        with st.container(
            height=height + 8, border=False, key="map.room"
        ):  # an old figure stays until the new one is drawn: no jump
            event: Any = st.plotly_chart(
                figure,
                theme=None,
                config=_CONFIG,
                key="map.figure",
                on_select="rerun",
                selection_mode="points",
                alt=_alt(of, result),
            )
        st.caption(_meaning(of), help=_HOW)
    with right:
        _names(result)
        _clicked(target, row, event)


def _names(result: SearchResult) -> None:
    """Draw the titles of the hits by rank, as rings show only ranks."""
    with st.container(gap="xsmall", key="map.names"):
        for hit in result.results:
            title = hit.chunk.title_path[-1] if hit.chunk.title_path else document_title(hit.chunk)
            parts = [title, *filter(None, [document_file(hit.chunk)])]
            st.caption(f"**{hit.rank}** · {plain(' · '.join(parts))}")


_HOW = (
    "Principal component analysis of the chunks' vectors: the two directions in which they differ most. Other "
    "differences cannot be seen here, so points that are close on the map are often, but not always, close in meaning. "
    "Rings are hits, with their ranks."
)


def _meaning(of: ChunkMap) -> str:
    return (
        f"{_shown(of)}; this plane shows {of.projection.explained:.0%} of the variance of their vectors. Click a "
        f"point to read it."
    )


def _shown(of: ChunkMap) -> str:
    """Return how many chunks have a point, and how many were read for the plane if not all."""
    total, shown, read = quantity(of.total, "chunk"), len(of.chunks), len(of.places)
    if shown == of.total:
        return total
    return f"{shown:,} of {total}, sampled evenly" + (f" (plane from {read:,})" if read < of.total else "")


def _alt(of: ChunkMap, result: SearchResult) -> str:
    return f"Map of {quantity(of.total, 'chunk')}, with {quantity(len(result.results), 'hit')} marked"


def _question(row: IndexRow, result: SearchResult, of: ChunkMap) -> tuple[float, float] | None:
    """Return the position of the query's vector; None for full-text search."""
    if "vector" not in result.weights:
        return None
    x, y = of.projection.place(
        query_vector(load_embedder(row.config.embedding), understand(result.query).text)[None, :]
    )[0].tolist()
    return x, y


def _clicked(target: Workspace, row: IndexRow, event: Any) -> None:
    """Draw the chunk of the clicked point."""
    points = event.selection.points if event else []
    key = str(points[0]["customdata"][0]) if points and points[0].get("customdata") else ""
    chunk = target.index(row.name).rows_by_id([key]).get(key) if key else None
    if chunk:
        with st.container(border=True, height=300, key="map.clicked"):
            st.caption(plain(cite(chunk)))
            st.text(chunk.content[:_MOST_TEXT])


def _tree(target: Workspace, row: IndexRow, result: SearchResult, height: int) -> None:
    ranks = {key: hit.rank for hit in reversed(result.results) for key in (hit.chunk.chunk_id, *hit_chunks(hit))}
    tree = nodes(target.index(row.name).by_level(CLUSTER), ranks)
    figure = tree_figure(tree, dark=st.context.theme.type == "dark", height=height)
    alt = f"Summary tree of {quantity(len(tree), 'cluster')}; those that contain hits are marked"
    st.plotly_chart(figure, theme=None, config=CHART_CONFIG, key="map.tree", alt=alt)
    st.caption(
        f"{quantity(len(tree), 'cluster')} of similar chunks; ● marks clusters with hits. Click one to open it.",
        help="RAPTOR: chunks are clustered by their vectors and each cluster is summarised; then the summaries "
        "are clustered, and so on. A "
        "chunk may be in several clusters; a cluster is shown under its first parent.",
    )
