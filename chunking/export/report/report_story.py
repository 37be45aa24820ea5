"""One question in full: its answer, and the results of the baseline and of the recommended settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from chunking.display import quantity
from chunking.errors import NotFoundError
from chunking.evaluation import (
    AnswerSpan,
    EvaluationRun,
    Found,
    LeaderboardRun,
    Measure,
    OutcomeChange,
    Question,
    QuestionChange,
    counted,
)
from chunking.export.export_job import Material

__all__ = ["Passage", "QuestionStory", "StorySide", "story"]

_TRIED = 8
"""Most questions whose texts are looked up."""
_LONGEST_ANSWER, _AROUND, _WRONG = 360, 220, 420
"""Most characters of an answer, of the text on each side of it, and of a result without it."""


class Passage(NamedTuple):
    """A piece of an excerpt."""

    text: str
    is_answer: bool


@dataclass(frozen=True, slots=True)
class StorySide:
    """What one configuration returned for the question."""

    label: str
    """Its role on the cards, else its settings."""
    is_right: bool
    outcome: str
    """Sentence: at which rank the answer came, or that it did not."""
    source: str
    """Document of the excerpt."""
    excerpt: tuple[Passage, ...]


@dataclass(frozen=True, slots=True)
class QuestionStory:
    """A question that one configuration missed and the other answered."""

    question: str
    answer: str
    wrong: StorySide
    right: StorySide
    why: str
    """Why the first one failed; may be empty."""


def story(
    changes: Sequence[QuestionChange],
    pair: tuple[LeaderboardRun, LeaderboardRun],
    measure: Measure,
    material: Material,
) -> QuestionStory | None:
    """Return a question that only the second run of a pair answered; None without one.

    The first run missed it, and the second has its whole answer. Short answers and high ranks come first. A question
    whose documents have changed or are gone is passed over.
    """
    if any(line.run.parser for line in pair):
        return None  # its results lie in another text
    missed = [
        one
        for one in changes
        if one.change is OutcomeChange.GAINED and not one.a.hit and one.b.whole >= 1 and len(one.question.answers) == 1
    ]
    missed.sort(key=lambda one: (len(one.question.answers[0].text) > _LONGEST_ANSWER, -one.b.reciprocal_rank))
    stories = (_story_of(one, pair, measure, material) for one in missed[:_TRIED])
    return next((one for one in stories if one is not None), None)


def _story_of(
    change: QuestionChange, pair: tuple[LeaderboardRun, LeaderboardRun], measure: Measure, material: Material
) -> QuestionStory | None:
    (answer,) = change.question.answers
    try:
        if material.workspace.document(answer.doc_id).text[answer.start : answer.end] != answer.text:
            return None
        wrong, right = (_side(line, change.question, answer, measure, material) for line in pair)
    except NotFoundError:
        return None
    if wrong is None or right is None or not any(one.is_answer for one in right.excerpt):
        return None
    why = change.why_a.sentence if change.why_a else ""
    return QuestionStory(change.question.text, answer.text, wrong, right, why)


def _side(
    line: LeaderboardRun, question: Question, answer: AnswerSpan, measure: Measure, material: Material
) -> StorySide | None:
    """Return the first result with the answer, else the first of all; None where nothing has a document."""
    results = [one for one in _results(line.run, question, measure) if one.doc_id]
    if not results:
        return None
    ranks = [rank for rank, one in enumerate(results) if _overlaps(one, answer)]
    hit = results[ranks[0] if ranks else 0]
    text = material.workspace.document(hit.doc_id).text
    outcome = (
        f"The answer is in result {ranks[0] + 1}."
        if ranks
        else f"The answer is not in its {quantity(len(results), 'result')}. This is the first one."
    )
    excerpt = _excerpt(text, hit, answer) if ranks else (Passage(_clip(text[hit.start : hit.end], _WRONG), False),)
    source = material.sources.get(hit.doc_id, hit.doc_id)
    label = "Recommended" if line.recommendation else "Baseline" if line.is_baseline else line.run.label
    return StorySide(label, bool(ranks), outcome, source, excerpt)


def _results(run: EvaluationRun, question: Question, measure: Measure) -> Sequence[Found]:
    answered = next(one for one in run.answered if one.question_id == question.id)
    return answered.results[: counted(answered.results, measure)]


def _overlaps(one: Found, answer: AnswerSpan) -> bool:
    return one.doc_id == answer.doc_id and one.start < answer.end and answer.start < one.end


def _excerpt(text: str, hit: Found, answer: AnswerSpan) -> tuple[Passage, ...]:
    """Return the answer inside its result, with some text on each side."""
    low, high = max(hit.start, answer.start), min(hit.end, answer.end)
    start, end = max(hit.start, low - _AROUND), min(hit.end, high + _AROUND)
    before = ("… " if start > hit.start else "") + text[start:low].lstrip()
    after = text[high:end].rstrip() + (" …" if end < hit.end else "")
    return Passage(before, False), Passage(text[low:high], True), Passage(after, False)


def _clip(text: str, most: int) -> str:
    text = text.strip()
    return text if len(text) <= most else f"{text[:most].rstrip()} …"
