"""Estimate a sweep with live recall, pick the few configurations worth an index, and check estimates against runs.

No index is built: documents are measured and encoded once a model, then a configuration takes a moment. Settings that
live recall cannot follow are not estimated, and the reason is reported. Recommendations come from measured runs only.
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

from chunking.config import Config, EmbeddingConfig, EmbeddingMode
from chunking.errors import Cancelled, ChunkscopeError, QuestionError
from chunking.evaluation.live.live_prepared import characters_to_encode
from chunking.evaluation.live.live_recall import LiveRecall, gaps_of
from chunking.evaluation.metrics.counted_results import Measure
from chunking.evaluation.metrics.metric_table import COST, METRICS, metric_of
from chunking.evaluation.metrics.scoring import score_run
from chunking.evaluation.questions.question import QuestionPart, QuestionSet
from chunking.evaluation.runs.evaluate import refuse_unanswerable
from chunking.evaluation.runs.run import Cancel, EvaluationProgress, EvaluationRun, OnProgress
from chunking.evaluation.sweep.sweep import Planned, Sweep
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
"""Rounding that is no difference."""

_LOADING = 6.0
"""Seconds in which a model is loaded, about; most of them for importing torch."""
_CHARACTERS = 8_000.0
"""That a model encodes a second, about, before anything is known of this machine: two slow cores do twice that."""
_EACH = 0.05
"""Seconds that a configuration takes, about, before any was estimated."""
_BEGUN = 0.02
"""Share of the encoding after which its time says more than the guess."""


@dataclass(frozen=True, slots=True)
class LiveEstimate:
    """What live recall says of a configuration of a sweep."""

    settings: Mapping[str, str]
    """What is changed of the base."""
    config: Config
    measure: Measure
    means: Mapping[str, float] = field(default_factory=dict)
    """Mean over the questions by the names of `METRICS`; empty where it is not estimated."""
    questions: int = 0
    chunks: int = 0
    """Of level chunk, over all documents."""
    gaps: tuple[str, ...] = ()
    """Why it is not estimated, a sentence each."""
    notes: tuple[str, ...] = ()
    """What there is to say of the estimate."""

    @property
    def known(self) -> bool:
        """Whether it is estimated."""
        return bool(self.means)

    def as_record(self) -> dict[str, Any]:
        """As plain values; `from_record` gives it back."""
        tree = {name: getattr(self, name) for name in ("questions", "chunks")}
        lists = {name: list(getattr(self, name)) for name in ("gaps", "notes")}
        return {"settings": dict(self.settings), "means": dict(self.means)} | tree | lists

    @classmethod
    def from_record(cls, tree: Mapping[str, Any], sweep: Sweep) -> LiveEstimate:
        """What `as_record` made of an estimate of this sweep.

        Raises:
            ConfigError: the settings do not go together: it is of another sweep.
        """
        config = Config.from_settings(tree["settings"], sweep.base)
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
    """An estimate of each configuration of a sweep, as it comes: the base first, then in an order in which no value is
    last.

    Those that are not estimated come before all others. Combinations that are not valid have none (see
    `Sweep.configs`).

    Args:
        questions: the set; of one that is split, only those for tuning are asked.
        encodings: keeps encodings of documents, such as `Workspace.encodings`.
        vectors: keeps vectors of questions and titles, such as `Workspace.vectors`.
        on_progress: counts configurations.
    Raises:
        QuestionError: there is no question whose answer is in the documents, or as `Sweep.check`.
        ModelError: a model cannot be loaded, or fails.
        Cancelled: it was stopped; what the model has encoded is kept.
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
    for one, config in valid:
        gaps = gaps_of(config)
        if gaps:
            yield LiveEstimate(one.settings, config, _measure(sweep, one.settings, config), gaps=gaps)
        else:
            embedding = config.embedding.model_copy(update={"mode": EmbeddingMode.STANDARD})
            followed.setdefault((embedding, headings_key(config)), []).append((one, config))
    characters = (
        sum(characters_to_encode(documents, embedding, encodings) for embedding in {of for of, _ in followed})
        if on_progress is not None
        else 0
    )
    progress = EstimateProgress(sum(map(len, followed.values())), characters, on_progress, cancelled)
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
    """As `run_sweep` measures it."""
    return sweep.measure(config.search.k if "search.k" in settings else sweep.n)


def _order(sweep: Sweep, config: Config) -> tuple[bool, str]:
    """Those that are split alike stand side by side."""
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
    """Why a configuration is worth an index."""

    BEST = "best"
    """The best estimate."""
    CHEAPEST = "cheapest"
    """Of those whose estimate is at most the margin below the best one, that with the fewest context tokens."""
    PRESENT = "present"
    """What is changed nothing of."""
    NEXT = "next"
    """The best estimate of the rest."""


@dataclass(frozen=True, slots=True)
class CandidateConfig:
    """A configuration to be measured."""

    estimate: LiveEstimate
    reasons: tuple[Reason, ...]


def worth_measuring(
    estimates: Sequence[LiveEstimate], metric: str, margin: float, present: Config, most: int = 3
) -> tuple[CandidateConfig, ...]:
    """The few configurations that matter: the best, the cheapest within the margin, the present one, and then the next
    best.

    By the estimates alone, which decide nothing but what is measured.

    Args:
        margin: points, as `CompareConfig.margin`.
        present: whether it is estimated or not.
        most: configurations at most.
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
    return tuple(CandidateConfig(one, tuple(why)) for one, why in list(reasons.values())[:most])


class EstimateProgress:
    """Tells of an estimation from its first second, and stops it where it is asked to.

    Args:
        total: configurations that are to be estimated.
        characters: that have to be encoded first.
        clock: gives seconds.
    """

    def __init__(
        self,
        total: int,
        characters: int,
        on_progress: OnProgress | None,
        cancelled: Cancel | None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._total, self._on_progress, self._cancelled, self._clock = total, on_progress, cancelled, clock
        self._done, self._share = 0, 0.0
        self._began = self._preparing = clock()
        self._guess = _LOADING + characters / _CHARACTERS if characters else 0.0
        self._estimating: float | None = None
        """When the first configuration began; `_took` before the last of them did."""
        self._took = 0.0

    def preparing(self, share: float, what: str) -> None:
        """While documents are encoded."""
        now = self._clock()
        if self._estimating is not None:  # those of another model
            self._took += now - self._estimating
            self._estimating, self._preparing = None, now
        spent = now - self._preparing
        left = spent * (1 - share) / share if share > _BEGUN else max(self._guess - spent, 0.0)
        self._tell(f"{what} ({share:.0%})", left)

    def next(self) -> None:
        """Before each configuration."""
        self._estimating = self._clock() if self._estimating is None else self._estimating
        self._tell("Estimating", 0.0)
        self._done += 1

    def end(self) -> None:
        """After the last one."""
        self._tell("Ready", 0.0)

    def _tell(self, message: str, preparing: float) -> None:
        if self._cancelled is not None and self._cancelled():
            raise Cancelled("The estimation was stopped; encoded documents are kept.")
        if self._on_progress is None:
            return
        now = self._clock()
        took = self._took + (now - self._estimating if self._estimating is not None else 0.0)
        each = took / self._done if self._done else _EACH
        left, spent = preparing + each * (self._total - self._done), now - self._began
        self._share = max(self._share, spent / (spent + left) if spent + left > 0 else 1.0)  # a bar never goes back
        self._on_progress(EvaluationProgress(self._done, self._total, message, left, self._share))


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
    """Without how many results it returns: the measure says how many count."""
    return config.model_copy(update={"search": config.search.model_copy(update={"k": 1})})


def mean_distance(rows: Sequence[Checked], metric: str) -> float:
    """Mean distance of estimate and measurement, whichever way; NaN without a row."""
    return float(np.mean([abs(one.distance(metric)) for one in rows])) if rows else math.nan
