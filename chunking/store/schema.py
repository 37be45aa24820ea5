"""The tables of a workspace, column by column.

| table | a row | written by |
|---|---|---|
| `documents` | a document, its text, blocks and sections | one commit a batch of documents |
| `sections` | a section, to list and filter without reading the text | after the document's row; a copy, never the source |
| `embeddings` | a vector by cache key | one commit a batch of new texts |
| `indexes` | an index: its settings, model, state, and the table with its chunks | one commit a change |
| `chunks_…` | a chunk with its vector | one commit a document |
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["CHUNKS", "DOCUMENTS", "EMBEDDINGS", "INDEXES", "SECTIONS", "chunks_schema", "schema"]

DOCUMENTS = "documents"
SECTIONS = "sections"
EMBEDDINGS = "embeddings"
INDEXES = "indexes"
CHUNKS = "chunks_"
"""How the names of the tables that hold an index begin."""

_TABLES: dict[str, dict[str, str]] = {
    DOCUMENTS: {
        "doc_id": "text",
        "source": "text",
        "title": "text",
        "hash": "text",
        "stamp": "text",
        "updated_at": "text",
        "format": "text",
        "category": "text",
        "path_hierarchy": "texts",
        "language": "text",
        "encoding": "text",
        "doc_toc": "text",
        "warnings": "texts",
        "characters": "number",
        "section_count": "number",
        "versions": "text",
        "text": "text",
        "blocks": "text",
        "sections": "text",
        "left_out": "text",
    },
    SECTIONS: {
        "section_id": "text",
        "doc_id": "text",
        "doc_hash": "text",
        "parent_id": "text",
        "level": "number",
        "title": "text",
        "title_path": "texts",
        "start": "number",
        "end": "number",
    },
    # A list of any length: vectors of every model stand in one table, since the cache is read by key and never searched.
    EMBEDDINGS: {"key": "text", "vector": "vector"},
    INDEXES: {
        "name": "text",
        "table": "text",
        "config": "text",
        "config_fingerprint": "text",
        "code_version": "text",
        "fingerprint": "text",
        "model_key": "text",
        "dimension": "number",
        "created": "text",
        "updated": "text",
        "state": "text",
        "documents": "number",
        "chunks": "number",
        "unknown_share": "share",
        "scope": "text",
        "tokens_per_second": "share",
    },
}
_CHUNK_COLUMNS = {
    "id": "text",
    "doc_id": "text",
    "section_id": "text",
    "parent_id": "text",
    "chunk_index": "number",
    "total_chunks": "number",
    "prev_id": "text",
    "next_id": "text",
    "title_path": "texts",
    "content_type": "text",
    "prefix": "text",
    "content": "text",
    "embedding_content": "text",
    "token_count": "number",
    "start": "number",
    "end": "number",
    "hash": "text",
    "source_hint": "text",
    "pages": "numbers",
    "bboxes": "text",
    "flags": "texts",
    "metadata": "text",
    "doc_toc": "text",
    "doc_fingerprint": "text",
    "doc_stamp": "text",
    "path": "text",
    "category": "text",
    "language": "text",
    "section_key": "text",
    "page_key": "text",
    "indexed_text": "text",
    "headings": "text",
}


@cache
def schema(table: str) -> pa.Schema:
    """The columns of one of the four fixed tables."""
    return _arrow(_TABLES[table])


@cache
def chunks_schema(dimension: int) -> pa.Schema:
    """The columns of an index whose vectors have `dimension` numbers."""
    import pyarrow as pa

    return _arrow(_CHUNK_COLUMNS).append(pa.field("vector", pa.list_(pa.float32(), dimension)))


def _arrow(columns: dict[str, str]) -> pa.Schema:
    import pyarrow as pa

    kinds = {
        "text": pa.string(),
        "texts": pa.list_(pa.string()),
        "number": pa.int64(),
        "numbers": pa.list_(pa.int32()),
        "share": pa.float64(),
        "vector": pa.list_(pa.float32()),
    }
    return pa.schema([(name, kinds[kind]) for name, kind in columns.items()])
