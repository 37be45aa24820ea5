"""The guide over the samples: what each step puts in force, and that nothing of the user's own is lost to it."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from chunking.config import Config
from chunking.embedding import load_embedder
from chunking.evaluation import QuestionPart, load_set
from chunking.retrieval import search
from chunking.retrieval.query.query import ship_query_vector
from chunking.samples import BASELINE, GRID, QUESTION, SAMPLE_SET, prepare, question_vector
from chunking.store import Workspace
from components.guide.guide_steps import STEPS
from components.session.jobs import ESTIMATE, Jobs
from components.session.samples import holds_only_samples
from tests.pages.app_session import go_to, open_page, run_app, state
from tests.support.stand_in_model import stand_in_model


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace as the first start makes it."""
    folder = tmp_path_factory.mktemp("ready") / "workspace"
    with stand_in_model():
        samples, target = prepare(), Workspace.open(folder)
        with target.writer():
            samples.put_into(target)
    return folder


@pytest.fixture
def target(ready: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    shutil.copytree(ready, tmp_path / "workspace")
    monkeypatch.setenv("CHUNKSCOPE_WORKSPACE", str(tmp_path / "workspace"))
    return Workspace.open(tmp_path / "workspace")


def keys(app: AppTest) -> set[str]:
    """Of the guide's buttons on the page."""
    return {button.key for button in app.button if str(button.key).startswith("guide.")}


def took(app: AppTest, number: int) -> AppTest:
    """A click on a step; the test's browser goes to its page after the app, as a real one does."""
    app.button(key=f"guide.step.{number}").click()
    run_app(app)
    return go_to(app, Path(STEPS[number - 1].page).stem)


def test_it_stands_over_the_samples_until_it_is_closed(target: Workspace) -> None:
    """On every page; closed, it is gone from all of them, for the next session too, and Documents opens it again."""
    app = open_page("index")
    assert {f"guide.step.{number}" for number in range(1, len(STEPS) + 1)} <= keys(app)
    assert keys(go_to(app, "documents")) == keys(app)
    app.button(key="guide.close").click()
    assert keys(run_app(app)) == {"guide.open"}
    assert keys(open_page("index")) == set()
    again = open_page("documents")
    again.button(key="guide.open").click()
    assert "guide.step.1" in keys(run_app(again))


def test_other_documents_have_no_guide(target: Workspace) -> None:
    """A workspace from which a sample was deleted is the user's own."""
    assert holds_only_samples(target)
    target.delete_documents(["faq_faq"])
    assert not holds_only_samples(target)
    assert keys(open_page("documents")) == set()


def test_each_step_puts_its_current_settings(target: Workspace) -> None:
    """How most people split with the sample questions, the question it misses, and the defaults; the present step is
    marked.
    """
    app = took(open_page("index"), 1)
    assert state(app, "share.config") == Config.from_settings(BASELINE)
    assert state(app, "share.view")["questions"] == SAMPLE_SET
    took(app, 2)
    assert state(app, "search.query") == QUESTION
    assert (state(app, "share.view")["show"], state(app, "share.view")["index"]) == ("compare", "main")
    took(app, 3)
    assert state(app, "share.config") == Config()
    now = state(app, "guide.progress")
    assert (now.present, now.done) == (3, {1, 2, 3})
    assert app.button(key="guide.step.5").disabled


def test_the_question_is_what_it_is_said_to_be(target: Workspace) -> None:
    """A dev question; its vector came with the samples, and full text ranks its answer first."""
    question = next(
        one for one in load_set(target, SAMPLE_SET).questions.of(QuestionPart.TUNE).questions if one.text == QUESTION
    )
    embedder = load_embedder()
    calls = embedder.calls
    vector = question_vector(embedder, QUESTION)
    assert vector is not None
    ship_query_vector(embedder, QUESTION, vector)
    ranks = []
    for settings in (
        {"search.mode": "vector", "search.retrieval": "chunk"},
        {"search.mode": "hybrid", "search.retrieval": "chunk"},
    ):
        results = search(target, QUESTION, Config.from_settings(settings).search, index="main").results
        ranks.append(
            [
                hit.chunk.doc_id == question.answers[0].doc_id
                and hit.chunk.start <= question.answers[0].start < hit.chunk.end
                for hit in results
            ]
        )
    assert not any(ranks[0])
    assert ranks[1][0]
    assert embedder.calls == calls


def test_what_was_set_before_comes_back(target: Workspace) -> None:
    """By its button and by closing; what was changed since the last step is the user's own, and stays."""
    for key in ("guide.back", "guide.close"):
        app = took(open_page("documents", {"size": "300"}), 1)
        app.button(key=key).click()
        run_app(app)
        assert state(app, "share.config") == Config.from_settings({"size": "300"})
        assert "questions" not in state(app, "share.view")
        if key == "guide.back":
            took(app, 1)
            own = Config.from_settings({"size": "77"})
            app.session_state["share.config"] = own
            app.button(key=key).click()
            assert state(run_app(app), "share.config") == own


def test_what_was_set_before_outlives_the_guide(target: Workspace) -> None:
    """The strip goes when documents are deleted or added, or somebody else closes it; the way back from a step's
    settings stays.
    """
    apps = [took(open_page("documents", {"size": "300"}), 1) for _ in range(2)]
    apps[0].button(key="guide.close").click()
    assert keys(run_app(apps[0])) == set()
    assert keys(run_app(apps[1])) == {"guide.back"}
    target.delete_documents(["faq_faq"])
    assert keys(run_app(apps[1])) == {"guide.back"}
    apps[1].button(key="guide.back").click()
    assert keys(run_app(apps[1])) == set()
    assert state(apps[1], "share.config") == Config.from_settings({"size": "300"})


def test_let_it_choose_estimates_the_grid(target: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the naive settings and the defaults among it; the estimation is a job of its own."""
    started: list[tuple[object, ...]] = []
    monkeypatch.setattr(Jobs, "start_job", lambda _, *job, **more: started.append(job) or _Job())
    app = took(open_page("index"), 4)
    (job,) = [job for job in started if job[1] == ESTIMATE]
    sweep = json.loads(job[2]["sweep"])  # type: ignore[index]
    assert (sweep["question_set"], BASELINE in sweep["tries"]) == (SAMPLE_SET, True)
    assert {key: tuple(values) for key, values in dict(sweep["grid"]).items()} == GRID
    assert state(app, "guide.progress").present == 4


class _Job:
    number = 1
