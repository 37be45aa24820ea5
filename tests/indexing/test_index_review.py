"""A candidate beside its live index: what differs, and that promoting it changes names and nothing else."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from chunking.config import Config
from chunking.errors import ChunkscopeError, LockedError, NotFoundError
from chunking.indexing import build_index, make_plan
from chunking.indexing.index_review import candidate_pair, review
from chunking.parsing import parse
from chunking.retrieval import search
from chunking.store import Workspace
from tests.support.facts import tells
from tests.support.stand_in_model import stand_in_model

SMALLER = {"size": "40", "granularities": "none"}
TEXTS = {
    "pump.md": "# Pump\n\n" + "The seal of the pump is worn. Switch it off before the filter is changed. " * 12,
    "mast.md": "# Mast\n\nThe mast is ten metres high.\n",
}


@pytest.fixture(scope="module", autouse=True)
def _stand_in() -> Iterator[None]:
    with stand_in_model():
        yield


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace of two documents, with an index and its candidate."""
    folder = tmp_path_factory.mktemp("review") / "workspace"
    workspace = Workspace.open(folder)
    workspace.put_documents([parse(text.encode(), name) for name, text in TEXTS.items()])
    build_index(workspace, Config.from_settings(SMALLER | {"size": "120"}), name="main")
    build_index(workspace, Config.from_settings(SMALLER), name="main.candidate")
    return folder


@pytest.fixture
def workspace(built: Path, tmp_path: Path) -> Workspace:
    return Workspace.open(shutil.copytree(built, tmp_path / "workspace"))


def tables(workspace: Workspace) -> dict[str, str]:
    return {row.name: row.table for row in workspace.indexes()}


def add(workspace: Workspace) -> None:
    workspace.put_document(parse(b"# Valve\n\nThe valve is shut.\n", "valve.md"))


class TestReview:
    def test_only_what_differs_is_counted(self, workspace: Workspace) -> None:
        """A document shorter than both sizes stays; texts add up to the vectors of each index."""
        compared = review(workspace, candidate_pair(workspace, "main"))
        by_source = {one.source: one for one in compared.documents}
        assert by_source["mast.md"].moved == 0
        assert by_source["mast.md"].texts == (0, 1, 0)
        assert len(by_source["pump.md"].boundaries.only_b) > 0
        rows = {row.name: row for row in workspace.indexes()}
        texts = compared.texts
        assert texts.new + texts.reused == rows["main.candidate"].chunks
        assert texts.removed + texts.reused == rows["main"].chunks
        assert [one["source"] for one in compared.as_record()["documents"]] == ["pump.md"]  # type: ignore[index,attr-defined]

    def test_no_text_is_reused_with_another_model(self, workspace: Workspace) -> None:
        """Its vectors differ, whatever the text."""
        pair = candidate_pair(workspace, "main")
        pair.candidate.row = replace(pair.candidate.row, model_key="other@1")
        assert review(workspace, pair).texts.reused == 0

    def test_documents_that_the_live_index_has_not_are_left_out(self, workspace: Workspace) -> None:
        """They are counted apart."""
        add(workspace)
        build_index(workspace, Config.from_settings(SMALLER), name="main.candidate")
        pair = candidate_pair(workspace, "main")
        compared = review(workspace, pair)
        assert pair.changed == {"valve"}
        assert {one.source for one in compared.documents} == set(TEXTS)


def _without_live(workspace: Workspace) -> None:
    workspace.drop_index("main")


def _without_candidate(workspace: Workspace) -> None:
    workspace.drop_index("main.candidate")


def _unfinished(workspace: Workspace) -> None:
    index = workspace.index("main.candidate")
    workspace.publish(index, replace(index.row, state="incomplete"))


def _another_scope(workspace: Workspace) -> None:
    build_index(workspace, Config.from_settings(SMALLER), name="main.candidate", doc_ids=["mast"])


@pytest.mark.parametrize(
    ("spoil", "facts"),
    [
        (_without_live, "main first compared"),
        (_without_candidate, "main.candidate build"),
        (_unfinished, "main.candidate not finished"),
        (_another_scope, "main main.candidate different documents"),
        (add, "documents changed main.candidate again"),
    ],
)
def test_what_cannot_be_compared_is_one_sentence(
    workspace: Workspace, spoil: Callable[[Workspace], None], facts: str
) -> None:
    spoil(workspace)
    with pytest.raises(ChunkscopeError) as caught:
        candidate_pair(workspace, "main")
    assert tells(str(caught.value), facts), caught.value


class TestPromotion:
    def test_names_change_in_one_commit_and_back(self, workspace: Workspace) -> None:
        """No table is written; searches by the names of before and after are answered all the time."""
        before, open_index = tables(workspace), workspace.index("main")
        commits = workspace._tables.version("indexes")
        promoted = workspace.promote("main", workspace.index("main.candidate").fingerprint)
        assert workspace._tables.version("indexes") == commits + 1
        assert tables(workspace) == {"main": before["main.candidate"], "main.previous": before["main"]}
        assert promoted.row == workspace.index().row
        assert open_index.chunks_of("pump")  # a search that began before
        assert search(workspace, "seal", index="main").results
        plan = make_plan(workspace, Config.from_settings(SMALLER), name="main")
        assert (plan.new, plan.removed, plan.rebuild) == (0, 0, False)
        workspace.undo_promotion("main")
        assert tables(workspace) == before

    def test_one_step_is_kept(self, workspace: Workspace) -> None:
        """The next promotion deletes the table that the first one replaced."""
        first = tables(workspace)
        workspace.promote("main")
        build_index(workspace, Config.from_settings(SMALLER | {"size": "60"}), name="main.candidate")
        with pytest.raises(ChunkscopeError):
            workspace.undo_promotion("main")
        second = tables(workspace)
        workspace.promote("main")
        assert tables(workspace) == {"main": second["main.candidate"], "main.previous": first["main.candidate"]}
        assert first["main"] not in workspace._tables.names()

    def test_nothing_uses_a_candidate_unless_it_is_named(self, workspace: Workspace) -> None:
        """Though it was built last."""
        assert [row.name for row in workspace.indexes()] == ["main", "main.candidate"]
        assert workspace.index().name == "main"

    def test_refused_and_nothing_changed(self, workspace: Workspace) -> None:
        """Another candidate than the reviewed one, an unfinished one, somebody else's lock, nothing to go back to."""
        before = tables(workspace)
        with pytest.raises(ChunkscopeError):
            workspace.promote("main", "0" * 16)
        with pytest.raises(NotFoundError):
            workspace.undo_promotion("main")
        with Workspace.open(workspace.uri).writer(), pytest.raises(LockedError):
            workspace.promote("main")
        _unfinished(workspace)
        with pytest.raises(ChunkscopeError):
            workspace.promote("main")
        assert tables(workspace) == before
