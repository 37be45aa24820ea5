"""What was filled into a form, and text typed onto a page: annotations, which pdfium does not count among a page's
text.
"""

from __future__ import annotations

from typing import Any

__all__ = ["MAX_ANNOTATIONS", "opened_page"]

MAX_ANNOTATIONS = 5_000
"""Of a page; more are not looked at."""
_FREE_TEXT, _WIDGET = 3, 20
_AS_SHOWN = 0
_DRAWN = 1


def opened_page(pdf: Any, index: int) -> Any:
    """A page whose fields and typed notes are part of its content, as on paper. The file itself is not changed.

    Args:
        pdf: a `pypdfium2.PdfDocument`.
        index: 0-based.
    Raises:
        pypdfium2.PdfiumError: the page cannot be read.
    """
    import pypdfium2.raw as pdfium

    page = pdf[index]
    if _has_text_above(page) and pdfium.FPDFPage_Flatten(page.raw, _AS_SHOWN) == _DRAWN:
        page.close()
        page = pdf[index]
    return page


def _has_text_above(page: Any) -> bool:
    """Whether a page has a field or a typed note."""
    import pypdfium2.raw as pdfium

    for index in range(min(pdfium.FPDFPage_GetAnnotCount(page.raw), MAX_ANNOTATIONS)):
        annotation = pdfium.FPDFPage_GetAnnot(page.raw, index)
        kind = pdfium.FPDFAnnot_GetSubtype(annotation)
        pdfium.FPDFPage_CloseAnnot(annotation)
        if kind in (_FREE_TEXT, _WIDGET):
            return True
    return False
