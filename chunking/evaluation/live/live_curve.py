"""Recall along one setting: live estimates for several values, and the significantly better values.

For every value the documents are split, pooled and searched anew without a model call. The chunks are not kept, so a
curve takes the memory of a single value plus one number per question and value.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from chunking.config import Config
from chunking.errors import Cancelled, ChunkscopeError, ConfigError
from chunking.evaluation.analysis.best_of_several import against_one
from chunking.evaluation.analysis.statistics import SHARE, Interval, interval
from chunking.evaluation.live.live_recall import LiveRecall
from chunking.evaluation.live.live_results import LiveScores
from chunking.evaluation.metrics.counted_results import Measure
from chunking.evaluation.runs.run import Cancel

__all__ = ["Better", "CurvePoint", "better_values", "setting_curve"]


@dataclass(frozen=True, slots=True, eq=False)
class CurvePoint:
    """Live estimate for one value of the setting."""

    text: str
    """The value, as the command line takes it."""
    recall: Interval
    iou: float
    """Mean over the questions, 0 to 1."""
    context_tokens: float
    """Tokens of the context that would be sent, mean over the questions."""
    chunks: int
    """Number of chunks (level chunk) over all documents."""
    recalls: NDArray[np.float64]
    """(q,) recall of each question, in the order of `LiveRecall.questions`."""


@dataclass(frozen=True, slots=True)
class Better:
    """A value with significantly higher recall than the current settings, and its lead."""

    point: CurvePoint
    ahead: float
    """Its mean recall minus that of the current settings."""


def setting_curve(
    live: LiveRecall, base: Config, key: str, texts: Sequence[str], measure: Measure, *, cancelled: Cancel | None = None
) -> Iterator[CurvePoint]:
    """Yield a live estimate for each value of a setting: both ends first, then ever finer.

    Values that conflict with other settings, or at which splitting fails, are left out.

    Args:
        live: prepared.
        base: the other settings.
        key: of the setting, as on the command line.
        texts: values in ascending order.
        cancelled: called before each point.
    Raises:
        QuestionError: `live` is not prepared.
        Cancelled: it was stopped.
    """
    for place in coarse_to_fine(len(texts)):
        if cancelled is not None and cancelled():
            raise Cancelled("The curve was stopped.")
        try:
            config = Config.from_settings({key: texts[place]}, base)
        except ConfigError:
            continue
        if point := _point(live, config, texts[place], measure):
            yield point


def _point(live: LiveRecall, config: Config, text: str, measure: Measure) -> CurvePoint | None:
    try:
        live_scores = live.scores(config, measure, keep=False)
    except ChunkscopeError:
        if not live.ready:
            raise
        return None  # a splitter of the user's refuses this value, say: the others are estimated
    scores = live_scores.scores
    recalls = interval(scores.recall, bounds=SHARE)
    return CurvePoint(
        text, recalls, float(scores.iou.mean()), float(scores.context_tokens.mean()), live_scores.chunks, scores.recall
    )


def coarse_to_fine(count: int) -> list[int]:
    """Return the numbers below `count` so ordered that every prefix is spread over the range.

    >>> coarse_to_fine(7)
    [0, 6, 3, 1, 4, 2, 5]
    """
    order = [0, count - 1][:count]
    gaps = deque([(0, count - 1)])
    while gaps:
        low, high = gaps.popleft()
        if high - low > 1:
            middle = (low + high) // 2
            order.append(middle)
            gaps += (low, middle), (middle, high)
    return order


def better_values(points: Sequence[CurvePoint], present: LiveScores) -> tuple[Better, ...]:
    """Return the values with significantly higher recall than the current settings, in point order.

    The questions are paired, and the number of values is corrected for: if none is truly better, one is named in at
    most 2.5 of 100 samples of questions.

    Args:
        present: scores of the current settings, for the same questions and measure.
    """
    if not points:
        return ()
    compared = against_one(np.stack([present.scores.recall, *(one.recalls for one in points)], axis=1), 0)[1:]
    return tuple(Better(one, row.mean) for one, row in zip(points, compared, strict=True) if row.shown and row.low > 0)
