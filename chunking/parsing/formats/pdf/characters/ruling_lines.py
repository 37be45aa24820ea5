"""Ruling lines of a PDF page: horizontal and vertical strokes, and thin or filled rectangles."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from typing import Any, NamedTuple

from chunking.parsing.formats.pdf.characters.page_characters import address_of, page_frame, plain_calls

__all__ = ["MAX_PATHS", "Rule", "rules_of"]

MAX_PATHS = 5_000
"""Most paths per page; a page with more is a drawing."""
_MAX_SEGMENTS = 2_000
"""Most segments per path; a path with more is a drawing."""
_DEEPEST = 3
_STRAIGHT = 0.7
"""Points by which a straight line may deviate from horizontal or vertical."""
_SHORTEST = 3.0
"""Minimum length of a rule in points."""
_THIN = 3.0
"""Maximum thickness in points of a filled rectangle that is a rule."""
_PATH, _FORM = 2, 5
_LINE, _BEZIER, _MOVE = 0, 1, 2
_WHITE = 250

_Affine = tuple[float, float, float, float, float, float]
_Point = tuple[float, float]


class Rule(NamedTuple):
    """A horizontal (`top` = `bottom`) or vertical (`left` = `right`) line.

    In points from the upper left corner of the displayed page.
    """

    left: float
    top: float
    right: float
    bottom: float

    @property
    def across(self) -> bool:
        """True if it is horizontal."""
        return self.right - self.left >= self.bottom - self.top


def rules_of(page: Any) -> list[Rule]:
    """Return the rules of a page and its forms; empty if it has over `MAX_PATHS` paths (a drawing).

    Rules are straight strokes, and the sides of filled shapes that are not white (a thin one is one rule), at least 3
    points long. A path with curves has none.

    Args:
        page: a `pypdfium2.PdfPage`.
    """
    origin, right, up = page_frame(page)[0].tolist()
    to_page = (right[0], right[1], up[0], up[1], origin[0], origin[1])
    rules: list[Rule] = []
    for count, (path, place) in enumerate(_paths(page.raw, to_page, top=True)):
        if count >= MAX_PATHS:
            return []
        rules += _rules_of_path(path, place)
    return rules


def _paths(container: Any, place: _Affine, *, top: bool, depth: int = 0) -> Iterator[tuple[Any, _Affine]]:
    """Path objects of a page and its forms, each with its transformation."""
    import pypdfium2.raw as pdfium

    calls = plain_calls()
    count, at = (
        (pdfium.FPDFPage_CountObjects(container), calls.object_on)
        if top
        else (pdfium.FPDFFormObj_CountObjects(container), calls.object_in)
    )
    address, matrix = address_of(container), pdfium.FS_MATRIX()
    for n in range(count):
        handle = at(address, n) or 0
        kind = calls.kind_of(handle) if handle else 0
        one = ctypes.cast(handle, pdfium.FPDF_PAGEOBJECT) if kind in (_PATH, _FORM) else None
        if one and pdfium.FPDFPageObj_GetMatrix(one, matrix):
            placed = _times((matrix.a, matrix.b, matrix.c, matrix.d, matrix.e, matrix.f), place)
            if kind == _PATH:
                yield one, placed
            elif depth < _DEEPEST:
                yield from _paths(one, placed, top=False, depth=depth + 1)


def _rules_of_path(path: Any, place: _Affine) -> list[Rule]:
    import pypdfium2.raw as pdfium

    count = pdfium.FPDFPath_CountSegments(path)
    fill, stroke = ctypes.c_int(), ctypes.c_int()
    if (
        not 2 <= count <= _MAX_SEGMENTS
        or not pdfium.FPDFPath_GetDrawMode(path, fill, stroke)
        or not (fill.value or stroke.value)
    ):
        return []
    lines = list(_lines(path, count, place))
    if stroke.value:
        return [rule for rule in (_rule(*line) for line in lines) if rule]
    return _filled(lines) if lines and not _is_white(path) else []


def _lines(path: Any, count: int, place: _Affine) -> Iterator[tuple[_Point, _Point]]:
    """Straight segments of a path; none if it has curves."""
    import pypdfium2.raw as pdfium

    x, y = ctypes.c_float(), ctypes.c_float()
    segments: list[tuple[_Point, _Point]] = []
    start = last = (0.0, 0.0)
    for n in range(count):
        segment = pdfium.FPDFPath_GetPathSegment(path, n)
        kind = pdfium.FPDFPathSegment_GetType(segment)
        if kind == _BEZIER:
            return
        pdfium.FPDFPathSegment_GetPoint(segment, x, y)
        point = _at(place, x.value, y.value)
        if kind == _MOVE:
            start = point
        elif kind == _LINE:
            segments.append((last, point))
        if pdfium.FPDFPathSegment_GetClose(segment) and point != start:
            segments.append((point, start))
            point = start
        last = point
    yield from segments


def _filled(lines: list[tuple[_Point, _Point]]) -> list[Rule]:
    """Turn a thin filled rectangle into one rule, others into four sides."""
    xs = [point[0] for line in lines for point in line]
    ys = [point[1] for line in lines for point in line]
    left, top, right, bottom = min(xs), min(ys), max(xs), max(ys)
    if bottom - top <= _THIN < right - left:
        return [Rule(left, (top + bottom) / 2, right, (top + bottom) / 2)]
    if right - left <= _THIN < bottom - top:
        return [Rule((left + right) / 2, top, (left + right) / 2, bottom)]
    return [rule for rule in (_rule(*line) for line in lines) if rule]


def _rule(one: _Point, other: _Point) -> Rule | None:
    (x, y), (x2, y2) = one, other
    if abs(y - y2) <= _STRAIGHT and abs(x - x2) >= _SHORTEST:
        return Rule(min(x, x2), (y + y2) / 2, max(x, x2), (y + y2) / 2)
    if abs(x - x2) <= _STRAIGHT and abs(y - y2) >= _SHORTEST:
        return Rule((x + x2) / 2, min(y, y2), (x + x2) / 2, max(y, y2))
    return None


def _is_white(path: Any) -> bool:
    import pypdfium2.raw as pdfium

    red, green, blue, alpha = (ctypes.c_uint() for _ in range(4))
    has_colour = pdfium.FPDFPageObj_GetFillColor(path, red, green, blue, alpha)
    return bool(has_colour) and (min(red.value, green.value, blue.value) >= _WHITE or alpha.value == 0)


def _times(inner: _Affine, outer: _Affine) -> _Affine:
    """Compose two transformations: first `inner`, then `outer`."""
    a, b, c, d, e, f = inner
    return (*_turned(outer, a, b), *_turned(outer, c, d), *_at(outer, e, f))


def _turned(place: _Affine, x: float, y: float) -> _Point:
    a, b, c, d, _, _ = place
    return a * x + c * y, b * x + d * y


def _at(place: _Affine, x: float, y: float) -> _Point:
    a, b, c, d, e, f = place
    return a * x + c * y + e, b * x + d * y + f
