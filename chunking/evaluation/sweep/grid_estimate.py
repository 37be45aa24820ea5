"""Estimation of a sweep with live recall, choice of configurations to measure, errors of estimates.

No index is built: documents are measured and encoded once per model, then a configuration takes a moment. Settings
that live recall cannot follow are not estimated, and the reason is reported. Recommendations come from runs only.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import TYPE_CHECKING, Any

import numpy as np

from chunking.config import Config, EmbeddingConfig, EmbeddingMode, is_baseline
from chunking.errors import Cancelled, ChunkscopeError, QuestionError
from chunking.evaluation.live.live_recall import LiveRecall, gaps_of
from chunking.evaluation.live.preparation_time import PreparationTime, SecondsLeft
from chunking.evaluation.metrics.counted_results import Measure
from chunking.evaluation.metrics.metric_table import COST, METRICS, metric_of
from chunking.evaluation.metrics.scoring import score_run
from chunking.evaluation.questions.question import QuestionPart, QuestionSet
from chunking.evaluation.runs.evaluate import refuse_unanswerable
from chunking.evaluation.runs.run import Cancel, EvaluationProgress, EvaluationRun, OnProgress
from chunking.evaluation.sweep.sweep import PARSER, Planned, Sweep
from chunking.model import Document
from chunking.splitting import headings_key

if TYPE_CHECKING:
    from chunking.embedding import EncodingCache, VectorCache

__all__ = [
    "CandidateConfig",
    "Checked",
    "EstimateProgress",
    "LiveEstimate",
    "Reason",
    "checked",
    "estimate_grid",
    "mean_distance",
    "worth_measuring",
]

_SAME = 1e-9
"""Rounding error: smaller differences count as none."""

_OTHER_TEXT = (
    "Live recall knows only the documents as they are parsed in the workspace, so no other parser is estimated."
)
_EACH = 0.05
"""Assumed seconds per configuration before any was estimated."""


@dataclass(frozen=True, slots=True)
class LiveEstimate:
    """Live recall's mean scores of a sweep's configuration, or the reasons why it has none."""

    settings: Mapping[str, str]
    """Changes to the base."""
    config: Config
    measure: Measure
    means: Mapping[str, float] = field(default_factory=dict)
    """Mean over the questions by name of `METRICS`; empty if not estimated."""
    questions: int = 0
    chunks: int = 0
    """Number of chunks (level chunk) over all documents."""
    gaps: tuple[str, ...] = ()
    """Sentences on why it is not estimated."""
    notes: tuple[str, ...] = ()
    """Sentences about the limits of the estimate."""

    @property
    def known(self) -> bool:
        """True if the configuration was estimated."""
        return bool(self.means)

    def as_record(self) -> dict[str, Any]:
        """Return plain values, the input of `from_record`."""
        tree = {name: getattr(self, name) for name in ("questions", "chunks")}
        lists = {name: list(getattr(self, name)) for name in ("gaps", "notes")}
        return {"settings": dict(self.settings), "means": dict(self.means)} | tree | lists

    @classmethod
    def from_record(cls, tree: Mapping[str, Any], sweep: Sweep) -> LiveEstimate:
        """Parse the output of `as_record`, for an estimate of this sweep.

        Raises:
            ConfigError: the settings conflict: it is of another sweep.
        """
        config = sweep.config_of(tree["settings"])
        measure = _measure(sweep, tree["settings"], config)
        values = {name: tree[name] for name in ("settings", "means", "questions", "chunks")}
        return cls(config=config, measure=measure, gaps=tuple(tree["gaps"]), notes=tuple(tree["notes"]), **values)


def estimate_grid(
    sweep: Sweep,
    documents: Sequence[Document],
    questions: QuestionSet,
    *,
    encodings: EncodingCache | None = None,
    vectors: VectorCache | None = None,
    on_progress: OnProgress | None = None,
    cancelled: Cancel | None = None,
) -> Iterator[LiveEstimate]:
    """Yield a live estimate of each valid configuration of a sweep, grouped by model and headings.

    Configurations that live recall cannot follow come before all others, with `gaps` instead of means. Each group is
    encoded first; then the base comes, if it is in the group, and the others in an order decided by the seed. Invalid
    combinations are left out (see `Sweep.configs`).

    Args:
        questions: the set; of one that is split, only the dev questions are asked.
        encodings: cache of document encodings, such as `Workspace.encodings`.
        vectors: cache of the vectors of questions and titles, such as `Workspace.vectors`.
        on_progress: counts configurations.
    Raises:
        QuestionError: there is no question whose answer is in the documents, or as `Sweep.check`.
        ModelError: a model cannot be loaded, or fails.
        Cancelled: it was stopped; the encodings so far are cached.
    """
    sweep.check()
    ids = {one.doc_id for one in documents}
    tuned = questions.of(QuestionPart.TUNE)
    answerable = tuple(
        one for one in tuned.questions if one.answers and all(answer.doc_id in ids for answer in one.answers)
    )
    if not answerable:
        refuse_unanswerable(tuned)
        message = f"No question of '{questions.name}' has its answer in these documents; add the documents first."
        raise QuestionError(message, where=questions.name)
    valid = [(one, one.config) for one in sweep.configs() if one.config is not None]
    followed = dict[tuple[EmbeddingConfig, object], list[tuple[Planned, Config]]]()
    there = {one.parser for one in documents if not one.parent_id}
    for one, config in valid:
        gaps = (*([_OTHER_TEXT] if one.parser and there != {one.parser} else []), *gaps_of(config))
        if gaps:
            yield LiveEstimate(one.settings, config, _measure(sweep, one.settings, config), gaps=gaps)
        else:
            embedding = config.embedding.model_copy(update={"mode": EmbeddingMode.STANDARD})
            followed.setdefault((embedding, headings_key(config)), []).append((one, config))
    models = {of for of, _ in followed} if on_progress is not None else ()
    preparation = PreparationTime.of(documents, models, encodings)
    progress = EstimateProgress(sum(map(len, followed.values())), preparation, on_progress, cancelled)
    for (embedding, _), some in followed.items():
        live = LiveRecall(
            documents,
            embedding,
            replace(tuned, questions=answerable),
            encodings=encodings,
            vectors=vectors,
            shape=some[0][1],
        )
        live.prepare(progress.preparing)
        for one, config in sorted(some, key=lambda row: _order(sweep, row[1])):
            progress.next()
            yield _estimate(live, sweep, one, config)
    progress.end()


def _measure(sweep: Sweep, settings: Mapping[str, str], config: Config) -> Measure:
    """Return the measure that `run_sweep` uses for a configuration."""
    return sweep.measure(config.search.k if "search.k" in settings else sweep.n)


def _order(sweep: Sweep, config: Config) -> tuple[bool, str]:
    """Return a seeded sort key that puts the base first and groups configurations with the same split."""
    split = json.dumps([config.chunk.model_dump(mode="json"), config.categories, config.index.tokenizer])
    return config != sweep.base, hashlib.sha256(f"{sweep.seed} {split}".encode()).hexdigest()


def _estimate(live: LiveRecall, sweep: Sweep, one: Planned, config: Config) -> LiveEstimate:
    measure = _measure(sweep, one.settings, config)
    try:
        scores = live.scores(config, measure)
    except ChunkscopeError as error:  # a splitter of the user's, say: the others are estimated
        return LiveEstimate(one.settings, config, measure, gaps=(str(error),))
    means = {metric.name: float(np.mean(scores.scores.of_metric(metric.name))) for metric in METRICS}
    return LiveEstimate(
        one.settings,
        config,
        measure,
        means,
        len(scores.question_ids),
        scores.chunks,
        notes=(*scores.warnings, *scores.notes),
    )


# -- which of them to measure


class Reason(StrEnum):
    """Reason why a configuration is worth an index."""

    BEST = "best"
    """Best estimate."""
    CHEAPEST = "cheapest"
    """Fewest context tokens among the estimates within the margin of the best."""
    PRESENT = "present"
    """Current settings."""
    NEXT = "next"
    """Best estimate of the rest."""
    BASELINE = "baseline"
    """How most people split and search: what the others are compared with."""


@dataclass(frozen=True, slots=True)
class CandidateConfig:
    """An estimated configuration worth measuring on an index, with the reasons."""

    estimate: LiveEstimate
    reasons: tuple[Reason, ...]


def worth_measuring(
    estimates: Sequence[LiveEstimate], metric: str, margin: float, present: Config, most: int = 3
) -> tuple[CandidateConfig, ...]:
    """Choose up to `most` configurations to measure, and the baseline in addition.

    They come in the order of `Reason`. The choice rests on estimates, and decides nothing but what is measured.

    Args:
        margin: points, as `CompareConfig.margin`.
        present: the current configuration; chosen if `estimates` has it, even without means.
        most: maximum number of configurations besides the baseline; 0: none at all.
    Raises:
        QuestionError: there is no such metric.
    """
    row = metric_of(metric)
    sign = 1 if row.higher_is_better else -1
    estimated = sorted(
        (one for one in estimates if one.known), key=lambda one: (-sign * one.means[metric], one.means[COST])
    )
    chosen = list[tuple[LiveEstimate, Reason]]()
    if estimated:
        best = estimated[0].means[metric]
        candidates = [one for one in estimated if sign * (best - one.means[metric]) <= row.margin(margin, best) + _SAME]
        chosen += [(estimated[0], Reason.BEST), (min(candidates, key=lambda one: one.means[COST]), Reason.CHEAPEST)]
    chosen += [(one, Reason.PRESENT) for one in estimates if one.config == present]
    chosen += [(one, Reason.NEXT) for one in estimated if all(one is not other for other, _ in chosen)]
    reasons = dict[int, tuple[LiveEstimate, list[Reason]]]()
    for one, reason in chosen:
        reasons.setdefault(id(one), (one, []))[1].append(reason)
    few = {id(one): (one, why) for one, why in list(reasons.values())[:most]}
    for one in estimates if few else ():
        if not one.settings.get(PARSER) and is_baseline(one.config):
            few.setdefault(id(one), (one, []))[1].append(Reason.BASELINE)
    return tuple(CandidateConfig(one, tuple(why)) for one, why in few.values())


class EstimateProgress:
    """Progress and cancellation of an estimation, with the time left from the first second.

    Each report raises `Cancelled` once `cancelled` returns True.

    Args:
        total: number of configurations to estimate.
        preparation: estimator of the time until the documents are encoded.
        clock: returns seconds.
    """

    def __init__(
        self,
        total: int,
        preparation: PreparationTime,
        on_progress: OnProgress | None,
        cancelled: Cancel | None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._total, self._on_progress, self._cancelled, self._clock = total, on_progress, cancelled, clock
        self._done, self._share = 0, 0.0
        self._began, self._preparation = clock(), preparation
        self._estimating: float | None = None
        """When the first configuration began; `_took` before the last of them did."""
        self._took = 0.0

    def preparing(self, share: float, what: str) -> None:
        """Report the share (0 to 1) of the documents that is encoded, and the time left."""
        now = self._clock()
        if self._estimating is not None:  # those of another model
            self._took += now - self._estimating
            self._estimating = None
            self._preparation.begin()
        left = self._preparation.after(share, what)
        self._tell(what if left.stage is not None else f"{what} ({share:.0%})", left)

    def next(self) -> None:
        """Report that the estimate of the next configuration begins."""
        self._estimating = self._clock() if self._estimating is None else self._estimating
        self._tell("Estimating", SecondsLeft(0.0))
        self._done += 1

    def end(self) -> None:
        """Report that all configurations are estimated."""
        self._tell("Ready", SecondsLeft(0.0))

    def _tell(self, message: str, preparing: SecondsLeft) -> None:
        if self._cancelled is not None and self._cancelled():
            raise Cancelled("The estimation was stopped; encoded documents are kept.")
        if self._on_progress is None:
            return
        now = self._clock()
        took = self._took + (now - self._estimating if self._estimating is not None else 0.0)
        each = took / self._done if self._done else _EACH
        left, spent = None, now - self._began
        if preparing.seconds is not None:
            left = preparing.seconds + each * (self._total - self._done)
            self._share = max(self._share, spent / (spent + left) if spent + left > 0 else 1.0)  # a bar never goes back
        self._on_progress(EvaluationProgress(self._done, self._total, message, left, self._share, preparing.stage))


@dataclass(frozen=True, slots=True)
class Checked:
    """An estimate, with the run that measured its configuration."""

    estimate: LiveEstimate
    run: EvaluationRun
    measured: Mapping[str, float]
    """Mean over the questions by name of `METRICS`, with the estimate's measure; NaN if unknown for a question."""

    def distance(self, metric: str) -> float:
        """Return the estimate minus the measured value."""
        return self.estimate.means[metric] - self.measured[metric]


def checked(
    estimates: Sequence[LiveEstimate], runs: Sequence[EvaluationRun], questions: QuestionSet
) -> tuple[Checked, ...]:
    """Pair each estimate with the first run of its configuration; leave out those without one.

    The run may have another number of results: the estimate's measure is applied to its ranking.

    Args:
        runs: only runs over all of these questions count.
    """
    by_config = dict[Config, EvaluationRun]()
    for run in runs:
        if not run.parser:
            by_config.setdefault(_searched(run.config), run)
    checks = []
    for one in estimates:
        run_of = by_config.get(_searched(one.config)) if one.known else None
        if run_of is None:
            continue
        scores = score_run(run_of, questions, one.measure)
        if len(scores) == one.questions:
            means = {metric.name: float(np.mean(scores.of_metric(metric.name))) for metric in METRICS}
            checks.append(Checked(one, run_of, means))
    return tuple(checks)


def _searched(config: Config) -> Config:
    """Normalise the number of results, which the measure replaces."""
    return config.model_copy(update={"search": config.search.model_copy(update={"k": 1})})


def mean_distance(rows: Sequence[Checked], metric: str) -> float:
    """Return the mean absolute difference of estimates and measurements; NaN without rows."""
    return float(np.mean([abs(one.distance(metric)) for one in rows])) if rows else math.nan
