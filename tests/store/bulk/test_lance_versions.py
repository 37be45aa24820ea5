"""The engine inside LanceDB and pylance read and write one another's tables: neither may drift from the other."""

from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path

import lance
import lancedb
import numpy as np
import pyarrow as pa
import pytest

from chunking.config import Config
from chunking.errors import StoreError
from chunking.store import Index, Workspace
from chunking.store.bulk.fragments import commit_fragments, newest_version, write_fragments
from chunking.store.engine.schema import PACKED
from chunking.store.index.chunk_arrow import with_packed
from tests.support.store_rows import DIMENSION, chunks, document, vectors

BIRDS = ("The finch is small.", "An osprey dives for fish.")


def index_of(workspace: Workspace, *paragraphs: str) -> Index:
    """Return an index with one document."""
    index = workspace.create_index("main", Config(), model_key="fake", dimension=DIMENSION)
    one = document("birds", *paragraphs)
    index.replace_document(one, chunks(one), vectors(chunks(one)), "f")
    index.optimize()
    return index


def test_each_reads_what_the_other_writes(tmp_path: Path) -> None:
    """Rows and vectors, then rows that the other has added; and the format of the files stays the same."""
    workspace = Workspace.open(tmp_path)
    index = index_of(workspace, *BIRDS)
    uri = f"{tmp_path}/{index.row.table}.lance"
    own = lancedb.connect(tmp_path).open_table(index.row.table).to_arrow()
    dataset = lance.dataset(uri)
    assert dataset.to_table().equals(own)
    more = document("more", "A kestrel hovers.", "A swift sleeps in flight.")
    index.replace_document(more, chunks(more), vectors(chunks(more)), "g")
    rows = lance.dataset(uri).to_table(filter="doc_id = 'more'")
    index.remove_document("more")
    assert commit_fragments(uri, write_fragments(uri, rows), "run/chunks", newest_version(uri))
    assert [chunk.content for chunk in index.chunks_of("more")] == [chunk.content for chunk in chunks(more)]
    assert lance.dataset(uri).data_storage_version == dataset.data_storage_version
    created = lance.write_dataset(own, tmp_path / "new.lance")
    assert created.data_storage_version == dataset.data_storage_version


def test_added_rows_are_searched(tmp_path: Path) -> None:
    """By words and by vectors, before the search structures have them and after."""
    workspace = Workspace.open(tmp_path)
    index = index_of(workspace, *BIRDS)
    uri = f"{tmp_path}/{index.row.table}.lance"
    rows = lance.dataset(uri).to_table(filter="content LIKE '%osprey%'")
    rows = rows.set_column(0, "id", pa.array(["other_chunk0"])).set_column(1, "doc_id", pa.array(["other"]))
    rows = with_packed(rows.drop_columns([PACKED]))
    assert rows.num_rows == 1
    commit_fragments(uri, write_fragments(uri, rows), "run/chunks", newest_version(uri))
    vector = np.array(rows["vector"][0].as_py(), np.float32)
    for _ in range(2):
        hits = index.vector_search(vector, 2)
        assert {hit.chunk.doc_id for hit in hits} == {"birds", "other"}
        index.optimize()


def test_a_commit_is_made_once(tmp_path: Path) -> None:
    """Also if others have written since; and where it is not known whether it was, nothing is written."""
    database = lancedb.connect(tmp_path)
    rows = pa.table({"id": [f"a{number}" for number in range(10)]})
    table = database.create_table("t", schema=rows.schema)
    uri = f"{tmp_path}/t.lance"
    since = newest_version(uri)
    fragments = write_fragments(uri, rows)
    assert commit_fragments(uri, fragments, "run/t", since)
    table.add(rows.slice(0, 1))
    assert not commit_fragments(uri, fragments, "run/t", since)
    assert table.count_rows() == 11
    assert write_fragments(uri, rows.slice(0, 0)) == []
    time.sleep(0.01)
    table.optimize(cleanup_older_than=timedelta(milliseconds=1))
    with pytest.raises(StoreError):
        commit_fragments(uri, fragments, "run/t", since)
    assert table.count_rows() == 11
