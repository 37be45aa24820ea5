"""The paragraphs of a shape: which are items of a list, and how deep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from chunking.model import BlockType, Box
from chunking.parsing.builder.text_builder import Piece, Writer
from chunking.parsing.formats.office.office_parts import local_name, whole_number
from chunking.text.raised_text import SUBSCRIPT, SUPERSCRIPT, add_raised, write_raised

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["Paragraph", "paragraph_text", "paragraphs_of", "write_paragraphs"]

_BULLETS = {"buNone": "", "buChar": "-", "buBlip": "-", "buAutoNum": "1."}
"""How a paragraph begins, by the element that says so."""
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph that says something."""

    text: str
    bullet: str = ""
    """`-` for an item of a list, `1.` for one that is counted, empty for running text."""
    depth: int = 0
    """0 for the outermost."""


def paragraphs_of(body: _Element, styles: Sequence[_Element] = ()) -> Iterator[Paragraph]:
    """The paragraphs of a text body.

    Args:
        body: holds `a:p` elements.
        styles: list styles that say what the paragraphs themselves do not, the nearest first.
    """
    for paragraph in body.iterfind("{*}p"):
        text = paragraph_text(paragraph)
        if text.strip():
            own = paragraph.find("{*}pPr")
            depth = _depth(own)
            yield Paragraph(text.strip(), _bullet(own, styles, depth), depth)


def paragraph_text(paragraph: _Element) -> str:
    """Its runs, fields and equations (of which the letters are kept), with line ends where it has breaks."""
    parts: list[str] = []
    for element in paragraph.iter("{*}t", "{*}br"):
        opening = _opening(element)
        if opening and element.text:
            add_raised(parts, element.text, opening)
        else:
            parts.append("\n" if local_name(element) == "br" else (element.text or ""))
    return write_raised("".join(parts)).replace("\v", "\n").replace("_x000D_", "\n").replace("_x000B_", "\n")


def _opening(text: _Element) -> str:
    """How a run's `baseline`, in thousandths of its size, raises its text."""
    run = text.getparent()
    looks = None if run is None else run.find("{*}rPr")
    baseline = ("" if looks is None else looks.get("baseline") or "").removesuffix("%")
    if not baseline.strip("-0."):
        return ""
    return SUBSCRIPT if baseline.startswith("-") else SUPERSCRIPT


def write_paragraphs(writer: Writer, paragraphs: Sequence[Paragraph], page: int, box: Box | None) -> None:
    """Running text paragraph by paragraph; items that follow one another as one list."""
    for listed, group in groupby(paragraphs, key=lambda paragraph: bool(paragraph.bullet)):
        items = list(group)
        if not listed:
            for item in items:
                writer.block(BlockType.PARAGRAPH, [Piece(item.text, page, box)])
            continue
        least = min(item.depth for item in items)
        meta = {"depth": max(item.depth for item in items) - least + 1, "items": len(items)}
        writer.block(BlockType.LIST, [Piece("\n".join(_lines(items, least)), page, box)], meta=meta)


def _lines(items: Sequence[Paragraph], least: int) -> Iterator[str]:
    """A line an item, counted where the list is; the count of a level starts again under another item."""
    counts = [0] * (_DEEPEST + 1)
    for item in items:
        counts[item.depth + 1 :] = [0] * (_DEEPEST - item.depth)
        counts[item.depth] = counts[item.depth] + 1 if item.bullet == "1." else 0
        mark = f"{counts[item.depth]}." if counts[item.depth] else "-"
        indent = "  " * (item.depth - least)
        yield f"{indent}{mark} " + item.text.replace("\n", f"\n{indent}  ")


def _depth(properties: _Element | None) -> int:
    return min(whole_number(properties.get("lvl")), _DEEPEST) if properties is not None else 0


def _bullet(own: _Element | None, styles: Sequence[_Element], depth: int) -> str:
    """What the paragraph says, else the nearest list style that says anything about its level."""
    levels = [style.find(f"{{*}}lvl{depth + 1}pPr") for style in styles]
    for properties in (own, *levels):
        for element in properties if properties is not None else ():
            mark = _BULLETS.get(local_name(element))
            if mark is not None:
                return mark
    return ""
