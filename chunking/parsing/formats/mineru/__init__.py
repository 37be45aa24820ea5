"""Output of the layout parser MinerU: fragments with pages and boxes, joined to paragraphs again."""

from __future__ import annotations

from chunking.parsing.formats.mineru.reader import read_mineru

__all__ = ["read_mineru"]
