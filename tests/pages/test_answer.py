"""The Answer tab of the Search page: nothing is asked without a click, and whatever a model streams is text."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect
from streamlit.testing.v1 import AppTest

from chunking.allowed import Allowed
from chunking.config import Config
from chunking.indexing import build_index
from chunking.parsing import parse
from chunking.retrieval.answers.answer import checked
from chunking.retrieval.answers.citation_check import Support
from chunking.retrieval.results.search_result import ContextSource
from chunking.store import Workspace
from components.search.answer_panel import answer_rows
from tests.browser.app import new_tab, put_back, settled
from tests.browser.shared_app import SharedApp
from tests.support.facts import tells
from tests.support.llm_server import LLMServer
from tests.support.stand_in_model import stand_in_model

ROOT = Path(__file__).parents[2]
GUIDE = (
    "# Pump\n\nThe pump is oiled every two weeks.\n\n## Service\n\nStop the pump before the service. The tag "
    "says bay 4.\n"
)
ANSWER = (
    "The pump is oiled every 2 weeks [1]. <b>It costs 900 euros</b> [1]. Ask ![x](http://127.0.0.1:9/x) them. See [9]."
)
QUERY = "how often is the pump oiled"


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One small document in an index; full text needs no model."""
    folder = tmp_path_factory.mktemp("answer") / "workspace"
    workspace = Workspace.open(folder)
    workspace.put_document(parse(GUIDE.encode(), "pump.md"))
    with stand_in_model():
        build_index(workspace, Config(), name="main")
    return folder


def open_answer(workspace: Path, monkeypatch: pytest.MonkeyPatch, server: LLMServer | None) -> AppTest:
    """The tab, in a session that has searched."""
    monkeypatch.setenv("CHUNKSCOPE_WORKSPACE", str(workspace))
    monkeypatch.delenv("CHUNKSCOPE_LLM_URL", raising=False)
    for name, value in (server.environment() if server else {}).items():
        monkeypatch.setenv(name, value)
    app = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    app.session_state["share.config"] = Config.from_settings({"search.mode": "text", "search.retrieval": "chunk"})
    app.session_state["share.view"] = {"q": QUERY, "show": "answer"}
    app.switch_page("pages/search.py").run()
    assert not app.exception
    return app


def click(app: AppTest, key: str) -> AppTest:
    next(one for one in app.button if one.key == key).click().run()
    assert not app.exception
    return app


def wait_for_answer(app: AppTest) -> AppTest:
    """After the request has ended."""
    app.session_state["answer.run"].join(20)
    app.run()
    assert not app.exception
    return app


def page_texts(app: AppTest) -> list[str]:
    return [str(part.value) for kind in (app.info, app.error, app.warning, app.markdown, app.caption) for part in kind]


def test_without_a_language_model_the_tab_says_how_to_set_one(indexed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And has no button."""
    app = open_answer(indexed, monkeypatch, None)
    assert any("CHUNKSCOPE_LLM_URL" in str(code.value) for code in app.code)
    assert not [one for one in app.button if one.key == "answer.go"]
    assert tells(app.tabs[2].label, "Answer language model")


def test_a_tab_that_nobody_here_can_make_work_stays_away(
    indexed: Path, monkeypatch: pytest.MonkeyPatch, llm_server: LLMServer
) -> None:
    """Where only the operator can set up a language model, and has not; with one it has its plain name."""
    monkeypatch.setattr("chunking.allowed.allowed", lambda: Allowed(everything=False))
    assert not [tab for tab in open_answer(indexed, monkeypatch, None).tabs if tab.label.startswith("Answer")]
    monkeypatch.undo()
    assert "Answer" in [tab.label for tab in open_answer(indexed, monkeypatch, llm_server).tabs]


def test_nothing_is_asked_before_a_click(indexed: Path, monkeypatch: pytest.MonkeyPatch, llm_server: LLMServer) -> None:
    """One click, one request; the answer is checked, its first citation opened, and another query begins anew."""
    llm_server.answer = ANSWER
    app = open_answer(indexed, monkeypatch, llm_server)
    app.run()
    assert llm_server.requests == []
    wait_for_answer(click(app, "answer.go"))
    run = app.session_state["answer.run"]
    assert [one.check.support for one in run.answer.sentences] == [
        Support.SUPPORTED,
        Support.UNSUPPORTED,
        Support.UNCITED,
        Support.UNSUPPORTED,
    ]
    assert app.session_state["answer.opened"][:2] == (0, 1)
    app.run()
    assert len(llm_server.chat_requests) == 1
    next(box for box in app.text_input if box.key == "search.field").set_value("bay").run()
    assert "answer.run" not in app.session_state
    assert len(llm_server.chat_requests) == 1


def test_a_server_that_dies_leaves_what_came(
    indexed: Path, monkeypatch: pytest.MonkeyPatch, llm_server: LLMServer
) -> None:
    """And one sentence that says why; it can be asked again."""
    llm_server.answer = "The pump is oiled every 2 weeks [1]. Then"
    llm_server.respond("stream_dies")
    app = wait_for_answer(click(open_answer(indexed, monkeypatch, llm_server), "answer.go"))
    assert tells([str(error.value) for error in app.error], "broke off")
    assert len(app.session_state["answer.run"].answer.sentences) == 2
    wait_for_answer(click(app, "answer.go"))
    assert not app.error
    assert app.session_state["answer.run"].answer.done


def test_stop_works_while_the_server_says_nothing(
    indexed: Path, monkeypatch: pytest.MonkeyPatch, llm_server: LLMServer
) -> None:
    """At once; what came stays, and the next answer is another request."""
    llm_server.always = "slow"
    app = click(open_answer(indexed, monkeypatch, llm_server), "answer.go")
    assert app.session_state["answer.run"].running
    click(app, "answer.stop")
    run = app.session_state["answer.run"]
    assert (run.running, run.stopped, run.error) == (False, True, "")
    assert next(one for one in app.button if one.key == "answer.go")
    llm_server.release.set()
    run.join(20)


def test_rows_are_plain_texts() -> None:
    """What is not in order is told by words, not by colour alone; a sentence that broke off is not checked."""
    source = ContextSource(1, "Pump · pump.md", "pump", 0, len(GUIDE), 20, GUIDE, ("pump_chunk0",))
    rows = answer_rows(checked(ANSWER, (source,)), (source,), running=False)
    assert [row["kind"] for row in rows["rows"]] == ["supported", "unsupported", "uncited", "unsupported"]
    assert rows["rows"][1]["text"] == "<b>It costs 900 euros</b>."
    assert [cite["known"] for row in rows["rows"] for cite in row["cites"]] == [True, True, False]
    assert all(row["words"] or row["kind"] == "supported" for row in rows["rows"])
    assert all(row["reason"] for row in rows["rows"])


@pytest.mark.browser
def test_an_answer_streams_and_its_citation_opens_the_place(
    indexed: Path, browser: Browser, app_server: SharedApp, llm_server: LLMServer
) -> None:
    """Asked with the keyboard; markup is text; a click on a citation marks the sentence in its document."""
    llm_server.answer = ANSWER
    page = new_tab(browser, height=1000)
    page.goto(app_server.show(indexed, llm_server.environment()))
    page.get_by_role("link", name="Search").click()
    page.get_by_placeholder("Ask a question").fill(QUERY)
    page.keyboard.press("Enter")
    page.get_by_role("tab", name="Answer").click()
    page.get_by_role("button", name="Answer", exact=True).press("Enter")
    expect(page.locator(".answer .mark")).to_have_count(4)
    expect(page.locator(".answer .list")).to_contain_text("<b>It costs 900 euros</b>")
    assert page.locator(".answer .list :is(b, img)").count() == 0
    settled(page)
    page.locator(".answer .cite").nth(1).click()
    expect(page.locator(".answer .cite[aria-pressed=true]")).to_have_count(1)
    expect(page.locator(".view .hit").first).to_be_visible()
    assert len(llm_server.chat_requests) == 1
    put_back(page)
