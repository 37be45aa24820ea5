"""Storage of documents, embeddings and indexes; the only package that imports LanceDB."""

from __future__ import annotations

from chunking.store.access import EVERYTHING, Access, Right, Role, RoleAccess
from chunking.store.documents.document_rows import (
    DocumentRow,
    Version,
    distinct_labels,
    document_labels,
    document_stamp,
    documents_by_id,
)
from chunking.store.documents.document_stamps import DocumentStamps
from chunking.store.engine.filters import FILTERS, Filter
from chunking.store.index.full_text import TextQuery, words
from chunking.store.index.index import DocumentChunks, Index, stream_chunks
from chunking.store.index.index_reading import LevelVectors, Neighbours
from chunking.store.index.index_registry import IndexRow
from chunking.store.index.index_search import StoreHit
from chunking.store.index.indexed_documents import Indexed, IndexedDocuments
from chunking.store.index.stemming import latin_language
from chunking.store.index.vector_index import VectorRecall, build_vector_index, measure_recall, measured_vector_index
from chunking.store.named_configurations import (
    Author,
    SavedConfiguration,
    configuration_name,
    delete_configuration,
    rename_configuration,
    save_configuration,
    saved_configuration,
    saved_configurations,
)
from chunking.store.workspace import Workspace

__all__ = [
    "EVERYTHING",
    "FILTERS",
    "Access",
    "Author",
    "DocumentChunks",
    "DocumentRow",
    "DocumentStamps",
    "Filter",
    "Index",
    "IndexRow",
    "Indexed",
    "IndexedDocuments",
    "LevelVectors",
    "Neighbours",
    "Right",
    "Role",
    "RoleAccess",
    "SavedConfiguration",
    "StoreHit",
    "TextQuery",
    "VectorRecall",
    "Version",
    "Workspace",
    "build_vector_index",
    "configuration_name",
    "delete_configuration",
    "distinct_labels",
    "document_labels",
    "document_stamp",
    "documents_by_id",
    "latin_language",
    "measure_recall",
    "measured_vector_index",
    "rename_configuration",
    "save_configuration",
    "saved_configuration",
    "saved_configurations",
    "stream_chunks",
    "words",
]
