"""Pages of a workspace with more documents than a list sends to the browser at once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from chunking import indexing
from chunking.config import Config
from chunking.indexing import build_index
from chunking.parsing import parse
from chunking.retrieval import document_siblings
from chunking.store import Index, Workspace
from components.index import index_cards, map_points
from components.kit import bounded_options
from components.session import measured_documents
from tests.pages.app_session import go_to, open_page, page_text, run_app, state

BOUND, COUNT = 5, 23


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twenty-three manuals and an index of them."""
    folder = tmp_path_factory.mktemp("shelf") / "workspace"
    workspace = Workspace.open(folder)
    texts = {
        f"shelf/manual_{n:02d}.md": f"# Manual {n:02d}\n\n{'Water the pump. ' * (COUNT - n)}\n" for n in range(COUNT)
    }
    workspace.put_documents([parse(text.encode(), source) for source, text in texts.items()])
    build_index(workspace, Config())
    return folder


@pytest.fixture
def many(shelf: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """The app's workspace is a copy of it, and a list has at most five entries."""
    import shutil

    from components.documents import document_pages

    folder = tmp_path / "workspace"
    shutil.copytree(shelf, folder)
    monkeypatch.setenv("CHUNKSCOPE_WORKSPACE", str(folder))
    for module in (bounded_options, document_pages):
        monkeypatch.setattr(module, "MOST_OPTIONS", BOUND)
    return Workspace.open(folder)


def listed(app: AppTest) -> list[str]:
    """The files in the table of documents."""
    return list(app.dataframe[0].value["File"])


def test_the_table_has_a_page_of_rows_and_follows_the_link(many: Workspace) -> None:
    """A linked document is on the page that is shown; words, order and page are the server's work."""
    app = open_page("documents", doc="shelf_manual_17")
    assert listed(app) == [f"shelf/manual_{n}.md" for n in range(15, 20)]
    assert state(app, "share.view")["doc"] == "shelf_manual_17"
    app.text_input(key="documents.find").set_value("MANUAL_2")
    run_app(app)
    assert listed(app) == ["shelf/manual_20.md", "shelf/manual_21.md", "shelf/manual_22.md"]
    assert state(app, "share.view")["doc"] == "shelf_manual_20"
    app.text_input(key="documents.find").set_value("nothing like it")
    run_app(app)
    assert not app.dataframe
    app.text_input(key="documents.find").set_value("")
    run_app(app)
    app.selectbox(key="documents.order").set_value("Largest first")
    run_app(app)
    assert listed(app)[0] == "shelf/manual_00.md"


def test_a_workspace_below_the_bound_has_no_such_fields(many: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its table is as it was."""
    from components.documents import document_pages

    monkeypatch.setattr(document_pages, "MOST_OPTIONS", COUNT)
    app = open_page("documents")
    assert len(listed(app)) == COUNT
    assert not [one for one in app.text_input if one.key == "documents.find"]


def test_a_linked_document_out_of_the_bound_opens_on_chunks(many: Workspace) -> None:
    """It is the first option; another one is found by its path."""
    app = open_page("chunks", doc="shelf_manual_17")
    pick = app.selectbox(key="chunks.document")
    assert pick.value == "shelf_manual_17"
    assert len(pick.options) == BOUND + 1
    app.text_input(key="chunks.document.find").set_value("manual_09")
    run_app(app)
    app.selectbox(key="chunks.document").set_value("shelf_manual_09")
    run_app(app)
    assert state(app, "share.view")["doc"] == "shelf_manual_09"
    assert "not in this workspace" not in page_text(app)


def test_staleness_is_computed_once_for_all_pages(many: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Home, Index, Search and Agents ask for it, and the index is read once."""
    calls: list[str] = []
    computed = indexing.staleness

    def staleness(workspace: Workspace, row: Any, config: Config | None = None) -> str:
        calls.append(row.name)
        return computed(workspace, row, config)

    monkeypatch.setattr(indexing, "staleness", staleness)
    app = open_page("search")
    for page in ("index", "agents", "home", "search", "index"):
        go_to(app, page)
    assert calls == ["main"]


def test_the_indexes_are_drawn_before_the_plan_is_made(many: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan of many documents takes seconds."""
    order: list[str] = []

    def noting(name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        return lambda *args, **kwargs: (order.append(name), call(*args, **kwargs))[1]

    monkeypatch.setattr(index_cards, "index_cards", noting("indexes", index_cards.index_cards))
    monkeypatch.setattr(measured_documents, "plan_of", noting("plan", measured_documents.plan_of))
    open_page("index")
    assert order[:2] == ["indexes", "plan"]


def test_only_the_folder_of_a_document_is_sorted(many: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Once, whatever document of it is looked at."""
    many.put_document(parse(b"# Alone", "elsewhere/alone.md"))
    sorted_names: list[str] = []
    key = document_siblings.natural_key
    monkeypatch.setattr(document_siblings, "natural_key", lambda name: (sorted_names.append(name), key(name))[1])
    assert document_siblings.siblings(many, "elsewhere_alone").count == 0
    assert sorted_names == ["elsewhere/alone.md"]
    for doc_id in ("shelf_manual_03", "shelf_manual_11"):
        assert document_siblings.siblings(many, doc_id, 2).count == COUNT - 1
    assert len(sorted_names) == 1 + COUNT


@pytest.mark.parametrize("page", ["documents", "chunks", "search", "export"])
def test_a_page_reads_no_list_of_an_index(many: Workspace, monkeypatch: pytest.MonkeyPatch, page: str) -> None:
    """After the first run of a page the next ones ask for the shown document's rows only."""
    app = open_page(page, doc="shelf_manual_03")
    read: list[str] = []
    for name in ("documents", "ids", "vectors_of", "levels_by_document", "table_rows", "by_level"):
        monkeypatch.setattr(Index, name, lambda self, *_, name=name: read.append(name))
    run_app(app)
    assert read == []


def test_the_map_is_drawn_from_a_sample(many: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of few vectors read, with the number of all; a hit outside has its ring from its own vector."""
    monkeypatch.setattr(map_points, "MOST_SAMPLED", 7)
    index, read = many.index("main"), []
    monkeypatch.setattr(Index, "vectors_of", lambda *_: read.append("all"))
    monkeypatch.setattr(map_points, "workspace", lambda: many)
    of = map_points.index_map(many, index.row)
    assert (len(of.places), of.total, read) == (7, index.row.chunks, [])
    from chunking.retrieval import search

    result = search(many, "Water the pump", index="main")
    rings = map_points.hits_on(of, result, index)
    assert {ring.rank for ring in rings} == {hit.rank for hit in result.results}
