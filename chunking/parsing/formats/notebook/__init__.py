"""Jupyter notebooks (nbformat 2 to 4): Markdown and code cells, and outputs as the text they show."""

from __future__ import annotations

from chunking.parsing.formats.notebook.reader import read_notebook

__all__ = ["read_notebook"]
