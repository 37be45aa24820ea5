"""E-books."""

from __future__ import annotations

from chunking.parsing.formats.epub.reader import read_epub

__all__ = ["read_epub"]
