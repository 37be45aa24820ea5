"""The dial: recall and IoU of the present settings, estimated live, and of the settings tried before them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from chunking.config import Config
from chunking.evaluation import LiveScores, label

__all__ = ["MOST", "NOT_EVALUATED", "Trial", "dial_message", "with_trial"]

MOST = 24
"""Trials kept; the oldest go."""
NOT_EVALUATED = "Not evaluated yet: the error of this estimate is unknown."
"""Said where no run with an index has measured these settings."""


class Trial(NamedTuple):
    """Settings that were tried, and the means over the questions."""

    fingerprint: str
    label: str
    """Such as `size 200 · overlap 10%`."""
    recall: float
    iou: float
    tokens: float


def with_trial(trials: Sequence[Trial], scores: LiveScores, config: Config) -> tuple[Trial, ...]:
    """The trials with the present settings at the end; they are not repeated."""
    means = (float(values.mean()) for values in (scores.scores.recall, scores.scores.iou, scores.scores.tokens))
    now = Trial(f"{config.changed()}", label(config), *means)
    if trials and trials[-1].fingerprint == now.fingerprint:
        return tuple(trials)
    return (*trials[-MOST + 1 :], now)


def dial_message(
    trials: Sequence[Trial],
    about: str,
    *,
    measured: Mapping[str, float] | None = None,
    check: str = NOT_EVALUATED,
    notes: Sequence[str] = (),
) -> dict[str, Any]:
    """What the component `dial` takes.

    Args:
        trials: the present settings last.
        about: what the numbers are of, in a few words.
        measured: recall and IoU of a run with an index; None where there is none.
        check: how far the estimate is from real numbers, in a sentence.
        notes: how it is estimated.
    """
    return {
        "about": about,
        "tokens": trials[-1].tokens,
        "trace": [[one.label, round(one.recall, 5), round(one.iou, 5)] for one in trials],
        "measured": measured,
        "check": check,
        "notes": list(notes),
    }
