"""The guide over the samples: what each step puts in force, and that nothing of the user's own is lost to it."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from chunking.config import Config
from chunking.embedding import load_embedder
from chunking.evaluation import (
    EvaluationRun,
    Found,
    Measure,
    Question,
    QuestionPart,
    load_set,
    score_run,
)
from chunking.model import Chunk
from chunking.retrieval import search
from chunking.retrieval.query.query import ship_query_vector
from chunking.samples import (
    BASELINE,
    BASELINE_INDEX,
    GRID,
    HANDBOOK,
    INDEX,
    QUESTION,
    SAMPLE_SET,
    prepare,
    question_vector,
    sample_indexes,
)
from chunking.store import Workspace
from components.guide.guide_steps import STEPS
from components.session.jobs import ESTIMATE, Jobs
from components.session.samples import holds_only_samples
from components.session.settings.other_configuration import from_address
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
    """The baseline with the sample questions, the question it misses asked of its own index beside the better one, and
    the defaults; steps 1 and 3 open the chunk with the answer to the question. The present step is marked.
    """
    (answer,) = the_question(target).answers
    app = open_page("index")
    for number, (index, config) in zip((1, 3), sample_indexes().items(), strict=True):
        took(app, number)
        assert state(app, "share.config") == config
        view = state(app, "share.view")
        assert view["questions"] == SAMPLE_SET
        (row,) = target.index(index).rows_by_id([f"{view['doc']}_chunk{view['chunk']}"]).values()
        assert row.doc_id == answer.doc_id
        assert answer.text in row.content
    took(app, 2)
    assert state(app, "share.config") == sample_indexes()[BASELINE_INDEX]
    assert state(app, "search.query") == QUESTION
    view = state(app, "share.view")
    assert (view["show"], view["index"]) == ("compare", BASELINE_INDEX)
    assert from_address(view["with"], ("search",), "index") == (Config(), {"index": INDEX})
    now = state(app, "guide.progress")
    assert (now.present, now.done) == (2, {1, 2, 3})


def test_the_question_is_what_it_is_said_to_be(target: Workspace) -> None:
    """A dev question in the guide's document: the baseline misses its answer, the default settings rank it first, by
    the runs that come with the samples. The search finds the same, without a call of the model.
    """
    question = the_question(target)
    assert [answer.doc_id for answer in question.answers] == [HANDBOOK]
    embedder = load_embedder()
    calls = embedder.calls
    vector = question_vector(embedder, QUESTION)
    assert vector is not None
    ship_query_vector(embedder, QUESTION, vector)
    runs = [EvaluationRun.from_json(text) for text in target.runs.all().values()]
    for (index, config), rank in zip(sample_indexes().items(), (None, 1), strict=True):
        results = search(target, QUESTION, config.search, index=index).results
        assert first_rank([hit.chunk for hit in results], question) == rank
        for run in (run for run in runs if run.config == config):
            (answered,) = [one for one in run.answered if one.question_id == question.id]
            assert first_rank(answered.results[: run.n], question) == rank
    assert embedder.calls == calls


def the_question(target: Workspace) -> Question:
    """The guide's question, in the dev split."""
    dev = load_set(target, SAMPLE_SET).questions.of(QuestionPart.TUNE)
    return next(one for one in dev.questions if one.text == QUESTION)


def first_rank(spans: Sequence[Chunk] | Sequence[Found], question: Question) -> int | None:
    """The rank of the first that holds the question's only answer; None if none does."""
    (answer,) = question.answers
    ranks = [
        rank
        for rank, one in enumerate(spans, 1)
        if one.doc_id == answer.doc_id and one.start <= answer.start and answer.end <= one.end
    ]
    return min(ranks, default=None)


def test_what_the_guide_says_was_measured(target: Workspace) -> None:
    """Before anything is estimated there is a recommendation, and step 5 can be taken: the samples come with the runs
    of the baseline and the defaults. The sentences of the steps have their numbers, as the runs give them.
    """
    app = took(open_page("index"), 1)
    dev = load_set(target, SAMPLE_SET).questions.of(QuestionPart.TUNE)
    runs = {
        run.config: run
        for run in map(EvaluationRun.from_json, target.runs.all().values())
        if len(run.answered) == len(dev)
    }
    baseline, default = (score_run(runs[config], dev, Measure(config.search.k)) for config in sample_indexes().values())
    assert baseline.recall.mean() < default.recall.mean() - 0.1
    assert default.context_tokens.mean() < 0.5 * baseline.context_tokens.mean()
    assert f"{baseline.recall.mean():.1%}".replace("%", " %") in looks(app)
    assert f"{baseline.context_tokens.mean():,.0f}" in looks(app)
    took(app, 3)
    assert f"{default.recall.mean():.1%}".replace("%", " %") in looks(app)
    assert not app.button(key="guide.step.5").disabled
    took(app, 5)
    won = float(f"{100 * default.recall.mean():.1f}") - float(f"{100 * baseline.recall.mean():.1f}")
    assert f"{won:+.1f}" in looks(app)  # as both are printed
    assert state(app, "share.config") == Config()
    assert state(app, "share.view")["index"] == INDEX


def looks(app: AppTest) -> str:
    """What the guide says of the present step."""
    return app.caption[0].value


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
