"""Functions of pdfium that are called for every character or every drawing instruction, by plain addresses.

Called as `pypdfium2.raw` declares them, each makes pointer objects and lets other threads run, which takes longer than
its work.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

__all__ = ["Calls", "address_of", "plain_calls"]


class Calls(NamedTuple):
    """Functions of pdfium by plain addresses: they are called for every character, or for every drawing instruction."""

    code_of: Callable[[int, int], int]
    """Of a text page and a character's index; so are the next ones."""
    box_of: Callable[[int, int, int], int]
    """Writes left, top, right, bottom to an address: four float32."""
    matrix_of: Callable[[int, int, int], int]
    """Writes a matrix to an address."""
    size_of: Callable[[int, int], float]
    object_at: Callable[[int, int], int | None]
    is_generated: Callable[[int, int], int]
    font_of: Callable[[int], int | None]
    """Of a text object; so is the next one."""
    mode_of: Callable[[int], int]
    object_on: Callable[[int, int], int | None]
    """Of a page and a number; the address of what is drawn there."""
    object_in: Callable[[int, int], int | None]
    """The same of a form, which holds other objects."""
    kind_of: Callable[[int], int]
    """Of what is drawn."""


@cache
def plain_calls() -> Calls:
    """These functions, found once."""
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
    """Of a pointer that `pypdfium2.raw` made."""
    return ctypes.cast(handle, ctypes.c_void_p).value or 0
