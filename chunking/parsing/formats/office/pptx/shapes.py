"""Shapes of a slide: kind, place and reading order."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple

from chunking.model import Box
from chunking.parsing.builder.text_builder import bounding_box
from chunking.parsing.formats.office.office_parts import attribute, local_name

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["TITLES", "Shape", "SlideLayout", "read_shapes"]

TITLES = frozenset({"title", "ctrTitle"})
"""Placeholders of a slide's title."""

_SHAPES = frozenset({"sp", "graphicFrame", "pic", "grpSp", "cxnSp"})
_BASE = {
    "ctrTitle": "title",
    "subTitle": "body",
    "obj": "body",
    "tbl": "body",
    "chart": "body",
    "dgm": "body",
    "pic": "body",
}
"""Placeholder types to those of the master that they inherit from."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape other than a group: its XML, kind of placeholder, place, and list styles."""

    element: _Element
    placeholder: str
    """Placeholder type (`title`, `body`, `ftr` ...); empty if it is no placeholder."""
    box: Box | None
    """Box on the slide; None if unknown or off the slide."""
    styles: tuple[_Element, ...] = ()
    """List styles of the placeholders it inherits from, the nearest first."""


class _Frame(NamedTuple):
    """Transformation from a group's coordinates to the slide's: place + factor * coordinate."""

    x: float = 0.0
    y: float = 0.0
    across: float = 1.0
    down: float = 1.0


class _Placeholder(NamedTuple):
    box: tuple[float, float, float, float] | None
    styles: tuple[_Element, ...]


@dataclass(frozen=True, slots=True)
class SlideLayout:
    """Size of the slides, and the placeholders that one inherits from its layout and master."""

    width: float
    """Width of a slide in EMU (914,400 an inch)."""
    height: float
    by_index: Mapping[str, _Placeholder] = field(default_factory=dict)
    by_type: Mapping[str, _Placeholder] = field(default_factory=dict)

    def with_placeholders(self, root: _Element) -> SlideLayout:
        """Return a copy with a master's or layout's placeholders, which override earlier types.

        `by_index` has those of `root` only.
        """
        by_index: dict[str, _Placeholder] = {}  # a master's indices mean nothing to a slide
        by_type = dict(self.by_type)
        for style in root.iterfind("{*}txStyles/{*}bodyStyle"):
            by_type["body"] = _Placeholder(None, (style,))
        for element in root.iterfind("{*}cSld/{*}spTree/{*}sp"):
            kind, index = _placeholder(element)
            if kind:
                under = by_type.get(kind) or by_type.get(_BASE.get(kind, ""))
                own = _own_styles(element) + (under.styles if under else ())
                placeholder = _Placeholder(_extent(element) or (under.box if under else None), own)
                by_type[kind] = placeholder
                by_index[index] = placeholder
        return SlideLayout(self.width, self.height, by_index, by_type)

    def under(self, kind: str, index: str) -> _Placeholder | None:
        """Return the layout's or master's placeholder that a slide's placeholder inherits from.

        None if there is none, or `kind` is empty.

        Args:
            kind: type of the slide's placeholder (`title`, `body` ...).
            index: its `idx`, by which it is matched first.
        """
        if not kind:
            return None
        return self.by_index.get(index) or self.by_type.get(kind) or self.by_type.get(_BASE.get(kind, ""))

    def share(self, extent: tuple[float, float, float, float], frame: _Frame) -> Box | None:
        """Convert a box in a group's coordinates to shares of the slide; None if off the slide.

        Args:
            extent: left, top, width and height.
            frame: from the group's coordinates to the slide's.
        """
        x, y, width, height = extent
        across = sorted((frame.x + frame.across * one) / self.width for one in (x, x + width))
        down = sorted((frame.y + frame.down * one) / self.height for one in (y, y + height))
        if not all(map(isfinite, (*across, *down))) or across[1] < 0 or down[1] < 0 or across[0] > 1 or down[0] > 1:
            return None
        return max(across[0], 0.0), max(down[0], 0.0), min(across[1], 1.0), min(down[1], 1.0)


def read_shapes(tree: _Element, layout: SlideLayout) -> Iterator[Shape]:
    """Yield the shapes of a slide in reading order, with groups taken apart.

    Placeholders keep the order of the file, which is their layout's (a comparison has left heading, left text, right
    heading, right text). Everything else follows from top to bottom and left to right, a group as one unit: its place
    in the file only says when it was drawn.
    """
    units = list(_units(tree, layout, _Frame()))
    placed = [unit for unit in units if unit[0].placeholder]
    free = [unit for unit in units if not unit[0].placeholder]
    for unit in [*placed, *_in_rows(free)]:
        yield from unit


def _units(tree: _Element, layout: SlideLayout, frame: _Frame) -> Iterator[list[Shape]]:
    """Yield each shape, and each group as the list of its shapes; `parse_xml` limits the depth."""
    for element in tree:
        name = local_name(element)
        if name == "grpSp":
            inside = _in_rows(list(_units(element, layout, _framed(element, frame))))
            if shapes := [shape for unit in inside for shape in unit]:
                yield shapes
        elif name in ("AlternateContent", "Choice", "Fallback"):
            yield from _units(element, layout, frame)
        elif name in _SHAPES:
            yield [_shape(element, layout, frame)]


def _shape(element: _Element, layout: SlideLayout, frame: _Frame) -> Shape:
    kind, index = _placeholder(element)
    under = layout.under(kind, index)
    extent = _extent(element)
    if extent is None and under is not None:
        extent, frame = under.box, _Frame()
    box = layout.share(extent, frame) if extent else None
    return Shape(element, kind, box, _own_styles(element) + (under.styles if under else ()))


def _placeholder(element: _Element) -> tuple[str, str]:
    """Type and index of a placeholder; the default type is `obj`, no placeholder has an empty one."""
    mark = element.find("{*}nvSpPr/{*}nvPr/{*}ph")
    if mark is None:
        mark = next(element.iterfind("./*/{*}nvPr/{*}ph"), None)
    return ("", "") if mark is None else (mark.get("type", "obj"), mark.get("idx", "0"))


def _own_styles(element: _Element) -> tuple[_Element, ...]:
    return tuple(element.iterfind("{*}txBody/{*}lstStyle"))


def _extent(element: _Element) -> tuple[float, float, float, float] | None:
    """Left, top, width and height of a shape in the coordinates of its group."""
    for path in ("{*}spPr/{*}xfrm", "{*}xfrm", "{*}grpSpPr/{*}xfrm"):
        transform = element.find(path)
        if transform is not None:
            return _numbers(transform, "off", "ext")
    return None


def _framed(group: _Element, frame: _Frame) -> _Frame:
    """Transformation of the coordinates inside a group."""
    transform = group.find("{*}grpSpPr/{*}xfrm")
    outer = _numbers(transform, "off", "ext") if transform is not None else None
    inner = _numbers(transform, "chOff", "chExt") if transform is not None else None
    if not outer or not inner or not inner[2] or not inner[3]:
        return frame
    across, down = outer[2] / inner[2], outer[3] / inner[3]
    return _Frame(
        frame.x + frame.across * (outer[0] - across * inner[0]),
        frame.y + frame.down * (outer[1] - down * inner[1]),
        frame.across * across,
        frame.down * down,
    )


def _numbers(transform: _Element, place: str, size: str) -> tuple[float, float, float, float] | None:
    off, ext = transform.find(f"{{*}}{place}"), transform.find(f"{{*}}{size}")
    if off is None or ext is None:
        return None
    try:
        x, y, width, height = (
            float(attribute(one, name) or 0) for one, name in ((off, "x"), (off, "y"), (ext, "cx"), (ext, "cy"))
        )
    except ValueError:  # a length that is no number: the shape has no place, its text is read all the same
        return None
    return x, y, width, height


def _in_rows(units: Sequence[list[Shape]]) -> list[list[Shape]]:
    """Order from top to bottom, and left to right within a row; units without a place last."""
    boxed = [
        (bounding_box([shape.box for shape in unit if shape.box]), unit)
        for unit in units
        if any(shape.box for shape in unit)
    ]
    boxed.sort(key=lambda pair: pair[0][1])
    ordered: list[list[Shape]] = []
    row: list[tuple[Box, list[Shape]]] = []
    for box, unit in boxed:
        if row and (box[1] + box[3]) / 2 > row[0][0][3]:
            ordered += _left_to_right(row)
            row = []
        row.append((box, unit))
    return ordered + _left_to_right(row) + [unit for unit in units if not any(shape.box for shape in unit)]


def _left_to_right(row: Sequence[tuple[Box, list[Shape]]]) -> list[list[Shape]]:
    return [unit for _, unit in sorted(row, key=lambda pair: pair[0][0])]
