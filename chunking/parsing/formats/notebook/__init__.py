"""Jupyter notebooks (nbformat 2 to 4): Markdown cells as Markdown, code cells as code, outputs as the text they show."""

from __future__ import annotations

from chunking.parsing.formats.notebook.reader import read_notebook

__all__ = ["read_notebook"]
