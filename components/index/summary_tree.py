"""Icicle plot of the RAPTOR tree: each node is a summary, as wide as the chunks under it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING

from chunking.model import Chunk
from chunking.viewing.colours import PAPER, TEXT
from components.kit.charts import dress

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

__all__ = ["Node", "nodes", "tree_figure"]


@dataclass(frozen=True, slots=True)
class Node:
    """A cluster in the summary tree, with its parent, its chunks and the hits under it."""

    chunk: Chunk
    parent_id: str
    """First of the clusters that contain it; "" at the top."""
    own: int
    """Number of chunks directly under it."""
    chunks: int
    """Number of chunks under it on all levels; a chunk in two of its clusters counts twice."""
    ranks: tuple[int, ...]
    """Ranks of the hits under it."""


def nodes(clusters: Sequence[Chunk], hits: Mapping[str, int]) -> list[Node]:
    """Return a node per cluster, with its parent, its number of chunks and the ranks of its hits.

    Args:
        clusters: all clusters of an index, in any order.
        hits: chunk id to rank.
    """
    by_id = {chunk.chunk_id: chunk for chunk in clusters}
    parents: dict[str, str] = {}
    for chunk in sorted(clusters, key=lambda chunk: chunk.chunk_id):
        for child in chunk.children:
            if child in by_id:
                parents.setdefault(child, chunk.chunk_id)
    under = {name: _under(name, by_id, parents) for name in by_id}
    return [
        Node(
            chunk,
            parents.get(name, ""),
            sum(child not in by_id for child in chunk.children),
            len(under[name]),
            tuple(sorted({hits[one] for one in (*under[name], name) if one in hits})),
        )
        for name, chunk in by_id.items()
    ]


def _under(name: str, by_id: Mapping[str, Chunk], parents: Mapping[str, str]) -> list[str]:
    """Return the ids of all chunks under a cluster."""
    chunk_ids: list[str] = []
    for child in by_id[name].children:
        if child not in by_id:
            chunk_ids.append(child)
        elif parents[child] == name:
            chunk_ids += _under(child, by_id, parents)
    return chunk_ids


def tree_figure(tree: Sequence[Node], *, dark: bool, height: int) -> Figure:
    """Plot the tree from the top down; clusters with hits are tinted and show the ranks."""
    from plotly.graph_objects import Figure, Icicle

    plain, tint = ("#1d2434", "#33437f") if dark else ("#edf0f7", "#c6d0fa")
    total = max(sum(node.own for node in tree), 1)
    figure = Figure(
        Icicle(
            ids=[node.chunk.chunk_id for node in tree],
            parents=[node.parent_id for node in tree],
            labels=[_label(node, node.chunks / total) for node in tree],
            values=[node.own for node in tree],
            branchvalues="remainder",
            marker={
                "colors": [tint if node.ranks else plain for node in tree],
                "line": {"width": 2, "color": PAPER.on(dark=dark)},
            },
            textfont={"color": TEXT.on(dark=dark), "size": 12},
            customdata=[[_lines(node.chunk.summary), node.chunks] for node in tree],
            hovertemplate="%{customdata[0]}<br>stands for %{customdata[1]:,} chunks<extra></extra>",
            tiling={"orientation": "v"},
            textposition="top left",
            pathbar={"visible": True, "thickness": 22},
        )
    )
    dress(figure, dark=dark, height=height)
    figure.update_layout(margin={"l": 0, "r": 0, "t": 4, "b": 4}, uniformtext={"minsize": 11, "mode": "hide"})
    return figure


def _label(node: Node, share: float) -> str:
    """Return the ranks and as much of the summary as the width allows."""
    ranks = f"● {', '.join(map(str, node.ranks))}" if node.ranks else ""
    width = int(150 * share)
    text = _lines(node.chunk.summary, width=min(width, 60), lines=5) if width > 14 else ""
    return "<br>".join(part for part in (ranks, text) if part) or "…"


_WORD = re.compile(r"[\u2e80-\uffdc]|[^\s\u2e80-\uffdc]+")
"""A word, or a character of a script without spaces, which is two letters wide."""


def _lines(text: str, *, width: int = 70, lines: int = 6) -> str:
    """Wrap text to lines of about `width` letters, escaped."""
    rows, used, end = [""], 0, 0
    for word in _WORD.finditer(text):
        wide = 2 if word[0] >= "\u2e80" else len(word[0])
        gap = " " if word.start() > end and rows[-1] else ""
        if used + len(gap) + wide > width and rows[-1]:
            rows.append("")
            used, gap = 0, ""
        rows[-1] += gap + word[0]
        used, end = used + len(gap) + wide, word.end()
    shown = [escape(row[: 2 * width], quote=False) for row in rows[:lines]]
    return "<br>".join(shown) + (" …" if len(rows) > lines else "")
