"""Render PDF pages as images, cropped and rotated like in a viewer, so that page shares are image shares."""

from __future__ import annotations

import io
from typing import Any

from chunking.errors import ParseError

__all__ = ["MAX_PIXELS", "page_picture", "render"]

MAX_PIXELS = 12_000_000
"""Maximum pixels of an image; long pages become narrower."""
_QUALITY = 88


def render(data: bytes, page: int, width: int = 1000) -> tuple[int, int, bytes, str]:
    """Render a page as a JPEG: width and height in pixels, its bytes, and the media type (`image/jpeg`).

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
    """A `PIL.Image.Image` of a `pypdfium2.PdfPage`, about `width` pixels wide, on white, with form fields."""
    across, down = (max(side, 1.0) for side in page.get_size())
    scale = min(max(width, 1) / across, (MAX_PIXELS / (across * down)) ** 0.5)
    bitmap = page.render(scale=scale, may_draw_forms=True)
    try:
        return bitmap.to_pil().convert("RGB")
    finally:
        bitmap.close()
