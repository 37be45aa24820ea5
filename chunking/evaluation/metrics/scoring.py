"""Scores from returned and gold characters, as in Chroma's "Evaluating Chunking Strategies" (2024).

With R the characters of a question's answers and T the returned spans: recall = |R ∩ ∪T| / |R|; precision =
|R ∩ ∪T| / Σ|t|; IoU = |R ∩ ∪T| / (Σ|t| + |R ∖ ∪T|). A character returned twice counts twice in Σ|t|.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from chunking.evaluation.metrics.counted_results import Measure, Missing, Returned, counted, returned
from chunking.evaluation.metrics.metric_table import METRICS
from chunking.evaluation.questions.question import AnswerSpan, QuestionSet
from chunking.evaluation.runs.answered import Answered, AnsweredQuestions, Found

__all__ = ["Score", "Scores", "omega", "only_space", "score_run", "score_spans", "too_shallow"]


class Score(NamedTuple):
    """Metrics of one question; shares are 0 to 1."""

    recall: float
    precision: float
    omega: float
    iou: float
    hit: float
    """1 if a character of an answer was returned, else 0."""
    reciprocal_rank: float
    ndcg: float
    document_recall: float
    """Share of the answers' documents of which a character of an answer was returned."""
    whole: float
    """1 if every answer was returned from end to end (white space may be missing), else 0."""
    context_tokens: float
    """Tokens of the context sent to a language model, for the results that count; NaN if unknown."""
    tokens: float
    """Tokens of the results that count, without neighbours; a truncated result counts by its share."""

    def as_record(self) -> dict[str, float | None]:
        """Return the metrics by name, for JSON; None for an unknown value."""
        return {name: value if math.isfinite(value) else None for name, value in self._asdict().items()}


@dataclass(frozen=True, slots=True)
class Scores:
    """Metrics of several questions: a (q,) float64 array per metric, in the order of `ids`."""

    ids: tuple[str, ...]
    """Ids of the questions."""
    recall: np.ndarray
    precision: np.ndarray
    omega: np.ndarray
    iou: np.ndarray
    hit: np.ndarray
    reciprocal_rank: np.ndarray
    ndcg: np.ndarray
    document_recall: np.ndarray
    whole: np.ndarray
    context_tokens: np.ndarray
    tokens: np.ndarray

    def __len__(self) -> int:
        return len(self.ids)

    @classmethod
    def of(cls, ids: Sequence[str], rows: Iterable[Score]) -> Scores:
        """Build from a score per question, in the order of `ids`."""
        table = np.array(list(rows), np.float64).reshape(len(ids), len(Score._fields))
        return cls(tuple(ids), *np.ascontiguousarray(table.T))

    def of_metric(self, name: str) -> np.ndarray:
        """Return (q,) the values of a metric, by its name in `METRICS`."""
        values: np.ndarray = getattr(self, name)
        return values

    def matrix(self) -> np.ndarray:
        """Return (q, metrics), the columns in the order of `METRICS`."""
        return np.stack([self.of_metric(metric.name) for metric in METRICS], axis=1)

    def at(self, place: int) -> Score:
        """Return the metrics of one question, by its index in `ids`."""
        return Score(*(float(self.of_metric(name)[place]) for name in Score._fields))

    def only(self, ids: Sequence[str]) -> Scores:
        """Return the scores of these questions only, in the order of the given ids.

        Raises:
            KeyError: a question has no score.
        """
        places = {name: place for place, name in enumerate(self.ids)}
        chosen = [places[name] for name in ids]
        return Scores(tuple(ids), *(self.of_metric(name)[chosen] for name in Score._fields))


def score_spans(
    answers: Sequence[AnswerSpan],
    results: Sequence[Found],
    measure: Measure | None = None,
    *,
    omega: float = 0.0,
    context_tokens: Sequence[int] = (),
) -> Score:
    """Compute the metrics of one question from its answers and its ranked results.

    Args:
        answers: spans with at least one character in total; they may overlap and lie in several documents.
        results: results in rank order.
        measure: cutoff of the ranking (default: the first 5).
        omega: precision-omega, which does not depend on the ranking (see `omega`).
        context_tokens: of the context of the first result, the first two, and so on; empty if unknown.
    Raises:
        ZeroDivisionError: the answers hold no character.
    """
    measure = measure or Measure()
    missing = Missing((answer.doc_id, answer.start, answer.end) for answer in answers)
    sizes = missing.by_document()
    total, shares = missing.total, sorted(sizes, reverse=True)
    got = characters = 0
    gain = reciprocal = 0.0
    pieces = returned(results, measure)
    for piece in pieces:
        characters += piece.end - piece.start
        new = missing.take(piece.doc_id, piece.start, piece.end) if piece.doc_id else 0
        if new:
            gain += new / math.log2(1 + piece.rank)
            reciprocal = reciprocal or 1 / piece.rank
            got += new
    ideal = sum(share / math.log2(1 + rank) for rank, share in enumerate(shares[: measure.n], start=1))
    return Score(
        recall=got / total,
        precision=got / characters if characters else 0.0,
        omega=omega,
        iou=got / (characters + total - got),
        hit=float(got > 0),
        reciprocal_rank=reciprocal,
        ndcg=gain / ideal,
        document_recall=_touched(sizes, missing.by_document()),
        whole=float(got == total or (got > 0 and only_space(missing, answers))),
        context_tokens=_context_tokens(context_tokens, counted(results, measure)),
        tokens=_hit_tokens(results, pieces, measure),
    )


def _touched(before: Sequence[int], after: Sequence[int]) -> float:
    """Share of the answers' documents of which at least one character was returned.

    >>> _touched([40, 10, 0], [0, 10, 0])
    0.5
    """
    return sum(now < then for then, now in zip(before, after, strict=True)) / sum(then > 0 for then in before)


def _context_tokens(tokens: Sequence[int], count: int) -> float:
    """Return the context tokens of the first `count` results; a truncated result is sent entirely."""
    if not count:
        return 0.0
    return float(tokens[count - 1]) if count <= len(tokens) else math.nan


def _hit_tokens(results: Sequence[Found], pieces: Sequence[Returned], measure: Measure) -> float:
    """Count the tokens of the hits alone, without neighbours."""
    if measure.expanded:
        return float(sum(one.tokens for one in results[: counted(results, measure)]))
    return sum(piece.tokens for piece in pieces)


def only_space(missing: Missing, answers: Sequence[AnswerSpan]) -> bool:
    """True if nothing but white space of the answers is missing, as between two chunks.

    False if a missing part belongs to an answer whose text is not as long as its span.
    """
    for doc_id, start, end in missing.rest():
        for answer in answers:
            if answer.doc_id != doc_id or answer.start >= end or answer.end <= start:
                continue
            if (
                len(answer.text) != answer.end - answer.start
                or answer.text[max(start - answer.start, 0) : end - answer.start].strip()
            ):
                return False
    return True


def score_run(run: AnsweredQuestions, questions: QuestionSet, measure: Measure | None = None) -> Scores:
    """Score the results of a run, in the order of `run.answered`.

    Questions outside `questions` have no row: pass a part of the set to score that part. Nor do questions without an
    answer; `unanswered` reports on these.
    """
    answers = {one.id: one.answers for one in questions.questions if any(span.end > span.start for span in one.answers)}
    rows = [one for one in run.answered if one.question_id in answers]
    scored = (
        score_spans(_gold(one, answers), one.results, measure, omega=one.omega, context_tokens=one.context_tokens)
        for one in rows
    )
    return Scores.of([one.question_id for one in rows], scored)


def _gold(answered: Answered, answers: Mapping[str, tuple[AnswerSpan, ...]]) -> tuple[AnswerSpan, ...]:
    """Return the answers of a question in the text that the run searched."""
    return answered.gold or answers[answered.question_id]


def too_shallow(run: AnsweredQuestions, measure: Measure) -> int:
    """Count the questions for which the run stored too few results for a measure.

    Its cutoff is deeper than the stored results, or they do not fill its token budget. A question with fewer results
    than the run's depth has no more, and does not count.
    """

    def short(results: Sequence[Found]) -> bool:
        if len(results) < run.depth or (measure.n is not None and measure.n <= len(results)):
            return False
        return measure.budget is None or sum(piece.tokens for piece in returned(results, measure)) < measure.budget

    return 0 if measure.n is None and measure.budget is None else sum(short(one.results) for one in run.answered)


def omega(answers: Sequence[AnswerSpan], chunks: Iterable[tuple[str, int, int]]) -> float:
    """Return the precision if just the chunks that touch an answer were returned; 0 if none does.

    Args:
        answers: of one question.
        chunks: (document, start, end) of all chunks, or of those of the answers' documents.
    """
    spans = [(answer.doc_id, answer.start, answer.end) for answer in answers if answer.end > answer.start]
    missing, characters, got = Missing(spans), 0, 0
    for doc_id, start, end in chunks:
        if end > start and any(doc_id == there and start < high and end > low for there, low, high in spans):
            characters += end - start
            got += missing.take(doc_id, start, end)
    return got / characters if characters else 0.0
