"""Settings of the vector index decide how rows are found, and no row."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.config import Config
from chunking.errors import Cancelled
from chunking.indexing import build_index, make_plan, run_plan, staleness
from chunking.indexing.run import index_run
from chunking.parsing import parse
from chunking.store import Workspace
from tests.support.facts import tells
from tests.support.store_rows import FakeEmbedder

FLAT = Config.from_settings({"size": "20", "overlap": "0", "index.vector_index": "none"})
SQ = Config.from_settings({"index.vector_index": "ivf_sq", "index.partitions": "2"}, FLAT)
PQ = Config.from_settings({"index.vector_index": "ivf_pq"}, FLAT)


@pytest.fixture
def embedder() -> FakeEmbedder:
    return FakeEmbedder()


def filled(folder: Path) -> Workspace:
    """A workspace whose documents have over 512 chunks, enough for a vector index of two partitions."""
    workspace = Workspace.open(folder)
    for hall in range(4):
        text = "\n\n".join(f"Pump {place} of hall {hall} stands still on day {place}." for place in range(150))
        workspace.put_document(parse(text.encode(), f"hall{hall}.md"))
    return workspace


def refuse(*_: object) -> None:
    raise AssertionError("a document was split")


def test_another_vector_index_leaves_every_row(
    tmp_path: Path, embedder: FakeEmbedder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No document is split and no row written; index and fingerprint are those of a build with these settings."""
    workspace, other = filled(tmp_path / "changed"), filled(tmp_path / "fresh")
    before = build_index(workspace, FLAT, embedder=embedder)
    fresh = build_index(other, SQ, embedder=embedder)
    old = workspace.index()
    assert old.row.built.vector_index == ""
    assert tells(staleness(workspace, old.row, SQ), "out of date settings vector index changed")
    plan = make_plan(workspace, SQ, embedder=embedder)
    assert (plan.rebuild, plan.other_vector_index, plan.unchanged, plan.new) == (False, True, 4, 0)
    monkeypatch.setattr(index_run, "split_rows", refuse)
    report = run_plan(workspace, plan, embedder=embedder)
    row = workspace.index().row
    assert (report.fingerprint, report.embedded) == (before.fingerprint, 0)
    assert report.fingerprint == fresh.fingerprint
    assert (row.table, row.config.index, row.state) == (old.row.table, SQ.index, "complete")
    assert (
        row.built.vector_index
        == other.index().row.built.vector_index
        == f"ivf_sq, 2 partitions, {report.vectors} vectors"
    )
    assert staleness(workspace, row) == staleness(workspace, row, SQ) == ""
    assert not make_plan(workspace, SQ, embedder=embedder).other_vector_index


def test_documents_may_change_in_the_same_run(tmp_path: Path, embedder: FakeEmbedder) -> None:
    """Only the new one is split, and back to flat the vector index is deleted."""
    workspace = filled(tmp_path)
    build_index(workspace, PQ, embedder=embedder)
    assert workspace.index().row.built.vector_index.startswith("ivf_pq")
    workspace.put_document(parse(b"A pump was added on the last day.", "new.md"))
    plan = make_plan(workspace, FLAT, embedder=embedder)
    assert (plan.unchanged, plan.new, plan.other_vector_index) == (4, 1, True)
    assert run_plan(workspace, plan, embedder=embedder).embedded == 1
    assert workspace.index().row.built.vector_index == ""


def test_a_stopped_run_goes_on_with_either_settings(tmp_path: Path, embedder: FakeEmbedder) -> None:
    """The index is listed as unfinished, and no document is split afterwards either."""
    workspace = filled(tmp_path)
    build_index(workspace, FLAT, embedder=embedder)
    stops = iter([False, True])
    with pytest.raises(Cancelled):
        build_index(workspace, SQ, embedder=embedder, cancelled=lambda: next(stops, True))
    assert tells(staleness(workspace, workspace.index().row), "did not finish")
    for config, kind in ((FLAT, ""), (SQ, "ivf_sq")):
        plan = make_plan(workspace, config, embedder=embedder)
        assert (plan.rebuild, plan.unchanged) == (False, 4)
        run_plan(workspace, plan, embedder=embedder)
        assert workspace.index().row.built.vector_index.startswith(kind)
        assert staleness(workspace, workspace.index().row, config) == ""


def test_another_tokenizer_writes_rows_again(tmp_path: Path, embedder: FakeEmbedder) -> None:
    """The words of the full-text index stand in the rows."""
    workspace = filled(tmp_path)
    build_index(workspace, FLAT, embedder=embedder)
    assert make_plan(workspace, Config.from_settings({"index.tokenizer": "ngram"}, FLAT), embedder=embedder).rebuild
