"""Plotly figures in the style of the pages. plotly is imported with the first figure."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from chunking.viewing.colours import COLOURS, GRID, RAISED, TEXT

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

__all__ = ["CHART_CONFIG", "LEGEND_ABOVE", "dress", "size_histogram"]

CHART_CONFIG: dict[str, Any] = {"displayModeBar": False, "scrollZoom": False}
"""Value of `st.plotly_chart(config=...)` without buttons over the figure."""

LEGEND_ABOVE: dict[str, Any] = {
    "orientation": "h",
    "y": 1.02,
    "yanchor": "bottom",
    "x": 0,
    "itemclick": False,
    "itemdoubleclick": False,
    "title": None,
}
"""Layout of a legend in one line above the figure; clicks on it hide nothing."""

_BARS = 40


def size_histogram(sizes: ArrayLike, requested: int, unit: str, *, dark: bool, height: int = 150) -> Figure:
    """Return a histogram of chunk sizes, with a line at the requested size and larger ones marked.

    Args:
        sizes: (n,) sizes of the chunks, in `unit`.
        requested: the requested size, in `unit`.
        unit: "tokens" or "characters".
        dark: the theme's type: `st.context.theme.type == "dark"`.
        height: in pixels.
    """
    from plotly.graph_objects import Bar, Figure

    values = np.asarray(sizes)
    top = max(int(values.max(initial=0)), requested, 1)
    width = max(1, -(-top // _BARS))
    edges = np.arange(0, top + width + 1, width)
    counts = np.histogram(values, edges)[0]
    ranges = [f"{low:,}–{low + width - 1:,}" if width > 1 else f"{low:,}" for low in edges[:-1].tolist()]
    over = edges[:-1] > requested
    bars = Bar(
        x=(edges[:-1] + width / 2).tolist(),
        y=counts.tolist(),
        width=width * 0.86,
        marker_color=[COLOURS["warning" if o else "chunk_a"].on(dark=dark) for o in over],
        customdata=ranges,
        hovertemplate=f"%{{y:,}} of {len(values):,} chunks<br>hold %{{customdata}} {unit}<extra></extra>",
    )
    figure = Figure(bars)
    dress(figure, dark=dark, height=height)
    line = COLOURS["section"].on(dark=dark)
    figure.add_vline(
        requested,
        line_dash="dot",
        line_color=line,
        annotation_text=f"size {requested:,}",
        annotation_position="top left",
        annotation_font_color=line,
    )
    figure.update_xaxes(title_text=f"{unit} in a chunk", range=[0, float(edges[-1])])
    return figure


def dress(figure: Figure, *, dark: bool, height: int) -> None:
    """Set a figure's height and the pages' style, in place: quiet axes, no background or legend."""
    ink, grid = "#c6cee0" if dark else "#4a5368", GRID.on(dark=dark)
    figure.update_layout(
        height=height,
        margin={"l": 8, "r": 8, "t": 18, "b": 8},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"family": "Source Sans, sans-serif", "size": 12, "color": ink},
        showlegend=False,
        bargap=0,
        hoverlabel={"bgcolor": RAISED.on(dark=dark), "font_color": TEXT.on(dark=dark), "bordercolor": grid},
    )
    figure.update_xaxes(showgrid=False, zeroline=False, fixedrange=True, automargin=True, title_standoff=6)
    figure.update_yaxes(gridcolor=grid, zeroline=False, fixedrange=True, automargin=True, nticks=4)
