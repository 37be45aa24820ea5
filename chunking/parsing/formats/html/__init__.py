"""Web pages, and the formats that are converted to one: Word files, e-books, mail."""

from __future__ import annotations

from chunking.parsing.formats.html.reader import PageFacts, SectionMark, read_html, write_html

__all__ = ["PageFacts", "SectionMark", "read_html", "write_html"]
