"""The chunks of an index, as rows that anything can read.

| column | what it is |
|---|---|
| `content` | exactly `text[start:end]` of the document |
| `embedding_content` | what the embedding model reads: title path, cleaned content, what is said of tables |
| `token_count` | the tokens of that |
| `level` | chunk, x2 … (larger chunks), parent, section, document, cluster |
| `children`, `larger_ids` | ids of what it is made of, and of the larger chunks it stands in |
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from chunking.export.row_files import CsvValue, csv_lines, json_lines
from chunking.model import Chunk
from chunking.store.chunk_records import METADATA, chunk_record

__all__ = ["CSV_COLUMNS", "chunk_row", "chunks_csv", "chunks_jsonl", "csv_row"]

_KEPT = tuple(key for key in METADATA if key != "doc_toc")
"""The document's outline stands in the document; on every chunk it would weigh more than the chunks."""

CSV_COLUMNS = (
    *("chunk_id", "doc_id", "source", "title", "level", "chunk_index", "total_chunks", "start", "end", "token_count"),
    *("title_path", "content_type", "content", "embedding_content", "pages", "language", "category", "flags"),
    *("section_id", "parent_id", "prev_id", "next_id", "hash", "source_hint"),
)


def chunk_row(chunk: Chunk) -> dict[str, Any]:
    """A chunk of any level as JSON: what `chunkscope chunk` prints, and what levels need besides."""
    record = chunk_record(chunk)
    metadata = {key: chunk.metadata[key] for key in ("title", *_KEPT) if key in chunk.metadata}
    return record | {
        "metadata": metadata,
        "level": chunk.level,
        "children": list(chunk.children),
        "larger_ids": list(chunk.larger_ids),
        "summary": chunk.summary,
        "description": chunk.description,
    }


def csv_row(chunk: Chunk) -> dict[str, CsvValue]:
    """A chunk as one row of a table: lists become text."""
    row: Mapping[str, Any] = chunk_row(chunk)
    plain = {name: row[name] for name in CSV_COLUMNS if name in row}
    return plain | {
        "source": str(chunk.metadata.get("relative_path", "")),
        "title": str(chunk.metadata.get("title", "")),
        "language": str(chunk.metadata.get("language", "")),
        "category": str(chunk.metadata.get("category", "")),
        "title_path": " > ".join(chunk.title_path),
        "content": chunk.content or chunk.summary,
        "pages": ", ".join(str(page) for page in dict.fromkeys(chunk.pages)),
        "flags": ", ".join(chunk.flags),
    }


def chunks_jsonl(chunks: Iterable[Chunk], to_row: Callable[[Chunk], Mapping[str, Any]] = chunk_row) -> Iterator[str]:
    """A line of JSON a chunk."""
    return json_lines(map(to_row, chunks))


def chunks_csv(chunks: Iterable[Chunk]) -> Iterator[str]:
    """A header, and a row a chunk."""
    return csv_lines(CSV_COLUMNS, map(csv_row, chunks))


def packed_row(chunk: Chunk) -> dict[str, Any]:
    """A chunk as a row of Parquet: metadata and boxes as JSON, since their keys differ from chunk to chunk."""
    row = chunk_row(chunk)
    return row | {name: json.dumps(row[name], ensure_ascii=False) for name in ("metadata", "bboxes")}
