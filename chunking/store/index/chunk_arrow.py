"""Conversion of chunks of any level to Arrow rows and back, and the columns of an index."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from functools import cache
from typing import TYPE_CHECKING, Any

from chunking.config.choices import FullTextTokenizer
from chunking.model import CHUNK, PARENT, Box, Chunk, Document, Flag
from chunking.store.chunk_records import chunk_record
from chunking.store.documents.document_rows import document_stamp
from chunking.store.engine.filters import box, cleaned, key_text, packed
from chunking.store.engine.schema import PACKED, arrow_schema
from chunking.store.index.full_text import indexed_words
from chunking.text.folding import fold

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

__all__ = [
    "CHUNK_COLUMNS",
    "CHUNK_FIELDS",
    "PACKED_FIELDS",
    "chunk_columns",
    "chunk_table",
    "chunks_schema",
    "no_rows",
    "restored_chunks",
    "row_chunk",
    "table_schema",
    "with_packed",
    "with_vectors",
]

CHUNK_COLUMNS: Mapping[str, str] = {
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
    "level": "text",
    "children": "texts",
    "larger_ids": "texts",
    "summary": "text",
    "written": "text",
    "folded": "text",
}
"""Columns of an index with their kinds (`engine.schema`), except the vector; later ones are last."""

_SEARCHED = frozenset(
    {
        "doc_toc",
        "doc_fingerprint",
        "doc_stamp",
        "path",
        "category",
        "language",
        "section_key",
        "page_key",
        "indexed_text",
        "headings",
        "folded",
    }
)
"""Columns for filters and full text, which a chunk itself lacks."""
CHUNK_FIELDS = tuple(name for name in CHUNK_COLUMNS if name not in _SEARCHED)
"""Columns from which a chunk is restored."""
PACKED_FIELDS = (PACKED, "content")
"""Columns from which a chunk is restored sooner, in an index that has `PACKED`.

The engine finds each value of a row by itself: 100 rows of a million took a sixth of the time of `CHUNK_FIELDS`.
"""
_BEFORE, _SHARED = "before_shared", "shared"
"""Keys in `PACKED` in place of `embedding_content`: its text up to the end that it shares with the content, and the
number of characters of that end."""
_encode = json.JSONEncoder(separators=(",", ":"), ensure_ascii=False).encode
_NO_BOXES = "[]"
"""Value of most rows (formats without pages), recognised without parsing JSON: 200 chunks a search."""


@cache
def chunks_schema(dimension: int) -> pa.Schema:
    """Return the Arrow schema of an index with vectors of `dimension` numbers."""
    return arrow_schema(CHUNK_COLUMNS, dimension)


@cache
def table_schema(dimension: int) -> pa.Schema:
    """Return the Arrow schema of an index's table: that of its rows (`chunks_schema`), and `PACKED`."""
    import pyarrow as pa

    return chunks_schema(dimension).append(pa.field(PACKED, pa.string()))


def chunk_table(
    document: Document | None,
    chunks: Sequence[Chunk],
    vectors: np.ndarray,
    fingerprint: str,
    dimension: int,
    tokenizer: FullTextTokenizer,
    stamp: str = "",
) -> pa.Table:
    """Return chunks and their vectors as rows of an index's table (`table_schema`).

    Args:
        document: the chunks' document; None for clusters, which belong to none.
        chunks: of all levels, each level in reading order.
        vectors: (n, d) float32, a row a chunk. A row of zeros (of a parent, which is never searched) becomes null.
        fingerprint: the document's in this index.
        dimension: d.
        tokenizer: the index's, for its full text.
        stamp: of the document in the workspace; empty: the stamp of `document`.
    """
    return with_vectors(chunk_columns(document, chunks, fingerprint, tokenizer, stamp), vectors, dimension)


def chunk_columns(
    document: Document | None,
    chunks: Sequence[Chunk],
    fingerprint: str,
    tokenizer: FullTextTokenizer,
    stamp: str = "",
) -> pa.Table:
    """Return chunks as rows of an index without their vectors (`CHUNK_COLUMNS`); see `chunk_table`."""
    import pyarrow as pa

    rows = _rows(document, chunks, fingerprint, stamp)
    records = [row | texts for row, texts in zip(rows, _searched_texts(chunks, tokenizer), strict=True)]
    return pa.Table.from_pylist(records, schema=arrow_schema(CHUNK_COLUMNS))


def with_vectors(rows: pa.Table, vectors: np.ndarray, dimension: int) -> pa.Table:
    """Return rows with vectors (n, d) as an index's table holds them; a vector of zeros becomes null."""
    import numpy as np
    import pyarrow as pa

    matrix = np.ascontiguousarray(vectors, dtype=np.float32)
    field, empty = chunks_schema(dimension).field("vector"), pa.array(~matrix.any(axis=1))
    flat = pa.array(matrix.reshape(-1), type=pa.float32())
    return with_packed(rows.append_column(field, pa.FixedSizeListArray.from_arrays(flat, dimension, mask=empty)))


def with_packed(rows: pa.Table) -> pa.Table:
    """Return rows with `PACKED` as their last column.

    It holds each chunk as JSON, without its content, which is a column of its own, and without what is empty.
    """
    import pyarrow as pa

    fields = rows.select(CHUNK_FIELDS).to_pylist()
    return rows.append_column(PACKED, pa.array(map(_packed_fields, fields), pa.string()))


def _packed_fields(row: dict[str, Any]) -> str:
    content, embedded = row.pop("content"), row.pop("embedding_content")
    shared = _shared_end(content, embedded)
    filled = {name: value for name, value in row.items() if value is not None and value != []}
    return _encode(filled | {_BEFORE: embedded[: len(embedded) - shared], _SHARED: shared})


def _shared_end(one: str, other: str) -> int:
    """Return the number of characters at the end that two texts share.

    >>> _shared_end("## One. Words", "Title > One. Words"), _shared_end("a", "b"), _shared_end("", "b")
    (11, 0, 0)
    """
    fewest, most = 0, min(len(one), len(other))
    while fewest < most:
        middle = (fewest + most + 1) // 2
        if one.endswith(other[len(other) - middle :]):
            fewest = middle
        else:
            most = middle - 1
    return fewest


def _rows(document: Document | None, chunks: Sequence[Chunk], fingerprint: str, stamp: str) -> Iterator[dict[str, Any]]:
    of_document = _document_columns(document, fingerprint, stamp)
    parents = {section.section_id: section.parent_id for section in document.sections} if document else {}
    ends: dict[str, int] = {}
    for chunk in chunks:
        gap = document.text[ends[chunk.level] : chunk.start] if document and chunk.level in ends else ""
        first = chunk.level == CHUNK and CHUNK not in ends
        # The outline may be long: only the document's first chunk has it.
        toc = document.doc_toc if document and first else ""
        ends[chunk.level] = chunk.end
        named = {"title": document.title} if document else {}
        yield cleaned(
            _row(chunk, {**named, **chunk.metadata, "gap": gap}, _path_ids(chunk.section_id, parents))
            | of_document
            | {"doc_toc": toc}
        )


def _document_columns(document: Document | None, fingerprint: str, stamp: str) -> dict[str, Any]:
    """Columns with the same value in all chunks of a document."""
    if document is None:
        return {"doc_fingerprint": fingerprint, "doc_stamp": "", "path": "", "category": "", "language": ""}
    return {
        "doc_fingerprint": fingerprint,
        "doc_stamp": stamp or document_stamp(document),
        "path": document.source,
        "category": document.category,
        "language": document.language,
    }


def _row(chunk: Chunk, metadata: Mapping[str, Any], section_ids: Sequence[str]) -> dict[str, Any]:
    kept = {name: value for name, value in metadata.items() if name != "doc_toc"}
    return {
        **{name: value for name, value in chunk_record(chunk).items() if name in CHUNK_FIELDS},
        "id": chunk.chunk_id,
        "bboxes": packed(chunk.bboxes),
        "metadata": packed(kept | ({"description": chunk.description} if chunk.description else {})),
        "level": chunk.level,
        "children": list(chunk.children),
        "larger_ids": list(chunk.larger_ids),
        "summary": chunk.summary,
        "written": chunk.written,
        "section_key": key_text([*section_ids, *chunk.title_path]),
        "page_key": key_text(list(dict.fromkeys(chunk.pages))),
    }


def _searched_texts(chunks: Sequence[Chunk], tokenizer: FullTextTokenizer) -> list[dict[str, str | None]]:
    """Columns that full text and searches by characters read; tokenized in one call for all chunks.

    None for parents: they are reached through their chunks only, and their words would weigh in the rarity of theirs.
    """
    searched = [chunk for chunk in chunks if chunk.level != PARENT]
    languages = [chunk.language for chunk in searched]
    texts = indexed_words([chunk.indexed_text for chunk in searched], tokenizer, languages)
    headings = indexed_words(["\n".join(chunk.title_path) for chunk in searched], tokenizer, languages)
    columns = {
        chunk.chunk_id: cleaned({"indexed_text": text, "headings": heading, "folded": _folded(chunk)})
        for chunk, text, heading in zip(searched, texts, headings, strict=True)
    }
    nothing: dict[str, str | None] = dict.fromkeys(("indexed_text", "headings", "folded"))
    return [{**nothing, **columns.get(chunk.chunk_id, {})} for chunk in chunks]


def _folded(chunk: Chunk) -> str:
    """Folded text of a chunk that the column `content` lacks: often its prefix only."""
    content = fold(chunk.content or chunk.summary)
    parts = (fold(chunk.prefix), "" if content == chunk.content else content, fold(chunk.description))
    return "\n\n".join(filter(None, parts))


def _path_ids(section_id: str, parents: Mapping[str, str | None]) -> list[str]:
    """Ids of a section and its ancestors, so that a filter on an ancestor finds the chunk."""
    path, one = [section_id], parents.get(section_id)
    while one is not None:
        path.append(one)
        one = parents.get(one)
    return path


def no_rows(columns: Iterable[str]) -> pa.Table:
    """Return an empty table of some columns; those that no index has are scores of a search."""
    return arrow_schema({column: CHUNK_COLUMNS.get(column, "share") for column in columns}).empty_table()


def row_chunk(row: Mapping[str, Any]) -> Chunk:
    """Restore a chunk from its row; see `restored_chunks`."""
    return _restored({name: [row[name]] for name in CHUNK_FIELDS})[0]


def restored_chunks(rows: pa.Table) -> list[Chunk]:
    """Restore chunks, in their order, from rows with the columns of `CHUNK_FIELDS` or `PACKED_FIELDS`.

    A chunk's `metadata` also has `title` and `gap`, and no `doc_toc`. The columns of levels are null in an index of an
    earlier version: it holds chunks only.
    """
    if PACKED in rows.column_names:
        return _restored(_unpacked(rows[PACKED].to_pylist(), rows["content"].to_pylist()))
    return _restored({name: rows[name].to_pylist() for name in CHUNK_FIELDS})


def _unpacked(packed: Sequence[str], contents: Sequence[str]) -> dict[str, Sequence[Any]]:
    """Return the columns of `CHUNK_FIELDS` from those of `PACKED_FIELDS`."""
    records = _parsed(packed)
    for record, content in zip(records, contents, strict=True):
        record["embedding_content"] = record[_BEFORE] + content[len(content) - record[_SHARED] :]
    return {name: [record.get(name) for record in records] for name in CHUNK_FIELDS} | {"content": contents}


def _restored(columns: Mapping[str, Sequence[Any]]) -> list[Chunk]:
    metadata = _parsed(columns["metadata"])
    values = {
        **{name: map(_RESTORE[name], column) if name in _RESTORE else column for name, column in columns.items()},
        "chunk_id": columns["id"],
        "description": [row.pop("description", "") for row in metadata],
        "metadata": metadata,
    }
    return list(map(Chunk, *(values[field.name] for field in fields(Chunk))))


def _parsed(texts: Sequence[str]) -> list[dict[str, Any]]:
    """Parse JSON texts in one call, in half the time of a call each."""
    values = json.loads(f"[{','.join(texts)}]")
    if len(values) != len(texts):
        raise ValueError("A chunk's JSON is not one value.")
    return list(values)


def _values(values: Sequence[Any] | None) -> tuple[Any, ...]:
    return tuple(values or ())


def _boxes(text: str) -> tuple[Box, ...]:
    return () if text == _NO_BOXES else tuple(box(values) for values in json.loads(text))


def _flags(names: Sequence[str] | None) -> tuple[Flag, ...]:
    return tuple(map(Flag, names or ()))


def _level(name: str | None) -> str:
    return name or CHUNK


def _text(text: str | None) -> str:
    return text or ""


_RESTORE: Mapping[str, Callable[[Any], Any]] = {
    "title_path": _values,
    "pages": _values,
    "bboxes": _boxes,
    "flags": _flags,
    "level": _level,
    "children": _values,
    "larger_ids": _values,
    "summary": _text,
    "written": _text,
}
"""Functions from a column's value to a chunk's, where their forms differ."""
