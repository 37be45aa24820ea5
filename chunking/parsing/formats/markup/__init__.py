"""Lightweight markup besides Markdown (reStructuredText, AsciiDoc, Org): the canonical text is the source itself.

Each reader goes over the lines once and gives blocks with exact spans. Lists, quotes and admonitions are one block
each,
except that code, tables and equations in them are blocks of their own, because these are what splitting keeps whole.
"""
