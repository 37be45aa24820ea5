"""What each setting does, out of runs that vary several: a heat map over two, and how much recall hangs on each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from chunking.evaluation.analysis.best_of_several import against_best
from chunking.evaluation.analysis.run_comparison import common
from chunking.evaluation.analysis.setting_labels import setting_texts, varied
from chunking.evaluation.analysis.statistics import Difference, Interval, intervals
from chunking.evaluation.metrics.counted_results import Measure
from chunking.evaluation.metrics.metric_table import Metric, metric_of
from chunking.evaluation.metrics.scoring import score_run
from chunking.evaluation.questions.question import QuestionSet
from chunking.evaluation.runs.run import EvaluationRun

__all__ = ["Heat", "Sensitivity", "heat", "sensitivity"]


@dataclass(frozen=True, slots=True)
class Heat:
    """A metric over the values of two settings."""

    key_x: str
    key_y: str
    x: tuple[str, ...]
    """Values of the first, as text: numbers in their order."""
    y: tuple[str, ...]
    z: np.ndarray
    """(y, x) float64, the mean of the runs of a cell; NaN where there is none."""
    runs: np.ndarray
    """(y, x) int64: how many runs a cell is the mean of."""
    n: int
    """Questions that all runs have."""


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """What a metric owes to one setting."""

    key: str
    values: Mapping[str, Interval]
    """The mean for each value, over the runs that have it; numbers in their order."""
    best: str
    worst: str
    spread: Difference
    """The best value less the worst, the interval corrected for the number of values."""
    matched: bool
    """The values are compared where all other settings are the same; else no such runs exist, and other settings have a
    share in the difference."""
    n: int
    """Questions that all runs have."""


def heat(
    runs: Sequence[EvaluationRun],
    questions: QuestionSet,
    key_x: str,
    key_y: str,
    measure: Measure | None = None,
    metric: str = "recall",
) -> Heat:
    """A metric over two settings, on the questions that all runs have.

    Raises:
        QuestionError: there is no such metric.
    """
    used, table = _table(runs, questions, measure, metric)
    texts = [setting_texts(run.config) for run in used]
    x, y = (_sorted({one.get(key, "") for one in texts}) for key in (key_x, key_y))
    total, count = np.zeros((len(y), len(x))), np.zeros((len(y), len(x)), np.int64)
    for one, column in zip(texts, table.T, strict=True):
        cell = y.index(one.get(key_y, "")), x.index(one.get(key_x, ""))
        total[cell] += column.mean() if len(column) else np.nan
        count[cell] += 1
    z = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    return Heat(key_x, key_y, x, y, z, count, len(table))


def sensitivity(
    runs: Sequence[EvaluationRun],
    questions: QuestionSet,
    measure: Measure | None = None,
    metric: str = "recall",
    *,
    seed: int = 0,
) -> tuple[Sensitivity, ...]:
    """For every setting that varies, what it does to a metric; the one with the largest effect first.

    Raises:
        QuestionError: there is no such metric.
    """
    used, table = _table(runs, questions, measure, metric)
    if not len(table):
        return ()
    judged = metric_of(metric)
    texts, keys = [setting_texts(run.config) for run in used], varied(used)
    rows = [_sensitivity(key, [key_ for key_ in keys if key_ != key], texts, table, judged, seed) for key in keys]
    return tuple(sorted(rows, key=lambda row: -abs(row.spread.mean)))


def _sensitivity(
    key: str, others: Sequence[str], texts: Sequence[Mapping[str, str]], table: np.ndarray, metric: Metric, seed: int
) -> Sensitivity:
    values = _sorted({one.get(key, "") for one in texts})
    groups: dict[tuple[str, ...], dict[str, list[int]]] = {}
    for number, one in enumerate(texts):
        groups.setdefault(tuple(one.get(other, "") for other in others), {}).setdefault(one.get(key, ""), []).append(
            number
        )
    complete = [group for group in groups.values() if len(group) == len(values)]
    matched = complete or [{value: [n for group in groups.values() for n in group.get(value, ())] for value in values}]
    columns = np.stack(
        [np.mean([table[:, group[value]].mean(axis=1) for group in matched], axis=0) for value in values], axis=1
    )
    higher = metric.higher_is_better
    at, differences = against_best(columns, higher_is_better=higher, seed=seed)
    means = columns.mean(axis=0)
    worst = int(np.argmin(means if higher else -means))
    means_of = dict(zip(values, intervals(columns, [metric.bounds] * len(values), seed=seed), strict=True))
    return Sensitivity(
        key, means_of, values[at], values[worst], _turned(differences[worst]), bool(complete), len(table)
    )


def _turned(one: Difference) -> Difference:
    """The same difference the other way round."""
    return Difference(-one.mean, -one.high, -one.low, one.n, one.p, one.std, one.shown, one.needed, one.differing)


def _table(
    runs: Sequence[EvaluationRun], questions: QuestionSet, measure: Measure | None, metric: str
) -> tuple[list[EvaluationRun], np.ndarray]:
    """Runs that can be scored, and (questions, runs) of the questions that all of them have."""
    metric_of(metric)
    scored = [(run, scores) for run in runs if len(scores := score_run(run, questions, measure))]
    ids = common([scores for _, scores in scored])
    if not scored:
        return [], np.empty((0, 0))
    return [run for run, _ in scored], np.stack([scores.only(ids).of_metric(metric) for _, scores in scored], axis=1)


def _sorted(values: set[str]) -> tuple[str, ...]:
    """Numbers by their size, then the rest by the alphabet."""
    return tuple(
        sorted(values, key=lambda value: (0, float(value.rstrip("%")), value) if _number(value) else (1, 0.0, value))
    )


def _number(value: str) -> bool:
    try:
        float(value.rstrip("%"))
    except ValueError:
        return False
    return True
