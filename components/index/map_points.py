"""Points of the chunk map: projection of the vectors, selection of chunks, and figure.

The projection is principal component analysis (Pearson 1901). Text is escaped, since plotly renders some markup.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import streamlit as st
from numpy.typing import NDArray

from chunking.model import Chunk
from chunking.retrieval import Result, SearchResult
from chunking.retrieval.results.citation import document_file, document_title
from chunking.store import Index, IndexRow, Workspace, distinct_labels
from chunking.store.index.index_samples import spread
from chunking.viewing.colours import COLOURS
from components.kit.charts import dress
from components.search.hits.snippets import beginning
from components.session.document_caches import clear_when_unused
from components.session.workspace import workspace

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

__all__ = [
    "MOST_DOTS",
    "MOST_GROUPS",
    "ChunkMap",
    "Dot",
    "MapHit",
    "group_dots",
    "hit_chunks",
    "hits_on",
    "index_map",
    "map_figure",
    "project",
]

MOST_SAMPLED = 20_000
"""Most vectors read, 30 MB of 384 dimensions; of more chunks, an even sample, which the page says."""
MOST_DOTS = 6_000
"""Most chunks drawn, an even sample of those read, which the page says, too."""

Floats = NDArray[np.float32]

MOST_GROUPS = 8
"""Most groups with a colour and symbol; all others are grey."""
REST = "others"

_LOOKS = (
    ("chunk_a", "circle"),
    ("chunk_b", "square"),
    ("answer", "diamond"),
    ("block_image", "triangle-up"),
    ("meaning", "cross"),
    ("neighbour", "triangle-down"),
    ("warning", "x"),
    ("block_quote", "pentagon"),
)
"""Colour and symbol of each group; the symbol identifies it without the colour."""


@dataclass(frozen=True, slots=True)
class ChunkMap:
    """Map of an index: positions of its chunks, and the drawn ones; independent of the search."""

    projection: Projection
    """Projection of all chunks, or of an even sample of them."""
    total: int
    """Number of all chunks of the index."""
    places: Mapping[str, int]
    """Chunk id to its row in the projection."""
    chunks: Sequence[tuple[str, str, str, str]]
    """(chunk id, document label, section, beginning) of each drawn chunk."""


def index_map(target: Workspace, row: IndexRow) -> ChunkMap:
    """Return the map of an index from a cache; a new version reads up to `MOST_SAMPLED` vectors."""
    return _drawn(target.uri, row.table, row.updated, row.name)


@clear_when_unused
@st.cache_resource(show_spinner="Drawing the map of this index (once) …", max_entries=4)
def _drawn(address: str, table: str, updated: str, name: str) -> ChunkMap:
    index = workspace().index(name)
    stored, total = index.vector_sample(MOST_SAMPLED)
    projection = project(stored.ids, stored.doc_ids, stored.vectors)
    chosen = [stored.ids[place] for place in spread(len(stored.ids), MOST_DOTS)]
    chunks = index.rows_by_id(chosen) if chosen else {}
    labels = distinct_labels({chunk.doc_id: (document_title(chunk), document_file(chunk)) for chunk in chunks.values()})
    rows = [
        (key, labels[chunk.doc_id], _section(chunk), beginning(chunk)) for key in chosen if (chunk := chunks.get(key))
    ]
    return ChunkMap(projection, total, {key: place for place, key in enumerate(stored.ids)}, rows)


def _section(chunk: Chunk) -> str:
    """Return the first heading under the document's title, or the title if there is none."""
    path = [title for title in chunk.title_path if title != document_title(chunk)]
    return path[0] if path else document_title(chunk)


def group_dots(of: ChunkMap, by_section_of: str | None) -> tuple[list[Dot], list[str]]:
    """Return a dot per drawn chunk, and the names of the groups that get a colour, largest first.

    Args:
        by_section_of: document whose sections are the groups; None: documents are the groups.
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


def hit_chunks(hit: Result) -> list[str]:
    """Return the ids of a hit's matched chunks, else of itself and, if a summary, its children."""
    if hit.matched:
        return [child.chunk.chunk_id for child in hit.matched]
    return [hit.chunk.chunk_id, *hit.chunk.children] if not hit.chunk.content else [hit.chunk.chunk_id]


def hits_on(of: ChunkMap, result: SearchResult, index: Index) -> list[MapHit]:
    """Return a ring for each hit's chunks in the map's projection, even where no dot is drawn.

    Vectors of hits outside the sample are read by id, in one query.
    """
    keys = [key for hit in result.results for key in hit_chunks(hit)]
    points = {key: of.projection.points[of.places[key]].tolist() for key in keys if key in of.places}
    unread = [key for key in keys if key not in points] if len(of.places) < of.total else []
    vectors = index.vectors_by_id(unread)
    points |= {key: of.projection.place(vector[None, :])[0].tolist() for key, vector in vectors.items()}
    rings = []
    for hit in result.results:
        heading = hit.chunk.title_path[-1] if hit.chunk.title_path else document_title(hit.chunk)
        title = " · ".join(filter(None, (heading, document_file(hit.chunk))))
        places = [points[key] for key in hit_chunks(hit) if key in points]
        rings += [MapHit(hit.rank, x, y, title) for x, y in places]
    return rings


@dataclass(frozen=True, slots=True)
class Projection:
    """Chunks of an index projected to a plane."""

    ids: list[str]
    """(n,) chunk ids."""
    doc_ids: list[str]
    """(n,) document ids."""
    points: Floats
    """(n, 2) positions."""
    mean: Floats
    """(d,) mean vector."""
    axes: Floats
    """(d, 2) orthonormal columns."""
    explained: float
    """Share of the vectors' variance in the plane, 0 to 1."""

    def place(self, vectors: Floats) -> Floats:
        """Project other vectors to the same plane: (m, d) to (m, 2)."""
        placed: Floats = ((vectors - self.mean) @ self.axes).astype(np.float32)
        return placed


def project(ids: Sequence[str], doc_ids: Sequence[str], vectors: Floats) -> Projection:
    """Project vectors to the plane of their two principal components.

    Args:
        ids: (n,) chunk ids.
        doc_ids: (n,) document ids.
        vectors: (n, d), n >= 0; values that are not finite count as 0.
    Returns:
        The projection; deterministic, as the largest entry of each axis is positive.
    """
    d = vectors.shape[1]
    rows = np.nan_to_num(vectors.astype(np.float32))
    mean = rows.mean(axis=0) if len(rows) else np.zeros(d, np.float32)
    centred = rows - mean
    values, directions = np.linalg.eigh(centred.T @ centred)
    axes = np.zeros((d, 2), np.float32)
    axes[:, : min(d, 2)] = directions[:, ::-1][:, :2]
    axes *= np.where(axes[np.abs(axes).argmax(axis=0), [0, 1]] < 0, -1, 1)
    total = float(values.sum())
    explained = float(values[-2:].sum()) / total if total > 0 else 0.0
    return Projection(list(ids), list(doc_ids), (centred @ axes).astype(np.float32), mean, axes, explained)


class Dot(NamedTuple):
    """A chunk on the map."""

    chunk_id: str
    x: float
    y: float
    group: str
    """Title of its document or section; REST without a colour."""
    title: str
    """Document and section, for the tooltip."""
    text: str
    """Beginning of the chunk."""


class MapHit(NamedTuple):
    """A ring on the map around a chunk of a hit, with the hit's rank."""

    rank: int
    x: float
    y: float
    title: str


def map_figure(
    dots: Sequence[Dot],
    hits: Sequence[MapHit],
    question: tuple[float, float] | None,
    *,
    groups: Sequence[str],
    dark: bool,
    height: int,
) -> Figure:
    """Plot the groups of chunks, the hits with their ranks, and the query.

    Args:
        dots: drawn chunks.
        hits: rings around hits.
        question: position of the query's vector; None without vector search.
        groups: at most MOST_GROUPS, in the order of the legend.
        dark: the theme's type.
        height: in pixels.
    """
    from plotly.graph_objects import Figure

    figure = Figure()
    for name, (colour, sign) in ((REST, ("section", "circle")), *zip(groups, _LOOKS, strict=False)):
        mine = [dot for dot in dots if dot.group == name]
        if mine:
            figure.add_trace(_trace(name, mine, COLOURS[colour].on(dark=dark), sign, faint=name == REST))
    if hits:
        figure.add_trace(_rings(hits, dark=dark))
    if question:
        figure.add_trace(_question(question, dark=dark))
    dress(figure, dark=dark, height=height)
    figure.update_layout(
        showlegend=True,
        legend={
            "orientation": "h",
            "yanchor": "top",
            "y": -0.02,
            "x": 0,
            "itemsizing": "constant",
            "font": {"size": 12},
        },
        dragmode="pan",
        margin={"l": 4, "r": 4, "t": 4, "b": 4},
    )
    figure.update_xaxes(visible=False, fixedrange=False)
    figure.update_yaxes(visible=False, fixedrange=False, scaleanchor="x")
    return figure


def _trace(name: str, dots: Sequence[Dot], colour: str, sign: str, *, faint: bool) -> Any:
    from plotly.graph_objects import Scattergl

    return Scattergl(
        x=[dot.x for dot in dots],
        y=[dot.y for dot in dots],
        mode="markers",
        name=escape(_short(name, 34), quote=False),
        marker={"color": colour, "symbol": sign, "size": 6 if faint else 8, "opacity": 0.35 if faint else 0.75},
        unselected={"marker": {"opacity": 0.3}},
        customdata=[[dot.chunk_id] for dot in dots],
        text=[f"<b>{escape(_short(dot.title, 80), quote=False)}</b><br>{_wrapped(dot.text)}" for dot in dots],
        hovertemplate="%{text}<extra></extra>",
    )


def _rings(hits: Sequence[MapHit], *, dark: bool) -> Any:
    from plotly.graph_objects import Scatter

    colour = COLOURS["hit"].on(dark=dark)
    return Scatter(
        x=[hit.x for hit in hits],
        y=[hit.y for hit in hits],
        mode="markers+text",
        name="hits, with their ranks",
        marker={"color": colour, "symbol": "circle-open", "size": 19, "line": {"width": 2.5}},
        text=[f"<b>{hit.rank}</b>" for hit in hits],
        textposition="top right",
        textfont={"color": colour, "size": 15},
        unselected={
            "marker": {"opacity": 1},
            "textfont": {"color": colour},
        },  # a click on a chunk leaves the hits as they are
        hovertext=[f"Hit {hit.rank}: {escape(_short(hit.title, 80), quote=False)}" for hit in hits],
        hovertemplate="%{hovertext}<extra></extra>",
    )


def _question(place: tuple[float, float], *, dark: bool) -> Any:
    from plotly.graph_objects import Scatter

    return Scatter(
        x=[place[0]],
        y=[place[1]],
        mode="markers",
        name="your question",
        marker={"color": COLOURS["warning"].on(dark=dark), "symbol": "star", "size": 17},
        unselected={"marker": {"opacity": 1}},
        hovertemplate="your question<extra></extra>",
    )


def _short(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _wrapped(text: str, width: int = 60, lines: int = 3) -> str:
    rows = [escape(text[at : at + width], quote=False) for at in range(0, min(len(text), width * lines), width)]
    return "<br>".join(rows) + ("…" if len(text) > width * lines else "")
