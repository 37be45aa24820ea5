"""The output of the layout parser MinerU: fragments with pages and boxes, made whole paragraphs again."""

from __future__ import annotations

from chunking.parsing.formats.mineru.reader import read_mineru

__all__ = ["read_mineru"]
