"""Text of scanned pages, recognised by tesseract, where it is installed and the user asks for it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import groupby, pairwise
from statistics import median
from typing import Any, NamedTuple

from chunking.model import Box
from chunking.parsing.builder.line_joining import joint
from chunking.parsing.formats.pdf.layout.lines import PdfLine
from chunking.parsing.formats.pdf.pages.page_images import picture

__all__ = ["NOT_INSTALLED", "is_installed", "recognised"]

NOT_INSTALLED = (
    "OCR needs tesseract, which is not installed: install it with its languages eng and chi_sim, then read the "
    "file again."
)
"""What to tell a user who asks for it."""

_DPI = 300
_SECONDS = 120
"""Longest time for one page."""
_LANGUAGES = ("eng", "chi_sim", "chi_tra")
"""Those of these that are installed are used together."""
_SURE = 30
"""Of 100: words that tesseract is less sure of are specks and pictures more often than words."""
_USUAL = (0.6, 1.6)
"""Times the page's usual height of a line between which lines are of one size; their letters make them higher and
lower.
"""
_GAP = 2.0
"""Times a word's height (in shares of the page): what is wider parts columns of a table."""
_BODY = 1.3
"""Of the usual height of a line's words: about the size of its letters."""


class _Word(NamedTuple):
    """A word as tesseract gives it."""

    block: int
    line: tuple[int, int]
    text: str
    bbox: Box


def is_installed() -> bool:
    """Whether tesseract is there."""
    return shutil.which("tesseract") is not None


def recognised(page: Any, number: int) -> list[PdfLine] | None:
    """The lines of a scanned page in reading order, all of one size but for clearly larger ones; None where tesseract
    gave up.

    Args:
        page: a `pypdfium2.PdfPage`.
        number: of the page, 1-based.
    """
    import pytesseract

    width, height = page.get_size()
    image = picture(page, width / 72 * _DPI)
    try:
        found = pytesseract.image_to_data(
            image, lang=_languages(), config=f"--dpi {_DPI}", timeout=_SECONDS, output_type=pytesseract.Output.DICT
        )
    except (pytesseract.TesseractError, RuntimeError):  # it ran out of memory, or out of time
        return None
    words = list(_words(found, image.width, image.height))
    lines = [
        _line(list(of_line), number, height) for _, of_line in groupby(words, key=lambda word: (word.block, word.line))
    ]
    return _evened(lines)


@cache
def _languages() -> str:
    import pytesseract

    installed = pytesseract.get_languages()
    chosen = [language for language in _LANGUAGES if language in installed]
    return "+".join(chosen or [language for language in installed if language != "osd"][:1])


def _words(found: Mapping[str, Sequence[Any]], width: int, height: int) -> Iterator[_Word]:
    """The words that tesseract is sure of."""
    keys = ("block_num", "par_num", "line_num", "text", "conf", "left", "top", "width", "height")
    for block, paragraph, line, text, sure, left, top, wide, high in zip(*(found[key] for key in keys), strict=True):
        word = str(text).strip()
        if word and float(sure) >= _SURE:
            bbox = (left / width, top / height, min((left + wide) / width, 1.0), min((top + high) / height, 1.0))
            yield _Word(int(block), (int(paragraph), int(line)), word, bbox)


def _line(words: Sequence[_Word], number: int, height: float) -> PdfLine:
    text = words[0].text
    for word in words[1:]:
        text += joint(text, word.text) + word.text
    left, top, right, bottom = zip(*(word.bbox for word in words), strict=True)
    gaps = [
        (one.bbox[2], two.bbox[0])
        for one, two in pairwise(words)
        if two.bbox[0] - one.bbox[2] > _GAP * (one.bbox[3] - one.bbox[1])
    ]
    size = round(median(low - high for high, low in zip(top, bottom, strict=True)) * height * _BODY, 1)
    return PdfLine(
        text,
        number,
        (min(left), min(top), max(right), max(bottom)),
        size,
        bold=False,
        font="",
        region=words[0].block,
        gaps=tuple(sum(gap) / 2 for gap in gaps),
    )


def _evened(lines: list[PdfLine]) -> list[PdfLine]:
    """With one size for all lines whose heights differ no more than their letters make them."""
    if not lines:
        return []
    usual = median(line.size for line in lines for _ in range(len(line.text)))
    low, high = (share * usual for share in _USUAL)
    return [replace(line, size=usual) if low <= line.size <= high else line for line in lines]
