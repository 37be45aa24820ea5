"""E-books."""

from __future__ import annotations

from chunking.parsing.epub.reader import read_epub

__all__ = ["read_epub"]
