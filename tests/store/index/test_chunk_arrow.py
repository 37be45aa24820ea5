"""Rows of an index and the chunks restored from them."""

from __future__ import annotations

from dataclasses import replace

import pyarrow as pa

from chunking.config.choices import FullTextTokenizer
from chunking.model import Flag
from chunking.store.index.chunk_arrow import OFTEN_EMPTY, chunk_columns, restored_chunks
from tests.store.indexed import INSTALL
from tests.support import store_rows as made

PLAIN = replace(made.chunks(INSTALL)[1], pages=(), bboxes=(), flags=())
FULL = replace(
    PLAIN,
    source_hint="a hint",
    pages=(3, 3),
    bboxes=((1.0, 2.0, 3.0, 4.0), (1.0, 5.0, 3.0, 6.0)),
    flags=tuple(Flag)[:1],
    children=("a",),
    larger_ids=("b", "c"),
    summary="a summary",
    written="a text",
)


def rows() -> pa.Table:
    """A chunk that has nothing in the columns that are often empty, and one that has something in each."""
    return chunk_columns(INSTALL, [PLAIN, FULL], "f", FullTextTokenizer.SIMPLE)


def test_nothing_is_null_and_restored_as_nothing() -> None:
    """In every column that is often empty, and in no row that has something there."""
    table = rows()
    assert {name: table[name].is_null().to_pylist() for name in OFTEN_EMPTY} == {
        name: [True, False] for name in OFTEN_EMPTY
    }
    assert [replace(one, metadata={}) for one in restored_chunks(table)] == [
        replace(one, metadata={}) for one in (PLAIN, FULL)
    ]


def test_empty_values_of_an_earlier_version_are_restored_as_nothing() -> None:
    """It stored empty texts and lists."""
    table = rows()
    for name in OFTEN_EMPTY:
        kind = table.schema.field(name).type
        empty = "[]" if name == "bboxes" else "" if pa.types.is_string(kind) else []
        values = [empty if value is None else value for value in table[name].to_pylist()]
        table = table.set_column(table.schema.get_field_index(name), table.schema.field(name), pa.array(values, kind))
        assert table[name].null_count == 0
    assert restored_chunks(table) == restored_chunks(rows())
