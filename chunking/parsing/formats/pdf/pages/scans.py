"""Scanned pages: a picture of text in place of text."""

from __future__ import annotations

from typing import Any

from chunking.parsing.formats.pdf.characters.page_characters import PageCharacters

__all__ = ["is_scanned"]

_FEW = 60
"""Characters that a scanned page may have beside its picture: a stamp, a page number."""
_BEGINNING = 500
"""Characters of a page that nearly always tell that there are more."""
_COVERS = 0.6
"""Share of the page's area that such a picture takes."""
_DEEPEST = 3


def is_scanned(page: Any, characters: PageCharacters) -> bool:
    """Whether a page shows a picture and no text, or hardly any text over a picture that covers most of it.

    Args:
        page: a `pypdfium2.PdfPage`.
        characters: those of the page.
    """
    if sum(map(len, characters.text[:_BEGINNING].split())) > _FEW:
        return False
    visible = sum(map(len, characters.text.split()))
    if visible > _FEW:
        return False
    shares = _image_shares(page, characters.width * characters.height)
    return bool(shares) and (not visible or max(shares) >= _COVERS)


def _image_shares(page: Any, area: float) -> list[float]:
    """What share of the page each image covers; scans in strips count as one."""
    import pypdfium2.raw as pdfium

    boxes = [image.get_bounds() for image in page.get_objects(filter=[pdfium.FPDF_PAGEOBJ_IMAGE], max_depth=_DEEPEST)]
    shares = [(right - left) * (top - bottom) / max(area, 1.0) for left, bottom, right, top in boxes]
    return [*shares, min(sum(shares), 1.0)] if shares else []
