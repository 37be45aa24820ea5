"""Questions that nothing answers, and results that nobody judged: measured, told, and never a crash."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chunking.config import Config
from chunking.errors import QuestionError
from chunking.evaluation import (
    Answered,
    EvaluationRun,
    Found,
    Judged,
    Measure,
    Pool,
    Question,
    QuestionPart,
    QuestionSet,
    Sweep,
    Trials,
    estimate_grid,
    evaluate,
    leaderboard,
    run_sweep,
    score_run,
    split,
    unanswered,
    unjudged_results,
)
from chunking.store import Workspace
from tests.support.facts import tells
from tests.support.plants import WORDS, questions_of

NOTHING = Question("none", "Where do penguins breed in antarctic winters?", (), unanswerable=True)
NEAR = Question("near", "Which number has the pump of the north handbook?", (), unanswerable=True)
"""Nothing answers it, but its words stand in the documents: the search does not notice."""


def test_the_share_of_correct_warnings_is_measured(workspace: Workspace, trials: Trials) -> None:
    """No warning is right for answerable questions, and wrong for unanswerable ones."""
    questions = questions_of(workspace)
    mixed = replace(questions, questions=(NOTHING, *questions.questions, NEAR))
    run = EvaluationRun.from_json(evaluate(workspace, mixed, WORDS, trials=trials).to_json())
    figures = unanswered(run, mixed)
    assert figures is not None
    assert (figures.correct.n, figures.right, figures.missed) == (2, 1, (NEAR,))
    assert tells(figures.sentence, "1 of 2")
    assert figures.wrong is not None
    assert (figures.wrong.n, figures.wrong.mean) == (len(questions), 0.0)
    scores = score_run(run, mixed)
    assert scores.ids == tuple(one.id for one in questions.questions)
    assert not run.notes
    assert unanswered(run, questions) is None


def test_a_set_in_which_nothing_answers_any_question(workspace: Workspace, trials: Trials) -> None:
    """It is measured; what compares configurations says why it cannot."""
    alone = QuestionSet("none", (NOTHING, NEAR))
    run = evaluate(workspace, alone, WORDS, trials=trials)
    figures = unanswered(run, alone)
    assert figures is not None
    assert (figures.right, figures.wrong) == (1, None)
    assert len(score_run(run, alone)) == 0
    assert leaderboard([run], alone) == ()
    sweep = Sweep("sizes", "none", grid={"size": ("64", "128")})
    with pytest.raises(QuestionError, match="none"):
        run_sweep(workspace, sweep, alone, trials=trials)
    with pytest.raises(QuestionError, match="none"):
        list(estimate_grid(sweep, [workspace.document("north")], alone))
    assert {one.part for one in split(alone, holdout=0.5).questions} == {QuestionPart.TUNE, QuestionPart.HOLDOUT}


def test_questions_that_wait_for_an_answer_are_not_asked(workspace: Workspace, trials: Trials) -> None:
    """Only a passage that does not answer it is known: it is left out, with the number of those; alone, it is a
    sentence.
    """
    questions = questions_of(workspace)
    waiting = Question("open", "How heavy?", (), judged=(Judged("north", 0, 5, "north", False),))
    run = evaluate(workspace, replace(questions, questions=(*questions.questions, waiting)), WORDS, trials=trials)
    assert run.questions == questions.fingerprint
    assert len(run.answered) == len(questions)
    assert tells(run.notes[0], f"1 of {len(questions) + 1}")
    with pytest.raises(QuestionError):
        evaluate(workspace, QuestionSet("open", (waiting,)), WORDS, trials=trials)


def a_run(*figures: Found) -> EvaluationRun:
    return EvaluationRun("k", "l", Config(), "set", "", "", (Answered("q", figures, 0.0),), n=5, depth=30)


def test_results_that_nobody_judged_are_counted() -> None:
    """One that shows an answer was judged, one of which half was judged, and one that was not is told with the pool's
    depth.
    """
    judged = (Judged("a", 100, 200, "", False), Judged("a", 200, 230, "", False))
    answer = replace(NOTHING, id="q", judged=judged, pool=Pool(10, 3, 4))
    hits = [Found("a", 100, 200, 9, 100, 200), Found("a", 180, 280, 9, 180, 280), Found("a", 190, 290, 9, 190, 290)]
    hits += [Found("b", 100, 200, 9, 100, 200), Found("", 0, 50, 9, 0, 50), Found("b", 0, 50, 9, 0, 50)]
    figures = unjudged_results(a_run(*hits), QuestionSet("set", (answer,)), Measure(5))
    assert figures is not None
    assert (figures.hits, figures.unjudged, figures.questions, figures.depths) == (5, 3, 1, (10,))
    assert tells(figures.sentence, "3 of 5 depth 10")
    assert unjudged_results(a_run(*hits[:2]), QuestionSet("set", (answer,))).sentence == ""  # type: ignore[union-attr]
    assert unjudged_results(a_run(*hits), QuestionSet("set", (replace(answer, judged=(), pool=None),))) is None
