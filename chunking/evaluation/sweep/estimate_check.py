"""Estimates beside runs of the same configurations on a real index: how far apart they are."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from chunking.config import Config
from chunking.evaluation.metrics.metric_table import METRICS
from chunking.evaluation.metrics.scoring import score_run
from chunking.evaluation.questions.question import QuestionSet
from chunking.evaluation.runs.run import EvaluationRun
from chunking.evaluation.sweep.grid_estimate import LiveEstimate

__all__ = ["Checked", "checked", "mean_distance"]


@dataclass(frozen=True, slots=True)
class Checked:
    """An estimate and the run that measured its configuration."""

    estimate: LiveEstimate
    run: EvaluationRun
    measured: Mapping[str, float]
    """Mean over the questions by the names of `METRICS`, by the measure of the estimate; NaN for what is not known of
    all.
    """

    def distance(self, metric: str) -> float:
        """Estimate less measurement."""
        return self.estimate.means[metric] - self.measured[metric]


def checked(
    estimates: Sequence[LiveEstimate], runs: Sequence[EvaluationRun], questions: QuestionSet
) -> tuple[Checked, ...]:
    """The estimates of which there is a run, in their order; of several runs of a configuration the first.

    Args:
        runs: over all of these questions; other ones do not count.
    """
    by_config = dict[Config, EvaluationRun]()
    for run in runs:
        by_config.setdefault(_searched(run.config), run)
    found = []
    for one in estimates:
        run_of = by_config.get(_searched(one.config)) if one.known else None
        if run_of is None:
            continue
        scores = score_run(run_of, questions, one.measure)
        if len(scores) == one.questions:
            means = {metric.name: float(np.mean(scores.of_metric(metric.name))) for metric in METRICS}
            found.append(Checked(one, run_of, means))
    return tuple(found)


def _searched(config: Config) -> Config:
    """Without how many results it returns: the measure says how many count."""
    return config.model_copy(update={"search": config.search.model_copy(update={"k": 1})})


def mean_distance(rows: Sequence[Checked], metric: str) -> float:
    """Mean distance of estimate and measurement, whichever way; NaN without a row."""
    return float(np.mean([abs(one.distance(metric)) for one in rows])) if rows else math.nan
