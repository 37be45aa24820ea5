"""Figures of the Tune page: metric against context tokens, two settings, effect of each setting."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, NamedTuple

from chunking.evaluation import COST, Heat, LeaderboardRun, Metric, Sensitivity
from chunking.viewing.colours import COLOURS, GRID, PAPER, RAISED, TEXT
from components.kit.charts import LEGEND_ABOVE, dress
from components.tune.setting_words import spoken_title, spoken_value

if TYPE_CHECKING:
    from plotly.graph_objects import Figure, Scatter

__all__ = ["EstimatedPoint", "effects_figure", "front_figure", "heat_figure"]

_ROW = 30
"""Pixels per value in the figure of effects."""


def front_figure(
    lines: Sequence[LeaderboardRun],
    labels: Sequence[str],
    metric: Metric,
    *,
    picked: str,
    against: str | None,
    names: Mapping[str, str],
    estimated: Sequence[EstimatedPoint] = (),
    dark: bool,
    height: int = 400,
) -> Figure:
    """Plot the metric of each configuration against its context tokens, with the Pareto front.

    Args:
        lines: runs on all questions.
        labels: tooltip of each run.
        metric: y axis.
        picked: key of the picked run.
        against: key of the compared run.
        names: names of runs by key, shown at their points; empty ones are left out.
        estimated: estimates of configurations that were not measured.
        dark: the theme's type.
        height: in pixels.
    """
    from plotly.graph_objects import Figure, Scatter

    scale = 100 if metric.percent else 1
    figure = Figure()
    if estimated:
        figure.add_trace(_estimates(estimated, metric, dark=dark))
    front = sorted((line for line in lines if line.pareto), key=lambda line: line.summary[COST].mean)
    figure.add_trace(
        Scatter(
            x=[line.summary[COST].mean for line in front],
            y=[line.summary[metric.name].mean * scale for line in front],
            mode="lines",
            line={"color": COLOURS["section"].on(dark=dark), "width": 1.5, "dash": "dot", "shape": "hv"},
            hoverinfo="skip",
            name="Best at its cost",
        )
    )
    groups = (
        ("Worse than the best", "circle-open", "section", 9, [line for line in lines if not line.tied]),
        ("Tied with the best", "circle", "answer", 10, [line for line in lines if line.tied]),
        ("Compared with", "diamond", "against", 14, [line for line in lines if line.run.key == against]),
        ("Selected", "circle", "picked", 16, [line for line in lines if line.run.key == picked]),
    )
    said = {line.run.key: escape(label) for line, label in zip(lines, labels, strict=True)}
    for name, symbol, role, size, members in groups:
        shown = [
            line for line in members if name in ("Selected", "Compared with") or line.run.key not in (picked, against)
        ]
        if shown:
            figure.add_trace(_points(shown, said, metric, name, symbol, COLOURS[role].on(dark=dark), size, dark=dark))
    dress(figure, dark=dark, height=height)
    figure.update_layout(
        showlegend=True,
        legend=LEGEND_ABOVE,
        hovermode="closest",
        dragmode=False,
    )
    figure.update_xaxes(
        title_text="context tokens sent per question (fewer is cheaper)",
        rangemode="normal",
        showgrid=True,
        gridcolor=GRID.on(dark=dark),
    )
    values = [line.summary[metric.name].mean * scale for line in lines] + [one.value * scale for one in estimated]
    room = (max(values) - min(values)) or abs(max(values)) * 0.1 or 1.0
    span = [min(values) - 0.2 * room, max(values) + 0.24 * room]  # with room for the name over the best
    figure.update_yaxes(title_text=f"{metric.label}{' (%)' if metric.percent else ''}", nticks=6, range=span)
    _name(figure, lines, names, metric, dark=dark)
    return figure


class EstimatedPoint(NamedTuple):
    """An estimate's place in the plot, and its tooltip."""

    cost: float
    value: float
    label: str


def _estimates(estimated: Sequence[EstimatedPoint], metric: Metric, *, dark: bool) -> Scatter:
    from plotly.graph_objects import Scatter

    colour = COLOURS["section"].on(dark=dark)
    return Scatter(
        x=[one.cost for one in estimated],
        y=[one.value * (100 if metric.percent else 1) for one in estimated],
        mode="markers",
        cliponaxis=False,
        marker={"size": 7, "symbol": "circle-open", "color": colour, "opacity": 0.6},
        text=[f"<b>{escape(one.label)}</b><br>estimated: {metric.text(one.value)}" for one in estimated],
        hovertemplate="%{text}, %{x:,.0f} context tokens<extra></extra>",
        name="Estimated only",
    )


def _name(
    figure: Figure, lines: Sequence[LeaderboardRun], names: Mapping[str, str], metric: Metric, *, dark: bool
) -> None:
    """Write the names beside their points, on the side with room; those of higher points above."""
    costs = [one.summary[COST].mean for one in lines]
    middle = (min(costs) + max(costs)) / 2
    named = sorted((line for line in lines if names.get(line.run.key)), key=lambda one: -one.summary[metric.name].mean)
    for place, line in enumerate(named):
        cost = line.summary[COST].mean
        left, highest = cost <= middle, place == 0
        figure.add_annotation(
            x=cost,
            y=line.summary[metric.name].mean * (100 if metric.percent else 1),
            text=f"<b>{escape(names[line.run.key])}</b>",
            ax=24 if left else -24,
            ay=-26 if highest else 26,
            xanchor="left" if left else "right",
            arrowhead=0,
            arrowcolor=COLOURS["section"].on(dark=dark),
            bordercolor=COLOURS["section"].on(dark=dark),
            borderpad=3,
            bgcolor=PAPER.on(dark=dark),
        )


def _points(
    shown: Sequence[LeaderboardRun],
    said: dict[str, str],
    metric: Metric,
    name: str,
    symbol: str,
    colour: str,
    size: int,
    *,
    dark: bool,
) -> object:
    from plotly.graph_objects import Scatter

    scale = 100 if metric.percent else 1
    values = [line.summary[metric.name] for line in shown]
    mark = name == "Selected"
    return Scatter(
        x=[line.summary[COST].mean for line in shown],
        y=[one.mean * scale for one in values],
        mode="markers",
        cliponaxis=False,
        marker={
            "size": size,
            "symbol": symbol,
            "color": colour,
            "line": {"width": 1.5, "color": colour if symbol.endswith("open") else PAPER.on(dark=dark)},
        },
        error_y=None
        if not mark
        else {
            "type": "data",
            "symmetric": False,
            "array": [_gap(one.high, one.mean) * scale for one in values],
            "arrayminus": [_gap(one.mean, one.low) * scale for one in values],
            "thickness": 1.2,
            "width": 4,
            "color": colour,
        },
        customdata=[
            [line.run.key, said[line.run.key], metric.text(one.mean), _reach(metric, one.low, one.high)]
            for line, one in zip(shown, values, strict=True)
        ],
        hovertemplate="<b>%{customdata[1]}</b><br>"
        + metric.label
        + " %{customdata[2]} %{customdata[3]}<br>%{x:,.0f} context tokens<extra></extra>",
        unselected={"marker": {"opacity": 1}},
        selected={"marker": {"opacity": 1}},
        name=name,
    )


def _gap(high: float, low: float) -> float:
    return high - low if math.isfinite(high - low) else 0.0


def _reach(metric: Metric, low: float, high: float) -> str:
    return f"({metric.text(low)} to {metric.text(high)})" if math.isfinite(low) else ""


def heat_figure(heat: Heat, metric: Metric, *, mark: tuple[str, str] | None, dark: bool) -> Figure:
    """Plot the metric over two settings as a heat map; the picked run's cell is framed.

    Args:
        heat: (y, x) means.
        metric: metric of the means.
        mark: (x, y) values of the picked run, as text.
        dark: the theme's type.
    """
    from plotly.graph_objects import Figure, Heatmap

    scale = 100 if metric.percent else 1
    xs, ys = (
        [escape(spoken_value(heat.key_x, one)) for one in heat.x],
        [escape(spoken_value(heat.key_y, one)) for one in heat.y],
    )
    values = [[None if math.isnan(cell) else cell * scale for cell in row] for row in heat.z.tolist()]
    texts = [
        ["not<br>run" if cell is None else f"{cell:.1f}" if metric.percent else f"{cell:.3f}" for cell in row]
        for row in values
    ]
    about = [
        [f"mean of {runs} runs" if runs > 1 else "1 run" if runs else "no run" for runs in row]
        for row in heat.runs.tolist()
    ]
    paper, strong, ink = (
        (RAISED.dark, "#4f66d9", "#ffffff") if dark else ("#f1f4fe", "#a3b3f5", TEXT.light)
    )  # the number is read on any
    figure = Figure(
        Heatmap(
            z=values,
            x=list(range(len(xs))),
            y=list(range(len(ys))),
            text=texts,
            texttemplate="%{text}",
            textfont={"color": ink, "size": 13},
            customdata=about,
            colorscale=[[0, paper], [1, strong]],
            showscale=False,
            xgap=3,
            ygap=3,
            hoverongaps=False,
            hovertemplate=f"{metric.label} %{{text}}<br>%{{customdata}}<extra></extra>",
        )
    )
    dress(figure, dark=dark, height=110 + 52 * max(2, len(ys)))
    figure.update_layout(margin={"l": 8, "r": 8, "t": 8, "b": 8})
    figure.update_xaxes(ticks="", tickvals=list(range(len(xs))), ticktext=xs, title_text=spoken_title(heat.key_x))
    figure.update_yaxes(
        ticks="",
        tickvals=list(range(len(ys))),
        ticktext=ys,
        title_text=spoken_title(heat.key_y),
        showgrid=False,
        nticks=None,
    )
    if mark and mark[0] in heat.x and mark[1] in heat.y:
        x, y = heat.x.index(mark[0]), heat.y.index(mark[1])
        figure.add_shape(
            type="rect", x0=x - 0.48, x1=x + 0.48, y0=y - 0.46, y1=y + 0.46, line={"color": ink, "width": 2.5}
        )
    return figure


def effects_figure(rows: Sequence[Sensitivity], metric: Metric, *, dark: bool) -> Figure:
    """Plot each varied setting's values against the metric; significant effects are filled."""
    from plotly.graph_objects import Figure, Scatter

    scale = 100 if metric.percent else 1
    figure = Figure()
    ticks: list[tuple[float, str]] = []
    at = 0.0
    for row in rows:
        colour = COLOURS["hit" if row.spread.shown else "section"].on(dark=dark)
        heights = []
        for value in row.values:
            ticks.append((at, f"{spoken_title(row.key)} <b>{escape(spoken_value(row.key, value))}</b>"))
            heights.append(at)
            at += 1
        means = list(row.values.values())
        figure.add_trace(
            Scatter(
                x=[one.mean * scale for one in means],
                y=heights,
                mode="lines+markers+text",
                text=[metric.text(one.mean) for one in means],
                textposition="top center",
                textfont={"size": 11},
                line={"color": colour, "width": 1, "dash": "dot"},
                marker={"size": 10, "color": colour, "symbol": "circle" if row.spread.shown else "circle-open"},
                error_x={
                    "type": "data",
                    "symmetric": False,
                    "array": [_gap(one.high, one.mean) * scale for one in means],
                    "arrayminus": [_gap(one.mean, one.low) * scale for one in means],
                    "thickness": 1.2,
                    "width": 0,
                    "color": colour,
                },
                hovertemplate="%{text}<extra></extra>",
            )
        )
        at += 0.7
    dress(figure, dark=dark, height=int(70 + _ROW * at))
    figure.update_xaxes(
        title_text=f"{metric.label}{' (%)' if metric.percent else ''}",
        showgrid=True,
        gridcolor=GRID.on(dark=dark),
        nticks=8,
    )
    figure.update_yaxes(
        tickvals=[place for place, _ in ticks],
        ticktext=[text for _, text in ticks],
        showgrid=False,
        range=[at - 0.2, -0.9],
    )
    return figure
