"""Picture of recall against tokens as SVG, in light and dark colours."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from html import escape
from typing import NamedTuple

from benchmarks.quality.quality_table import CurvePlace

__all__ = ["THEMES", "draw_curves"]

WIDTH, HEIGHT = 860, 440
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 190, 20, 56
_TICKS = tuple(step * 10**power for power in range(1, 5) for step in (1, 2, 5))
_MARKED = 5
"""Number of results whose point is larger."""
_LINE = 17
"""Least distance of two labels, in pixels."""


class PictureTheme(NamedTuple):
    """Colours of a picture."""

    ink: str
    grid: str
    lines: Sequence[str]
    """Colours of the curves; the first is the default's."""


THEMES: Mapping[str, PictureTheme] = {
    "light": PictureTheme("#24292f", "#d0d7de", ("#4338ca", "#0f766e", "#b45309", "#6b7280")),
    "dark": PictureTheme("#e6edf3", "#3d444d", ("#a5b4fc", "#5eead4", "#fbbf24", "#9ca3af")),
}


def draw_curves(curves: Mapping[str, Sequence[CurvePlace]], caption: str, theme: PictureTheme) -> str:
    """Return an SVG with one curve per name: recall of the first results against their tokens, on a log scale.

    Args:
        curves: points by number of results, from 1 up.
        caption: label of the vertical axis.
    """
    places = [place for curve in curves.values() for place in curve]
    scale = _Scale.of(places)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
        f'font-family="system-ui, sans-serif" font-size="13" fill="{theme.ink}">',
        f"<title>{escape(caption)}, by tokens of the results</title>",
        *_axes(scale, caption, theme),
    ]
    labels = _apart({name: scale.y(curve[-1].recall) for name, curve in curves.items()})
    for number, (name, curve) in enumerate(curves.items()):
        colour = theme.lines[number % len(theme.lines)]
        points = [(scale.x(place.tokens), scale.y(place.recall)) for place in curve]
        path = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="{2 if number else 3}"/>')
        for results, (x, y) in enumerate(points, start=1):
            radius = 5 if results == _MARKED else 2.5
            parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius}" fill="{colour}"/>')
        weight = ' font-weight="600"' if not number else ""
        text = f'<text x="{WIDTH - _RIGHT + 12}" y="{labels[name] + 4:.1f}" fill="{colour}"{weight}>'
        parts.append(f"{text}{escape(name)}</text>")
        lead = f"{points[-1][0]:.1f},{points[-1][1]:.1f} {WIDTH - _RIGHT + 9},{labels[name]:.1f}"
        parts.append(f'<polyline points="{lead}" stroke="{colour}" stroke-dasharray="2 3"/>')
    return "\n".join([*parts, "</svg>", ""])


class _Scale(NamedTuple):
    """Places of tokens and recall in the picture."""

    least: float
    most: float
    floor: float

    @classmethod
    def of(cls, places: Sequence[CurvePlace]) -> _Scale:
        tokens = [place.tokens for place in places]
        lowest = min(place.recall for place in places)
        return cls(min(tokens) * 0.9, max(tokens) * 1.05, math.floor(lowest * 10) / 10)

    def x(self, tokens: float) -> float:
        share = math.log(tokens / self.least) / math.log(self.most / self.least)
        return _LEFT + share * (WIDTH - _LEFT - _RIGHT)

    def y(self, recall: float) -> float:
        return _TOP + (1 - recall) / (1 - self.floor) * (HEIGHT - _TOP - _BOTTOM)


def _axes(scale: _Scale, caption: str, theme: PictureTheme) -> list[str]:
    """Return the grid with its numbers, and the captions of both axes."""
    parts = []
    right, bottom = WIDTH - _RIGHT, HEIGHT - _BOTTOM
    for tick in (tick for tick in _TICKS if scale.least <= tick <= scale.most):
        x = scale.x(tick)
        parts.append(f'<line x1="{x:.1f}" y1="{_TOP}" x2="{x:.1f}" y2="{bottom}" stroke="{theme.grid}"/>')
        parts.append(f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{tick:,}</text>')
    for tenth in range(round(scale.floor * 10), 11):
        y = scale.y(tenth / 10)
        parts.append(f'<line x1="{_LEFT}" y1="{y:.1f}" x2="{right}" y2="{y:.1f}" stroke="{theme.grid}"/>')
        parts.append(f'<text x="{_LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{10 * tenth}</text>')
    middle = (_LEFT + right) / 2
    below = f"tokens of the first 1 to 10 results (the larger point: {_MARKED}), log scale"
    parts.append(f'<text x="{middle:.0f}" y="{HEIGHT - 12}" text-anchor="middle">{below}</text>')
    parts.append(
        f'<text transform="translate(18 {(_TOP + bottom) / 2:.0f}) rotate(-90)" text-anchor="middle">'
        f"{escape(caption)}</text>"
    )
    return parts


def _apart(places: Mapping[str, float]) -> dict[str, float]:
    """Move labels down until they are a line apart."""
    moved: dict[str, float] = {}
    last = -math.inf
    for name, y in sorted(places.items(), key=lambda one: one[1]):
        last = moved[name] = max(y, last + _LINE)
    return moved
