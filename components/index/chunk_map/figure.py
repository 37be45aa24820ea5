"""The map as a plotly figure. Text of documents is escaped: plotly reads a little markup."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any, NamedTuple

from chunking.viewing.colours import COLOURS
from components.kit.charts import dress

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

__all__ = ["MOST_GROUPS", "Dot", "Hit", "map_figure"]

MOST_GROUPS = 8
"""Groups with a colour and a sign of their own; the rest is grey together."""
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
"""Colour and sign of each group: the sign tells them apart without the colour."""


class Dot(NamedTuple):
    """A chunk on the map."""

    chunk_id: str
    x: float
    y: float
    group: str
    """Its document's or section's title; REST for those without a colour."""
    title: str
    """Where it stands, for the hover."""
    text: str
    """How it begins."""


class Hit(NamedTuple):
    """A ring around a chunk that was found."""

    rank: int
    x: float
    y: float
    title: str


def map_figure(
    dots: Sequence[Dot], hits: Sequence[Hit], question: tuple[float, float] | None, *, groups: Sequence[str], dark: bool, height: int
) -> Figure:
    """A trace a group, then the hits with their ranks, then the question.

    Args:
        dots: all chunks that are drawn.
        hits: rings.
        question: where the query's vector is; None where nothing was searched by meaning.
        groups: at most MOST_GROUPS, in the order of the legend.
        dark: the theme's type.
        height: in pixels.
    """
    from plotly.graph_objects import Figure

    figure = Figure()
    for name, (colour, sign) in ((REST, ("section", "circle")), *zip(groups, _LOOKS, strict=False)):
        mine = [dot for dot in dots if dot.group == name]
        if mine:
            figure.add_trace(_group(name, mine, COLOURS[colour].on(dark=dark), sign, faint=name == REST))
    if hits:
        figure.add_trace(_rings(hits, dark=dark))
    if question:
        figure.add_trace(_question(question, dark=dark))
    dress(figure, dark=dark, height=height)
    figure.update_layout(
        showlegend=True,
        legend={"orientation": "h", "yanchor": "top", "y": -0.02, "x": 0, "itemsizing": "constant", "font": {"size": 12}},
        dragmode="pan",
        margin={"l": 4, "r": 4, "t": 4, "b": 4},
    )
    figure.update_xaxes(visible=False, fixedrange=False)
    figure.update_yaxes(visible=False, fixedrange=False, scaleanchor="x")
    return figure


def _group(name: str, dots: Sequence[Dot], colour: str, sign: str, *, faint: bool) -> Any:
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


def _rings(hits: Sequence[Hit], *, dark: bool) -> Any:
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
        unselected={"marker": {"opacity": 1}, "textfont": {"color": colour}},  # a click on a chunk leaves the hits as they are
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
