"""A setting's number as a slider with its box, and the dial of live recall beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from chunking.config import Config
from chunking.config.settings import Setting
from chunking.evaluation import LiveScores, label

__all__ = [
    "LONGEST",
    "MOST_TRIALS",
    "NOT_EVALUATED",
    "DialTrial",
    "Number",
    "dial_message",
    "is_share",
    "number_of",
    "slider_texts",
    "with_trial",
]

LONGEST = 40
"""Characters of a number that a browser may send."""

MOST_TRIALS = 24
"""Trials kept; the oldest go."""
NOT_EVALUATED = "Not evaluated yet: the error of this estimate is unknown."
"""Said where no run with an index has measured these settings."""


@dataclass(frozen=True, slots=True)
class Number:
    """What the input shows. `text` is a number, or with `whole` also a share of it such as `15%`."""

    label: str
    help: str
    text: str
    unit: str
    minimum: float
    maximum: float
    step: float = 1
    live: bool = True
    """Report while dragged; else on release."""
    whole: int | None = None
    """With it, the user can switch between an amount and a share of this many units."""
    error: str = ""
    """The sentence beside the field."""


def is_share(setting: Setting) -> bool:
    """The setting may be a share of the size."""
    return setting.unit.endswith("or %")


def number_of(setting: Setting, config: Config, text: str, error: str) -> Number:
    """The slider of a setting, with what its user has typed."""
    size = config.chunk.size if is_share(setting) else None
    return Number(
        label=setting.title,
        help=setting.help,
        text=text,
        unit=str(config.chunk.unit) if setting.unit.startswith("of unit") else setting.unit,
        minimum=setting.minimum or 0,
        maximum=size - 1 if size else setting.maximum or 0,
        step=0.05 if setting.type is float else 1,
        live=setting.part == "chunk",
        whole=size,
        error=error,
    )


def slider_texts(number: Number, most: int) -> list[str]:
    """Values at which the slider may stand, evenly along its way, with both ends; `placesFor` in number.js has all.

    Args:
        most: at most so many, 2 or more.

    >>> slider_texts(Number("Size", "", "150", "tokens", 16, 8192), 7)
    ['16', '61', '172', '448', '1184', '3264', '8192']
    >>> slider_texts(Number("Overlap", "", "10%", "tokens", 0, 149, whole=150), 6)
    ['0%', '10%', '20%', '30%', '40%', '50%']
    """
    sign = "%" if number.text.endswith("%") else ""
    top = max(1, number.whole // 2) if number.whole else int(number.maximum)
    low, high = (0, 50) if sign else (int(number.minimum), top)
    wide = high > 64 * max(low, 1) and high - low > 400
    places = [low]
    while places[-1] < high:
        step = max(1, 2 ** (max(1, places[-1]).bit_length() - 6)) if wide else 1
        places.append(min(high, places[-1] + step))
    count = min(most, len(places))
    return [f"{places[round(at * (len(places) - 1) / (count - 1))]}{sign}" for at in range(count)]


class DialTrial(NamedTuple):
    """Settings that were tried, and the means over the questions."""

    fingerprint: str
    label: str
    """Such as `size 200 · overlap 10%`."""
    recall: float
    iou: float
    tokens: float


def with_trial(trials: Sequence[DialTrial], scores: LiveScores, config: Config) -> tuple[DialTrial, ...]:
    """The trials with the present settings at the end; they are not repeated."""
    means = (float(values.mean()) for values in (scores.scores.recall, scores.scores.iou, scores.scores.tokens))
    now = DialTrial(f"{config.changed()}", label(config), *means)
    if trials and trials[-1].fingerprint == now.fingerprint:
        return tuple(trials)
    return (*trials[-MOST_TRIALS + 1 :], now)


def dial_message(
    trials: Sequence[DialTrial],
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
