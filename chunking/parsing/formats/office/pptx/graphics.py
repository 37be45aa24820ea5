"""Tables, charts and diagrams of a slide; also charts of sheets and documents."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from chunking.errors import ParseError, TooLargeError
from chunking.model import BlockType, Box
from chunking.parsing.builder.table_headers import count_header_rows
from chunking.parsing.builder.text_builder import Piece, Writer
from chunking.parsing.formats.office.office_parts import Package, attribute, local_name, whole_number
from chunking.parsing.formats.office.pptx.text import SlideParagraph, paragraph_text, paragraphs_of, write_paragraphs

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["chart_rows", "chart_titles", "charts_of", "write_graphic"]


def write_graphic(writer: Writer, package: Package, part: str, frame: _Element, page: int, box: Box | None) -> None:
    """Write the tables, charts and SmartArt of a graphic frame; other content has no text.

    Args:
        part: the slide's, which resolves the frame's relations.
        frame: the `p:graphicFrame`.
    Raises:
        ParseError: the part with the chart or diagram is damaged.
    """
    for table in frame.iter("{*}tbl"):
        _write_table(writer, table, page, box)
    related = package.related(part)
    for reference in (*frame.iter("{*}chart"), *frame.iter("{*}relIds")):
        diagram = local_name(reference) == "relIds"
        target = related.get((attribute(reference, "dm") if diagram else attribute(reference, "id")) or "")
        if target is not None and target.part in package:
            write = _write_diagram if diagram else _write_chart
            write(writer, package.root(target.part), page, box)


def _write_table(writer: Writer, table: _Element, page: int, box: Box | None) -> None:
    """Write a table; merged cells repeat their text, so that every row can be read alone."""
    rows: list[list[str]] = []
    for row in table.iterfind("{*}tr"):
        cells: list[str] = []
        for number, cell in enumerate(row.iterfind("{*}tc")):
            text = " ".join(
                paragraph.numbered_text for body in cell.iter("{*}txBody") for paragraph in paragraphs_of(body)
            )
            if cell.get("hMerge") in ("1", "true") and cells:
                text = cells[-1]
            elif cell.get("vMerge") in ("1", "true") and rows and number < len(rows[-1]):
                text = rows[-1][number]
            cells.append(text)
        rows.append(cells)
    properties = table.find("{*}tblPr")
    first = properties is not None and properties.get("firstRow") in ("1", "true")
    writer.table(rows, header_rows=1 if first else count_header_rows(rows), page=page, bbox=box)


def _write_chart(writer: Writer, root: _Element, page: int, box: Box | None) -> None:
    """Write the titles, then the numbers as a table."""
    for title in chart_titles(root):
        writer.block(BlockType.PARAGRAPH, [Piece(title, page, box)], meta={"chart": True})
    if rows := chart_rows(root):
        writer.table(rows, page=page, bbox=box, meta={"chart": True})


def _write_diagram(writer: Writer, root: _Element, page: int, box: Box | None) -> None:
    """Write SmartArt as the nested list of its text pane."""
    texts: dict[str, str] = {}
    for point in root.iter("{*}pt"):
        lines = [paragraph_text(paragraph) for paragraph in point.iterfind("{*}t/{*}p")]
        texts[point.get("modelId", "")] = " ".join(line for line in lines if line.strip())
    below = _parts_of(root)
    parts = {point for points in below.values() for point in points}
    roots = [point for point in texts if point not in parts]
    paragraphs = [
        SlideParagraph(texts[point], "-", depth) for point, depth in _walk(roots, below) if texts.get(point, "").strip()
    ]
    write_paragraphs(writer, paragraphs, page, box)


def _parts_of(root: _Element) -> dict[str, list[str]]:
    """Children of each point of a diagram, in order."""
    children: defaultdict[str, list[tuple[int, str]]] = defaultdict(list)
    for link in root.iter("{*}cxn"):
        if link.get("type", "parOf") == "parOf":
            children[link.get("srcId", "")].append((whole_number(link.get("srcOrd")), link.get("destId", "")))
    return {parent: [child for _, child in sorted(parts)] for parent, parts in children.items()}


def _walk(roots: Sequence[str], below: dict[str, list[str]]) -> Iterator[tuple[str, int]]:
    """Yield every point once with its depth, parents first; also in a cyclic file."""
    visited: set[str] = set()
    for start in (*roots, *below):
        waiting = [(start, 0)]
        while waiting:
            point, depth = waiting.pop()
            if point not in visited:
                visited.add(point)
                yield point, min(max(depth - 1, 0), 8)
                waiting += [(part, depth + 1) for part in reversed(below.get(point, []))]


def charts_of(package: Package, part: str) -> dict[str, _Element]:
    """Return the roots of a part's charts by relation id, without the damaged ones.

    Raises:
        ParseError: the list of what the part refers to is damaged.
        TooLargeError: a chart is nested too deep.
    """
    charts = {}
    for key, one in package.related(part).items():
        if one.kind == "chart" and one.part in package:
            try:
                charts[key] = package.root(one.part)
            except TooLargeError:
                raise
            except ParseError:
                continue
    return charts


def chart_titles(root: _Element) -> list[str]:
    """Return the non-empty titles of a chart and its axes."""
    titles = (
        " ".join(paragraph_text(paragraph) for paragraph in title.iter("{*}p")) for title in root.iter("{*}title")
    )
    return [title for title in titles if title.strip()]


def chart_rows(root: _Element) -> list[list[str]]:
    """Return a chart as a table: header, a row per category, a column per series; may be empty."""
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
