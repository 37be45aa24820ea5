"""Effect of each setting across runs that vary several: heat map over two settings, and sensitivity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from chunking.evaluation.analysis.best_of_several import against_best
from chunking.evaluation.analysis.run_comparison import common
from chunking.evaluation.analysis.setting_labels import run_texts, varied
from chunking.evaluation.analysis.statistics import Difference, Interval, intervals
from chunking.evaluation.metrics.counted_results import Measure
from chunking.evaluation.metrics.metric_table import Metric, metric_of
from chunking.evaluation.metrics.scoring import score_run
from chunking.evaluation.questions.question import QuestionSet
from chunking.evaluation.runs.run import EvaluationRun

__all__ = ["Heat", "Sensitivity", "heat", "sensitivity"]


@dataclass(frozen=True, slots=True)
class Heat:
    """Heat map: mean of a metric for each combination of two settings' values."""

    key_x: str
    key_y: str
    x: tuple[str, ...]
    """Values of the first setting as text; numbers in ascending order."""
    y: tuple[str, ...]
    z: np.ndarray
    """(y, x) float64, mean over the runs of a cell; NaN for an empty cell."""
    runs: np.ndarray
    """(y, x) int64, number of runs in a cell."""
    n: int
    """Number of questions common to all runs."""


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """Effect of one setting on a metric: the mean for each value, and best minus worst value."""

    key: str
    values: Mapping[str, Interval]
    """Mean for each value over the runs with that value; numbers in ascending order."""
    best: str
    worst: str
    spread: Difference
    """Best value minus worst value; the interval is corrected for the number of values."""
    matched: bool
    """True if values are compared where all other settings are equal; else no such runs exist, and other settings
    contribute to the difference.
    """
    n: int
    """Number of questions common to all runs."""


def heat(
    runs: Sequence[EvaluationRun],
    questions: QuestionSet,
    key_x: str,
    key_y: str,
    measure: Measure | None = None,
    metric: str = "recall",
) -> Heat:
    """Compute the heat map of a metric over two settings, on the questions common to all runs.

    Runs without a scored question are left out.

    Raises:
        QuestionError: there is no such metric.
    """
    used, table = _table(runs, questions, measure, metric)
    texts = [run_texts(run) for run in used]
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
    """Compute the effect of each varied setting on a metric, the largest effect first.

    On the questions common to all runs with scores; empty if there is none.

    Raises:
        QuestionError: there is no such metric.
    """
    used, table = _table(runs, questions, measure, metric)
    if not len(table):
        return ()
    judged = metric_of(metric)
    texts, keys = [run_texts(run) for run in used], varied(used)
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
    """Return a difference with the opposite sign."""
    return Difference(-one.mean, -one.high, -one.low, one.n, one.p, one.std, one.shown, one.needed, one.differing)


def _table(
    runs: Sequence[EvaluationRun], questions: QuestionSet, measure: Measure | None, metric: str
) -> tuple[list[EvaluationRun], np.ndarray]:
    """Return the runs that can be scored, and (questions, runs) scores on the questions common to all."""
    metric_of(metric)
    scored = [(run, scores) for run in runs if len(scores := score_run(run, questions, measure))]
    ids = common([scores for _, scores in scored])
    if not scored:
        return [], np.empty((0, 0))
    return [run for run, _ in scored], np.stack([scores.only(ids).of_metric(metric) for _, scores in scored], axis=1)


def _sorted(values: set[str]) -> tuple[str, ...]:
    """Sort numbers by value, then other texts alphabetically."""
    return tuple(
        sorted(values, key=lambda value: (0, float(value.rstrip("%")), value) if _number(value) else (1, 0.0, value))
    )


def _number(value: str) -> bool:
    try:
        float(value.rstrip("%"))
    except ValueError:
        return False
    return True
