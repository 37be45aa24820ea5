"""Paragraphs of a shape, with the bullet and depth of list items."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

from chunking.model import BlockType, Box
from chunking.parsing.builder.numerals import numeral
from chunking.parsing.builder.text_builder import Piece, Writer
from chunking.parsing.formats.office.office_parts import local_name, whole_number
from chunking.text.raised_text import SUBSCRIPT, SUPERSCRIPT, add_raised, write_raised

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["SlideParagraph", "paragraph_text", "paragraphs_of", "write_paragraphs"]

_BULLETS = {"buNone": "", "buChar": "-", "buBlip": "-"}
"""Bullets by the element that sets them; `buAutoNum` counts."""
_LAST_START = 32_767
_SYSTEMS = {
    "arabic": "decimal",
    "alphaLc": "lower-letter",
    "alphaUc": "upper-letter",
    "romanLc": "lower-roman",
    "romanUc": "upper-roman",
    "arabicDb": "full-width",
    "circleNumDb": "circled",
    "circleNumWdWhite": "circled",
    "circleNumWdBlack": "black-circled",
    "ea1Chs": "chinese",
    "ea1Cht": "taiwanese",
    "ea1JpnChsDb": "japanese",
    "ea1JpnKor": "japanese",
    "arabic1": "arabic-abjad",
    "arabic2": "arabic-letter",
    "hebrew2": "hebrew",
    "thaiAlpha": "thai-letter",
    "thaiNum": "thai-digit",
    "hindiAlpha": "hindi-consonant",
    "hindiAlpha1": "hindi-vowel",
    "hindiNum": "hindi-digit",
}
"""First part of a numbering scheme (20.1.10.61) to systems of `NUMERALS`."""
_FRAMES = {"ParenBoth": "({})", "ParenR": "{})", "Period": "{}.", "Minus": "{}-", "Plain": "{}"}
"""Last part of a numbering scheme to the punctuation around a number."""
_DEEPEST = 8


@dataclass(frozen=True, slots=True)
class SlideParagraph:
    """A paragraph with text; a list item has a bullet and a depth."""

    text: str
    bullet: str = ""
    """Bullet of a list item: `-`, or its displayed number; empty for running text."""
    depth: int = 0
    """Depth, 0 for the outermost."""

    @property
    def numbered_text(self) -> str:
        """Text with its counted number, without a plain bullet: for titles and cells."""
        return f"{self.bullet} {self.text}" if self.bullet not in _BULLETS.values() else self.text


def paragraphs_of(body: _Element, styles: Sequence[_Element] = ()) -> Iterator[SlideParagraph]:
    """Yield the non-empty paragraphs of a text body, with their bullets or counted numbers.

    Args:
        body: holds `a:p` elements.
        styles: inherited list styles, the nearest first.
    """
    numbers = _Numbers()
    for paragraph in body.iterfind("{*}p"):
        text = paragraph_text(paragraph)
        if text.strip():
            own = paragraph.find("{*}pPr")
            depth = _depth(own)
            yield SlideParagraph(text.strip(), numbers.marker(_bullet(own, styles, depth), depth), depth)


def paragraph_text(paragraph: _Element) -> str:
    """Text of a paragraph's runs, fields and equations (letters only), with line ends at breaks."""
    parts: list[str] = []
    for element in paragraph.iter("{*}t", "{*}br"):
        opening = _opening(element)
        if opening and element.text:
            add_raised(parts, element.text, opening)
        else:
            parts.append("\n" if local_name(element) == "br" else (element.text or ""))
    return write_raised("".join(parts)).replace("\v", "\n").replace("_x000D_", "\n").replace("_x000B_", "\n")


def _opening(text: _Element) -> str:
    """Opening character of a run raised by `baseline`, in thousandths of its size."""
    run = text.getparent()
    looks = None if run is None else run.find("{*}rPr")
    baseline = ("" if looks is None else looks.get("baseline") or "").removesuffix("%")
    if not baseline.strip("-0."):
        return ""
    return SUBSCRIPT if baseline.startswith("-") else SUPERSCRIPT


def write_paragraphs(writer: Writer, paragraphs: Sequence[SlideParagraph], page: int, box: Box | None) -> None:
    """Write running text by paragraph, and consecutive items as one list."""
    for listed, group in groupby(paragraphs, key=lambda paragraph: bool(paragraph.bullet)):
        items = list(group)
        if not listed:
            for item in items:
                writer.block(BlockType.PARAGRAPH, [Piece(item.text, page, box)])
            continue
        least = min(item.depth for item in items)
        meta = {"depth": max(item.depth for item in items) - least + 1, "items": len(items)}
        writer.block(BlockType.LIST, [Piece("\n".join(_lines(items, least)), page, box)], meta=meta)


def _lines(items: Sequence[SlideParagraph], least: int) -> Iterator[str]:
    for item in items:
        indent = "  " * (item.depth - least)
        yield f"{indent}{item.bullet} " + item.text.replace("\n", f"\n{indent}  ")


class _Numbers:
    """Counters of a text's list levels.

    A counter runs until its scheme changes, or a paragraph of its level or above interrupts it.
    """

    def __init__(self) -> None:
        self._counts: dict[int, tuple[tuple[str, int], int]] = {}
        """Scheme, start and next number by level."""

    def marker(self, element: _Element | None, depth: int) -> str:
        """Bullet of the next paragraph, from the element that sets it."""
        for deeper in [level for level in self._counts if level > depth]:
            del self._counts[deeper]
        if element is None or local_name(element) != "buAutoNum":
            self._counts.pop(depth, None)
            return _BULLETS[local_name(element)] if element is not None else ""
        scheme = element.get("type") or "arabicPeriod"
        key = scheme, min(whole_number(element.get("startAt"), 1), _LAST_START)
        previous_key, number = self._counts.get(depth, (key, key[1]))
        number = number if previous_key == key else key[1]
        self._counts[depth] = key, number + 1
        return _numbered(scheme, number)


def _numbered(scheme: str, number: int) -> str:
    """Write a number in a scheme: `alphaLcParenBoth` is (a)."""
    end = next((frame for frame in _FRAMES if scheme.endswith(frame)), "")
    return _FRAMES.get(end, "{}.").format(numeral(number, _SYSTEMS.get(scheme.removesuffix(end), "decimal")))


def _depth(properties: _Element | None) -> int:
    return min(whole_number(properties.get("lvl")), _DEEPEST) if properties is not None else 0


def _bullet(own: _Element | None, styles: Sequence[_Element], depth: int) -> _Element | None:
    """The paragraph's own bullet, else that of the nearest list style for its level."""
    levels = [style.find(f"{{*}}lvl{depth + 1}pPr") for style in styles]
    for properties in (own, *levels):
        for element in properties if properties is not None else ():
            name = local_name(element)
            if name in _BULLETS or name == "buAutoNum":
                return element
    return None
