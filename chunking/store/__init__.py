"""Documents, embeddings and indexes in LanceDB; the only package that imports it."""

from __future__ import annotations

from chunking.store.filters import FILTERS, Filter
from chunking.store.fulltext import TextQuery, words
from chunking.store.index import Hit, Index, Indexed, Neighbours
from chunking.store.registry import IndexRow
from chunking.store.rows import DocumentRow, Version, document_stamp
from chunking.store.workspace import Workspace

__all__ = [
    "FILTERS",
    "DocumentRow",
    "Filter",
    "Hit",
    "Index",
    "IndexRow",
    "Indexed",
    "Neighbours",
    "TextQuery",
    "Version",
    "Workspace",
    "document_stamp",
    "words",
]
