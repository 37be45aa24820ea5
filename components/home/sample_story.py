"""Story of the samples: what baseline and default settings find, and how each answers one question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

import streamlit as st

from chunking.config import Config
from chunking.errors import NotFoundError
from chunking.evaluation import (
    Answered,
    AnswerSpan,
    EvaluationRun,
    Found,
    Measure,
    QuestionPart,
    QuestionSet,
    load_set,
    score_run,
)
from chunking.model import Document
from chunking.samples import BASELINE, QUESTION, SAMPLE_SET
from chunking.splitting.rendering.markup_cleaning import without_markup
from components.session.document_caches import clear_when_unused
from components.session.questions.run_state import runs_of
from components.session.workspace import MOST_WORKSPACES, document, workspace

if TYPE_CHECKING:
    from chunking.store import Workspace

__all__ = [
    "AnswerPart",
    "Outcome",
    "Passage",
    "SampleQuestion",
    "SampleSide",
    "SampleStory",
    "missing_runs",
    "sample_story",
]

_FENCE = re.compile(r"^ {0,3}(```|~~~).*$", re.MULTILINE)
_AROUND, _FIRST = 90, 190
"""Characters shown on either side of an answer, and of a result without one."""


class Outcome(StrEnum):
    """What the results that count hold of an answer."""

    FOUND = "found"
    PARTLY = "partly"
    MISSED = "missed"


class AnswerPart(NamedTuple):
    """A piece of a passage, and whether it belongs to the gold answer."""

    text: str
    is_answer: bool


Passage = tuple[AnswerPart, ...]
"""An excerpt of a document on one line."""


@dataclass(frozen=True, slots=True)
class SampleQuestion:
    """The example question as one configuration answers it."""

    outcome: Outcome
    rank: int | None
    """Rank of the first result that holds a part of the answer, counted or not; None if none stored does."""
    result: Passage | None
    """The first counted result with a part of the answer, else the first one; None without results."""
    shown_rank: int
    """Rank of `result`."""
    missing: Passage | None
    """The answer in its document, if it was not found in full."""


@dataclass(frozen=True, slots=True)
class SampleSide:
    """One configuration on the sample questions: means over the questions, and the example question."""

    config: Config
    run: str
    """Key of its run."""
    recall: float
    """Mean share of the answers' text that was found, 0 to 1."""
    tokens: float
    """Mean context tokens per question."""
    results: int
    """Number of results that count."""
    example: SampleQuestion | None
    """None if the question is not in the set."""


@dataclass(frozen=True, slots=True)
class SampleStory:
    """The baseline and the default settings, both evaluated on the sample questions."""

    baseline: SampleSide
    chosen: SampleSide
    questions: int
    question: str

    @property
    def token_share(self) -> float:
        """Context tokens of the default settings as a share of the baseline's."""
        return self.chosen.tokens / self.baseline.tokens if self.baseline.tokens else 0.0


_SETTINGS = (Config.from_settings(BASELINE), Config())
"""The settings that are compared, the baseline first."""


def missing_runs() -> list[Config]:
    """Return those of the compared settings that have no current run on the sample questions."""
    questions = _dev_questions(workspace())
    return [config for config in _SETTINGS if _run_with(config, questions) is None]


def _dev_questions(target: Workspace) -> QuestionSet:
    """Return the questions that the guide, the cards and the report count, so that all tell the same numbers."""
    return load_set(target, SAMPLE_SET).questions.of(QuestionPart.TUNE)


def sample_story() -> SampleStory | None:
    """Return the story of the current runs; None if one of them is missing."""
    target = workspace()
    return _story(target.uri, target.version(), target.runs.version)


@clear_when_unused
@st.cache_data(show_spinner=False, max_entries=MOST_WORKSPACES)
def _story(address: str, version: str, kept: str) -> SampleStory | None:
    target = workspace()
    questions = _dev_questions(target)
    runs = [run for config in _SETTINGS if (run := _run_with(config, questions)) is not None]
    if len(runs) < len(_SETTINGS):
        return None
    baseline, chosen = (_side(target, run, questions) for run in runs)
    return SampleStory(baseline, chosen, questions.measured, QUESTION)


def _run_with(config: Config, questions: QuestionSet) -> EvaluationRun | None:
    """Return the newest successful run with these very settings on all questions."""
    return next((run for run in runs_of(questions) if run.config == config and not run.error), None)


def _side(target: Workspace, run: EvaluationRun, questions: QuestionSet) -> SampleSide:
    scores = score_run(run, questions, Measure(run.n))
    recall, tokens = float(scores.recall.mean()), float(scores.context_tokens.mean())
    question = next((one for one in questions.questions if one.text == QUESTION), None)
    answered = next((one for one in run.answered if question and one.question_id == question.id), None)
    example = _example(target, answered, question.answers, run.n) if question and answered else None
    return SampleSide(run.config, run.key, recall, tokens, run.n, example)


def _example(target: Workspace, answered: Answered, answers: Sequence[AnswerSpan], n: int) -> SampleQuestion:
    gold = answers[0]
    place = next((place for place, one in enumerate(answered.results) if _holds(one, gold)), None)
    if answered.diagnosis is None:
        outcome = Outcome.FOUND
    else:
        outcome = Outcome.PARTLY if place is not None and place < n else Outcome.MISSED
    counted = place if place is not None and place < n else 0
    result = answered.results[counted] if answered.results else None
    return SampleQuestion(
        outcome,
        None if place is None else place + 1,
        None if result is None else _passage(target, result.doc_id, result.start, result.end, gold),
        counted + 1,
        None if outcome is Outcome.FOUND else _passage(target, gold.doc_id, 0, gold.end + 2 * _AROUND, gold),
    )


def _holds(one: Found, gold: AnswerSpan) -> bool:
    return one.doc_id == gold.doc_id and one.start < gold.end and gold.start < one.end


def _passage(target: Workspace, doc_id: str, start: int, end: int, gold: AnswerSpan) -> Passage | None:
    """Return an excerpt of a span, around the answer if it holds any of it; None if its document is gone."""
    try:
        of = document(target, doc_id)
    except NotFoundError:
        return None
    start, end = max(start, 0), min(end, len(of.text))
    first, last = max(start, gold.start), min(end, gold.end)
    if doc_id != gold.doc_id or first >= last:
        shown = min(end, start + _FIRST)
        shown = max(of.text.rfind("\n\n", start + _AROUND, shown), 0) or shown
        return (AnswerPart(_line(of, start, shown, more=shown < end), False),)
    paragraph = of.text.rfind("\n\n", 0, first) + 1, of.text.find("\n\n", last)
    before = max(start, first - _AROUND, paragraph[0])
    after = min(end, last + _AROUND, paragraph[1] if paragraph[1] >= 0 else end)
    return (
        AnswerPart(_line(of, before, first, cut=before == first - _AROUND), False),
        AnswerPart(_line(of, first, last), True),
        AnswerPart(_line(of, last, after, more=after == last + _AROUND), False),
    )


def _line(of: Document, start: int, end: int, *, cut: bool = False, more: bool = False) -> str:
    """Return a span on one line without markup, and without a torn word where it was cut."""
    text = " ".join(_FENCE.sub("", without_markup(of.format, of.text[start:end])).replace("|", " ").split())
    spaced = of.text[start:end]
    text = f"{' ' * spaced[:1].isspace()}{text}{' ' * spaced[-1:].isspace()}"
    if more:
        text = f"{text.rpartition(' ')[0] or text} …"
    return f"… {text.partition(' ')[2] or text}" if cut else text
