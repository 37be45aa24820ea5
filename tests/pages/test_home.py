"""The front page: the samples' story from stored runs, the ways on from it, and a workspace's next step."""

from __future__ import annotations

import re
import shutil
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from chunking.config import Config
from chunking.deployment import LOCAL
from chunking.evaluation import EvaluationRun, QuestionPart, load_set
from chunking.samples import QUESTION, SAMPLE_SET, prepare
from chunking.store import Workspace
from components.guide.guide_steps import STEPS as GUIDE_STEPS
from components.home.workspace_page import STEPS, WorkspaceState, next_step
from components.session.host import deployment
from tests.pages.app_session import go_to, open_link, open_page, page_text, run_app, state
from tests.support.home_story import TOKENS, USUAL, put_story, run_missing
from tests.support.stand_in_model import stand_in_model
from tests.support.stored_runs import put_current_run


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace as the first start makes it, without runs."""
    folder = tmp_path_factory.mktemp("ready") / "workspace"
    with stand_in_model():
        samples, target = prepare(), Workspace.open(folder)
        with target.writer():
            samples.put_into(target)
        target.runs.delete(target.runs.names())
    return folder


@pytest.fixture
def target(ready: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    shutil.copytree(ready, tmp_path / "workspace")
    monkeypatch.setenv("CHUNKSCOPE_WORKSPACE", str(tmp_path / "workspace"))
    monkeypatch.setenv("CHUNKSCOPE_HOME", str(tmp_path / "home"))
    return Workspace.open(tmp_path / "workspace")


def picture(app: AppTest) -> str:
    """HTML that the page draws, its styles left out."""
    bodies = (str(element.proto.body) for element in app.get("html"))
    return "\n".join(body for body in bodies if body.startswith(("<section", "<ol")))


def test_the_numbers_are_those_of_the_runs(target: Workspace) -> None:
    """Answers found by each, tokens as a share, and the guide's question, missed on the left and found on the right."""
    questions, missed = put_story(target)
    page = picture(open_page("home"))
    expected = round(100 * (1 - len(missed) / len(questions.questions)))
    assert re.findall(r"<b>(\d+)</b>", page) == [str(expected), "100"]
    assert page.count("<i></i>") == expected + 100
    assert page.count('class="lost"') == 100 - expected
    assert f"{100 * TOKENS[False] // TOKENS[True]} %" in page
    left, right = re.findall(r'<div class="home-example (\w+)".*?</div>', page)
    assert (left, right) == ("missed", "found")
    assert re.findall(r'<mark class="(\w+)">', page) == ["missed", "found"]
    assert QUESTION in page
    assert "8" in re.findall(r'class="home-verdict">(.*?)</p>', page)[0].partition("</b>")[2]


def test_without_runs_it_says_so_and_leads_to_them(target: Workspace) -> None:
    """No empty picture; the settings that are missing are set, and Evaluate is where they are measured."""
    app = open_page("home")
    assert not picture(app)
    assert len(app.info) == 1
    app.button(key="home.measure").click()
    run_app(app)
    assert app.title[0].value == "Evaluate"
    assert state(app, "share.config") == USUAL
    assert state(app, "share.view")["questions"] == SAMPLE_SET
    questions = load_set(target, SAMPLE_SET).questions.of(QuestionPart.TUNE)
    put_current_run(target, questions, run_missing(questions, [], USUAL, 1))
    app = open_page("home")
    app.button(key="home.measure").click()
    assert state(run_app(app), "share.config") == Config()


def test_a_run_on_other_documents_does_not_count(target: Workspace) -> None:
    """After a fix of the parse, say: the samples are still the samples, and what was measured was another text."""
    put_story(target)
    stored = {
        key: replace(EvaluationRun.from_json(text), key=f"{key[:-1]}x") for key, text in target.runs.all().items()
    }
    target.runs.put({key: run.to_json() for key, run in stored.items()})
    assert not picture(open_page("home"))


def test_play_it_opens_the_guide_at_its_first_step(target: Workspace) -> None:
    """Also a guide that was closed; the front page itself has no strip of it."""
    app = open_page("documents")
    app.button(key="guide.close").click()
    run_app(app)
    go_to(app, "home")
    assert not any(str(button.key).startswith("guide.") for button in app.button)
    app.button(key="home.play").click()
    run_app(app)
    assert state(app, "guide.progress").present == 1
    assert state(app, "share.config") == USUAL
    assert f"pages/{app.title[0].value.lower()}.py" == GUIDE_STEPS[0].page
    assert "guide.step.2" in {button.key for button in app.button}


def test_own_documents_begin_with_an_empty_workspace(target: Workspace) -> None:
    """A new one, which the samples do not fill; this one keeps them, and a step's settings do not go along."""
    app = open_page("home")
    app.button(key="home.play").click()
    run_app(app)
    go_to(app, "home")
    app.button(key="home.own").click()
    run_app(app)
    assert app.title[0].value == "Documents"
    assert len(app.get("file_uploader")) == 1
    assert state(app, "share.config") == Config()
    (new,) = deployment().workspaces.of(LOCAL.id)
    assert Workspace.open(deployment().workspaces.place(new.id)).documents() == []
    assert target.documents()
    go_to(app, "home")
    assert next_step_of(app) == STEPS[0].label


def next_step_of(app: AppTest) -> str:
    """Label of the page's only primary button."""
    (button,) = (one for one in app.button if one.proto.type == "primary")
    assert button.key == "home.next"
    return str(button.label)


def test_the_next_step_follows_from_what_is_there() -> None:
    """In order; an index that is out of date is built before anything is asked of it."""
    run: Any = SimpleNamespace(config=Config())
    other: Any = SimpleNamespace(config=USUAL)
    row: Any = object()
    states = [
        WorkspaceState((), None, "", (), ()),
        WorkspaceState((row,), None, "", (), ()),
        WorkspaceState((row,), row, "Out of date.", ("Mine",), (run,)),
        WorkspaceState((row,), row, "", (), ()),
        WorkspaceState((row,), row, "", ("Mine",), ()),
        WorkspaceState((row,), row, "", ("Mine",), (run, run)),
        WorkspaceState((row,), row, "", ("Mine",), (run, other)),
    ]
    names = ["Documents", "Index", "Index", "Questions", "Evaluate", "Tune", "Export"]
    assert [next_step(one).name for one in states] == names
    assert {next_step(one, may_write=False).page for one in states} == {"search"}


def test_an_own_workspace_is_shown_with_its_last_run(target: Workspace) -> None:
    """Documents, index and recall; what no longer fits the documents is no result."""
    target.delete_documents(["faq_faq"])
    questions = load_set(target, SAMPLE_SET).questions.of(QuestionPart.TUNE)
    app = open_page("home")
    assert 'aria-current="step"' in picture(app)
    assert app.metric[0].value == str(len(target.documents()))
    assert app.metric[1].value == str(target.indexes()[0].chunks)
    assert app.metric[2].value == "–"
    missed = [one.id for one in questions.questions[::2]]
    put_current_run(target, questions, run_missing(questions, missed, Config(), 9))
    app = open_page("home")
    assert app.metric[2].value == f"{100 * (1 - len(missed) / len(questions.questions)):.1f} %"
    app.button(key="home.next").click()
    run_app(app)
    assert app.title[0].value == "Tune"


def test_a_link_to_a_view_or_with_settings_opens_chunks(target: Workspace) -> None:
    """As it did before there was a front page; the front page's own address with settings opens the front page."""
    assert page_of(open_link()) == ""
    assert page_of(open_link(doc="faq_faq")) == page_of(open_link(size="90")) == "chunks"
    app = open_link(home="1", size="90")
    assert page_of(app) == ""
    assert state(app, "share.config").chunk.size == 90
    assert app.query_params == {"home": "1", "size": "90"}
    unknown = open_link(colour="green")
    assert page_of(unknown) == ""
    assert "colour" in page_text(unknown)


def page_of(app: AppTest) -> str:
    """Path of the page that was drawn."""
    return str(state(app, "frame.page"))
