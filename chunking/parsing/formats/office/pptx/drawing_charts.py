"""Text of charts in slides, sheets and documents: titles, and numbers as a table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chunking.parsing.formats.office.office_parts import Package, whole_number
from chunking.parsing.formats.office.pptx.text import paragraph_text

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["chart_rows", "chart_titles", "charts_of"]


def charts_of(package: Package, part: str) -> dict[str, _Element]:
    """Charts a part refers to, by relation id.

    Raises:
        ParseError: one of them is damaged.
    """
    related = package.related(part).items()
    return {key: package.root(one.part) for key, one in related if one.kind == "chart" and one.part in package}


def chart_titles(root: _Element) -> list[str]:
    """Titles of the chart and its axes."""
    titles = (
        " ".join(paragraph_text(paragraph) for paragraph in title.iter("{*}p")) for title in root.iter("{*}title")
    )
    return [title for title in titles if title.strip()]


def chart_rows(root: _Element) -> list[list[str]]:
    """Table with a row per category and a column per series, under the series names; empty without numbers."""
    names: list[str] = []
    categories: dict[int, str] = {}
    values: list[dict[int, str]] = []
    for one in root.iter("{*}ser"):
        categories |= _points(one, "cat", "xVal")
        values.append(_points(one, "val", "yVal", "bubbleSize"))
        names.append(next((text for text in _points(one, "tx").values()), one.findtext("{*}tx/{*}v") or ""))
    numbers = sorted({*categories, *(number for column in values for number in column)})
    rows = [[categories.get(number, ""), *(column.get(number, "") for column in values)] for number in numbers]
    return [["", *names], *rows] if rows else []


def _points(series: _Element, *names: str) -> dict[int, str]:
    """Values by index; several category levels are joined."""
    points: dict[int, str] = {}
    for name in names:
        for point in series.iterfind(f"{{*}}{name}//{{*}}pt"):
            number, value = whole_number(point.get("idx"), -1), point.findtext("{*}v") or ""
            if number >= 0:
                points[number] = f"{value} {points[number]}" if number in points else value
    return points
