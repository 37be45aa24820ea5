"""When a table is rewritten to be tidy: at any time while it is small, later only once much has changed."""

from __future__ import annotations

from unittest.mock import Mock

import pytest

from chunking.store import DocumentChunks, Index
from chunking.store.engine import table_upkeep
from tests.support import store_rows as made


def fragments(index: Index) -> int:
    """Number of the table's files of rows."""
    return int(index._table().stats()["fragment_stats"]["num_fragments"])


def add(index: Index, *names: str) -> None:
    """Write new documents of three chunks each, in one commit."""
    documents = [made.document(name, "One.", "Two.", "Three.") for name in names]
    rows = [made.chunks(one) for one in documents]
    index.replace_documents(
        [DocumentChunks(one, some, made.vectors(some), "f") for one, some in zip(documents, rows, strict=True)],
        has_rows=(),
    )


def test_a_small_table_is_tidied_at_any_time(index: Index) -> None:
    add(index, "a")
    assert index.optimize_if_due()
    assert fragments(index) == 1


@pytest.mark.parametrize(("limit", "at"), [("_MOST_FRAGMENTS", 4), ("_MOST_BEHIND", 9)])
def test_a_large_one_waits_until_much_has_changed(
    index: Index, monkeypatch: pytest.MonkeyPatch, limit: str, at: int
) -> None:
    """Either many files or many rows that the indexes lack; until then it is searched as it is."""
    index.optimize()
    monkeypatch.setattr(table_upkeep, "_SMALL", 5)
    monkeypatch.setattr(table_upkeep, limit, at)
    for name in "ab":
        add(index, name)
        assert not index.optimize_if_due()
    assert fragments(index) == 3
    add(index, "c")
    assert index.optimize_if_due()
    assert fragments(index) < 3
    assert {chunk.doc_id for chunk in index.by_level("chunk")} == {"install", "手册", *"abc"}


def test_many_documents_are_one_commit(index: Index) -> None:
    """New ones are added; with one that has rows among them, they are merged."""
    before = index._table().version
    add(index, *(f"d{number}" for number in range(20)))
    assert index._table().version == before + 1
    changed = made.document("d3", "Four.", "Five.", "Six.")
    new = made.document("e", "Seven.")
    rows = {one.doc_id: made.chunks(one) for one in (changed, new)}
    both = [DocumentChunks(one, rows[one.doc_id], made.vectors(rows[one.doc_id]), "new") for one in (changed, new)]
    index.replace_documents(both, has_rows={"d3"})
    assert index._table().version == before + 2
    assert [chunk.content for chunk in index.chunks_of("d3")][1:] == ["Five.", "Six."]
    assert (len(index.chunks_of("e")), len(index.chunks_of("d4")), index.count()) == (1, 3, 66)


def test_a_run_killed_between_the_commits_of_a_shorter_document(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is left has the old stamp, so the next run writes the document again; nothing of it stands twice."""
    before, (shorter, rows) = index.documents()["install"], (one := made.document("install", "Four."), made.chunks(one))
    written = DocumentChunks(shorter, rows, made.vectors(rows), "new", "new stamp")
    with monkeypatch.context() as patch:
        patch.setattr(type(index._tables), "upsert", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            index.replace_documents([written], has_rows={"install"})
    assert index.documents()["install"] == before
    index.replace_documents([written], has_rows={"install"})
    assert [chunk.content for chunk in index.chunks_of("install")] == ["# install\n\nFour."]
    assert index.documents()["install"].stamp == "new stamp"


def test_many_documents_are_deleted_in_one_commit(index: Index) -> None:
    names = [f"d'{number}" for number in range(20)]
    add(index, *names)
    before = index._table().version
    index.remove_documents(names[1:])
    assert index._table().version == before + 1
    assert set(index.documents()) == {"install", "手册", names[0]}
