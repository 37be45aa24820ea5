"""The Search page: what it teaches when there is nothing, and what it does with any query."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from streamlit.testing.v1 import AppTest

from chunking.config import Config, Retrieval
from chunking.embedding.local.local_embedder import LocalEmbedder
from chunking.evaluation import AnswerSpan, Made, Question, QuestionSet, save_set
from chunking.indexing import build_index
from chunking.model import Span
from chunking.parsing import parse, parse_file
from chunking.store import Workspace
from components.chunks.new_question import OWN_SET
from components.search.hits import HitLabel, HitVerdict, ViewedHit, hit_verdict
from components.streamlit_patches.rerun_requests import RETURNED
from tests.browser.app import new_tab, put_back, settled
from tests.browser.shared_app import SharedApp

ROOT = Path(__file__).parents[2]
SAMPLES = ROOT / "sample_data"
SOURCES = ("faq/faq.txt", "manual-zh/产品使用手册.md")

ODD_QUERIES = (
    '"',
    '"battery',
    "*",
    "🙂",
    "a:b AND (c",
    "\\",
    "' OR 1=1 --",
    "<b>x</b> ![](http://127.0.0.1:9/x)",
    "\u0000\u200b",
)


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


def open_search(
    workspace: Path, monkeypatch: pytest.MonkeyPatch, settings: Mapping[str, str] | None = None, **view: str
) -> AppTest:
    """The Search page of a workspace, in a session that has these settings and this view (of a link, say)."""
    monkeypatch.setenv("CHUNKSCOPE_WORKSPACE", str(workspace))
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=120)
    app.session_state["share.config"] = Config.from_settings(settings or {})
    app.session_state["share.view"] = view
    app.switch_page("pages/search.py").run()
    assert not app.exception
    return app


def search_for(app: AppTest, query: str) -> AppTest:
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


def page_text(app: AppTest) -> str:
    """All sentences on the page, as they are read."""
    parts = (part for kind in (app.info, app.error, app.warning, app.markdown, app.caption) for part in kind)
    return "\n".join(str(part.value).replace("\\", "") for part in parts)


class TestNothingYet:
    def test_no_documents_leads_to_the_documents(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """An empty workspace says what to do, and has no search field."""
        emptied = documents_in(tmp_path / "empty")
        emptied.delete_documents([row.doc_id for row in emptied.documents()])
        app = open_search(tmp_path / "empty", monkeypatch)
        assert "Add a document" in page_text(app)
        assert not [box for box in app.text_input if box.key == "search.field"]

    def test_no_index_searches_documents_and_leads_to_the_index(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Without an index, words find documents: a hit each; a filter about chunks is one sentence."""
        documents_in(tmp_path / "raw")
        app = open_search(tmp_path / "raw", monkeypatch)
        assert "Build an index" in page_text(app)
        search_for(app, "How long does the battery last?")
        hits = [hit.chunk.doc_id for hit in result_of(app, "How long does the battery last?")]
        assert hits[0] == "faq_faq"
        assert len(hits) == len(set(hits))
        assert app.session_state["hits.opened"].hit.startswith("faq_faq_chunk")
        assert "Nothing found" in page_text(search_for(app, "zebra"))
        (error,) = open_search(tmp_path / "raw", monkeypatch, where="section=Battery", q="battery").error
        assert "'section'" in error.value


def offered_questions(app: AppTest) -> list[str]:
    """The questions offered while the field is empty."""
    buttons = [button for button in app.button if str(button.key).startswith("search.example")]
    return [re.sub(r"\\\\(.)", r"\\1", button.label) for button in buttons]


class TestQueries:
    def test_no_query_offers_questions(self, indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Questions of the samples that are there, one Chinese; a click on one asks it."""
        app = open_search(indexed, monkeypatch)
        offered = [button for button in app.button if str(button.key).startswith("search.example")]
        questions = {
            json.loads(line)["question"]
            for line in (SAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines()
        }
        assert len(offered) == 2
        next(button for button in offered if re.search("[\u4e00-\u9fff]", button.label)).click().run()
        assert not app.exception
        assert field(app).value in questions
        assert app.session_state["search.last"][1].results

    def test_questions_of_a_set_are_offered_first(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Those on the documents that are here, one a document; never a heading."""
        workspace = documents_in(tmp_path / "set")
        faq, manual = workspace.documents()
        questions = [
            Question(str(number), text, (AnswerSpan(doc_id, 0, 4, "text"),), Made.WRITTEN, language="en")
            for number, (doc_id, text) in enumerate(
                ((faq.doc_id, "Which probe?"), (faq.doc_id, "Which app?"), (manual.doc_id, "Which plug?"), ("x", "No?"))
            )
        ]
        save_set(workspace, QuestionSet("mine", tuple(questions)))
        app = open_search(tmp_path / "set", monkeypatch)
        assert offered_questions(app) == ["Which probe?", "Which plug?"]

    def test_other_documents_are_asked_about_by_what_they_say(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Their own question, not their headings; nothing where nothing can be asked."""
        workspace = Workspace.open(tmp_path / "own")
        text = "# Pumps\n\n## How far may it stand?\n\nAbout twelve hundred metres from the house.\n"
        workspace.put_documents([parse(text.encode(), "pumps.md")])
        assert "How far may it stand?" in offered_questions(open_search(tmp_path / "own", monkeypatch))
        bare = Workspace.open(tmp_path / "bare")
        bare.put_documents([parse(b"One line and no more.", "line.txt")])
        app = open_search(tmp_path / "bare", monkeypatch)
        assert offered_questions(app) == []
        assert not app.exception

    @pytest.mark.parametrize("mode", ["hybrid", "vector", "text"])
    def test_any_query_is_answered_in_a_sentence(
        self, indexed: Path, monkeypatch: pytest.MonkeyPatch, mode: str
    ) -> None:
        """Hits, or a sentence; never a traceback."""
        app = open_search(indexed, monkeypatch, {"search.mode": mode})
        for query in ODD_QUERIES:
            search_for(app, query)
            hits = "search.last" in app.session_state and result_of(app, query)
            assert hits or "Nothing found" in page_text(app) or "query is empty" in page_text(app), query

    def test_a_very_long_query(self, indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """10,000 characters: searched as far as it goes, told so, and kept out of the link, which has to stay short."""
        app = search_for(open_search(indexed, monkeypatch), "How long does the battery last? " * 320)
        assert "longer than 2,000 characters" in page_text(app)
        assert app.session_state["search.last"][1].results
        assert "q" not in app.session_state["share.view"]

    def test_white_space_is_no_query(self, indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """It offers the questions again."""
        app = search_for(open_search(indexed, monkeypatch), "   ")
        assert "one of these" in page_text(app)

    def test_a_chinese_question_is_one_like_any_other(self, indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The model reads it: the place is found, and no note says anything else."""
        app = search_for(open_search(indexed, monkeypatch), "设备的保修期是多久？")
        result = app.session_state["search.last"][1]
        assert not [note for note in result.notes if "cannot read" in note]
        assert result.results[0].chunk.doc_id.startswith("manual")


class TestState:
    def test_link_restores_query_settings_filters_and_hit(self, indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """What the address of one session says, another shows."""
        app = search_for(
            open_search(indexed, monkeypatch, {"search.mode": "text", "search.k": "3"}, where="language=en"), "battery"
        )
        first = app.session_state["search.last"][1]
        assert {hit.chunk.doc_id for hit in first.results} == {"faq_faq"}
        assert len(first.results) == 3
        second = first.results[1].chunk
        view = app.session_state["share.view"] | {"doc": second.doc_id, "chunk": str(second.chunk_index)}
        again = open_search(indexed, monkeypatch, app.session_state["share.config"].changed(), **view)
        kept = again.session_state["search.last"][1]
        assert [hit.chunk.chunk_id for hit in kept.results] == [hit.chunk.chunk_id for hit in first.results]
        assert again.session_state["hits.opened"].hit == second.chunk_id

    def test_opening_a_hit_does_not_search_again(self, indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The result is kept; a new question begins with its best hit."""
        app = search_for(open_search(indexed, monkeypatch, {"search.mode": "text"}), "battery")
        result = app.session_state["search.last"][1]
        third = result.results[2].chunk.chunk_id
        app.session_state["hits.opened"] = app.session_state["hits.opened"]._replace(hit=third, target=third)
        app.run()
        assert app.session_state["search.last"][1] is result
        assert app.session_state["share.view"]["chunk"] == str(result.results[2].chunk.chunk_index)
        search_for(app, "battery warranty")
        assert app.session_state["hits.opened"].hit == app.session_state["search.last"][1].results[0].chunk.chunk_id

    def test_a_new_question_picks_its_best_hit_in_the_text(
        self, indexed: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Also where that is in another document than the hit that was read before."""
        app = open_search(indexed, monkeypatch, {"search.mode": "text"})
        for query, doc_id in (("battery", "faq_faq"), ("电池", "manual-zh"), ("warranty", "faq_faq")):
            best = result_of(search_for(app, query), query)[0].chunk
            assert best.doc_id.startswith(doc_id)
            (shown,) = (
                one for one in map(json.loads, (part.proto.json for part in app.get("bidi_component"))) if "goto" in one
            )
            assert shown["at"] == best.start

    def test_other_settings_than_the_index_has_are_reported(
        self, indexed: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """With the way to the Index page; an index that is up to date says nothing."""
        assert "Out of date" not in page_text(open_search(indexed, monkeypatch))
        assert "now Size 120" in page_text(open_search(indexed, monkeypatch, {"size": "120"}))

    def test_a_changed_document_is_reported(
        self, indexed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Places of the old text do not fit the new one: the index says it is out of date, and the text that a place is
        not certain.
        """
        shutil.copytree(indexed, tmp_path / "changed")
        workspace = Workspace.open(tmp_path / "changed")
        text = "A line before everything else.\n\n" + (SAMPLES / SOURCES[0]).read_text(encoding="utf-8")
        workspace.put_document(parse(text.encode(), SOURCES[0], doc_id="faq_faq"))
        app = open_search(tmp_path / "changed", monkeypatch, {"search.mode": "text"}, q="battery")
        assert "1 document changed" in page_text(app)
        assert "has changed since" in page_text(app)

    def test_thousands_of_filters_in_a_link_are_none(self, indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """As a link without any."""
        app = open_search(
            indexed,
            monkeypatch,
            {"search.mode": "text"},
            where="&".join(f"colour{n}=red" for n in range(5_000)),
            q="battery",
        )
        assert not app.error
        assert app.session_state["search.where"] == {}

    def test_unknown_filter_in_a_link_is_one_sentence(self, indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """It stands beside the field."""
        app = open_search(indexed, monkeypatch, {"search.mode": "text"}, where="colour=red", q="battery")
        (error,) = app.error
        assert "There is no filter 'colour'" in error.value

    def test_a_change_that_comes_with_the_click_that_closes_more_counts(
        self, indexed: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """What stands in More is drawn while it is open, and read always."""
        app = open_search(indexed, monkeypatch, {"search.mode": "text"}, q="battery")
        assert len(app.toggle) == 1  # that of a phone
        app.session_state["search.more"] = True
        app.run()
        _, deduplicate = app.toggle
        assert deduplicate.value
        deduplicate.set_value(False)
        app.session_state["search.more"] = False
        app.run()
        assert not app.session_state["share.config"].search.deduplicate
        assert len(app.toggle) == 1  # that of a phone

    def test_a_filter_stays_in_effect_when_its_field_is_not_drawn(
        self, indexed: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Filters are drawn while they are open; how many there are always."""
        app = open_search(indexed, monkeypatch, {"search.mode": "text"}, q="battery")
        app.session_state["search.filters"] = True
        app.run()
        app.selectbox(key="search.where.language").set_value("en")
        app.session_state["search.filters"] = False
        app.run()
        assert app.session_state["search.where"] == {"language": "en"}
        assert "1 filter active" in page_text(app)
        assert not [box for box in app.selectbox if str(box.key).startswith("search.where.")]
        assert {hit.chunk.doc_id for hit in app.session_state["search.last"][1].results} == {"faq_faq"}

    def test_results_that_were_left_out_open_like_hits(self, indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Cut and trimmed, a search is drawn in every tab; one that was left out is read in its place."""
        settings = {"search.k": "8", "search.cut": "0.6", "search.trim": "0.9"}
        app = search_for(open_search(indexed, monkeypatch, settings), "How long does the battery last?")
        result = app.session_state["search.last"][1]
        assert result.left_out
        assert any(hit.trimmed for hit in result.results)
        out = result.left_out[-1].chunk.chunk_id
        app.session_state["hits.opened"] = ViewedHit(out, out, 9)
        app.run()
        assert not app.exception
        assert app.session_state["hits.opened"].hit == out

    def test_by_words_loads_no_model(self, indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A search by words waits for no model (test_layers.py: none is imported before it is loaded)."""
        loaded: list[LocalEmbedder] = []
        monkeypatch.setattr(LocalEmbedder, "_loaded", loaded.append)
        app = open_search(indexed, monkeypatch, {"search.mode": "text"}, q="保修")
        assert "保修" in app.session_state["search.last"][1].results[0].chunk.content
        assert loaded == []


@pytest.mark.browser
def test_from_a_question_to_the_place_and_back_from_a_link(
    indexed: Path, browser: Browser, app_server: SharedApp
) -> None:
    """Ask, open the second hit with the keyboard, see it marked in its document; its link shows the same to somebody
    else.
    """
    page = new_tab(browser, height=1000)
    page.goto(app_server.show(indexed))
    page.get_by_role("link", name="Search").click()
    page.get_by_placeholder("Ask a question").fill("How long does the battery last?")
    page.keyboard.press("Enter")
    page.locator(".card .open").nth(1).press("Enter")
    expect(page.locator(".card.opened .rank")).to_have_text("2")
    settled(page)
    hit = page.locator(".card.opened .open").inner_text()
    expect(page.locator(".view .hit").first).to_be_visible()
    assert page.locator(".view .word").count()
    number = str(page.locator(".card.opened .open").get_attribute("data-hit")).rpartition("chunk")[2]
    page.wait_for_url(re.compile(rf"[?&]chunk={number}(&|$)"))
    other = new_tab(browser, height=1000, alone=True)
    other.goto(page.url)
    expect(other.locator(".card.opened .open")).to_have_text(hit)
    expect(other.get_by_placeholder("Ask a question")).to_have_value("How long does the battery last?")
    put_back(page)
    other.context.close()


LEVELS = {
    "size": "100",
    "parent_size": "400",
    "granularities": "2",
    "enrich.summaries": "true",
    "enrich.raptor": "true",
}


SINGLE = {"granularities": "none"}
"""Chunks of one size only."""


@pytest.fixture(scope="module")
def levels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same documents in an index of every level, and in one of chunks only, which is the newest."""
    folder = tmp_path_factory.mktemp("levels") / "workspace"
    workspace = documents_in(folder)
    build_index(workspace, Config.from_settings(LEVELS), name="levels")
    build_index(workspace, Config.from_settings(SINGLE), name="main")
    return folder


class TestLabels:
    """What is said of a hit goes to a question set, each step of it can be taken back."""

    @pytest.fixture
    def copied(self, indexed: Path, tmp_path: Path) -> Path:
        return Path(shutil.copytree(indexed, tmp_path / "workspace"))

    def labels(self, workspace: Path) -> Question | None:
        text = Workspace.open(workspace).question_sets.get(OWN_SET)
        return QuestionSet.from_json(text).questions[0] if text else None

    def test_a_search_becomes_a_question(self, copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A hit that is not relevant, the sentence of another, text of a document; then all back."""
        app = search_for(open_search(copied, monkeypatch, {"search.mode": "text"}), "battery")
        first, second = result_of(app, "battery")[:2]
        app.session_state["hits.said"] = HitVerdict(first.chunk.chunk_id, None)
        assert not app.run().exception
        kept = self.labels(copied)
        assert kept is not None
        assert (kept.text, kept.open, [one.relevant for one in kept.judged]) == ("battery", True, [False])
        app.session_state["hits.said"] = HitVerdict(second.chunk.chunk_id, 0)
        assert not app.run().exception
        kept = self.labels(copied)
        assert kept is not None
        assert second.chunk.content.startswith(kept.answers[0].text)
        assert sorted(one.relevant for one in kept.judged) == [False, True]
        start = first.chunk.start
        app.session_state["search.labels.selected"] = ("battery", first.chunk.doc_id, start, start + 20)
        assert not app.run().exception
        kept = self.labels(copied)
        assert kept is not None
        assert (len(kept.answers), [one.relevant for one in kept.judged]) == (2, [True, True])
        for _ in range(3):
            app.button(key="search.labels.undo").click().run()
            assert not app.exception
        assert self.labels(copied) is None
        assert not [one for one in app.button if one.key == "search.labels.undo"]

    def test_searches_are_noted_once_each(self, copied: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """In the history of this workspace; another run of the page is no other search."""
        Workspace.open(copied).search_history.clear()
        app = search_for(open_search(copied, monkeypatch, {"search.mode": "text"}), "battery")
        assert not app.run().exception
        search_for(app, "gateway")
        assert Workspace.open(copied).search_history.queries() == ["battery", "gateway"]

    def test_what_a_browser_may_say(self) -> None:
        """Of hits and sentences that there are; anything else is passed over."""
        labels = {"a": HitLabel((Span(0, 2),), ("ab",))}
        assert hit_verdict({"hit": "a", "sentence": 0}, labels) == HitVerdict("a", 0)
        assert hit_verdict({"hit": "a", "sentence": None}, labels) == HitVerdict("a", None)
        for wrong in (
            None,
            3,
            {},
            {"hit": "b"},
            {"hit": ["a"]},
            {"hit": "a", "sentence": 1},
            {"hit": "a", "sentence": True},
        ):
            assert hit_verdict(wrong, labels) is None


class TestRetrieval:
    @pytest.mark.parametrize("retrieval", [mode.value for mode in Retrieval])
    @pytest.mark.parametrize("query", ["How long does the battery last?", "设备的保修期是多久？"])
    def test_every_mode_in_both_languages(
        self, levels: Path, monkeypatch: pytest.MonkeyPatch, retrieval: str, query: str
    ) -> None:
        """Hits, a place to read them, and no word about a lack."""
        app = open_search(levels, monkeypatch, {"search.retrieval": retrieval, **LEVELS}, index="levels", q=query)
        result = app.session_state["search.last"][1]
        assert result.results
        assert result.retrieval == retrieval
        assert "holds no" not in page_text(app)
        assert "has no parents" not in page_text(app)

    @pytest.mark.parametrize(
        ("retrieval", "lack"),
        [
            ("parent", "sections are used"),
            ("merge", "whole sections"),
            ("hierarchical", "no summaries"),
            ("multi_granularity", "one granularity"),
        ],
    )
    def test_what_an_index_lacks_is_one_line_with_the_way_to_build_it(
        self, levels: Path, monkeypatch: pytest.MonkeyPatch, retrieval: str, lack: str
    ) -> None:
        """Once, not in a note as well; the search still answers."""
        app = open_search(levels, monkeypatch, {"search.retrieval": retrieval, **SINGLE}, index="main", q="battery")
        captions = [caption.value for caption in app.caption if lack in caption.value]
        assert len(captions) == 1
        assert "build it again" in captions[0]
        assert not [info for info in app.info if "This index contains" in info.value]
        assert app.session_state["search.last"][1].results

    def test_a_link_names_a_child_of_a_parent(self, levels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The Chunks page knows no parents: the link says the best chunk in it, and leads back to the parent."""
        settings = {"search.retrieval": "parent", **LEVELS}
        app = open_search(levels, monkeypatch, settings, index="levels", q="How long does the battery last?")
        second = app.session_state["search.last"][1].results[1]
        child = second.matched[0].chunk
        view = app.session_state["share.view"] | {"doc": child.doc_id, "chunk": str(child.chunk_index)}
        again = open_search(levels, monkeypatch, settings, **view)
        assert again.session_state["hits.opened"].hit == second.chunk.chunk_id
        assert again.session_state["share.view"]["chunk"] == str(child.chunk_index)

    def test_a_cluster_is_read_without_a_document(self, levels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """It stands in none: its summary and what it stands for take the place of the text."""
        settings = {"search.retrieval": "hierarchical", "search.k": "60", **LEVELS}
        app = open_search(levels, monkeypatch, settings, index="levels", q="How long does the battery last?")
        cluster = next(hit for hit in app.session_state["search.last"][1].results if hit.chunk.level == "cluster")
        app.session_state["hits.opened"] = app.session_state["hits.opened"]._replace(
            hit=cluster.chunk.chunk_id, target=cluster.chunk.chunk_id
        )
        app.run()
        assert not app.exception
        assert "similar chunks" in page_text(app)
        assert cluster.chunk.summary in [text.value for text in app.text]


class TestViews:
    def test_the_context_keeps_to_its_budget(self, levels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """The field beside it is the setting: what is typed is in force, and stands in the link."""
        app = open_search(levels, monkeypatch, {}, index="main", q="battery", show="context")
        field = next(number for number in app.number_input if number.key == "context.budget")
        field.set_value(150).run()
        assert not app.exception
        context = app.session_state["search.last"][1].context
        assert 0 < context.tokens <= 150
        assert context.left_out
        assert app.session_state["share.config"].changed()["search.budget"] == "150"

    def test_no_room_for_any_passage_is_one_sentence(self, levels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """With what to do."""
        app = open_search(levels, monkeypatch, {"search.budget": "2"}, index="main", q="battery", show="context")
        assert "fits the budget" in page_text(app)

    def test_a_link_restores_the_comparison(self, levels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """View, other index, other settings."""
        other = "index=levels&search.retrieval=multi_granularity&search.k=3"
        app = open_search(levels, monkeypatch, {}, index="main", q="battery", show="compare", **{"with": other})
        (_, _, _, name, config, _), second = app.session_state["search.compared"]
        assert (name, str(config.retrieval), config.k) == ("levels", "multi_granularity", 3)
        assert len(second.results) == 3
        assert "found by both" in page_text(app)
        assert "multi-granularity" in page_text(app)

    def test_a_comparison_that_cannot_be_made_is_one_sentence(
        self, levels: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """An address may hold anything."""
        view = {"q": "battery", "show": "compare", "with": "index=gone&search.k=many"}
        app = open_search(levels, monkeypatch, {}, **view)
        (warning,) = app.warning
        assert "is not possible" in warning.value
        assert "found by both" in page_text(app)

    def test_the_map_is_drawn_once_an_index(self, levels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Another question moves the rings; the vectors are not read again."""
        from chunking.store import Index

        reads: list[str] = []
        read = Index.vectors_of
        monkeypatch.setattr(Index, "vectors_of", lambda index, *level: reads.append(index.name) or read(index, *level))
        app = open_search(levels, monkeypatch, {"search.mode": "text"}, index="levels", q="battery", show="map")
        assert "Click a point" in page_text(app)
        search_for(app, "warranty")
        assert reads == ["levels"]
        assert len(app.get("plotly_chart")) == 1

    def test_unknown_views_are_the_hits(self, levels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """A link of another version."""
        app = open_search(levels, monkeypatch, {"search.mode": "text"}, q="battery", show="carousel")
        assert "hits.opened" in app.session_state

    def test_related_documents_say_why(self, levels: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """Asked for once the box is opened."""
        app = open_search(levels, monkeypatch, {"search.mode": "text"}, q="battery")
        assert "similarity" not in page_text(app)
        app.session_state["search.related"] = True
        app.run()
        assert not app.exception
        assert "similarity 0." in page_text(app)


@pytest.fixture(autouse=True)
def _own_cache() -> Iterator[None]:
    """Workspaces of one test are not those of the next."""
    import streamlit as st

    yield
    st.cache_resource.clear()
    st.cache_data.clear()


def test_back_shows_the_query_before_and_leaves_the_settings(indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An address that the browser's Back brought is followed; any other one of a run that is under way is older than
    the session's.
    """
    app = open_search(indexed, monkeypatch, {"size": "99"}, q="battery")
    app.query_params["q"] = "pump"
    assert field(app.run()).value == "battery"
    app.session_state["share.config"] = Config.from_settings({"size": 120})
    for key, value in {"q": "pump", "size": "99", RETURNED: "1"}.items():
        app.query_params[key] = value
    app.run()
    (shown,) = (box for box in app.text_input if str(box.key).startswith("search.field"))
    assert shown.value == "pump"
    assert app.session_state["share.config"] == Config.from_settings({"size": 120})
    assert RETURNED not in app.query_params
