"""Chunks of an index as CSV, JSON Lines and Parquet.

| column | content |
|---|---|
| `content` | exactly `text[start:end]` of the document |
| `embedding_content` | embedded text: title path, cleaned content, descriptions of tables |
| `token_count` | tokens of `embedding_content` |
| `level` | chunk, x2 … (larger chunks), parent, section, document, cluster |
| `children`, `larger_ids` | ids of the chunks it consists of, and of the larger chunks that contain it |

As CSV they are shown by a spreadsheet and not run: a cell that begins with `=`, `+`, `-` or `@` is a formula, which may
send the cells next to it to a server. Such texts get an apostrophe before them (OWASP, "CSV injection"); numbers are
written as numbers. Parquet is written group by group: only one group of an index is in memory.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, BinaryIO

from chunking.model import Chunk
from chunking.store.chunk_records import METADATA, chunk_record
from chunking.store.engine.schema import arrow_schema
from chunking.store.index.chunk_arrow import CHUNK_COLUMNS

if TYPE_CHECKING:
    from collections.abc import Callable

    import numpy as np
    import pyarrow as pa

__all__ = [
    "CSV_COLUMNS",
    "CsvValue",
    "cell",
    "chunk_row",
    "chunks_csv",
    "chunks_jsonl",
    "csv_lines",
    "csv_row",
    "json_line",
    "json_lines",
    "write_parquet",
]

_KEPT = tuple(key for key in METADATA if key != "doc_toc")
"""Metadata of each row; the outline is left out: repeated on every chunk it would outweigh the chunks."""

CSV_COLUMNS = (
    *("chunk_id", "doc_id", "source", "title", "level", "chunk_index", "total_chunks", "start", "end", "token_count"),
    *("title_path", "content_type", "content", "embedding_content", "pages", "language", "category", "flags"),
    *("section_id", "parent_id", "prev_id", "next_id", "hash", "source_hint"),
)

CsvValue = str | int | float | bool | None

_FORMULA = re.compile(
    "^[\\s\x00-\x1f\ufeff\u200b-\u200f\u202a-\u202e\u2060-\u2069]*[=+\\-@\uff1d\uff0b\uff0d\uff20\u2212|%]"
)
"""Start of a spreadsheet formula, even after invisible characters; `|` and `%` for old programs."""
_CONTROLS = re.compile("[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
BOM = "\ufeff"
"""Byte order mark: without it a spreadsheet does not recognise UTF-8."""
_LINE_ENDS = str.maketrans({end: f"\\u{ord(end):04x}" for end in "\x7f\x85\u2028\u2029\ufeff"})
"""Characters that JSON keeps and some readers take for the end of a line, with their escapes."""

_GROUP = 2_000
"""Rows per Parquet row group: a few megabytes."""
_COLUMNS = (
    *(
        "chunk_id",
        "doc_id",
        "section_id",
        "parent_id",
        "level",
        "chunk_index",
        "total_chunks",
        "prev_id",
        "next_id",
        "title_path",
    ),
    *(
        "content_type",
        "prefix",
        "content",
        "embedding_content",
        "summary",
        "description",
        "token_count",
        "start",
        "end",
        "pages",
    ),
    *("bboxes", "hash", "source_hint", "flags", "children", "larger_ids", "metadata"),
)

Vectors = Mapping[str, "np.ndarray"]


def chunk_row(chunk: Chunk) -> dict[str, Any]:
    """Return a chunk of any level as a JSON record with level, children and generated texts."""
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
    """Return a chunk as a row of CSV; lists become text, empty content becomes the summary."""
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
    """Yield a line of JSON per chunk, of the record that `to_row` makes of it."""
    return json_lines(map(to_row, chunks))


def chunks_csv(chunks: Iterable[Chunk]) -> Iterator[str]:
    """Yield the CSV header and a row per chunk."""
    return csv_lines(CSV_COLUMNS, map(csv_row, chunks))


def packed_row(chunk: Chunk) -> dict[str, Any]:
    """Return a chunk as a row of Parquet, with metadata and boxes as JSON text."""
    row = chunk_row(chunk)
    return row | {name: json.dumps(row[name], ensure_ascii=False) for name in ("metadata", "bboxes")}


def cell(value: CsvValue) -> str | int | float:
    """Convert a value to a CSV cell; an apostrophe disarms formulas, U+FFFD replaces controls.

    >>> cell("=1+1"), cell("-3 degrees"), cell(-3), cell(None), cell(True)
    ("'=1+1", "'-3 degrees", -3, '', 'true')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if not isinstance(value, str):
        return "" if value is None else value
    text = _CONTROLS.sub("\ufffd", value.replace("\r\n", "\n").replace("\r", "\n"))
    return f"'{text}" if _FORMULA.match(value) else text


def csv_lines(columns: Sequence[str], rows: Iterable[Mapping[str, CsvValue]]) -> Iterator[str]:
    """Yield the header, after a byte order mark, and a line per row, each with its line end.

    Missing values are empty cells, and texts are disarmed by `cell`.
    """
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")
    buffer.write(BOM)
    writer.writerow(columns)
    yield _drain(buffer)
    for row in rows:
        writer.writerow([cell(row.get(name)) for name in columns])
        yield _drain(buffer)


def _drain(buffer: io.StringIO) -> str:
    text = buffer.getvalue()
    buffer.seek(0)
    buffer.truncate()
    return text


def json_line(row: object) -> str:
    """Serialise an object as a line of JSON; a lone surrogate becomes U+FFFD.

    >>> json_line({"text": "a\\u2028b\\n蓝"})
    '{"text": "a\\\\u2028b\\\\n蓝"}\\n'
    """
    text = json.dumps(row, ensure_ascii=False, allow_nan=False).translate(_LINE_ENDS)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace") + "\n"


def json_lines(rows: Iterable[object]) -> Iterator[str]:
    """Yield a line of JSON per object."""
    return map(json_line, rows)


def write_parquet(
    sink: BinaryIO,
    chunks: Iterable[Chunk],
    *,
    dimension: int = 0,
    vectors_of: Callable[[list[str]], Vectors] | None = None,
) -> None:
    """Write chunks as Parquet, with a column `vector` if `vectors_of` is given.

    Args:
        dimension: numbers of a vector.
        vectors_of: returns vectors by chunk id; called once per group. Missing vectors become null.
    """
    import pyarrow.parquet as pq

    kinds = {name: CHUNK_COLUMNS.get(name, "text") for name in _COLUMNS}
    schema = arrow_schema(kinds, dimension if vectors_of else 0)
    with pq.ParquetWriter(sink, schema, compression="zstd") as writer:
        for group in _groups(chunks):
            writer.write_table(_table(group, schema, vectors_of))


def _groups(chunks: Iterable[Chunk]) -> Iterator[list[Chunk]]:
    left = iter(chunks)
    while group := list(islice(left, _GROUP)):
        yield group


def _table(group: list[Chunk], schema: pa.Schema, vectors_of: Callable[[list[str]], Vectors] | None) -> pa.Table:
    import pyarrow as pa

    rows: list[dict[str, Any]] = [packed_row(chunk) for chunk in group]
    if vectors_of is not None:
        vectors = vectors_of([chunk.chunk_id for chunk in group])
        rows = [row | {"vector": vectors.get(chunk.chunk_id)} for row, chunk in zip(rows, group, strict=True)]
    return pa.Table.from_pylist(rows, schema=schema)
