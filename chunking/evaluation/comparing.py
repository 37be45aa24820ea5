"""Runs beside each other: the leaderboard, the front of recall against context tokens, and two runs question by question."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from chunking.evaluation.best import against_best
from chunking.evaluation.measure import Measure
from chunking.evaluation.metrics import COST, METRICS, metric_of
from chunking.evaluation.questions import Question, QuestionSet
from chunking.evaluation.runs import Cause, Diagnosis, Run
from chunking.evaluation.scoring import Score, Scores, score_run
from chunking.evaluation.statistics import Difference, Interval, intervals, paired

__all__ = ["Change", "Line", "QuestionChange", "common", "compare_runs", "leaderboard", "pareto", "per_question", "summary"]

_UNKNOWN = Interval(math.nan, math.nan, math.nan, math.nan, 0)


@dataclass(frozen=True, slots=True)
class Line:
    """A run on the leaderboard."""

    run: Run
    summary: Mapping[str, Interval]
    """By the names of `METRICS`."""
    difference: Difference
    """To the run with the best mean, in the leaderboard's metric, on the questions both have; corrected for the number of
    runs. The best's own is 0."""
    tied: bool
    """Not shown to be worse than the best; the best itself is one of them."""
    best: bool
    """Has the best mean, which chance may have given it."""
    place: int
    """From 1. The tied come first, those that send fewer context tokens above; then the others by their means."""
    pareto: bool
    """No other run has at least its mean for fewer context tokens, or a better one for as many. Never where these are not known."""
    complete: bool
    """Measured on all questions that the leaderboard is about; a sweep measures what drops out early on a sample only, and
    then it stands below the others."""


class Change(StrEnum):
    """What the second run made of a question that the first one answered better, worse or alike."""

    GAINED = "gained"
    LOST = "lost"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class QuestionChange:
    """A question in two runs."""

    question: Question
    a: Score
    b: Score
    change: Change
    """Of `b` to `a`, in the metric compared."""
    amount: float
    """By how much the metric rose (below 0: fell) from `a` to `b`."""
    why_a: Diagnosis | None = None
    why_b: Diagnosis | None = None

    @property
    def causes(self) -> tuple[Cause | None, Cause | None]:
        """Why each run failed; None where it did not, or that was not looked at."""
        return (self.why_a.cause if self.why_a else None, self.why_b.cause if self.why_b else None)


def summary(scores: Scores, *, draws: int = 2000, seed: int = 0) -> dict[str, Interval]:
    """Mean and interval of every metric, by name; NaN for one that is not known of every question."""
    known = [metric.name for metric in METRICS if np.isfinite(scores.of_metric(metric.name)).all()]
    columns = np.stack([scores.of_metric(name) for name in known], axis=1)
    found = dict(zip(known, intervals(columns, draws=draws, seed=seed), strict=True))
    return {metric.name: found.get(metric.name, _UNKNOWN) for metric in METRICS}


def common(scores: Sequence[Scores]) -> tuple[str, ...]:
    """Ids of the questions that all of them have, in the order of the first."""
    if not scores:
        return ()
    others = [set(one.ids) for one in scores[1:]]
    return tuple(name for name in scores[0].ids if all(name in other for other in others))


def leaderboard(
    runs: Sequence[Run], questions: QuestionSet, measure: Measure | None = None, metric: str = "recall", *, seed: int = 0
) -> tuple[Line, ...]:
    """Runs from the best down, those that chance cannot tell from the best first, by their context tokens.

    A run is called worse than the best only where its lag is larger than chance gives the luckiest of so many runs (see
    `best.against_best`). Runs that failed, and those without a question of the set or without the metric,
    have no line.

    Raises:
        QuestionError: there is no such metric.
    """
    row = metric_of(metric)
    scored = [(run, scores) for run in runs if len(scores := _known(score_run(run, questions, measure), metric))]
    if not scored:
        return ()
    most = max(scored, key=lambda one: len(one[1]))[1].ids
    full = [(run, scores.only(most)) for run, scores in scored if set(most) <= set(scores.ids)]
    part = [(run, scores) for run, scores in scored if not set(most) <= set(scores.ids)]
    table = np.stack([scores.of_metric(metric) for _, scores in full], axis=1)
    at, differences = against_best(table, higher_is_better=row.higher_is_better, seed=seed)
    sign = 1 if row.higher_is_better else -1
    front = pareto([(float(scores.of_metric(COST).mean()), sign * float(scores.of_metric(metric).mean())) for _, scores in full])
    lines = [
        Line(run, summary(scores, seed=seed), difference, not difference.shown, number == at, 0, number in front, True)
        for number, ((run, scores), difference) in enumerate(zip(full, differences, strict=True))
    ]
    lines += [_sampled(run, scores, full[at][1], metric, seed) for run, scores in part]
    lines.sort(key=lambda line: _order(line, metric, sign))
    return tuple(_placed(line, place) for place, line in enumerate(lines, start=1))


def compare_runs(
    a: Run, b: Run, questions: QuestionSet, measure: Measure | None = None, metric: str = "recall", *, seed: int = 0
) -> Difference:
    """The first less the second in a metric, on the questions of which both have it.

    Raises:
        QuestionError: there is no such metric.
    """
    metric_of(metric)
    ours, theirs = (_known(score_run(run, questions, measure), metric) for run in (a, b))
    both = common([ours, theirs])
    return paired(ours.only(both).of_metric(metric), theirs.only(both).of_metric(metric), seed=seed)


def pareto(points: Sequence[tuple[float, float]]) -> tuple[int, ...]:
    """Which points (cost, gain) no other one beats: at least the gain for less, or more for the same. Equal ones all stay.
    One without a known cost (NaN) is never among them.

    >>> pareto([(100, 0.5), (200, 0.7), (300, 0.6), (200, 0.7)])
    (0, 1, 3)
    """
    kept = []
    for number, (cost, gain) in enumerate(points):
        if math.isfinite(cost) and not any(there <= cost and got >= gain and (there, got) != (cost, gain) for there, got in points):
            kept.append(number)
    return tuple(kept)


def per_question(
    a: Run, b: Run, questions: QuestionSet, measure: Measure | None = None, metric: str = "recall"
) -> tuple[QuestionChange, ...]:
    """Every question of which both runs have the metric, in the order of the first: what the second gained and lost.

    Raises:
        QuestionError: there is no such metric.
    """
    row, by_id = metric_of(metric), {one.id: one for one in questions.questions}
    ours, theirs = (_known(score_run(run, questions, measure), metric) for run in (a, b))
    both = common([ours, theirs])
    ours, theirs = ours.only(both), theirs.only(both)
    why_a, why_b = ({one.question_id: one.diagnosis for one in run.answered} for run in (a, b))
    rows = []
    for place, name in enumerate(both):
        one, other = ours.at(place), theirs.at(place)
        amount = getattr(other, metric) - getattr(one, metric)
        better = amount if row.higher_is_better else -amount
        change = Change.SAME if abs(amount) < 1e-12 else Change.GAINED if better > 0 else Change.LOST
        rows.append(QuestionChange(by_id[name], one, other, change, amount, why_a[name], why_b[name]))
    return tuple(rows)


def _known(scores: Scores, metric: str) -> Scores:
    """Without the questions of which a metric is not known."""
    known = np.isfinite(scores.of_metric(metric))
    return scores if known.all() else scores.only([name for name, is_known in zip(scores.ids, known.tolist(), strict=True) if is_known])


def _sampled(run: Run, scores: Scores, best: Scores, metric: str, seed: int) -> Line:
    """Of a run that lacks some questions."""
    both = common([scores, best])
    difference = paired(scores.only(both).of_metric(metric), best.only(both).of_metric(metric), seed=seed)
    return Line(run, summary(scores, seed=seed), difference, False, False, 0, False, False)


def _order(line: Line, metric: str, sign: int) -> tuple[bool, bool, float, float]:
    mean, cost = -sign * line.summary[metric].mean, line.summary[COST].mean
    cost = cost if math.isfinite(cost) else math.inf
    return (not line.complete, not line.tied, cost, mean) if line.tied else (not line.complete, True, mean, cost)


def _placed(line: Line, place: int) -> Line:
    return Line(line.run, line.summary, line.difference, line.tied, line.best, place, line.pareto, line.complete)
