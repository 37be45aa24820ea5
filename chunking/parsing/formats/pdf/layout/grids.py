"""Find the cells drawn by a page's ruling lines with pdfplumber, including half-open grids.

pdfplumber's own page reading (pdfminer) takes many times as long as everything else here, so only its geometry is used,
and only on pages with rules.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from chunking.parsing.formats.pdf.characters.page_characters import PageCharacters
from chunking.parsing.formats.pdf.characters.ruling_lines import Rule

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Bounds", "Cells", "grids_of"]

Bounds = tuple[float, float, float, float]
"""Left, top, right, bottom in points."""
Cells = list[Bounds]

_TOLERANCE = 3.0
"""Maximum distance of rules, in points, that count as touching."""
_MAX_CROSSINGS = 2_000
"""Most crossings of rules per page; more are a drawing's. Time grows with the square."""
_MAX_RULES = 1_000
_FEWEST = 3
"""Minimum horizontal rules of a table without sides: above and below the header, and at the end."""
_GAP = 6.0
"""Minimum gap between columns without a rule, in points."""
_SIDES = 4
_SPACES = np.array([chr(code).isspace() for code in range(0x3002)])
"""White space by code; codes beyond are no white space."""

_Edges = list[dict[str, Any]]


def grids_of(rules: Sequence[Rule], characters: PageCharacters) -> Iterator[tuple[Cells, bool]]:
    """Yield the cells of each ruled table, and whether rules (else gaps) separate its columns.

    Nothing for a page without three horizontal rules, or with over 1,000 rules (a drawing). First and last rows that
    are a single cell are removed.
    """
    inside = [rule for rule in rules if _on_page(rule, characters)]
    if len(inside) < _FEWEST or len(inside) > _MAX_RULES or sum(rule.across for rule in inside) < _FEWEST:
        return
    edges = _merged([_edge(*rule, across=rule.across) for rule in inside])
    if sides := list(_open_sides(edges)):
        edges = _merged([*edges, *sides])
    yield from ((cells, True) for cells in _cells(edges))
    groups = list(_with_shorter(edges))
    boxes = characters.boxes[_visible(characters)] if groups else characters.boxes
    for group in groups:
        for part in _columned(group, boxes):
            if _is_open(part, edges):
                yield from ((cells, False) for cells in _cells(_merged(part)))


def _on_page(rule: Rule, characters: PageCharacters) -> bool:
    return rule.right > 0 and rule.bottom > 0 and rule.left < characters.width and rule.top < characters.height


def _edge(left: float, top: float, right: float, bottom: float, *, across: bool) -> dict[str, Any]:
    """Convert a rule to pdfplumber's format."""
    sides = {"x0": left, "x1": right, "top": top, "bottom": bottom, "width": right - left, "height": bottom - top}
    return sides | {"orientation": "h" if across else "v", "object_type": "line"}


def _merged(edges: _Edges) -> _Edges:
    """Merge collinear rules that touch."""
    from pdfplumber import table as plumber

    return list(plumber.merge_edges(edges, *[_TOLERANCE] * _SIDES))


def _cells(edges: _Edges) -> Iterator[Cells]:
    from pdfplumber import table as plumber

    across = sum(edge["orientation"] == "h" for edge in edges)
    if across * (len(edges) - across) > _MAX_CROSSINGS:
        return
    crossings = plumber.edges_to_intersections(edges, _TOLERANCE, _TOLERANCE)
    for cells in plumber.cells_to_tables(plumber.intersections_to_cells(crossings)):
        yield _without_ends(cells)


def _open_sides(edges: _Edges) -> Iterator[dict[str, Any]]:
    """Yield left and right sides for tables with inner rules but no frame."""
    down = [edge for edge in edges if edge["orientation"] == "v"]
    for group in _stacks(edges):
        left, right = group[0]["x0"], group[0]["x1"]
        tops = [edge["top"] for edge in group]
        for edge in down:
            between = left + _TOLERANCE < edge["x0"] < right - _TOLERANCE
            if between and any(abs(edge["top"] - top) <= _TOLERANCE for top in tops):
                yield from (edge | {"x0": side, "x1": side} for side in (left, right))


def _stacks(edges: _Edges) -> Iterator[_Edges]:
    """Yield groups of three or more horizontal rules of one extent, from the top."""
    groups: list[_Edges] = []
    for edge in sorted((edge for edge in edges if edge["orientation"] == "h"), key=lambda one: float(one["top"])):
        for group in groups:
            if abs(group[0]["x0"] - edge["x0"]) <= _TOLERANCE and abs(group[0]["x1"] - edge["x1"]) <= _TOLERANCE:
                group.append(edge)
                break
        else:
            groups.append([edge])
    yield from (group for group in groups if len(group) >= _FEWEST)


def _with_shorter(edges: _Edges) -> Iterator[_Edges]:
    """Yield stacks of rules, with the shorter rules among them (below merged headers)."""
    for group in _stacks(edges):
        left, right = group[0]["x0"] - _TOLERANCE, group[0]["x1"] + _TOLERANCE
        top, bottom = group[0]["top"], group[-1]["top"]
        among = [edge for edge in edges if edge["orientation"] == "h" and top <= edge["top"] <= bottom]
        yield [edge for edge in among if left <= edge["x0"] and edge["x1"] <= right]


def _is_open(part: _Edges, edges: _Edges) -> bool:
    """True if no vertical rule runs through a stack of rules."""
    left, right = (pick(edge[side] for edge in part) for pick, side in ((min, "x0"), (max, "x1")))
    top, bottom = (pick(edge[side] for edge in part) for pick, side in ((min, "top"), (max, "bottom")))
    down = (edge for edge in edges if edge["orientation"] == "v")
    return not any(
        left - 1 <= edge["x0"] <= right + 1 and edge["top"] < bottom - 1 and edge["bottom"] > top + 1 for edge in down
    )


def _columned(group: _Edges, boxes: NDArray[np.float32]) -> Iterator[_Edges]:
    """Yield groups of rules that share column gaps, completed with sides and column lines.

    Other tables and running text of the full width end the columns.
    """
    widest = max(group, key=lambda edge: float(edge["x1"] - edge["x0"]))
    left, right = widest["x0"], widest["x1"]
    across = sorted({edge["top"] for edge in group if edge["x1"] - edge["x0"] >= right - left - 4 * _TOLERANCE})
    between = boxes[(boxes[:, 2] > left) & (boxes[:, 0] < right)]
    between = between[np.argsort(between[:, 0])]
    middles = (between[:, 1] + between[:, 3]) / 2
    first, shared = 0, [(left, right)]
    for n in range(len(across)):
        if len(across) - first < _FEWEST:
            return  # too few rules are left for a table
        gaps = _gaps(between[(middles > across[n]) & (middles < across[n + 1])]) if n + 1 < len(across) else []
        more = _shared(shared, gaps)
        if not more:
            if n - first >= _FEWEST - 1:
                yield _closed(group, across[first], across[n], [sum(gap) / 2 for gap in shared])
            more = _shared([(left, right)], gaps)
            first = n if more else n + 1
        shared = more or [(left, right)]


def _closed(group: _Edges, top: float, bottom: float, columns: Sequence[float]) -> _Edges:
    """Close a group of rules with sides and lines between columns, from top to bottom."""
    among = [edge for edge in group if top <= edge["top"] <= bottom]
    widest = max(among, key=lambda edge: float(edge["x1"] - edge["x0"]))
    return [*among, *(_edge(x, top, x, bottom, across=False) for x in (widest["x0"], *columns, widest["x1"]))]


def _gaps(boxes: NDArray[np.float32]) -> list[tuple[float, float]]:
    """White vertical bands between characters sorted by left edge."""
    if not len(boxes):
        return []
    starts, ends = boxes[:, 0], boxes[:, 2]
    reached = np.maximum.accumulate(ends)[:-1]
    wide = starts[1:] - reached > _GAP
    return list(zip(reached[wide].tolist(), starts[1:][wide].tolist(), strict=True))


def _shared(gaps: Sequence[tuple[float, float]], others: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Intersections of two lists of gaps."""
    pairs = ((max(one[0], other[0]), min(one[1], other[1])) for one in gaps for other in others)
    return [(start, end) for start, end in pairs if end - start > _GAP]


def _visible(characters: PageCharacters) -> Any:
    codes = np.frombuffer(characters.text.encode("utf-32-le", "surrogatepass"), np.uint32)
    return (characters.styles >= 0) & ~_SPACES[np.minimum(codes, len(_SPACES) - 1)]


def _without_ends(cells: Cells) -> Cells:
    """Remove first and last rows that are a single cell: a title, a note below the table."""
    left, right = min(cell[0] for cell in cells), max(cell[2] for cell in cells)
    narrow = [cell for cell in cells if cell[0] > left or cell[2] < right]
    top, bottom = min((cell[1] for cell in narrow), default=0.0), max((cell[3] for cell in narrow), default=0.0)
    return [cell for cell in cells if top <= cell[1] and cell[3] <= bottom]
