"""Chunks of several levels in one index."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from chunking.config import Config
from chunking.errors import StoreError
from chunking.model import CHUNK, CLUSTER, DOCUMENT, PARENT, SECTION, Chunk
from chunking.store import Index, TextQuery, Workspace
from chunking.store.index.build_record import BuildReport
from tests.store.indexed import INSTALL, MANUAL
from tests.store.levels import all_levels, cluster, vectors
from tests.support import store_rows as made

COUNTS = {CHUNK: 5, DOCUMENT: 2, PARENT: 3, SECTION: 2, "x2": 3}
EVERY = (CHUNK, PARENT, "x2", SECTION, DOCUMENT, CLUSTER)


def empty(workspace: Workspace) -> Index:
    """An index without a document."""
    workspace.put_documents([INSTALL, MANUAL])
    return workspace.publish(workspace.create_index("main", Config(), model_key="fake@1", dimension=made.DIMENSION))


@pytest.fixture
def index(workspace: Workspace) -> Index:
    """An index that is being built, of all levels but clusters."""
    index = empty(workspace)
    for document in (INSTALL, MANUAL):
        rows = all_levels(document)
        index.replace_document(document, rows, vectors(rows), f"fingerprint of {document.doc_id}")
    return index


def complete(workspace: Workspace, index: Index) -> Index:
    """The same index once it is finished."""
    built = BuildReport(levels=index.count_levels())
    return workspace.publish(
        index, replace(index.row, state="complete", fingerprint="f", documents=2, chunks=5, built=built)
    )


@pytest.fixture(params=["being built", "complete"])
def either(request: pytest.FixtureRequest, workspace: Workspace, index: Index) -> Index:
    """An index whose levels are known from its row, and one that has to look."""
    return complete(workspace, index) if request.param == "complete" else index


def levels(chunks: list[Chunk]) -> set[str]:
    return {chunk.level for chunk in chunks}


def test_every_level_comes_back_as_it_was(either: Index) -> None:
    """Children, larger chunks, summaries, written contexts: nothing is lost on the way."""
    for document in (INSTALL, MANUAL):
        rows = {row.chunk_id: row for row in all_levels(document)}
        result = either.rows_by_id([*rows, "nobody"])
        assert {name: replace(row, metadata={}) for name, row in result.items()} == {
            name: replace(row, metadata={}) for name, row in rows.items()
        }


@pytest.mark.parametrize(
    "expected", [(CHUNK,), ("x2",), (SECTION, DOCUMENT), (CHUNK, SECTION, DOCUMENT, CLUSTER), ("x8",)]
)
def test_a_search_keeps_to_its_levels(either: Index, expected: tuple[str, ...]) -> None:
    """By vector, words and characters; all rows of a level are found, and none of another."""
    present = set(expected) & COUNTS.keys()
    hits = either.vector_search(made.vector("x"), 50, levels=expected)
    assert [levels([hit.chunk for hit in hits]), len(hits)] == [present, sum(COUNTS[level] for level in present)]
    words = either.text_search(TextQuery("installer administrator summary install 安装 数据库"), 50, levels=expected)
    assert levels([hit.chunk for hit in words]) == present
    characters = either.substring_search("Run the installer", 50, levels=expected)
    assert levels([hit.chunk for hit in characters]) == present & {CHUNK, "x2"}


def test_chunks_alone_are_searched_unless_more_is_asked_for(either: Index) -> None:
    """What earlier callers get is what they got."""
    assert levels([hit.chunk for hit in either.vector_search(made.vector("x"), 50)]) == {CHUNK}
    assert levels([hit.chunk for hit in either.text_search(TextQuery("install"), 50)]) == {CHUNK}
    assert levels([hit.chunk for hit in either.substring_search("database", 50)]) == {CHUNK}


def test_parents_are_returned_and_never_found(either: Index) -> None:
    """They have neither a vector nor indexed words; a scan for characters meets them where it is asked to."""
    assert either.vector_search(made.vector("x"), 50, levels=(PARENT,)) == []
    assert either.text_search(TextQuery("installer"), 50, levels=(PARENT,)) == []
    assert [hit.chunk.chunk_id for hit in either.substring_search("Run the", 5, levels=(PARENT,))] == [
        "install_parent0"
    ]
    assert either.vectors_of(PARENT).ids == []


def test_parents_do_not_change_what_words_weigh(workspace: Workspace, index: Index) -> None:
    """The same BM25 with parents and without."""
    query = TextQuery("database installer")
    index.optimize()
    before = [(hit.chunk.chunk_id, hit.score) for hit in index.text_search(query, 9)]
    for document in (INSTALL, MANUAL):
        rows = [row for row in all_levels(document) if row.level != PARENT]
        index.replace_document(document, rows, vectors(rows), "f")
    index.optimize()
    assert [hit[0] for hit in before] == [hit.chunk.chunk_id for hit in index.text_search(query, 9)]
    assert [hit.score for hit in index.text_search(query, 9)] == pytest.approx([score for _, score in before], rel=1e-4)


def test_filters_hold_on_every_level(either: Index) -> None:
    """A condition and a level together."""
    hits = either.vector_search(made.vector("x"), 50, {"language": "zh"}, levels=("x2", DOCUMENT))
    assert {hit.chunk.chunk_id for hit in hits} == {"手册_x2_0", "手册_doc"}
    assert (
        either.text_search(TextQuery("summary"), 9, {"category": "doc"}, levels=(SECTION,))[0].chunk.chunk_id
        == "install_sec0"
    )


def test_a_search_is_one_call_whatever_its_levels(workspace: Workspace, either: Index) -> None:
    """Law 8."""
    for expected in ((CHUNK,), EVERY):
        before = workspace.calls
        either.vector_search(made.vector("x"), 5, levels=expected)
        either.text_search(TextQuery("database"), 5, levels=expected)
        assert workspace.calls - before == 2


def test_neighbours_and_parents_are_one_call(workspace: Workspace, either: Index) -> None:
    """Law 8: what stands around the hits, their parents and larger chunks, the outlines."""
    hits = [hit.chunk for hit in either.vector_search(made.vector("x"), 4)]
    also = [*(hit.parent_id for hit in hits), *(one for hit in hits for one in hit.larger_ids), "nobody"]
    before = workspace.calls
    result = either.neighbours(hits, 1, 1, also=also)
    assert workspace.calls - before == 1
    assert result.also.keys() == set(also) - {"nobody"}
    assert {result.also[hit.parent_id].level for hit in hits} == {PARENT}
    assert all(hit.chunk_id in result.also[hit.parent_id].children for hit in hits)
    assert result.doc_tocs == {hit.doc_id: hit.doc_id for hit in hits}


def test_parts_of_a_section_are_its_chunks_and_parents(either: Index) -> None:
    """Not the larger sizes and subsections' nodes beside them: whoever joins the parts would have the text twice."""
    rows = either.by_level(PARENT)
    result = either.neighbours(rows[:1], 0, 0, children_of={row.parent_id for row in rows}).also
    assert {row.chunk_id for row in rows} <= result.keys()
    assert levels(list(result.values())) <= {CHUNK, PARENT}
    assert {row.parent_id for row in either.by_level("x2")} & {row.parent_id for row in rows}


def test_neighbours_are_of_the_same_level(either: Index) -> None:
    """A parent stands beside parents, a larger chunk beside larger ones; a summary beside nothing."""
    rows = either.rows_by_id(["install_parent0", "install_x2_1", "install_sec0", "install_doc"])
    neighbours = either.neighbours(list(rows.values()), 2, 2, across_parents=True).by_chunk
    ids = {name: [chunk.chunk_id for chunk in chunks] for name, chunks in neighbours.items()}
    assert ids == {
        "install_parent0": ["install_parent1"],
        "install_x2_1": ["install_x2_0"],
        "install_sec0": [],
        "install_doc": [],
    }
    parent = neighbours["install_parent0"][0]
    assert INSTALL.text[: parent.end].endswith(
        rows["install_parent0"].content + str(parent.metadata["gap"]) + parent.content
    )


def test_counts_and_lists_are_of_chunks(either: Index) -> None:
    """Documents and counts: the levels above do not show; texts of vectors are of all levels but parents."""
    assert either.count() == 5
    assert {doc_id: reference.chunks for doc_id, reference in either.documents().items()} == {"install": 3, "手册": 2}
    vectors = {doc_id: result.total() for doc_id, result in either.vector_texts().items()}
    assert sum(vectors.values()) == sum(rows for level, rows in either.levels.items() if level != PARENT)
    assert either.vector_texts(["install"]).keys() == {"install"}
    assert either.vector_texts([]) == {}
    assert [chunk.chunk_id for chunk in either.chunks_of("install")] == [
        "install_chunk0",
        "install_chunk1",
        "install_chunk2",
    ]
    assert [chunk.chunk_id for chunk in either.chunks_of("install", PARENT)] == ["install_parent0", "install_parent1"]
    assert [chunk.chunk_id for chunk in either.by_level(DOCUMENT)] == ["install_doc", "手册_doc"]
    assert either.by_level("x8") == []
    assert either.count(PARENT) == 3


def test_levels_are_counted(workspace: Workspace, index: Index) -> None:
    """In one query while it is being built, without any once it is complete."""
    before = workspace.calls
    assert [index.levels, index.levels] == [COUNTS, COUNTS]
    assert workspace.calls - before == 1
    finished = complete(workspace, index)
    before = workspace.calls
    assert finished.levels == COUNTS
    assert workspace.calls == before


def test_what_was_built_is_kept_with_the_index(workspace: Workspace, index: Index) -> None:
    """And read by a workspace that is opened anew."""
    finished = complete(workspace, index)
    assert finished.row.built.levels == COUNTS
    assert Workspace.open(workspace.uri).index().row == finished.row


def test_a_document_is_replaced_with_all_its_levels(workspace: Workspace, index: Index) -> None:
    """A shorter version without parents leaves none behind, and other documents alone."""
    table = workspace._tables.table(index.row.table)
    rows = made.chunks(INSTALL)[:1]
    before = table.version
    index.replace_document(INSTALL, rows, made.vectors(rows), "new")
    assert table.version - before == 2
    assert index.count_levels() == {CHUNK: 3, DOCUMENT: 1, PARENT: 1, SECTION: 1, "x2": 1}
    index.remove_document("手册")
    assert index.levels == {CHUNK: 1}


def test_the_tree_is_replaced_as_a_whole(index: Index) -> None:
    """Clusters are found as such, go when others take their place, and leave the documents alone."""
    first = [cluster(0, "install_chunk0", "手册_chunk0"), cluster(1, "install_chunk1")]
    index.replace_tree(first, vectors(first))
    top = [cluster(0, "install_chunk0"), cluster(0, "cluster_1_0", level=2, summary="Everything about filters.")]
    index.replace_tree(top, vectors(top))
    assert index.levels == COUNTS | {CLUSTER: 2}
    assert {chunk.chunk_id: chunk.children for chunk in index.by_level(CLUSTER)} == {
        row.chunk_id: row.children for row in top
    }
    hits = index.vector_search(vectors(top)[1], 1, levels=(CHUNK, CLUSTER))
    assert (hits[0].chunk.chunk_id, hits[0].chunk.summary) == ("cluster_2_0", "Everything about filters.")
    assert {hit.chunk.level for hit in index.text_search(TextQuery("filters"), 9, levels=EVERY)} == {CLUSTER}
    assert index.documents().keys() == {"install", "手册"}
    result = index.neighbours([hits[0].chunk], 1, 1)
    assert (result.by_chunk, result.doc_tocs) == ({"cluster_2_0": ()}, {})
    index.remove_tree()
    assert index.levels == COUNTS


def test_a_cluster_of_a_document_is_refused(index: Index) -> None:
    """It would be deleted with the wrong rows."""
    rows = [replace(cluster(0), doc_id="install")]
    with pytest.raises(StoreError, match="empty doc_id"):
        index.replace_tree(rows, vectors(rows))


def test_a_deleted_document_leaves_no_summary_behind(workspace: Workspace, index: Index) -> None:
    """Nor a cluster that tells of it; the counts of the index follow."""
    tree = [cluster(0, "install_chunk0", "手册_chunk0")]
    index.replace_tree(tree, vectors(tree))
    complete(workspace, index)
    assert workspace.delete_documents(["手册"]) == 2
    left = workspace.index()
    assert left.row.built.levels == {CHUNK: 3, DOCUMENT: 1, PARENT: 2, SECTION: 1, "x2": 2} == left.count_levels()


def test_vectors_of_a_level_come_in_one_scan(workspace: Workspace, either: Index) -> None:
    """In the order of documents and places, each as it was written."""
    before = workspace.calls
    result = either.vectors_of("x2")
    assert workspace.calls - before == 1
    rows = [row for document in (INSTALL, MANUAL) for row in all_levels(document) if row.level == "x2"]
    assert (result.ids, result.doc_ids) == ([row.chunk_id for row in rows], [row.doc_id for row in rows])
    assert np.array_equal(result.vectors, vectors(rows))
    assert result.vectors.dtype == np.float32
    assert either.vectors_of("x8").vectors.shape == (0, made.DIMENSION)


def test_vectors_by_id_are_one_call(workspace: Workspace, either: Index) -> None:
    """Of any level; parents have none, and what is not there is left out."""
    before = workspace.calls
    result = either.vectors_by_id(["install_x2_1", "手册_chunk1", "install_parent0", "nobody", "手册_chunk1"])
    assert workspace.calls - before == 1
    rows = [row for document in (INSTALL, MANUAL) for row in all_levels(document) if row.chunk_id in result]
    assert {row.chunk_id for row in rows} == {"install_x2_1", "手册_chunk1"} == result.keys()
    assert all(np.array_equal(result[row.chunk_id], vectors([row])[0]) for row in rows)
    assert either.vectors_by_id([]) == {}
    assert sorted(either.ids("x2")) == ["install_x2_0", "install_x2_1", "手册_x2_0"]


def test_a_documents_vector_is_the_mean_of_its_chunks(workspace: Workspace, either: Index) -> None:
    """Of unit length, in one scan; nothing for an index without documents."""
    before = workspace.calls
    ids, means = either.document_vectors()
    assert workspace.calls - before == 1
    assert ids == ["install", "手册"]
    for doc_id, mean in zip(ids, means, strict=True):
        rows = [
            row
            for document in (INSTALL, MANUAL)
            for row in all_levels(document)
            if (row.doc_id, row.level) == (doc_id, CHUNK)
        ]
        full = vectors(rows).mean(axis=0)
        assert mean == pytest.approx(full / np.linalg.norm(full), abs=1e-5)
    ids, means = empty(workspace).document_vectors()
    assert (ids, means.shape) == ([], (0, made.DIMENSION))


def test_a_section_holds_what_stands_in_its_subsections(workspace: Workspace) -> None:
    """The filter by a section's id finds chunks of the sections under it, not of those beside it."""
    sections = (
        INSTALL.sections[0],
        *(replace(INSTALL.sections[0], section_id=f"install_sec{n}", parent_id="install_sec0") for n in (1, 2)),
    )
    document = replace(INSTALL, sections=sections)
    rows = [replace(chunk, section_id=f"install_sec{n}") for n, chunk in enumerate(made.chunks(document))]
    index = empty(workspace)
    index.replace_document(document, rows, made.vectors(rows), "f")
    result = {
        name: [hit.chunk.chunk_index for hit in index.substring_search("e", 9, {"section": name})]
        for name in ("install_sec0", "install_sec2")
    }
    assert result == {"install_sec0": [0, 1, 2], "install_sec2": [2]}
