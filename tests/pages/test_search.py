"""The Search page: what it teaches when there is nothing, and what it does with any query."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from playwright.sync_api import expect
from streamlit.testing.v1 import AppTest

from chunking.config import Config
from chunking.indexing import build_index
from chunking.parsing import parse, parse_file
from chunking.store import Workspace
from tests.browser.app import chromium, new_tab, running_app, settled

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "sample_data"
SOURCES = ("faq/faq.txt", "manual-zh/产品使用手册.md")

WITHOUT_MODEL = """
import sys
from streamlit.testing.v1 import AppTest
from chunking.config import Config

app = AppTest.from_file("app.py", default_timeout=120)
app.session_state["share.config"] = Config.from_settings({"search.mode": "text"})
app.session_state["share.view"] = {"q": "保修"}
app.switch_page("pages/search.py").run()
assert not app.exception, app.exception
assert "保修" in app.session_state["search.last"][1].results[0].chunk.content
print(sorted({name.partition(".")[0] for name in sys.modules} & {"torch", "sentence_transformers"}))
"""

ODD_QUERIES = ('"', '"battery', "*", "🙂", "a:b AND (c", "\\", "' OR 1=1 --", "<b>x</b> ![](http://127.0.0.1:9/x)", "\u0000\u200b")


def documents_in(folder: Path) -> Workspace:
    """A workspace with a FAQ and a Chinese manual."""
    workspace = Workspace.open(folder)
    with workspace.writer():
        workspace.put_documents([parse_file(SAMPLES / source, root=SAMPLES) for source in SOURCES])
    return workspace


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both documents, indexed with the real model."""
    folder = tmp_path_factory.mktemp("search") / "workspace"
    build_index(documents_in(folder), Config(), name="main")
    return folder


def opened(workspace: Path, monkeypatch: pytest.MonkeyPatch, settings: Mapping[str, str] | None = None, **view: str) -> AppTest:
    """The Search page of a workspace, in a session that has these settings and this view (of a link, say)."""
    monkeypatch.setenv("CHUNKSCOPE_WORKSPACE", str(workspace))
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.session_state["share.config"] = Config.from_settings(settings or {})
    app.session_state["share.view"] = view
    app.switch_page("pages/search.py").run()
    assert not app.exception
    return app


def asked(app: AppTest, query: str) -> AppTest:
    """Type a query and press Enter."""
    field(app).set_value(query).run()
    assert not app.exception
    return app


def field(app: AppTest):
    return next(box for box in app.text_input if box.key == "search.field")


def result_of(app: AppTest, query: str):
    """The hits of the query, none where it is not the one searched last."""
    (last, *_), result = app.session_state["search.last"]
    return result.results if last == query else ()


def said(app: AppTest) -> str:
    """All sentences on the page, as they are read."""
    parts = (part for kind in (app.info, app.error, app.warning, app.markdown, app.caption) for part in kind)
    return "\n".join(str(part.value).replace("\\", "") for part in parts)


class TestNothingYet:
    def test_no_documents_leads_to_the_documents(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """An empty workspace says what to do, and has no search field."""
        emptied = documents_in(tmp_path / "empty")
        emptied.delete_documents([row.doc_id for row in emptied.documents()])
        app = opened(tmp_path / "empty", monkeypatch)
        assert "Add a document" in said(app)
        assert not [box for box in app.text_input if box.key == "search.field"]

    def test_no_index_leads_to_the_index(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Documents alone cannot be searched."""
        documents_in(tmp_path / "raw")
        assert "Build an index" in said(opened(tmp_path / "raw", monkeypatch))


@pytest.mark.model
class TestQueries:
    def test_no_query_offers_questions(self, indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Questions of the samples that are there, one Chinese; a click on one asks it."""
        app = opened(indexed, monkeypatch)
        offered = [button for button in app.button if str(button.key).startswith("search.example")]
        questions = {json.loads(line)["question"] for line in (SAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines()}
        assert len(offered) == 2
        offered[1].click().run()
        assert not app.exception
        assert field(app).value in questions
        assert any("\u4e00" <= letter <= "\u9fff" for letter in str(field(app).value))
        assert app.session_state["search.last"][1].results

    @pytest.mark.parametrize("mode", ["hybrid", "vector", "text"])
    def test_any_query_is_answered_in_a_sentence(self, indexed: Path, monkeypatch: pytest.MonkeyPatch, mode: str) -> None:
        """Hits, or a sentence; never a traceback."""
        app = opened(indexed, monkeypatch, {"search.mode": mode})
        for query in ODD_QUERIES:
            asked(app, query)
            found = "search.last" in app.session_state and result_of(app, query)
            assert found or "Nothing found" in said(app) or "query is empty" in said(app), query

    def test_a_very_long_query(self, indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """10,000 characters: searched as far as it goes, told so, and kept out of the link, which has to stay short."""
        app = asked(opened(indexed, monkeypatch), "How long does the battery last? " * 320)
        assert "longer than 2,000 characters" in said(app)
        assert app.session_state["search.last"][1].results
        assert "q" not in app.session_state["share.view"]

    def test_white_space_is_no_query(self, indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """It offers the questions again."""
        app = asked(opened(indexed, monkeypatch), "   ")
        assert "begin with one of these" in said(app)

    def test_a_chinese_question_is_told_about(self, indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The model cannot read it: the note says so, and the words find the place."""
        app = asked(opened(indexed, monkeypatch), "设备的保修期是多久？")
        result = app.session_state["search.last"][1]
        assert [note for note in result.notes if "cannot read" in note]
        assert "cannot read" in said(app)
        assert result.results[0].chunk.doc_id.startswith("manual")


@pytest.mark.model
class TestState:
    def test_link_restores_query_settings_filters_and_hit(self, indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """What the address of one session says, another shows."""
        app = asked(opened(indexed, monkeypatch, {"search.mode": "text", "search.k": "3"}, where="language=en"), "battery")
        first = app.session_state["search.last"][1]
        assert {hit.chunk.doc_id for hit in first.results} == {"faq_faq"}
        assert len(first.results) == 3
        second = first.results[1].chunk
        view = app.session_state["share.view"] | {"doc": second.doc_id, "chunk": str(second.chunk_index)}
        again = opened(indexed, monkeypatch, app.session_state["share.config"].changed(), **view)
        kept = again.session_state["search.last"][1]
        assert [hit.chunk.chunk_id for hit in kept.results] == [hit.chunk.chunk_id for hit in first.results]
        assert again.session_state["hits.opened"].hit == second.chunk_id

    def test_opening_a_hit_does_not_search_again(self, indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The result is kept; a new question begins with its best hit."""
        app = asked(opened(indexed, monkeypatch, {"search.mode": "text"}), "battery")
        result = app.session_state["search.last"][1]
        third = result.results[2].chunk.chunk_id
        app.session_state["hits.opened"] = app.session_state["hits.opened"]._replace(hit=third, target=third)
        app.run()
        assert app.session_state["search.last"][1] is result
        assert app.session_state["share.view"]["chunk"] == str(result.results[2].chunk.chunk_index)
        asked(app, "battery warranty")
        assert app.session_state["hits.opened"].hit == app.session_state["search.last"][1].results[0].chunk.chunk_id

    def test_other_settings_than_the_index_has_are_told(self, indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """With the way to the Index page; an index that is up to date says nothing."""
        assert "Out of date" not in said(opened(indexed, monkeypatch))
        assert "Out of date: the settings now say Size 120" in said(opened(indexed, monkeypatch, {"size": "120"}))

    def test_a_changed_document_is_told(self, indexed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Places of the old text do not fit the new one: the index says it is out of date, and the text that a place is not certain."""
        shutil.copytree(indexed, tmp_path / "changed")
        workspace = Workspace.open(tmp_path / "changed")
        text = "A line before everything else.\n\n" + (SAMPLES / SOURCES[0]).read_text(encoding="utf-8")
        workspace.put_document(parse(text.encode(), SOURCES[0], doc_id="faq_faq"))
        app = opened(tmp_path / "changed", monkeypatch, {"search.mode": "text"}, q="battery")
        assert "1 document changed" in said(app)
        assert "has changed since the index was built" in said(app)

    def test_unknown_filter_in_a_link_is_one_sentence(self, indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """It stands beside the field."""
        app = opened(indexed, monkeypatch, {"search.mode": "text"}, where="colour=red", q="battery")
        (error,) = app.error
        assert "There is no filter 'colour'" in error.value

    def test_by_words_loads_no_model(self, indexed: Path) -> None:
        """A process that only searches by words never imports torch."""
        run = [sys.executable, "-c", WITHOUT_MODEL]
        done = subprocess.run(
            run, cwd=ROOT, env={**os.environ, "CHUNKSCOPE_WORKSPACE": str(indexed)}, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[-2000:]
        assert done.stdout.strip().splitlines()[-1] == "[]"


@pytest.mark.model
@pytest.mark.browser
def test_from_a_question_to_the_place_and_back_from_a_link(indexed: Path) -> None:
    """Ask, open the second hit with the keyboard, see it marked in its document; its link shows the same to somebody else."""
    with running_app(indexed) as address, chromium() as browser:
        page = new_tab(browser, height=1000)
        page.goto(address)
        page.get_by_role("link", name="Search").click()
        page.get_by_placeholder("Ask a question").fill("How long does the battery last?")
        page.keyboard.press("Enter")
        page.locator(".card .open").nth(1).press("Enter")
        expect(page.locator(".card.opened .rank")).to_have_text("2")
        settled(page)
        hit = page.locator(".card.opened .open").inner_text()
        expect(page.locator(".view .hit").first).to_be_visible()
        assert page.locator(".view .word").count()
        page.wait_for_url("**chunk=**")
        other = new_tab(browser, height=1000)
        other.goto(page.url)
        expect(other.locator(".card.opened .open")).to_have_text(hit)
        expect(other.get_by_placeholder("Ask a question")).to_have_value("How long does the battery last?")


@pytest.fixture(autouse=True)
def _own_cache() -> Iterator[None]:
    """Workspaces of one test are not those of the next."""
    import streamlit as st

    yield
    st.cache_resource.clear()
    st.cache_data.clear()
