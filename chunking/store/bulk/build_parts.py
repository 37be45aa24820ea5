"""Arrow tables of a build's parts: documents, sections, files, rows with keys, texts and vectors."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from chunking.model import Document
from chunking.store.documents.document_rows import document_row, row_document, section_rows
from chunking.store.engine.schema import DOCUMENTS, FILES, SECTIONS, arrow_schema, schema
from chunking.store.index.chunk_arrow import CHUNK_COLUMNS, with_vectors

if TYPE_CHECKING:
    import numpy as np
    import pyarrow as pa

__all__ = [
    "TextToEmbed",
    "arrow_to_documents",
    "arrow_to_texts",
    "documents_to_arrow",
    "files_to_arrow",
    "join_vectors",
    "keyed_rows",
    "row_keys",
    "sections_to_arrow",
    "texts_to_arrow",
]

_KEYS, _LENGTHS = "keys", "lengths"


def documents_to_arrow(documents: Iterable[Document], parse_keys: Mapping[str, str] | None = None) -> pa.Table:
    """Return new documents as rows of the table `documents`.

    Args:
        parse_keys: code and options of parses by document id (`DocumentRow.parse_key`).
    """
    import pyarrow as pa

    return pa.Table.from_pylist(
        [document_row(document, (), (parse_keys or {}).get(document.doc_id, "")) for document in documents],
        schema=schema(DOCUMENTS),
    )


def arrow_to_documents(rows: pa.Table) -> list[Document]:
    """Return the documents in rows of the table `documents`."""
    return [row_document(row) for row in rows.to_pylist()]


def sections_to_arrow(documents: Iterable[Document]) -> pa.Table:
    """Return the sections of documents as rows of the table `sections`."""
    import pyarrow as pa

    rows = [row for document in documents for row in section_rows(document)]
    return pa.Table.from_pylist(rows, schema=schema(SECTIONS))


def files_to_arrow(files: Mapping[str, bytes]) -> pa.Table:
    """Return source files by hash as rows of the table `files`."""
    import pyarrow as pa

    rows = [{"hash": hash, "data": data} for hash, data in files.items()]
    return pa.Table.from_pylist(rows, schema=schema(FILES))


# -- rows of an index before their vectors


def keyed_rows(cuts: Sequence[pa.Table], keys: Sequence[list[str]], lengths: Sequence[list[int]]) -> pa.Table:
    """Return rows of an index without vectors as one table, with the keys and lengths of their texts."""
    import pyarrow as pa

    rows = pa.concat_tables(cuts) if cuts else arrow_schema(CHUNK_COLUMNS).empty_table()
    rows = rows.append_column(_KEYS, pa.array(keys, pa.list_(pa.string())))
    return rows.append_column(_LENGTHS, pa.array(lengths, pa.list_(pa.int32())))


def row_keys(rows: pa.Table) -> tuple[list[list[str]], list[list[int]]]:
    """Return the keys and the lengths of each row's texts, of a table of `keyed_rows`."""
    return rows[_KEYS].to_pylist(), rows[_LENGTHS].to_pylist()


def join_vectors(rows: pa.Table, vectors: np.ndarray) -> pa.Table:
    """Return the rows of `keyed_rows` as an index's table holds them, with vectors (n, d)."""
    return with_vectors(rows.drop_columns([_KEYS, _LENGTHS]), vectors, vectors.shape[1])


class TextToEmbed(NamedTuple):
    """Text that a row needs a vector of."""

    text: str
    tokens: int
    """Its tokens, about."""
    first: bool
    """True if a row begins with it: the number of these is that of the vectors to compute."""


def texts_to_arrow(texts: Mapping[str, TextToEmbed]) -> pa.Table:
    """Return texts to embed by key as a table of `key`, `text`, `tokens` and `first`, sorted by key."""
    import pyarrow as pa

    keys = sorted(texts)
    kinds = {"key": pa.string(), "text": pa.string(), "tokens": pa.int64(), "first": pa.bool_()}
    rows = [{"key": key, **texts[key]._asdict()} for key in keys]
    return pa.Table.from_pylist(rows, schema=pa.schema(list(kinds.items())))


def arrow_to_texts(rows: pa.Table) -> dict[str, TextToEmbed]:
    """Return the texts in rows of `texts_to_arrow` by key."""
    return {row.pop("key"): TextToEmbed(**row) for row in rows.to_pylist()}
