"""Plots of the report as plotly figures, in a light and a dark version.

Labels are escaped: plotly interprets a little HTML in them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

from chunking.evaluation import CAUSES, COST, Decision, Heat, Interval, LeaderboardRun, Metric, causes

__all__ = ["MOST_LINES", "Plot", "causes_plot", "heat_plot", "intervals_plot", "pareto_plot"]

MOST_LINES = 20
"""Maximum configurations in a plot; the table has all."""
_LONGEST = 44
_LEAST_SPAN = 0.1
"""Minimum range of a heat map's colour scale, as a share: smaller differences look alike."""


class _Ink(NamedTuple):
    """Colours of the light or the dark version."""

    text: str
    quiet: str
    grid: str
    lead: str
    rest: str
    causes: tuple[str, ...]
    scale: tuple[tuple[float, str], ...]
    paper: str


_LIGHT = _Ink(
    *("#1e2433", "#5b6478", "#e3e8f2", "#3f5bd9", "#8b94a8"),
    ("#64748b", "#0f766e", "#c2410c", "#b8790f", "#3f5bd9", "#be2a86"),
    ((0.0, "#eef1fe"), (0.5, "#8aa0ff"), (1.0, "#2a3fa8")),
    "#ffffff",
)
_DARK = _Ink(
    *("#e4e8f2", "#9aa5bd", "#2b3347", "#8aa0ff", "#78839b"),
    ("#94a3b8", "#5eead4", "#ff9a5c", "#e0b054", "#8aa0ff", "#f08ad0"),
    ((0.0, "#1b2338"), (0.5, "#4f6df5"), (1.0, "#d3dbff")),
    "#141926",
)


@dataclass(frozen=True, slots=True)
class Plot:
    """Figure in a light and a dark version."""

    name: str
    alt: str
    """Alternative text."""
    light: dict[str, Any]
    dark: dict[str, Any]
    height: int
    """Pixels."""


def intervals_plot(lines: Sequence[LeaderboardRun], metric: Metric) -> Plot:
    """Plot mean and 95 % interval of the first `MOST_LINES` configurations, the first on top."""
    shown = lines[:MOST_LINES]
    names = [_name(line) for line in shown]

    def figure(ink: _Ink) -> dict[str, Any]:
        return _figure(
            ink,
            [
                _points(metric, [line for line in shown if line.tied], ink.lead, "circle"),
                _points(metric, [o for o in shown if not o.tied], ink.rest, "circle-open"),
            ],
            xaxis=_axis(ink, metric) | {"rangemode": "normal"},
            yaxis={
                "categoryorder": "array",
                "categoryarray": names[::-1],
                "automargin": True,
                "gridcolor": ink.grid,
                "ticks": "",
            },
        )

    return _plot(
        "intervals",
        f"{metric.label} of {len(shown)} configurations with 95 % confidence intervals; the numbers are in the table.",
        figure,
        90 + 34 * len(shown),
    )


def _points(metric: Metric, lines: Sequence[LeaderboardRun], colour: str, symbol: str) -> dict[str, Any]:
    intervals = [line.summary[metric.name] for line in lines]
    scale = 100 if metric.percent else 1
    mean = [_number(scale * one.mean) for one in intervals]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": mean,
        "y": [_name(line) for line in lines],
        "error_x": _errors(intervals, scale) | {"color": colour, "thickness": 2, "width": 5},
        "marker": {"color": colour, "size": 10, "symbol": symbol, "line": {"width": 2, "color": colour}},
        "customdata": [[metric.text(value) for value in (one.mean, one.low, one.high)] for one in intervals],
        "hovertemplate": "%{y}<br>%{customdata[0]}<br>%{customdata[1]} to %{customdata[2]}<extra></extra>",
    }


def _errors(intervals: Sequence[Interval], scale: float) -> dict[str, Any]:
    """Return the 95 % intervals as plotly error bars."""
    return {
        "type": "data",
        "symmetric": False,
        "array": [_number(scale * (one.high - one.mean)) for one in intervals],
        "arrayminus": [_number(scale * (one.mean - one.low)) for one in intervals],
    }


def pareto_plot(lines: Sequence[LeaderboardRun], decision: Decision) -> Plot:
    """Plot the metric of complete runs against context tokens, with Pareto front and names of cards."""
    metric = decision.metric
    shown = [line for line in lines if line.complete]
    front = sorted((line for line in shown if line.pareto), key=lambda line: line.summary[COST].mean)
    scale = 100 if metric.percent else 1

    def place(line: LeaderboardRun) -> tuple[float | None, float | None]:
        return _number(line.summary[COST].mean), _number(scale * line.summary[metric.name].mean)

    def dots(some: Sequence[LeaderboardRun], colour: str, symbol: str, *, size: int = 10) -> dict[str, Any]:
        spots = [place(line) for line in some]
        return {
            "type": "scatter",
            "mode": "markers",
            "x": [x for x, _ in spots],
            "y": [y for _, y in spots],
            "customdata": [[_shortened(line.run.label), metric.text(line.summary[metric.name].mean)] for line in some],
            "hovertemplate": "%{customdata[0]}<br>%{x:,.0f} tokens, %{customdata[1]}<extra></extra>",
            "error_y": _errors([line.summary[metric.name] for line in some], scale)
            | {"color": colour, "thickness": 1, "width": 0},
            "marker": {"color": colour, "size": size, "symbol": symbol, "line": {"width": 2, "color": colour}},
        }

    named = [(line, decision.roles(line.run.key)) for line in shown]
    roles = [(line, " · ".join(role.short for role in some)) for line, some in named if some]
    middle = sum(line.summary[COST].mean for line, _ in roles) / len(roles) if roles else 0.0

    def label(line: LeaderboardRun, words: str, ink: _Ink) -> dict[str, Any]:
        x, y = place(line)
        left = line.summary[COST].mean <= middle
        return {
            **{"x": x, "y": y, "text": f"<b>{escape(words)}</b>", "showarrow": True, "arrowhead": 0},
            **{"ax": -26 if left and not line.best else 26, "ay": -24 if line.best else 26},
            **{"xanchor": "left" if line.best or not left else "right", "arrowcolor": ink.rest},
            **{"bgcolor": ink.paper, "bordercolor": ink.rest, "borderpad": 3},
        }

    def figure(ink: _Ink) -> dict[str, Any]:
        spots = [place(line) for line in front]
        path = {
            "type": "scatter",
            "mode": "lines",
            "x": [x for x, _ in spots],
            "y": [y for _, y in spots],
            "line": {"color": ink.lead, "dash": "dot", "width": 2},
            "hoverinfo": "skip",
        }
        rest = [line for line in shown if not line.pareto]
        return _figure(
            ink,
            [path, dots(front, ink.lead, "circle"), dots(rest, ink.rest, "circle-open")],
            annotations=[label(line, words, ink) for line, words in roles if None not in place(line)],
            xaxis={
                "title": {"text": "Context tokens sent per question: fewer is cheaper"},
                "gridcolor": ink.grid,
                "zeroline": False,
                "rangemode": "tozero",
            },
            yaxis=_axis(ink, metric),
        )

    names = ", ".join(words for _, words in roles)
    return _plot(
        "pareto",
        f"{metric.label} against context tokens for {len(shown)} configurations, with {names or 'their front'}.",
        figure,
        290,
    )


def causes_plot(lines: Sequence[LeaderboardRun]) -> Plot | None:
    """Plot the first `MOST_LINES` configurations' failed questions by cause; None without any."""
    shown = [line for line in lines[:MOST_LINES] if causes(line.run)]
    if not shown:
        return None
    names = [_name(line) for line in shown]
    counts = [causes(line.run) for line in shown]
    most = max(sum(count.values()) for count in counts)

    def figure(ink: _Ink) -> dict[str, Any]:
        bars = [
            {
                "type": "bar",
                "orientation": "h",
                "name": words.label,
                "y": names,
                "x": [count.get(cause, 0) for count in counts],
                "text": [str(count[cause]) if cause in count else "" for count in counts],
                "textposition": "inside",
                "insidetextanchor": "middle",
                "insidetextfont": {"color": ink.paper},
                "marker": {"color": colour, "line": {"color": ink.paper, "width": 1}},
                "hovertemplate": "%{y}<br>%{x} questions: " + words.label.lower() + "<extra></extra>",
            }
            for (cause, words), colour in zip(CAUSES.items(), ink.causes, strict=True)
            if any(cause in count for count in counts)
        ]
        return _figure(
            ink,
            bars,
            barmode="stack",
            showlegend=True,
            legend={"orientation": "h", "x": 0, "y": 1.0, "yanchor": "bottom", "traceorder": "normal"},
            xaxis={
                "title": {"text": "Questions not fully answered"},
                "gridcolor": ink.grid,
                "zeroline": False,
                "rangemode": "tozero",
            }
            | ({"dtick": 1} if most < 10 else {}),
            yaxis={"categoryorder": "array", "categoryarray": names[::-1], "automargin": True},
        )

    return _plot(
        "causes",
        "Failure analysis: questions not fully answered, by cause; the numbers are in the table.",
        figure,
        130 + 34 * len(shown),
    )


def heat_plot(heat: Heat, metric: Metric) -> Plot:
    """Plot the metric over two settings as a heat map with numbers."""
    scale = 100 if metric.percent else 1
    z = [[_number(scale * float(cell)) for cell in row] for row in heat.z]
    text = [["" if cell is None else f"{cell:.1f}" if metric.percent else f"{cell:.2f}" for cell in row] for row in z]

    numbers = [cell for row in z for cell in row if cell is not None]
    low = min(numbers)
    high = max(*numbers, low + _LEAST_SPAN * scale)

    def figure(ink: _Ink) -> dict[str, Any]:
        cells = {
            "type": "heatmap",
            "x": [_shortened(value or "none") for value in heat.x],
            "y": [_shortened(value or "none") for value in heat.y],
            "z": z,
            "text": text,
            "texttemplate": "%{text}",
            "zmin": low,
            "zmax": high,
            "colorscale": [list(stop) for stop in ink.scale],
            "showscale": False,
            "xgap": 3,
            "ygap": 3,
            "hovertemplate": "%{y} · %{x}<br>%{text}<extra></extra>",
        }
        axis = {"type": "category", "showgrid": False, "automargin": True}
        return _figure(
            ink,
            [cells],
            xaxis=axis | {"title": {"text": _shortened(heat.key_x)}},
            yaxis=axis | {"title": {"text": _shortened(heat.key_y)}},
        )

    return _plot(
        "heat",
        f"{metric.label} over {_shortened(heat.key_x)} and {_shortened(heat.key_y)}.",
        figure,
        140 + 46 * len(heat.y),
    )


def _plot(name: str, alt: str, figure: Any, height: int) -> Plot:
    return Plot(name, alt, figure(_LIGHT), figure(_DARK), height)


def _figure(ink: _Ink, data: list[dict[str, Any]], **layout: Any) -> dict[str, Any]:
    axes = {name: _quiet(ink) | layout.pop(name) for name in ("xaxis", "yaxis")}
    same = {
        "font": {"family": "system-ui, sans-serif", "size": 13, "color": ink.text},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "margin": {"l": 12, "r": 24, "t": 12, "b": 12},
        "showlegend": False,
        "hoverlabel": {"bgcolor": ink.paper, "bordercolor": ink.grid, "font": {"color": ink.text}},
    }
    return {"data": [one for one in data if one.get("x") or one.get("z")], "layout": same | axes | layout}


def _quiet(ink: _Ink) -> dict[str, Any]:
    return {
        "fixedrange": True,
        "automargin": True,
        "zeroline": False,
        "linecolor": ink.grid,
        "tickfont": {"color": ink.quiet},
    }


def _axis(ink: _Ink, metric: Metric) -> dict[str, Any]:
    unit = ", %" if metric.percent else f", {metric.unit}" if metric.unit else ""
    return {"title": {"text": f"{metric.label}{unit}"}, "gridcolor": ink.grid, "zeroline": False}


def _name(line: LeaderboardRun) -> str:
    """Return a configuration's label after its place: two labels may be equal."""
    return f"{line.place} · {_shortened(line.run.label)}"


def _shortened(text: str) -> str:
    """Return a plot label on one short line, with HTML escaped."""
    flat = " ".join(text.split())
    return escape(flat if len(flat) <= _LONGEST else f"{flat[: _LONGEST - 1]}…", quote=False)


def _number(value: float) -> float | None:
    """Round a number; None for infinity and NaN, which JSON lacks."""
    return round(value, 4) if math.isfinite(value) else None
