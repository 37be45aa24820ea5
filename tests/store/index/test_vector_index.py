"""The vector index: when it is made, what it finds, and when it is made anew."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import lance
import numpy as np
import pytest
from lancedb.background_loop import LOOP

from chunking.config import Config
from chunking.errors import Cancelled, StoreError
from chunking.model import PARENT, Document
from chunking.store import Index, Workspace, build_vector_index, measure_recall
from chunking.store.index import index_search
from chunking.store.index.vector_index import _MOST_PARTS, _sub_vectors
from tests.store.levels import vectors as with_parents
from tests.support import store_rows as made

DIMENSION = 32
DOCUMENTS = {f"d{n}": made.document(f"d{n}", *(f"paragraph {n} {place}" for place in range(500))) for n in range(3)}


def clustered(count: int, seed: int, noise: float = 0.6) -> np.ndarray:
    """(n, d) unit vectors around forty centres."""
    centres = np.random.default_rng(7).normal(size=(40, DIMENSION))
    generator = np.random.default_rng(seed)
    raw = centres[generator.integers(0, 40, count)] + noise * generator.normal(size=(count, DIMENSION))
    return (raw / np.linalg.norm(raw, axis=1, keepdims=True)).astype(np.float32)


def write(index: Index, document: Document, seed: int, noise: float = 0.6) -> None:
    """Put a document's chunks into an index, with vectors of their own."""
    rows = made.chunks(document)
    index.replace_document(document, rows, clustered(len(rows), seed, noise), f"f {seed}")


def filled(workspace: Workspace, *names: str, **settings: str | int) -> Index:
    """An index over some of the documents; a vector index is made from 1,000 chunks on."""
    config = Config.from_settings(
        {"index.vector_index_rows": 1000} | {f"index.{name}": value for name, value in settings.items()}
    )
    index = workspace.publish(workspace.create_index("main", config, model_key="fake@1", dimension=DIMENSION))
    for seed, name in enumerate(names):
        write(index, DOCUMENTS[name], seed)
    index.optimize()
    return index


def there(index: Index) -> list[str]:
    """Names of the vector indexes of the table."""
    return [one.name for one in index._table().list_indices() if one.columns == ["vector"]]


def query_of(index: Index, seed: int = 99) -> np.ndarray:
    return clustered(1, seed)[0]


@pytest.mark.parametrize(("names", "description"), [(["d0"], ""), (["d0", "d1"], "ivf_sq, 3 partitions, 1000 vectors")])
def test_auto_makes_one_from_a_number_of_vectors_on(workspace: Workspace, names: list[str], description: str) -> None:
    """Below it, vectors are compared one by one."""
    index = filled(workspace, *names)
    assert build_vector_index(index) == description
    assert there(index) == (["vector_ivf_sq_3x333"] if description else [])


@pytest.mark.parametrize("kind", ["ivf_sq", "ivf_pq", "ivf_hnsw_sq"])
def test_each_kind_finds_what_an_exact_search_finds(workspace: Workspace, kind: str) -> None:
    """With enough probes: the same chunks with the same cosines, and as many as asked for under a condition."""
    index = filled(workspace, *DOCUMENTS, vector_index=kind)
    assert build_vector_index(index).startswith(f"{kind}, ")
    plan = index._table().search(query_of(index), vector_column_name="vector").distance_type("cosine").explain_plan()
    assert "ANN" in plan
    for seed in range(5):
        vector = query_of(index, seed + 50)
        exact = index.vector_search(vector, 10, exact=True)
        neighbours = index.vector_search(vector, 10, probes=50, refine=20)
        assert [hit.chunk.chunk_id for hit in neighbours] == [hit.chunk.chunk_id for hit in exact]
        assert [hit.score for hit in neighbours] == pytest.approx([hit.score for hit in exact], abs=1e-5)
        assert len(index.vector_search(vector, 300, {"document": "d1"}, probes=1)) == 300


def test_one_pass_finds_the_nearest_of_several_vectors(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cosines of an exact search for each, whatever the batches; other levels' vectors are not among them."""
    index = filled(workspace, *DOCUMENTS)
    rows = made.chunks(DOCUMENTS["d0"])
    nodes = [replace(chunk, level="document", content="", summary="s") for chunk in rows[:20]]
    index.replace_document(DOCUMENTS["d0"], [*nodes, *rows[20:]], clustered(500, 0), "f")
    queries = np.concatenate([clustered(20, 0), clustered(5, 99)])
    exact = [[hit.score for hit in index.vector_search(query, 11, exact=True)] for query in queries]
    for at_once in (8_192, 7):
        monkeypatch.setattr(index_search, "_ROWS_AT_ONCE", at_once)
        assert index.nearest_cosines(queries, 11) == pytest.approx(np.array(exact), abs=1e-5)
    assert index.nearest_cosines(queries, 5_000).shape == (25, index.levels["chunk"])


def test_a_graph_is_made_and_searched_as_the_settings_say(workspace: Workspace) -> None:
    """Of few links, walked with few candidates, it misses what more candidates find; never fewer than are asked for."""
    index = filled(workspace, *DOCUMENTS, vector_index="ivf_hnsw_sq", partitions=1, m=4, ef_construction=20)
    assert build_vector_index(index) == "ivf_hnsw_sq, 1 partitions, m 4, ef_construction 20, 1500 vectors"
    recall = {
        ef: next(row for row in measure_recall(index, probes=(1,), refine=(1,), sample=60, ef=ef) if row.probes)
        for ef in (1, 400)
    }
    assert recall[1].recall_at_10 < recall[400].recall_at_10 > 0.95
    assert len(index.vector_search(query_of(index), 300, ef=1, refine=2)) == 300
    assert len(index.vector_scores(query_of(index), 300, ef=1)) == 300


def test_only_as_many_partitions_as_needed_are_searched(workspace: Workspace) -> None:
    """As many as asked for, unless they hold too few rows: of a small level, or for a long list."""
    index = filled(workspace, *DOCUMENTS, vector_index="ivf_sq", partitions=5)
    rows = made.chunks(DOCUMENTS["d0"])
    nodes = [replace(chunk, level="document", content="", summary="s") for chunk in rows[:20]]
    index.replace_document(DOCUMENTS["d0"], [*nodes, *rows[20:]], clustered(500, 0), "f")
    built = replace(index.row.built, levels=index.count_levels(), vector_index=build_vector_index(index))
    index = workspace.publish(index, replace(index.row, state="complete", built=built))
    tables, calls = workspace._tables, []

    def probed(*arguments: object, **options: object) -> int:
        index.vector_search(query_of(index), *arguments, **options)
        return int(re.search(r"partitions_searched=(\d+)", calls[-1])[1])

    start = tables.start_columns

    def watched(what: str, name: str, query: Callable[[], Any], columns: Sequence[str]) -> object:
        calls.append(LOOP.run(query().analyze_plan()))
        return start(what, name, query, columns)

    tables.start_columns = watched
    assert [probed(5, probes=1), probed(5, probes=2), probed(5, probes=9)] == [1, 2, 5]
    assert [probed(100, probes=1), probed(400, probes=1)] == [2, 5]
    assert probed(5, probes=1, levels=("document",)) == 5
    assert [probed(5, {"document": "d1"}, probes=1), probed(5, probes=1, ids=["d1_chunk3"])] == [5, 5]
    assert len(index.vector_search(query_of(index), 20, probes=1, levels=("document",))) == 20


def test_exact_passes_by_the_index(workspace: Workspace) -> None:
    """A search of one partition misses what another holds; an exact one does not."""
    index = filled(workspace, *DOCUMENTS)
    build_vector_index(index)
    result = index.vectors_of()
    for seed in range(20):
        vector = query_of(index, seed + 50)
        best = np.sort(result.vectors @ vector)[::-1][:10]
        assert [hit.score for hit in index.vector_search(vector, 10, probes=1, exact=True)] == pytest.approx(
            best.tolist(), abs=1e-5
        )


def test_an_index_that_serves_stays(workspace: Workspace) -> None:
    """Nothing is written where nothing changed; a changed document is taken in, and found."""
    index = filled(workspace, *DOCUMENTS)
    build_vector_index(index)
    version = index._table().version
    build_vector_index(index)
    assert index._table().version == version
    write(index, DOCUMENTS["d1"], 11)
    assert index.vector_search(clustered(500, 11)[4], 1)[0].chunk.chunk_id == "d1_chunk4"
    build_vector_index(index)
    (stats,) = [one for one in index._table().list_indices() if one.columns == ["vector"]]
    assert (stats.name, stats.num_unindexed_rows) == (there(index)[0], 0)
    assert index.vector_search(clustered(500, 11)[4], 1)[0].chunk.chunk_id == "d1_chunk4"


@pytest.mark.parametrize("kind", ["ivf_sq", "ivf_pq", "ivf_hnsw_sq"])
def test_an_update_leaves_the_partitions_as_they_are(tmp_path: Path, kind: str) -> None:
    """The engine joins partitions of less than a quarter of the size that it aims at, which is that of these."""
    index = filled(Workspace.open(tmp_path), *DOCUMENTS, vector_index=kind, partitions=3)
    assert build_vector_index(index).startswith(f"{kind}, 3 partitions, ")
    before = partitions_of(index)
    assert (len(before), sum(before)) == (3, 1500)
    write(index, made.document("more", *(f"paragraph {n}" for n in range(100))), 7)
    index.optimize()
    assert partitions_of(index) == before
    assert index.vector_search(clustered(100, 7)[4], 1)[0].chunk.chunk_id == "more_chunk4"


def partitions_of(index: Index) -> list[int]:
    """Rows of each partition in the first part of the vector index."""
    table = lance.dataset(f"{index._tables.uri}/{index.row.table}.lance")
    first = table.stats.index_stats(there(index)[0])["indices"][0]
    return [partition["size"] for partition in first["partitions"]]


def test_many_parts_are_made_one(workspace: Workspace) -> None:
    """Each run leaves a part, which searches pay for: after some runs all is made anew."""
    index = filled(workspace, *DOCUMENTS)
    build_vector_index(index)
    for seed in range(_MOST_PARTS + 2):
        write(index, DOCUMENTS[f"d{seed % 3}"], 20 + seed)
        index.optimize()
        build_vector_index(index)
        (stats,) = [one for one in index._table().list_indices() if one.columns == ["vector"]]
        assert stats.num_segments <= _MOST_PARTS
    assert stats.num_segments < _MOST_PARTS
    assert index.vector_search(clustered(500, 20 + seed)[7], 1)[0].chunk.chunk_id == f"d{seed % 3}_chunk7"


def test_other_settings_make_another_one(workspace: Workspace) -> None:
    """The earlier one goes when the new one is there; with none, and below the number of vectors, all go."""
    index = filled(workspace, *DOCUMENTS)
    assert build_vector_index(index) == "ivf_sq, 5 partitions, 1500 vectors"
    for settings, name in (
        ({"index.vector_index": "ivf_pq", "index.partitions": 2}, "vector_ivf_pq_2x750"),
        ({"index.vector_index": "ivf_pq", "index.partitions": 3}, "vector_ivf_pq_2x750"),
        ({"index.vector_index": "ivf_pq", "index.partitions": 5000}, "vector_ivf_pq_5x300"),
        ({"index.vector_index": "ivf_hnsw_sq", "index.partitions": 2}, "vector_ivf_hnsw_sq_2x750"),
        (
            {"index.vector_index": "ivf_hnsw_sq", "index.partitions": 2, "index.m": 8},
            "vector_ivf_hnsw_sq_2x750_m8_ef300",
        ),
        (
            {"index.vector_index": "ivf_hnsw_sq", "index.m": 8, "index.ef_construction": 40},
            "vector_ivf_hnsw_sq_1x1500_m8_ef40",
        ),
        ({"index.vector_index": "none", "index.m": 8}, None),
        ({"index.vector_index": "auto"}, None),
        ({"index.vector_index": "auto", "index.vector_index_rows": 1500}, "vector_ivf_sq_5x300"),
    ):
        changed = workspace.publish(index, replace(index.row, config=Config.from_settings(settings)))
        assert bool(build_vector_index(changed)) == (name is not None)
        assert there(changed) == ([] if name is None else [name])


def test_fewer_vectors_than_can_be_trained_on_are_compared_one_by_one(workspace: Workspace) -> None:
    """Whatever the settings say; an empty index is no error."""
    small = made.document("small", *(f"paragraph {n}" for n in range(255)))
    index = filled(workspace, vector_index="ivf_pq")
    assert build_vector_index(index) == ""
    write(index, small, 1)
    assert build_vector_index(index) == ""
    assert there(index) == []
    assert len(index.vector_search(query_of(index), 300)) == 255


def test_parents_without_vectors_do_not_count(tmp_path: Path) -> None:
    """Nor do they disturb the training, or come back from a search."""
    index = filled(Workspace.open(tmp_path), "d0", vector_index="ivf_sq")
    document = DOCUMENTS["d1"]
    chunks = made.chunks(document)
    parents = [replace(chunk, chunk_id=f"d1_parent{n}", level=PARENT) for n, chunk in enumerate(chunks)]
    assert not with_parents(parents).any()
    both = np.vstack([clustered(500, 1), np.zeros((500, DIMENSION), np.float32)])
    index.replace_document(document, [*chunks, *parents], both, "f")
    assert build_vector_index(index) == "ivf_sq, 3 partitions, 1000 vectors"
    assert len(partitions_of(index)) == 3
    hits = index.vector_search(query_of(index), 2000, levels=("chunk", PARENT))
    assert len(hits) == 1000


def test_an_update_reads_no_vectors_to_count_them(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are the largest column; a first vector index, which reads them anyway, has their exact number."""
    index = filled(workspace, *DOCUMENTS)
    reads: list[str] = []
    on_table = Index.on_table
    monkeypatch.setattr(Index, "on_table", lambda self, what, call: (reads.append(what), on_table(self, what, call))[1])
    first = build_vector_index(index)
    assert "counting vectors" in reads
    reads.clear()
    write(index, DOCUMENTS["d0"], 9)
    assert build_vector_index(index) == first == "ivf_sq, 5 partitions, 1500 vectors"
    assert "counting vectors" not in reads


def test_a_fault_leaves_an_index_that_can_be_searched(workspace: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Law 9: a full disk at any call of a change; the next one mends it."""
    index = filled(workspace, *DOCUMENTS)
    build_vector_index(index)
    changed = workspace.publish(
        index, replace(index.row, config=Config.from_settings({"index.vector_index": "ivf_pq"}))
    )
    run = workspace._tables.run
    for fails_at in range(1, 5):
        left = [fails_at]

        def full(what: str, call: object, left: list[int] = left) -> object:
            left[0] -= 1
            if left[0] == 0:
                raise StoreError("The disk is full.")
            return run(what, call)

        monkeypatch.setattr(workspace._tables, "run", full)
        with pytest.raises(StoreError, match="full"):
            build_vector_index(workspace.index())  # a new one, which knows no levels
        monkeypatch.undo()
        exact = index.vector_search(query_of(index), 5, exact=True)
        result = index.vector_search(query_of(index), 5, probes=50, refine=50)
        assert [hit.score for hit in result] == pytest.approx([hit.score for hit in exact], abs=1e-5)
    assert build_vector_index(changed).startswith("ivf_pq")
    assert len(there(changed)) == 1


def test_measuring_tells_recall_from_probes(workspace: Workspace) -> None:
    """The exact search first; one partition finds less than all of them, which find everything."""
    index = filled(workspace, vector_index="ivf_sq")
    for seed, document in enumerate(DOCUMENTS.values()):
        write(index, document, seed, noise=3.0)
    build_vector_index(index)
    rows = measure_recall(index, probes=(1, 5), refine=(1, 5), sample=20)
    assert [(row.probes, row.refine) for row in rows] == [(0, 0), (1, 1), (1, 5), (5, 1), (5, 5)]
    recall = {(row.probes, row.refine): row.recall_at_10 for row in rows}
    assert recall[0, 0] == 1.0
    assert recall[5, 5] > 0.999
    assert 0.3 < recall[1, 5] < recall[5, 5]
    assert all(row.milliseconds > 0 for row in rows)
    again = measure_recall(index, probes=(1, 5), refine=(1, 5), sample=20)
    assert [row.recall_at_10 for row in again] == [row.recall_at_10 for row in rows]


def test_measuring_knows_repeats_as_equal(workspace: Workspace) -> None:
    """Twenty chunks of one vector: any ten of them are the nearest."""
    index = filled(workspace)
    document = made.document("same", *(f"paragraph {n}" for n in range(40)))
    rows = made.chunks(document)
    index.replace_document(document, rows, np.repeat(clustered(2, 5), 20, axis=0), "f")
    assert {row.recall_at_10 for row in measure_recall(index, probes=(5,), refine=(5,))} == {1.0}


def test_measuring_can_be_watched_and_stopped(workspace: Workspace) -> None:
    """Before each search; there is nothing to measure in an index of one chunk or none."""
    index = filled(workspace)
    assert measure_recall(index) == []
    one = made.document("one", "Alone.")
    write(index, one, 1)
    assert measure_recall(index) == []
    write(index, DOCUMENTS["d0"], 2)
    calls: list[tuple[int, int]] = []

    def watch(done: int, total: int) -> None:
        calls.append((done, total))
        if done == 5:
            raise Cancelled("Stopped.")

    with pytest.raises(Cancelled):
        measure_recall(index, probes=(1,), refine=(1,), sample=8, on_progress=watch)
    assert calls == [(done, 16) for done in range(6)]


@pytest.mark.parametrize(
    ("dimension", "parts"), [(384, 48), (768, 96), (1024, 128), (300, 50), (8, 1), (7, 1), (13, 13), (1, 1)]
)
def test_vectors_of_any_length_can_be_quantised(dimension: int, parts: int) -> None:
    """Into parts of equal length, as near to eight numbers as there is a divisor."""
    assert _sub_vectors(dimension) == parts
    assert dimension % parts == 0
