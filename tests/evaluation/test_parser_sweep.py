"""A sweep that has the documents read by other parsers, beside settings: what each finds, and what its text lacks."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from chunking.config import Strategy
from chunking.errors import Cancelled
from chunking.evaluation import EvaluationRun, QuestionSet, Sweep, SweepReport, Trials, is_current, run_sweep
from chunking.evaluation.metrics.scoring import score_run
from chunking.evaluation.questions.question import AnswerSpan, Question
from chunking.evaluation.runs.answered import Cause
from chunking.evaluation.runs.run import documents_key
from chunking.evaluation.sweep.sweep_result import sweep
from chunking.indexing import add_files, choose_parser
from chunking.model import BUILT_IN
from chunking.store import Workspace
from tests.support.cluster_builds import LoopEngine, use_engine
from tests.support.plants import WORDS
from tests.support.store_rows import FakeEmbedder
from tests.support.toy_parsers import installed_parsers

NOTES = "# Owls\n\n- The owl flies by night.\n- The secret of the owl is its wing.\n"
MICE = "# Mice\n\nThe mouse runs by day.\n"
PAGE = "<h1>Bats</h1><p>The bat hangs in the attic.</p>"
ANSWERS = {
    "When does the owl fly?": ("owls", "flies by night"),
    "What is the secret of the owl?": ("owls", "secret of the owl is its wing"),
    "When does the mouse run?": ("mice", "runs by day"),
    "Where does the bat hang?": ("bats", "in the attic"),
}


@pytest.fixture(autouse=True)
def _toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with installed_parsers(tmp_path / "packages", monkeypatch):
        yield


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    target = Workspace.open(tmp_path / "workspace")
    (tmp_path / "files").mkdir()
    for name, text in {"owls.md": NOTES, "mice.md": MICE, "bats.html": PAGE}.items():
        (tmp_path / "files" / name).write_text(text)
    add_files(target, [tmp_path / "files"])
    return target


@pytest.fixture
def questions(workspace: Workspace) -> QuestionSet:
    rows = []
    for number, (text, (doc_id, quote)) in enumerate(ANSWERS.items()):
        start = workspace.document(doc_id).text.index(quote)
        rows.append(Question(f"q{number}", text, (AnswerSpan(doc_id, start, start + len(quote), quote),)))
    return QuestionSet("animals", tuple(rows))


def planned(*parsers: str, **grid: tuple[str, ...]) -> Sweep:
    return Sweep("parsers", "animals", WORDS, {"parser": parsers, **grid})


def runs_of(workspace: Workspace, report: SweepReport) -> dict[str, EvaluationRun]:
    runs = (EvaluationRun.from_json(workspace.runs.get(key) or "") for key in report.runs)
    return {run.parser: run for run in runs}


@pytest.mark.parametrize("engine", ["embedded", "ray"])
def test_each_parser_is_measured_on_the_same_questions(
    workspace: Workspace, questions: QuestionSet, monkeypatch: pytest.MonkeyPatch, engine: Any
) -> None:
    """An answer that the text of a parser lacks counts as not found, and the report names it; also in parts."""
    use_engine(monkeypatch, LoopEngine())
    before = list(workspace.read_documents(["bats", "mice", "owls"]))
    with Trials(workspace, embedder=FakeEmbedder()) as trials:
        report = run_sweep(workspace, planned(BUILT_IN, "lines"), questions, trials=trials, engine=engine)
        again = run_sweep(workspace, planned(BUILT_IN, "lines"), questions, trials=trials, engine=engine)
    runs = runs_of(workspace, report)
    assert set(runs) == {"", "lines"}
    recall = {parser: dict(zip(s.ids, s.recall, strict=True)) for parser, s in _scores(runs, questions).items()}
    assert recall[""] == dict.fromkeys(("q0", "q1", "q2", "q3"), 1.0)
    assert recall["lines"] == {"q0": 1.0, "q1": 0.0, "q2": 1.0, "q3": 1.0}
    lost = next(one for one in runs["lines"].answered if one.question_id == "q1")
    assert lost.diagnosis is not None
    assert lost.diagnosis.cause is Cause.NOT_IN_PARSE
    [losses] = report.parsers
    assert (losses.parser, losses.answers, losses.lost) == (
        "lines",
        4,
        (("q1", ANSWERS[questions.questions[1].text][1]),),
    )
    assert str(losses) in report.notes
    assert (again.runs, again.known, again.parsers) == (report.runs, 2, report.parsers)
    assert SweepReport.from_record(report.as_record()) == report
    assert list(workspace.read_documents(["bats", "mice", "owls"])) == before


def _scores(runs: dict[str, EvaluationRun], questions: QuestionSet):  # type: ignore[no-untyped-def]
    return {parser: score_run(run, questions) for parser, run in runs.items()}


def test_a_run_over_another_text_is_current_only_where_parsers_are_compared(
    workspace: Workspace, questions: QuestionSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its results lie in other texts than those on the pages; a new version of a document, or of the parser's package,
    makes it outdated.
    """
    with Trials(workspace, embedder=FakeEmbedder()) as trials:
        report = run_sweep(workspace, planned("lines"), questions, trials=trials)
    [run] = runs_of(workspace, report).values()
    key = documents_key(workspace.documents())
    assert EvaluationRun.from_json(run.to_json()) == run
    assert not is_current(run, key)
    assert is_current(run, key, parsers=True)
    with monkeypatch.context() as patch:
        patch.setattr("chunking.evaluation.runs.run.entry_versions", lambda group: {"lines": "toy-parsers-package 2.0"})
        assert not is_current(run, key, parsers=True)
    choose_parser(workspace, "lines", ["mice"])
    assert not is_current(run, documents_key(workspace.documents()), parsers=True)


def test_parsers_are_ranked_beside_sizes(workspace: Workspace, questions: QuestionSet) -> None:
    """In one call; the leaderboard and the table name the parser of each."""
    with Trials(workspace, embedder=FakeEmbedder()) as trials:
        result = sweep(
            workspace, questions, {"parser": [BUILT_IN, "lines"], "size": [64, 90]}, base=WORDS, trials=trials
        )
    own = [line for line in result.lines if line.run.config.chunk.strategy is not Strategy.RECURSIVE]  # no baseline
    assert len(own) == 4
    assert all("parser" in line.run.label and "size" in line.run.label for line in own)
    assert list(result.to_pandas()["parser"]).count("lines") == 2
    assert not result.lines[0].run.parser


def test_what_a_parser_cannot_read_stays_as_it_is(workspace: Workspace, questions: QuestionSet) -> None:
    """A parser that fails is no failure of the sweep: its documents are measured as they are, and it says so."""
    with Trials(workspace, embedder=FakeEmbedder()) as trials:
        report = run_sweep(workspace, planned("fails", "nobody", "missing"), questions, trials=trials)
    [run] = runs_of(workspace, report).values()
    assert run.parser == "fails"
    assert len(report.parsers[0].unread) == 3
    assert all("KeyError" in sentence for sentence in report.parsers[0].unread)
    assert report.parsers[0].lost == ()
    assert ["nobody" in one.error or "Missing" in one.error for one in report.failed] == [True, True]


def test_cancelling_while_documents_are_read(workspace: Workspace, questions: QuestionSet) -> None:
    with pytest.raises(Cancelled), Trials(workspace, embedder=FakeEmbedder()) as trials:
        run_sweep(workspace, planned("lines"), questions, trials=trials, cancelled=lambda: True)
    assert workspace.runs.names() == []
