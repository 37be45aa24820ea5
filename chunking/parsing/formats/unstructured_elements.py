"""Read the JSON elements of the library `unstructured`, from any kind of file."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from chunking.display import quantity
from chunking.errors import ParseError
from chunking.model import BlockType, Box
from chunking.parsing.builder.foreign_tables import read_grid
from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.builder.text_builder import Piece, Writer
from chunking.parsing.headings.numbered_levels import levels_of
from chunking.parsing.safe_input.safe_json import as_list, as_mapping, as_number, as_text, as_whole, load_json

__all__ = ["elements_reading", "is_elements", "read_elements"]

_SAMPLED_ELEMENTS = 20
_DEEPEST = 6
_DEEPEST_LIST = 8
_MAX_PAGES = 100_000

_LEFT_OUT = {
    "Header": "page header",
    "Page-header": "page header",
    "Footer": "page footer",
    "Page-footer": "page footer",
    "Footnote": "footnote",
    "PageNumber": "page number",
}
"""Types outside the running text, with the reason to leave them out."""

_KINDS: dict[str, BlockType] = {
    **dict.fromkeys(("Title", "Headline", "Subheadline", "Section-header"), BlockType.HEADING),
    **dict.fromkeys(
        ("NarrativeText", "Text", "UncategorizedText", "Paragraph", "Abstract", "Threading"), BlockType.PARAGRAPH
    ),
    **dict.fromkeys(
        ("Address", "EmailAddress", "FigureCaption", "Caption", "CompositeElement", "Link"), BlockType.PARAGRAPH
    ),
    **dict.fromkeys(("Form", "FormKeysValues", "Field-Name", "Value", "DocumentData"), BlockType.PARAGRAPH),
    **dict.fromkeys(("ListItem", "BulletedText", "List-item"), BlockType.LIST),
    **dict.fromkeys(("Table", "TableChunk"), BlockType.TABLE),
    **dict.fromkeys(("Image", "Figure", "Picture"), BlockType.IMAGE),
    "Formula": BlockType.EQUATION,
    "CodeSnippet": BlockType.CODE,
}
_SILENT = "PageBreak"
_FROM_BELOW = frozenset({"PointSpace", "RelativeCoordinateSystem", "CoordinateSystem"})
"""Coordinate systems in which y counts from the foot of the page."""


@dataclass(frozen=True, slots=True)
class _Element:
    name: str
    text: str
    page: int | None
    bbox: Box | None
    values: Mapping[str, Any]
    """Metadata of the element."""
    own_id: str

    @property
    def piece(self) -> Piece:
        return Piece(self.text, self.page, self.bbox if self.page else None)


def is_elements(value: object) -> bool:
    """True if a JSON value is a list of `unstructured`'s elements, judged by the first 20.

    >>> is_elements([{"type": "Title", "text": "a", "element_id": "1"}]), is_elements([{"type": "Title"}])
    (True, False)
    """
    sample = as_list(value)[:_SAMPLED_ELEMENTS]
    recognised = [one for one in map(as_mapping, sample) if _is_element(one)]
    return bool(recognised) and 2 * len(recognised) > len(sample)


def _is_element(one: Mapping[str, Any]) -> bool:
    named = one.get("type") in (*_KINDS, *_LEFT_OUT, _SILENT) if isinstance(one.get("type"), str) else False
    return named and isinstance(one.get("text"), str) and ("element_id" in one or isinstance(one.get("metadata"), dict))


def read_elements(raw: RawFile) -> Reading:
    """Read a JSON list of `unstructured`'s elements, as its `elements_to_json` writes it.

    Elements of no known form are skipped, and counted in a warning.

    Raises:
        ParseError: it is no such list.
        TooLargeError: over a limit of JSON, of tables or of texts.
    """
    loaded = load_json(raw.data, raw.source, raw.encoding)
    if not is_elements(loaded.value):
        raise ParseError(
            f"{raw.source} is JSON, but not a list of unstructured's elements; export it with elements_to_json.",
            where=raw.source,
        )
    reading = elements_reading(as_list(loaded.value), raw.source)
    return replace(reading, encoding=loaded.encoding, warnings=(*loaded.warnings, *reading.warnings))


def elements_reading(values: Sequence[Any], source: str) -> Reading:
    """Write `unstructured`'s elements, as its `to_dict` returns them, as blocks of a text.

    Elements of no known form are skipped, and counted in a warning.

    Raises:
        TooLargeError: over a limit of tables or of texts.
    """
    elements = [element for one in values if (element := _element(as_mapping(one)))]
    writing = _Writing(source, elements)
    writing.run()
    skipped = len(values) - len(elements)
    notes = [f"{quantity(skipped, 'element')} of the file could not be read: of no known form."] if skipped else []
    pages = max((element.page or 0 for element in elements), default=0)
    return writing.writer.finish(warnings=(*notes, *dict.fromkeys(writing.warnings)), page_count=pages)


def _element(one: Mapping[str, Any]) -> _Element | None:
    if not isinstance(one.get("text"), str) and not isinstance(one.get("type"), str):
        return None
    values = as_mapping(one.get("metadata"))
    page = as_whole(values.get("page_number"))
    page = page if page is not None and 1 <= page <= _MAX_PAGES else None
    box = _box(as_mapping(values.get("coordinates")))
    return _Element(
        as_text(one.get("type")), as_text(one.get("text")), page, box, values, as_text(one.get("element_id"))
    )


def _box(coordinates: Mapping[str, Any]) -> Box | None:
    """Convert points in layout units to shares from the upper left.

    None if the layout's size is unknown.
    """
    width, height = as_number(coordinates.get("layout_width")), as_number(coordinates.get("layout_height"))
    points = [[as_number(side) for side in as_list(point)] for point in as_list(coordinates.get("points"))[:64]]
    if (
        not width
        or not height
        or width < 0
        or height < 0
        or len(points) < 2
        or any(len(point) != 2 or None in point for point in points)
    ):
        return None
    across = [(x or 0.0) / width for x, _ in points]
    down = [(y or 0.0) / height for _, y in points]
    if as_text(coordinates.get("system")) in _FROM_BELOW:
        down = [1 - share for share in down]
    left, right, top, bottom = (min(max(share, 0.0), 1.0) for share in (min(across), max(across), min(down), max(down)))
    return (left, top, right, bottom) if left < right and top < bottom else None


class _Writing:
    """Writer of one document, element by element."""

    def __init__(self, source: str, elements: Sequence[_Element]) -> None:
        self.writer = Writer(source)
        self.warnings: list[str] = []
        self._source = source
        self._elements = elements
        self._items: list[_Element] = []

    def run(self) -> None:
        """Write the elements in order."""
        levels = _levels(self._elements)
        for element in self._elements:
            kind = _KINDS.get(element.name, BlockType.PARAGRAPH)
            if element.name in _LEFT_OUT:
                self.writer.leave_out([element.piece], _LEFT_OUT[element.name])
            elif kind is BlockType.LIST:
                self._items.append(element)
            elif element.name != _SILENT:
                self._list()
                if kind is BlockType.HEADING:
                    self.writer.block(kind, [element.piece], level=next(levels))
                else:
                    _WRITERS.get(kind, _Writing.plain)(self, element, kind)
        self._list()

    def plain(self, element: _Element, kind: BlockType) -> None:
        """Write a text block."""
        self.writer.block(kind, [element.piece])

    def code(self, element: _Element, kind: BlockType) -> None:
        """Write code; the library knows no languages."""
        self.writer.block(kind, [element.piece], meta={"language": "", "fenced": False})

    def image(self, element: _Element, kind: BlockType) -> None:
        """Write the text recognised in an image."""
        path = as_text(element.values.get("image_path")) or as_text(element.values.get("image_url"))
        self.writer.block(kind, [element.piece], meta={"path": path, "alt": ""})

    def table(self, element: _Element, kind: BlockType) -> None:
        """Write a table from its HTML; without it, a row per line."""
        html = as_text(element.values.get("text_as_html")) or element.text
        grid = read_grid(html, self._source)
        self.warnings += grid.warnings
        self.writer.block(BlockType.PARAGRAPH, [element.piece._replace(text=grid.caption)])
        self.writer.table(grid.rows, header_rows=grid.header_rows, page=element.page, bbox=element.piece.bbox)

    def _list(self) -> None:
        """Write consecutive items as one list."""
        items, self._items = [item for item in self._items if item.text.strip()], []
        if not items:
            return
        depths = [min(max(as_whole(item.values.get("category_depth")) or 0, 0), _DEEPEST_LIST) for item in items]
        least = min(depths)
        pieces = []
        for item, depth in zip(items, depths, strict=True):
            pieces += [Piece("\n" + "  " * (depth - least)), item.piece]
        self.writer.block(BlockType.LIST, pieces, meta={"depth": max(depths) - least + 1, "items": len(items)})


_WRITERS: dict[BlockType, Callable[[_Writing, _Element, BlockType], None]] = {
    BlockType.CODE: _Writing.code,
    BlockType.IMAGE: _Writing.image,
    BlockType.TABLE: _Writing.table,
}


def _levels(elements: Sequence[_Element]) -> Iterator[int]:
    """Level of each title.

    Its own depth, else one below its parent title; from numbers if all are equal.
    """
    titles = [element for element in elements if _KINDS.get(element.name) is BlockType.HEADING]
    by_id: dict[str, int] = {}
    levels: list[int] = []
    for title in titles:
        depth = as_whole(title.values.get("category_depth"))
        parent_level = by_id.get(as_text(title.values.get("parent_id")), 0)
        level = min(max(depth + 1 if depth is not None else parent_level + 1, 1), _DEEPEST)
        if title.own_id:
            by_id[title.own_id] = level
        levels.append(level)
    return iter(levels if len(set(levels)) > 1 else levels_of([title.text for title in titles]))
