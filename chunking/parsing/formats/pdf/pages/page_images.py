"""Render PDF pages, and recognise the text of scanned ones with tesseract if requested."""

from __future__ import annotations

import io
import shutil
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import groupby, pairwise
from statistics import median
from typing import Any, NamedTuple

from chunking.errors import ParseError
from chunking.model import Box
from chunking.parsing.builder.line_joining import joint
from chunking.parsing.formats.pdf.layout.pdf_lines import PdfLine

__all__ = ["NOT_INSTALLED", "is_installed", "page_picture", "recognise_page", "render"]

NOT_INSTALLED = (
    "OCR needs tesseract, which is not installed: install it with its languages eng and chi_sim, then read the "
    "file again."
)
"""Advice to a user who requests OCR that is not installed."""

_DPI = 300
_SECONDS = 120
"""Time limit per page."""
_LANGUAGES = ("eng", "chi_sim", "chi_tra")
"""Languages combined, if installed."""
_SURE = 30
"""Minimum confidence of 100: words below it are mostly specks and pictures."""
_USUAL = (0.6, 1.6)
"""Line heights, relative to the page's usual one, that count as one size, since letters vary."""
_GAP = 2.0
"""Minimum gap between table columns, in word heights."""
_BODY = 1.3
"""Font size relative to the usual height of a line's words."""

MAX_PIXELS = 12_000_000
"""Maximum pixels of an image; long pages become narrower."""
_QUALITY = 88


class _Word(NamedTuple):
    """A word recognised by tesseract."""

    block: int
    line: tuple[int, int]
    text: str
    bbox: Box


def is_installed() -> bool:
    """True if the program `tesseract` is on the path."""
    return shutil.which("tesseract") is not None


def recognise_page(page: Any, number: int) -> list[PdfLine] | None:
    """Recognise the lines of a page with tesseract, in its order; None if that fails or times out.

    tesseract must be installed (see `is_installed`). Words of low confidence are dropped; empty if none is left.

    Args:
        page: a `pypdfium2.PdfPage`.
        number: of the page, 1-based.
    """
    import pytesseract

    width, height = page.get_size()
    image = page_picture(page, width / 72 * _DPI)
    try:
        data = pytesseract.image_to_data(
            image, lang=_languages(), config=f"--dpi {_DPI}", timeout=_SECONDS, output_type=pytesseract.Output.DICT
        )
    except (pytesseract.TesseractError, RuntimeError):  # it ran out of memory, or out of time
        return None
    words = list(_words(data, image.width, image.height))
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


def _words(data: Mapping[str, Sequence[Any]], width: int, height: int) -> Iterator[_Word]:
    """Words above the minimum confidence."""
    keys = ("block_num", "par_num", "line_num", "text", "conf", "left", "top", "width", "height")
    for block, paragraph, line, text, sure, left, top, wide, high in zip(*(data[key] for key in keys), strict=True):
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
    """Give one size to lines whose heights differ no more than by their letters."""
    if not lines:
        return []
    usual = median(line.size for line in lines for _ in range(len(line.text)))
    low, high = (share * usual for share in _USUAL)
    return [replace(line, size=usual) if low <= line.size <= high else line for line in lines]


def render(data: bytes, page: int, width: int = 1000) -> tuple[int, int, bytes, str]:
    """Render a page as a JPEG; returns width, height (pixels), bytes and type (`image/jpeg`).

    Args:
        data: the file.
        page: 1-based.
        width: in pixels, at least 1; reduced if the page would exceed `MAX_PIXELS`.
    Raises:
        ParseError: the file cannot be opened, or it has no such page.
    """
    import pypdfium2

    try:
        pdf = pypdfium2.PdfDocument(data)
    except pypdfium2.PdfiumError as error:
        raise ParseError("The file is not a PDF that can be drawn; add it again.") from error
    try:
        if not 1 <= page <= len(pdf):
            raise ParseError(f"The file has no page {page}, only 1 to {len(pdf)}.")
        try:
            handle = pdf[page - 1]
        except pypdfium2.PdfiumError as error:
            raise ParseError(f"Page {page} of the file is broken and cannot be drawn.") from error
        image = page_picture(handle, width)
    finally:
        pdf.close()
    stream = io.BytesIO()
    image.save(stream, "JPEG", quality=_QUALITY, subsampling=0)
    return image.width, image.height, stream.getvalue(), "image/jpeg"


def page_picture(page: Any, width: float) -> Any:
    """Render a `pypdfium2.PdfPage`, annotations included, as an RGB `PIL.Image.Image`.

    Args:
        width: in pixels, met approximately; reduced if the image would exceed `MAX_PIXELS`.
    """
    across, down = (max(side, 1.0) for side in page.get_size())
    scale = min(max(width, 1) / across, (MAX_PIXELS / (across * down)) ** 0.5)
    bitmap = page.render(scale=scale, may_draw_forms=True)
    try:
        return bitmap.to_pil().convert("RGB")
    finally:
        bitmap.close()
