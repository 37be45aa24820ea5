"""Documents, embeddings and indexes in LanceDB; the only package that imports it."""

from __future__ import annotations

from chunking.store.filters import FILTERS, Filter
from chunking.store.fulltext import TextQuery, words
from chunking.store.hits import Hit, Indexed, Neighbours
from chunking.store.index import Index
from chunking.store.level_vectors import LevelVectors
from chunking.store.near import build_vector_index
from chunking.store.recall import Measured, measure
from chunking.store.registry import IndexRow
from chunking.store.rows import DocumentRow, Version, document_stamp
from chunking.store.streaming import stream_chunks
from chunking.store.workspace import Workspace

__all__ = [
    "FILTERS",
    "DocumentRow",
    "Filter",
    "Hit",
    "Index",
    "IndexRow",
    "Indexed",
    "LevelVectors",
    "Measured",
    "Neighbours",
    "TextQuery",
    "Version",
    "Workspace",
    "build_vector_index",
    "document_stamp",
    "measure",
    "stream_chunks",
    "words",
]
