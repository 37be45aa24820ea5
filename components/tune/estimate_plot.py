"""Plot of an estimation: metric against context tokens; hollow estimates, filled measurements."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from chunking.evaluation import COST, Checked, LiveEstimate, Metric
from chunking.viewing.colours import COLOURS, GRID, PAPER
from components.kit.charts import LEGEND_ABOVE, dress

if TYPE_CHECKING:
    from plotly.graph_objects import Figure, Scatter

__all__ = ["NamedEstimate", "estimates_figure"]


class NamedEstimate(NamedTuple):
    """An estimate and the label that the plot shows at its point."""

    estimate: LiveEstimate
    words: str


def estimates_figure(
    estimated: Sequence[LiveEstimate],
    labels: Sequence[str],
    chosen: Sequence[NamedEstimate],
    rows: Sequence[Checked],
    metric: Metric,
    *,
    dark: bool,
    height: int = 380,
) -> Figure:
    """Plot each estimate, with a line to the evaluated result where there is one.

    Args:
        estimated: one or more estimates with numbers.
        labels: tooltip of each estimate.
        chosen: estimates worth measuring.
        rows: estimates with their measurement.
        metric: y axis.
        dark: the theme's type.
        height: in pixels.
    """
    from plotly.graph_objects import Figure, Scatter

    scale = 100 if metric.percent else 1
    ink = COLOURS["section"].on(dark=dark)
    said = {id(one): escape(label) for one, label in zip(estimated, labels, strict=True)}
    picked = {id(one.estimate) for one in chosen}
    figure = Figure()

    def hollow(some: Sequence[LiveEstimate], name: str, colour: str, size: int, width: float) -> Scatter:
        return Scatter(
            x=[one.means[COST] for one in some],
            y=[one.means[metric.name] * scale for one in some],
            mode="markers",
            marker={"symbol": "circle-open", "size": size, "color": colour, "line": {"width": width, "color": colour}},
            customdata=[[said[id(one)], metric.text(one.means[metric.name])] for one in some],
            hovertemplate=f"<b>%{{customdata[0]}}</b><br>estimated: {metric.label} "
            f"%{{customdata[1]}}, %{{x:,.0f}} context "
            f"tokens"
            "<extra></extra>",
            cliponaxis=False,
            name=name,
        )

    figure.add_trace(hollow([one for one in estimated if id(one) not in picked], "Estimated", ink, 8, 1.4))
    strong = COLOURS["picked"].on(dark=dark)
    if chosen:
        figure.add_trace(hollow([one.estimate for one in chosen], "Estimated, worth measuring", strong, 14, 2.4))
    for row in rows:
        figure.add_trace(
            Scatter(
                x=[row.estimate.means[COST], row.measured[COST]],
                y=[row.estimate.means[metric.name] * scale, row.measured[metric.name] * scale],
                mode="lines",
                line={"color": ink, "width": 1.2, "dash": "dash"},
                hoverinfo="skip",
                showlegend=False,
            )
        )
    if rows:
        colour = COLOURS["answer"].on(dark=dark)
        figure.add_trace(
            Scatter(
                x=[row.measured[COST] for row in rows],
                y=[row.measured[metric.name] * scale for row in rows],
                mode="markers",
                marker={
                    "symbol": "circle",
                    "size": 11,
                    "color": colour,
                    "line": {"width": 1.5, "color": PAPER.on(dark=dark)},
                },
                customdata=[[said[id(row.estimate)], metric.text(row.measured[metric.name])] for row in rows],
                hovertemplate=f"<b>%{{customdata[0]}}</b><br>measured: {metric.label} %{{customdata[1]}}, %{{x:,.0f}} "
                f"context tokens"
                "<extra></extra>",
                cliponaxis=False,
                name="Measured on a real index",
            )
        )
    dress(figure, dark=dark, height=height)
    figure.update_layout(
        showlegend=True,
        legend=LEGEND_ABOVE,
        hovermode="closest",
        dragmode=False,
        uirevision="estimates",
    )
    figure.update_xaxes(
        title_text="context tokens sent per question (fewer is cheaper)", rangemode="normal", showgrid=True
    )
    figure.update_xaxes(gridcolor=GRID.on(dark=dark))
    figure.update_yaxes(title_text=f"{metric.label}{' (%)' if metric.percent else ''}", nticks=6)
    _name(figure, chosen, estimated, metric, strong, dark=dark)
    return figure


def _name(
    figure: Figure,
    chosen: Sequence[NamedEstimate],
    estimated: Sequence[LiveEstimate],
    metric: Metric,
    colour: str,
    *,
    dark: bool,
) -> None:
    """Annotate each candidate with its reason, on the side with room; the best one upwards."""
    costs = [one.means[COST] for one in estimated]
    middle = (min(costs) + max(costs)) / 2
    best = max((one.estimate.means[metric.name] for one in chosen), default=0.0)
    for one in chosen:
        if not one.words:
            continue
        left = one.estimate.means[COST] <= middle
        figure.add_annotation(
            x=one.estimate.means[COST],
            y=one.estimate.means[metric.name] * (100 if metric.percent else 1),
            text=escape(one.words),
            ax=20 if left else -20,
            ay=-24 if one.estimate.means[metric.name] == best else 24,
            xanchor="left" if left else "right",
            arrowhead=0,
            arrowcolor=colour,
            bordercolor=colour,
            borderpad=3,
            bgcolor=PAPER.on(dark=dark),
        )
