"""The tables of a workspace, column by column.

| table | a row | written by |
|---|---|---|
| `documents` | a document, its text, blocks and sections | one commit a batch of documents |
| `files` | a source file by hash, where its pages can be drawn | before the row of the first document that has it |
| `sections` | a section, to list and filter without reading text | after the document's row; a copy |
| `embeddings` | a vector by cache key | one commit a batch of new texts |
| `indexes` | an index: its settings, model, state, and the table with its chunks | one commit a change |
| `written` | a text that an LLM (or rule) wrote, by cache key | one commit a batch |
| `encodings` | a document encoded once for late vectors, by cache key | one commit a document |
| `kept` | a question set, run, sweep ... as JSON, by kind and name | one commit a change |
| `changes` | what people did to a document, of one kind (edits, pins), with undo and redo | one commit a step |
| `search_history` | a query that was searched for | one commit a query |
| `chunks_…` | a chunk of any level with its vector | one commit a batch of documents, all their levels together |
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = [
    "CHANGES",
    "CHUNKS",
    "DEFAULTS",
    "DOCUMENTS",
    "EMBEDDINGS",
    "ENCODINGS",
    "FILES",
    "GENERATED_TEXTS",
    "INDEXES",
    "LATER",
    "NAMED_RECORDS",
    "PACKED",
    "SEARCH_HISTORY",
    "SECTIONS",
    "WORKSPACE_TABLES",
    "arrow_schema",
    "later_columns",
    "schema",
]

DOCUMENTS = "documents"
SECTIONS = "sections"
FILES = "files"
EMBEDDINGS = "embeddings"
GENERATED_TEXTS = "written"
ENCODINGS = "encodings"
INDEXES = "indexes"
NAMED_RECORDS = "kept"
CHANGES = "changes"
SEARCH_HISTORY = "search_history"
CHUNKS = "chunks_"
"""Prefix of the names of tables that hold an index."""

LATER: dict[str, tuple[str, ...]] = {
    DOCUMENTS: ("locations", "page_count", "parent_id", "pins", "parser", "read_options", "parse_key"),
    INDEXES: ("built",),
    CHUNKS: ("level", "children", "larger_ids", "summary", "written", "folded"),
}
"""Columns added after the first version, by table (see `later_columns`)."""

PACKED = "packed"
"""Column of an index's table that holds a whole chunk (`chunk_arrow.with_packed`).

A table has it from its creation or never, so that it is filled in all rows or in none.
"""

DEFAULTS = {"level": "'chunk'"}
"""SQL values for existing rows when a later column is added; null for columns not listed."""

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
        "locations": "bytes",
        "page_count": "number",
        "parent_id": "text",
        "pins": "text",
        "parser": "text",
        "read_options": "texts",
        "parse_key": "text",
    },
    FILES: {"hash": "text", "data": "bytes"},
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
    # A list of any length: vectors of every model are in one table, since the cache is read by key and never
    # searched.
    EMBEDDINGS: {"key": "text", "vector": "vector"},
    GENERATED_TEXTS: {"key": "text", "text": "text", "model": "text", "created": "text"},
    ENCODINGS: {"key": "text", "data": "bytes", "size": "number", "created": "text"},
    NAMED_RECORDS: {"key": "text", "kind": "text", "name": "text", "data": "text", "updated": "text"},
    CHANGES: {
        "key": "text",
        "doc_id": "text",
        "kind": "text",
        "revision": "number",
        "count": "number",
        "digest": "text",
        "data": "text",
        "updated": "text",
    },
    SEARCH_HISTORY: {"query": "text", "asked": "text"},
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
        "built": "text",
    },
}

WORKSPACE_TABLES = tuple(_TABLES)
"""Names of all tables except those of indexes."""


def later_columns(table: str) -> tuple[str, ...]:
    """Return the columns that an earlier version's table may lack: read as None, added by a write."""
    return LATER.get(CHUNKS if table.startswith(CHUNKS) else table, ())


@cache
def schema(table: str) -> pa.Schema:
    """Return the Arrow schema of a table in `WORKSPACE_TABLES`."""
    return arrow_schema(_TABLES[table])


def arrow_schema(columns: Mapping[str, str], dimension: int = 0) -> pa.Schema:
    """Return the Arrow schema of columns by their kinds, with a column of vectors if asked for.

    Args:
        columns: kind of each column by its name: text, texts (a list), number, numbers, share (a float), vector, bytes.
        dimension: if not 0, adds a last column `vector` of so many float32 numbers.
    """
    import pyarrow as pa

    kinds = {
        "text": pa.string(),
        "texts": pa.list_(pa.string()),
        "number": pa.int64(),
        "numbers": pa.list_(pa.int32()),
        "share": pa.float64(),
        "vector": pa.list_(pa.float32()),
        "bytes": pa.large_binary(),
    }
    fields = pa.schema([(name, kinds[kind]) for name, kind in columns.items()])
    return fields.append(pa.field("vector", pa.list_(pa.float32(), dimension))) if dimension else fields
