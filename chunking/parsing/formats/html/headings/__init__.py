"""Headings of a page that has no, or next to no, h1 to h6: found by how its lines are set, numbered and linked to."""

from chunking.parsing.formats.html.headings.guessing import guess_headings

__all__ = ["guess_headings"]
