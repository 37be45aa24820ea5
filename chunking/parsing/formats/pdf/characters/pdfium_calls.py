"""pdfium functions called per character or per drawing instruction, through plain addresses.

Declared as in `pypdfium2.raw`, each call builds pointer objects and releases the GIL, which takes longer than its work.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

__all__ = ["Calls", "address_of", "plain_calls"]


class Calls(NamedTuple):
    """pdfium functions by plain address."""

    code_of: Callable[[int, int], int]
    """Of a text page and a character index, like the next ones."""
    box_of: Callable[[int, int, int], int]
    """Writes left, top, right, bottom (four float32) to an address."""
    matrix_of: Callable[[int, int, int], int]
    """Writes a matrix to an address."""
    size_of: Callable[[int, int], float]
    object_at: Callable[[int, int], int | None]
    is_generated: Callable[[int, int], int]
    font_of: Callable[[int], int | None]
    """Of a text object, like the next one."""
    mode_of: Callable[[int], int]
    object_on: Callable[[int, int], int | None]
    """Object address, from a page and an index."""
    object_in: Callable[[int, int], int | None]
    """Object address, from a form and an index."""
    kind_of: Callable[[int], int]
    """Type of a page object."""


@cache
def plain_calls() -> Calls:
    """Bind these functions once."""
    import pypdfium2.raw as pdfium

    def plain(function: Any, result: Any, *arguments: Any) -> Any:
        return ctypes.PYFUNCTYPE(result, *arguments)(ctypes.cast(function, ctypes.c_void_p).value or 0)

    address, number = ctypes.c_void_p, ctypes.c_int
    return Calls(
        plain(pdfium.FPDFText_GetUnicode, ctypes.c_uint, address, number),
        plain(pdfium.FPDFText_GetLooseCharBox, number, address, number, address),
        plain(pdfium.FPDFText_GetMatrix, number, address, number, address),
        plain(pdfium.FPDFText_GetFontSize, ctypes.c_double, address, number),
        plain(pdfium.FPDFText_GetTextObject, address, address, number),
        plain(pdfium.FPDFText_IsGenerated, number, address, number),
        plain(pdfium.FPDFTextObj_GetFont, address, address),
        plain(pdfium.FPDFTextObj_GetTextRenderMode, number, address),
        plain(pdfium.FPDFPage_GetObject, address, address, number),
        plain(pdfium.FPDFFormObj_GetObject, address, address, ctypes.c_ulong),
        plain(pdfium.FPDFPageObj_GetType, number, address),
    )


def address_of(handle: Any) -> int:
    """Address held by a pointer of `pypdfium2.raw`."""
    return ctypes.cast(handle, ctypes.c_void_p).value or 0
