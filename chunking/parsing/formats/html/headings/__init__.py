"""Guess headings of pages with few or no h1 to h6, from typography, numbers and links."""

from chunking.parsing.formats.html.headings.guessing import guess_headings

__all__ = ["guess_headings"]
