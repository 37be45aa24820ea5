"""A document with pages whose every line has a known place, and pictures of them drawn from the same places."""

from __future__ import annotations

import io
from dataclasses import dataclass
from functools import cache

from chunking.errors import ParseError
from chunking.model import BlockType, Box, Document
from chunking.parsing.builder.text_builder import Piece, Writer
from tests.support.documents import document_of

__all__ = ["BROKEN", "HOSTILE", "Drawn", "calls", "draw", "paged_document"]

BROKEN = 4
"""The page that cannot be drawn."""
HOSTILE = "<img src=x onerror='window.broken = 1'>"

_LINE = 0.022
calls: list[tuple[int, int]] = []
"""Each page drawn, with its width."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """A picture of a page."""

    width: int
    height: int
    data: bytes
    mime: str = "image/png"


def _lines(page: int, left: float, top: float, right: float, count: int, words: str) -> list[Piece]:
    """`count` lines of a column, joined by spaces."""
    pieces: list[Piece] = []
    for number in range(count):
        if pieces:
            pieces.append(Piece(" "))
        box: Box = (
            left,
            top + 1.5 * _LINE * number,
            right if number < count - 1 else (left + right) / 2,
            top + 1.5 * _LINE * number + _LINE,
        )
        pieces.append(Piece(f"{words} line {number + 1} of {count} on page {page}.", page, box))
    return pieces


@cache
def paged_document() -> Document:
    """Four pages: two columns with a paragraph that goes on in the second, a table, a list, a page break in a
    paragraph.
    """
    writer = Writer("paged.pdf")
    for page in range(1, 5):
        writer.leave_out([Piece(f"Annual report {page}", page, (0.1, 0.03, 0.4, 0.05))], "running header")
    writer.block(BlockType.HEADING, [Piece("Report of the year", 1, (0.1, 0.08, 0.6, 0.11))], level=1)
    writer.block(BlockType.PARAGRAPH, _lines(1, 0.1, 0.14, 0.9, 3, "The introduction runs over the whole width,"))
    flow = [
        *_lines(1, 0.1, 0.7, 0.47, 7, "The left column,"),
        Piece(" "),
        *_lines(1, 0.53, 0.3, 0.9, 6, "The right column,"),
    ]
    writer.block(BlockType.PARAGRAPH, _lines(1, 0.1, 0.3, 0.47, 11, "Something before it,"))
    writer.block(BlockType.PARAGRAPH, flow)
    writer.block(BlockType.LIST, _lines(1, 0.53, 0.55, 0.9, 4, "- an item,"), meta={"depth": 1})
    writer.block(BlockType.HEADING, [Piece(f"Results {HOSTILE}", 2, (0.1, 0.08, 0.6, 0.11))], level=2)
    writer.table([["Name", "Size"], ["Finch", "3 cm"], ["Heron", "90 cm"]], page=2, bbox=(0.1, 0.15, 0.7, 0.3))
    turning = [
        *_lines(2, 0.1, 0.8, 0.9, 4, "The end of page two,"),
        Piece(" "),
        *_lines(3, 0.1, 0.1, 0.9, 3, "the start of page three,"),
    ]
    writer.block(BlockType.PARAGRAPH, turning)
    writer.block(BlockType.CODE, _lines(3, 0.1, 0.4, 0.7, 3, "print()"))
    writer.block(BlockType.PARAGRAPH, _lines(BROKEN, 0.1, 0.1, 0.9, 3, "The last page,"))
    return document_of(writer.finish(page_count=BROKEN, title="Report of the year"), "paged.pdf")


def draw(page: int, width: int) -> Drawn:
    """The page's lines as grey words on white; page `BROKEN` cannot be drawn."""
    from PIL import Image, ImageDraw

    calls.append((page, width))
    if page == BROKEN:
        raise ParseError(f"Page {page} cannot be drawn; its picture is damaged.")
    height = round(width * 1.414)
    image = Image.new("RGB", (width, height), "white")
    pen = ImageDraw.Draw(image)
    document = paged_document()
    for line in document.locations:
        if line.page == page and line.bbox:
            left, top, right, _ = line.bbox
            pen.text(
                (left * width, top * height),
                document.text[line.start : line.end][: int((right - left) * 90)],
                fill="#333",
                font_size=width // 55,
            )
    file = io.BytesIO()
    image.save(file, "PNG")
    return Drawn(width, height, file.getvalue())
