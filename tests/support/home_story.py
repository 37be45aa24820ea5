"""Runs of the front page's story: the baseline, which misses some questions, and the default settings."""

from __future__ import annotations

from chunking.config import Config
from chunking.evaluation import Answered, EvaluationRun, Found, QuestionPart, QuestionSet, load_set
from chunking.evaluation.runs.answered import Cause, Diagnosis
from chunking.evaluation.runs.run import DEPTH
from chunking.samples import BASELINE, QUESTION, SAMPLE_SET
from chunking.store import Workspace
from tests.support.stored_runs import put_current_run

USUAL = Config.from_settings(BASELINE)
EVERY = 4
"""The stored run of the baseline misses every fourth question, and the example."""
TOKENS = {True: 2_000, False: 500}
"""Context tokens per question, of the baseline's run and of the other one."""


def put_story(target: Workspace) -> tuple[QuestionSet, list[str]]:
    """Store both runs; returns the questions, and the ids that the baseline's run misses."""
    questions = load_set(target, SAMPLE_SET).questions.of(QuestionPart.TUNE)
    missed = [one.id for place, one in enumerate(questions.questions) if one.text == QUESTION or not place % EVERY]
    for usual, config in ((True, USUAL), (False, Config())):
        put_current_run(target, questions, run_missing(questions, missed if usual else [], config, TOKENS[usual]))
    return questions, missed


def run_missing(questions: QuestionSet, missed: list[str], config: Config, tokens: int) -> EvaluationRun:
    """A run that returns exactly the answers, or for those missed only the text before them, and them eighth."""
    rows = []
    for one in questions.questions:
        hits = tuple(Found(span.doc_id, span.start, span.end, 9, span.start, span.end) for span in one.answers)
        other = tuple(Found(hit.doc_id, 0, 1, 9, 0, 1) for hit in hits[:1])
        diagnosis = Diagnosis(Cause.RANKED_BELOW, "Rank 8 of 40.", 8) if one.id in missed else None
        results = (*other * 7, *hits) if one.id in missed else hits
        rows.append(Answered(one.id, results, 0.5, diagnosis, tuple([tokens] * len(results))))
    return EvaluationRun("", "", config, SAMPLE_SET, questions.fingerprint, "", tuple(rows), config.search.k, DEPTH)
