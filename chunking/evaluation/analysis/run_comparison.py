"""Comparison of runs: the leaderboard, the Pareto front of metric and cost, and two runs per question."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

import numpy as np

from chunking.config import CompareConfig, is_baseline
from chunking.display import quantity, summary_line
from chunking.evaluation.analysis.best_of_several import against_best, against_one
from chunking.evaluation.analysis.recommendation import Recommendation, recommend
from chunking.evaluation.analysis.statistics import Difference, Interval, intervals, paired
from chunking.evaluation.metrics.counted_results import Measure
from chunking.evaluation.metrics.metric_table import COST, METRICS, metric_of
from chunking.evaluation.metrics.scoring import Score, Scores, score_run
from chunking.evaluation.questions.question import Question, QuestionSet
from chunking.evaluation.runs.answered import Cause, Diagnosis
from chunking.evaluation.runs.run import EvaluationRun

__all__ = [
    "LeaderboardRun",
    "OutcomeChange",
    "QuestionChange",
    "common",
    "compare_lines",
    "compare_runs",
    "leaderboard",
    "pareto",
    "per_question",
    "summary",
]

_UNKNOWN = Interval(math.nan, math.nan, math.nan, math.nan, 0)


_SAME = 1e-12
"""Rounding error: smaller changes count as none."""


@dataclass(frozen=True, slots=True, repr=False)
class LeaderboardRun:
    """A row of the leaderboard: a run with its statistics and place."""

    run: EvaluationRun
    summary: Mapping[str, Interval]
    """Mean and interval of each metric in `METRICS`, by name."""
    difference: Difference
    """Difference to the run with the best mean, in the leaderboard's metric, on the questions of both runs; corrected
    for the number of runs. 0 for the best run.
    """
    tied: bool
    """True if not significantly worse than the best; true for the best."""
    best: bool
    """True for the best mean, possibly by chance."""
    place: int
    """From 1. The recommended run comes first, then the tied runs by mean, then the others by mean."""
    pareto: bool
    """True if no other run has at least its mean for fewer context tokens, or a better mean for as many. False if the
    tokens are unknown.
    """
    complete: bool
    """True if measured on all questions of the leaderboard. A sweep measures early dropouts on a sample; these come
    last.
    """
    shortfall: float = math.inf
    """Upper bound of its true mean's distance below the best of the complete runs (95 %, for all of them at once)."""
    recommendation: Recommendation | None = None
    """Set for the recommended run only: whether it is decided, and how many questions would decide."""
    lead: Difference | None = None
    """Lead over the baseline on the same questions, positive if better; corrected for the number of runs. None without
    a complete run of the baseline.
    """
    gain: Difference | None = None
    """As `lead`, but over the recommended run; None for runs on a sample of the questions."""

    @property
    def is_baseline(self) -> bool:
        """True for the baseline over the documents as they are in the workspace."""
        return not self.run.parser and is_baseline(self.run.config)

    def __repr__(self) -> str:
        recommended = "recommended" if self.recommendation is not None else ""
        return summary_line(
            "LeaderboardRun", f"{self.place}", self.run.label, recommended, quantity(len(self.run.answered), "question")
        )


class OutcomeChange(StrEnum):
    """Change of a question from run A to B: answer gained or lost, metric better, worse or same."""

    GAINED = "gained"
    """Part of an answer is returned; none was before."""
    BETTER = "better"
    LOST = "lost"
    """No answer is returned any more; part of one was before."""
    WORSE = "worse"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class QuestionChange:
    """A question's scores and diagnoses in two runs, and the change in one metric."""

    question: Question
    a: Score
    b: Score
    change: OutcomeChange
    """Change from `a` to `b` in the compared metric."""
    amount: float
    """Metric of `b` minus metric of `a`."""
    why_a: Diagnosis | None = None
    why_b: Diagnosis | None = None

    @property
    def causes(self) -> tuple[Cause | None, Cause | None]:
        """Cause of failure in each run; None if the run did not fail or was not diagnosed."""
        return (self.why_a.cause if self.why_a else None, self.why_b.cause if self.why_b else None)


def summary(scores: Scores, *, draws: int = 2000, seed: int = 0) -> dict[str, Interval]:
    """Return mean and interval of each metric by name; NaN if it is unknown for any question."""
    finite = [metric for metric in METRICS if np.isfinite(scores.of_metric(metric.name)).all()]
    columns = np.stack([scores.of_metric(metric.name) for metric in finite], axis=1)
    ends = intervals(columns, [metric.bounds for metric in finite], draws=draws, seed=seed)
    by_metric = dict(zip((metric.name for metric in finite), ends, strict=True))
    return {metric.name: by_metric.get(metric.name, _UNKNOWN) for metric in METRICS}


def common(scores: Sequence[Scores]) -> tuple[str, ...]:
    """Return the ids of questions that all runs have, in the first run's order; () for no runs."""
    if not scores:
        return ()
    others = [set(one.ids) for one in scores[1:]]
    return tuple(name for name in scores[0].ids if all(name in other for other in others))


def leaderboard(
    runs: Sequence[EvaluationRun],
    questions: QuestionSet,
    measure: Measure | None = None,
    metric: str = "recall",
    *,
    margin: float | None = None,
    seed: int = 0,
) -> tuple[LeaderboardRun, ...]:
    """Rank runs: first the recommended one, then those tied with the best, then the rest, by mean.

    See `recommendation.recommend`.
    A run is called worse than the best only if its lag exceeds what chance gives the luckiest of that many runs (see
    `best_of_several.against_best`). Runs without any scored question (failed, other questions, metric unknown) are left
    out; those that lack some of the longest run's questions come last (`complete` is False).

    Args:
        margin: points by which the recommended run may be worse than the best (default: `CompareConfig.margin`).
    Raises:
        QuestionError: there is no such metric.
    """
    row = metric_of(metric)
    scored = [
        (run, scores) for run in runs if len(scores := _finite_scores(score_run(run, questions, measure), metric))
    ]
    if not scored:
        return ()
    ids = max(scored, key=lambda one: len(one[1]))[1].ids
    full = [(run, scores.only(ids)) for run, scores in scored if set(ids) <= set(scores.ids)]
    part = [(run, scores) for run, scores in scored if not set(ids) <= set(scores.ids)]
    table = np.stack([scores.of_metric(metric) for _, scores in full], axis=1)
    at, differences = against_best(table, higher_is_better=row.higher_is_better, seed=seed)
    sign = 1 if row.higher_is_better else -1
    costs = np.array([float(scores.of_metric(COST).mean()) for _, scores in full])
    room = row.margin(CompareConfig().margin if margin is None else margin, float(table[:, at].mean()))
    chosen = recommend(
        table, np.where(np.isfinite(costs), costs, math.inf), room, higher_is_better=row.higher_is_better, seed=seed
    )
    front = pareto(
        [(float(scores.of_metric(COST).mean()), sign * float(scores.of_metric(metric).mean())) for _, scores in full]
    )
    signed = sign * table
    usual = _baseline_column([run for run, _ in full], chosen.at)
    gains = against_one(signed, chosen.at, seed=seed)
    leads = (None,) * len(full) if usual is None else against_one(signed, usual, seed=seed)
    lines = [
        LeaderboardRun(
            run,
            summary(scores, seed=seed),
            difference,
            tied=not difference.shown,
            best=number == at,
            place=0,
            pareto=number in front,
            complete=True,
            shortfall=chosen.shortfalls[number],
            recommendation=chosen if number == chosen.at else None,
            lead=leads[number],
            gain=gains[number],
        )
        for number, ((run, scores), difference) in enumerate(zip(full, differences, strict=True))
    ]
    lines += [_sampled(run, scores, full[at][1], metric, seed) for run, scores in part]
    lines.sort(key=lambda line: _order(line, metric, sign))
    return tuple(replace(line, place=place) for place, line in enumerate(lines, start=1))


def compare_runs(
    a: EvaluationRun,
    b: EvaluationRun,
    questions: QuestionSet,
    measure: Measure | None = None,
    metric: str = "recall",
    *,
    seed: int = 0,
) -> Difference:
    """Return the difference `a` minus `b` in a metric, on the questions scored in both runs.

    Without a common question, `n` is 0 and the mean NaN.

    Raises:
        QuestionError: there is no such metric.
    """
    metric_of(metric)
    ours, theirs = (_finite_scores(score_run(run, questions, measure), metric) for run in (a, b))
    both = common([ours, theirs])
    return paired(ours.only(both).of_metric(metric), theirs.only(both).of_metric(metric), seed=seed)


def compare_lines(
    a: LeaderboardRun, b: LeaderboardRun, questions: QuestionSet, measure: Measure, metric: str
) -> Difference:
    """Return `compare_runs` of two rows of a leaderboard, whose printed means it adds up with."""
    difference = compare_runs(a.run, b.run, questions, measure, metric)
    ours, theirs = a.summary[metric], b.summary[metric]
    if not ours.n == theirs.n == difference.n:
        return difference
    return replace(difference, mean=metric_of(metric).apart(ours.mean, theirs.mean) or difference.mean)


def pareto(points: Sequence[tuple[float, float]]) -> tuple[int, ...]:
    """Return the indices of the points (cost, gain) on the Pareto front; equal points all stay.

    A point with an unknown cost (NaN) is never on the front.

    >>> pareto([(100, 0.5), (200, 0.7), (300, 0.6), (200, 0.7)])
    (0, 1, 3)
    """
    kept = []
    for number, (cost, gain) in enumerate(points):
        if math.isfinite(cost) and not any(
            there <= cost and got >= gain and (there, got) != (cost, gain) for there, got in points
        ):
            kept.append(number)
    return tuple(kept)


def per_question(
    a: EvaluationRun, b: EvaluationRun, questions: QuestionSet, measure: Measure | None = None, metric: str = "recall"
) -> tuple[QuestionChange, ...]:
    """Return the scores and change of each question scored in both runs, in the order of `a`.

    Raises:
        QuestionError: there is no such metric.
    """
    row, by_id = metric_of(metric), {one.id: one for one in questions.questions}
    ours, theirs = (_finite_scores(score_run(run, questions, measure), metric) for run in (a, b))
    both = common([ours, theirs])
    ours, theirs = ours.only(both), theirs.only(both)
    why_a, why_b = ({one.question_id: one.diagnosis for one in run.answered} for run in (a, b))
    rows = []
    for place, name in enumerate(both):
        one, other = ours.at(place), theirs.at(place)
        amount = getattr(other, metric) - getattr(one, metric)
        change = _change(amount if row.higher_is_better else -amount, one, other)
        rows.append(QuestionChange(by_id[name], one, other, change, amount, why_a[name], why_b[name]))
    return tuple(rows)


def _baseline_column(runs: Sequence[EvaluationRun], recommended: int) -> int | None:
    """Return the place of the baseline, of several that with the recommended run's model; None without one."""
    model = runs[recommended].config.embedding.model
    there = [place for place, run in enumerate(runs) if not run.parser and is_baseline(run.config)]
    return min(there, key=lambda place: runs[place].config.embedding.model != model, default=None)


def _finite_scores(scores: Scores, metric: str) -> Scores:
    """Drop the questions for which a metric is unknown."""
    finite = np.isfinite(scores.of_metric(metric))
    return (
        scores
        if finite.all()
        else scores.only([name for name, is_known in zip(scores.ids, finite.tolist(), strict=True) if is_known])
    )


def _sampled(run: EvaluationRun, scores: Scores, best: Scores, metric: str, seed: int) -> LeaderboardRun:
    """Return the row of a run that lacks some questions."""
    both = common([scores, best])
    difference = paired(scores.only(both).of_metric(metric), best.only(both).of_metric(metric), seed=seed)
    return LeaderboardRun(run, summary(scores, seed=seed), difference, False, False, 0, False, False)


def _order(line: LeaderboardRun, metric: str, sign: int) -> tuple[bool, bool, bool, float, float]:
    mean, cost = -sign * line.summary[metric].mean, line.summary[COST].mean
    return (
        not line.complete,
        line.recommendation is None,
        not line.tied,
        mean,
        cost if math.isfinite(cost) else math.inf,
    )


def _change(amount: float, before: Score, after: Score) -> OutcomeChange:
    """Classify a change by metric and hit; a positive amount is an improvement."""
    if abs(amount) < _SAME:
        return OutcomeChange.SAME
    if amount > 0:
        return OutcomeChange.GAINED if after.hit and not before.hit else OutcomeChange.BETTER
    return OutcomeChange.LOST if before.hit and not after.hit else OutcomeChange.WORSE
