"""Search structures in segments find what those of one piece find, and the embedded engine goes on with them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from chunking.config import Config
from chunking.store import Index, IndexRow, TextQuery, Workspace, build_vector_index, measure_recall
from chunking.store.bulk.fragments import newest_version
from chunking.store.bulk.index_segments import (
    commit_merged,
    commit_segments,
    fragment_groups,
    merge_files,
    plan_merges,
    segmented_indexes,
    train_vector_index,
    write_segment,
)
from tests.support import store_rows as made

WORDS = ("valve", "pump", "pressure", "running", "houses", "水泵", "relief", "lubrication")


def filled(workspace: Workspace, **settings: object) -> Index:
    """An index of 900 rows in six fragments, without search structures."""
    config = Config.from_settings({f"index.{name}": value for name, value in settings.items()})
    row = IndexRow.new("main", config, model_key="fake", dimension=made.DIMENSION, code_version="1")
    writer = workspace.bulk_writer()
    writer.create(row)
    index = writer.index(row)
    chance = np.random.default_rng(3)
    for number in range(6):
        texts = (" ".join(chance.choice(WORDS, 6)) for _ in range(150))
        document = made.document(f"d{number}", *(f"{text} {number} {place}." for place, text in enumerate(texts)))
        rows = made.chunks(document)
        vectors = chance.normal(size=(len(rows), made.DIMENSION)).astype(np.float32)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        index.replace_document(document, rows, vectors, "f", has_rows=False)
    return index


def index_in_segments(index: Index, groups: int = 3) -> list[str]:
    """Build all structures in segments, and commit each twice; returns their names."""
    uri = f"{index._tables.uri}/{index.row.table}.lance"
    indexes = segmented_indexes(index)
    for one in indexes:
        trained = train_vector_index(uri, one) if one.is_trained else None
        segments = [write_segment(uri, one, some, trained) for some in fragment_groups(uri, groups)]
        commit_segments(uri, one, segments)
        commit_segments(uri, one, segments)
    return [one.name for one in indexes]


def segments_of(index: Index) -> dict[str, int]:
    listed = index.on_table("listing indexes", lambda table: list(table.list_indices()))
    assert not any(one.num_unindexed_rows for one in listed)
    return {one.name: one.num_segments for one in listed}


@pytest.mark.parametrize(
    ("kind", "tokenizer"), [("ivf_sq", "icu"), ("ivf_pq", "ngram"), ("ivf_hnsw_sq", "simple"), ("none", "icu")]
)
def test_they_find_what_one_piece_finds(tmp_path: Path, kind: str, tokenizer: str) -> None:
    """Full text with equal scores; nearest vectors with the kind's recall, by the number of partitions asked for."""
    settings = {"vector_index": kind, "partitions": 3, "tokenizer": tokenizer}
    one_piece, parts = (filled(Workspace.open(tmp_path / name), **settings) for name in ("one_piece", "parts"))
    one_piece.build()
    description = build_vector_index(one_piece)
    names = index_in_segments(parts)
    assert segments_of(parts) == dict.fromkeys(names, 3)
    assert segments_of(one_piece).keys() == set(names)
    assert build_vector_index(parts) == description
    for query in (TextQuery("running pump"), TextQuery("水泵 4"), TextQuery(phrases=("relief valve",))):
        scores = [
            {hit.chunk.chunk_id: hit.score for hit in index.text_search(query, 900)} for index in (one_piece, parts)
        ]
        assert scores[0] == pytest.approx(scores[1], rel=1e-5) != {}
    assert min(measure_recall(index, (3,), (5,), 40)[-1].recall_at_10 for index in (one_piece, parts)) > 0.9


def test_the_embedded_engine_adds_to_them(tmp_path: Path) -> None:
    """A document more is found, before and after an update, which adds it to each structure."""
    index = filled(Workspace.open(tmp_path), vector_index="ivf_sq", partitions=3)
    names = index_in_segments(index)
    more = made.document("more", "An osprey dives for fish.")
    rows = made.chunks(more)
    index.replace_document(more, rows, made.vectors(rows), "f")
    for _ in range(2):
        assert [hit.chunk.doc_id for hit in index.text_search(TextQuery("osprey"), 3)] == ["more"]
        assert index.vector_search(made.vectors(rows)[0], 1)[0].chunk.doc_id == "more"
        build_vector_index(index)
    assert segments_of(index).keys() == set(names)


def test_merged_files_have_the_same_rows(tmp_path: Path) -> None:
    """Small ones are merged, and a commit is not planned again; neighbours only, so that the order of rows stays."""
    index = filled(Workspace.open(tmp_path))
    uri = f"{tmp_path}/{index.row.table}.lance"
    before = index.table_rows()
    version, tasks = plan_merges(uri, 300)
    assert 1 < len(tasks) < 4
    commit_merged(uri, [merge_files(uri, task) for task in tasks])
    assert len(fragment_groups(uri, 9)) == len(tasks)
    later, none = plan_merges(uri, 300)
    assert (later > version, none) == (True, [])
    commit_merged(uri, [])
    assert newest_version(uri) == later
    assert index.table_rows() == before


def test_fragments_are_divided_by_their_rows(tmp_path: Path) -> None:
    """Each stands in one group; there are no more groups than fragments."""
    index = filled(Workspace.open(tmp_path))
    uri = f"{tmp_path}/{index.row.table}.lance"
    for count, sizes in ((2, [3, 3]), (4, [1, 1, 2, 2]), (9, [1] * 6)):
        groups = fragment_groups(uri, count)
        assert sorted(map(len, groups)) == sizes
        assert sorted(one for group in groups for one in group) == list(range(6))
