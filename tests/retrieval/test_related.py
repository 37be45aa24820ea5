"""Related documents, on texts that share a subject."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from chunking.errors import NotFoundError
from chunking.parsing import parse
from chunking.retrieval import related_documents
from chunking.store import Workspace
from tests.support.shelf import MANUAL, SHELF, fill
from tests.support.word_embedder import WordEmbedder

FILTERS = """# 滤芯手册

## 滤芯更换

滤芯每六个月更换一次，更换前先关闭进水阀。

## 价格

滤芯的价格请咨询客服。
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory, embedder: WordEmbedder) -> Workspace:
    """The shelf and one more Chinese document."""
    workspace = Workspace.open(tmp_path_factory.mktemp("related"))
    fill(workspace, {**SHELF, "manuals/filters.md": FILTERS}, embedder)
    return workspace


def test_the_nearest_documents_come_first_and_say_why(library: Workspace) -> None:
    """By shared words, headings, and the nearest passages of both."""
    result = related_documents(library, "guide_quick_start")
    assert result[0].row.doc_id == "guide_handbook"
    assert [one.similarity for one in result] == sorted((one.similarity for one in result), reverse=True)
    best = result[0]
    assert {"backup", "archive"} & set(best.words)
    assert not {"the", "a", "who"} & set(best.words)
    assert best.here is not None
    assert best.there is not None
    assert (best.here.doc_id, best.there.doc_id) == ("guide_quick_start", "guide_handbook")
    assert best.why.startswith("Both mention ")
    assert best.there.citation in best.why
    assert 0 < best.nearness <= 1.001


def test_chinese_words_and_headings_are_shared_too(library: Workspace) -> None:
    """As the full-text index tells them apart."""
    best = next(one for one in related_documents(library, "manuals_filters") if one.row.doc_id == "manuals_manual")
    assert {"滤芯", "更换"} & set(best.words)
    assert best.headings == ("滤芯更换",)
    assert "both have the heading 滤芯更换" in best.why


def test_calls_do_not_grow_with_the_number_asked_for(library: Workspace) -> None:
    """Five at most; none for what was asked before."""
    fresh = Workspace.open(Path(library.uri))
    fresh.indexes()
    counts = []
    for n in (1, 3, 3, 0):
        before = fresh.calls
        assert len(related_documents(fresh, "guide_handbook", n)) == min(n, 3)
        counts.append(fresh.calls - before)
    assert max(counts) <= 5
    assert counts[2] == counts[3] == 0


@pytest.mark.parametrize("doc_id", ["guide_quick_start", "manuals_filters"])
def test_in_a_large_index_the_candidates_are_searched_for(
    library: Workspace, monkeypatch: pytest.MonkeyPatch, doc_id: str
) -> None:
    """The same documents and similarities as by comparing all; every vector of the index is read by none."""
    from chunking.retrieval import related_documents as module_function  # the module has the function's name
    from chunking.store import Index

    module = sys.modules[module_function.__module__]
    every = related_documents(library, doc_id)
    monkeypatch.setattr(module, "_ALL", 0)
    module._answers.clear()
    module._means.clear()
    monkeypatch.setattr(Index, "vectors_of", lambda *_: pytest.fail("all vectors were read"))
    monkeypatch.setattr(Index, "documents", lambda *_: pytest.fail("all documents were read"))
    some = related_documents(library, doc_id)
    assert [one.row for one in some] == [one.row for one in every]
    assert [one.similarity for one in some] == pytest.approx([one.similarity for one in every], abs=1e-5)
    module._answers.clear()


def test_what_is_written_meanwhile_counts(tmp_path: Path, embedder: WordEmbedder) -> None:
    """A new index, a new answer."""
    workspace = Workspace.open(tmp_path)
    fill(workspace, {"a.md": SHELF["guide/handbook.md"], "b.md": MANUAL}, embedder)
    assert related_documents(workspace, "a", 1)[0].row.doc_id == "b"
    fill(
        workspace, {"a.md": SHELF["guide/handbook.md"], "b.md": MANUAL, "c.md": SHELF["guide/quick_start.md"]}, embedder
    )
    assert related_documents(workspace, "a", 1)[0].row.doc_id == "c"


def test_a_single_document_has_no_relatives_and_a_missing_one_is_an_error(
    tmp_path: Path, library: Workspace, embedder: WordEmbedder
) -> None:
    """Nothing, or one sentence."""
    workspace = Workspace.open(tmp_path)
    fill(workspace, {"a.md": "# One\n\nText of one."}, embedder)
    assert related_documents(workspace, "a") == ()
    with pytest.raises(NotFoundError, match="nobody"):
        related_documents(library, "nobody")
    workspace.put_document(parse(b"# Two\n\nText.", "two.md"))
    with pytest.raises(NotFoundError, match="document 'two'; build it again"):
        related_documents(workspace, "two")
