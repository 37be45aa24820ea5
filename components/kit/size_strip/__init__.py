"""How long the viewer's chunks are, as a small histogram drawn in the browser: it follows a dragged slider at no cost."""

from __future__ import annotations

from chunking.model import Document
from components.kit.browser import component
from components.kit.viewer import text_key

__all__ = ["size_strip"]

_strip = component("sizes")


def size_strip(document: Document, *, requested: int, unit: str, key: str = "sizes", height: int = 64) -> None:
    """A histogram of the chunks that the viewer of this document shows, with a line at the requested size.

    Args:
        document: the one shown by the viewer.
        requested: the size asked for, in `unit`.
        unit: "tokens" or "characters".
        key: of the component.
        height: of the bars, in pixels.
    """
    _strip(key=key, data={"doc": text_key(document.text), "requested": requested, "unit": unit, "height": height})
