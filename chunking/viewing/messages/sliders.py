"""Messages for a setting's slider and for the dial of live recall."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from chunking.config import Config
from chunking.config.settings import Setting
from chunking.evaluation import LiveScores, Scores, label

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
"""Maximum characters of a number from a browser."""

MOST_TRIALS = 24
"""Maximum number of trials; the oldest are dropped."""
NOT_EVALUATED = "Not evaluated yet: the error of this estimate is unknown."
"""Note shown until a run with an index has measured the settings."""


@dataclass(frozen=True, slots=True)
class Number:
    """Slider with its number field; with `whole`, `text` may also be a share such as `15%`."""

    label: str
    help: str
    text: str
    unit: str
    minimum: float
    maximum: float
    step: float = 1
    live: bool = True
    """True to report while the slider is dragged; else on release."""
    whole: int | None = None
    """Amount of which the value may be a share; None: amounts only."""
    error: str = ""
    """Error message next to the field."""


def is_share(setting: Setting) -> bool:
    """True if the value of a setting may be a share of the chunk size, such as `15%`."""
    return setting.unit.endswith("or %")


def number_of(setting: Setting, config: Config, text: str, error: str) -> Number:
    """Return the slider of a setting: its range, the text typed by the user, and an error or ""."""
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
    """Return up to `most` evenly spaced values of a slider, both ends included.

    `placesFor` in number.js has all of its values.

    Args:
        most: maximum number of values, 2 or more.

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
    """Tried settings with their mean scores over the questions."""

    fingerprint: str
    """Text of the changed settings, to recognise a repeated trial."""
    label: str
    """Changed settings, such as `size 200 · overlap 10%`."""
    recall: float
    iou: float
    tokens: float
    """Context tokens a question."""
    measured: bool = False
    """True if a run on a real index measured them; else they are live estimates."""


def with_trial(
    trials: Sequence[DialTrial], scores: LiveScores, config: Config, measured: Scores | None = None
) -> tuple[DialTrial, ...]:
    """Append the current settings with their mean scores.

    They replace the last trial if it has the same settings. The oldest trials beyond `MOST_TRIALS` are dropped.

    Args:
        measured: scores of a run with these settings, which count instead of the estimates; where it has no context
            tokens, as of earlier versions, these stay estimated.
    """
    source = scores.scores if measured is None else measured
    recall, iou, tokens = (float(values.mean()) for values in (source.recall, source.iou, source.context_tokens))
    if not math.isfinite(tokens):
        tokens = float(scores.scores.context_tokens.mean())
    now = DialTrial(f"{config.changed()}", label(config), recall, iou, tokens, measured is not None)
    before = trials[:-1] if trials and trials[-1].fingerprint == now.fingerprint else trials
    return (*before[-MOST_TRIALS + 1 :], now)


def dial_message(
    trials: Sequence[DialTrial],
    about: str,
    *,
    other: Mapping[str, float] | None = None,
    check: str = NOT_EVALUATED,
    notes: Sequence[str] = (),
) -> dict[str, Any]:
    """Return the message of the component `dial`.

    Args:
        trials: the present settings last.
        about: short description of the numbers.
        other: recall and IoU to mark: the live estimate of settings that were measured; None: no mark.
        check: sentence on the estimate's error.
        notes: how it is estimated.
    """
    return {
        "about": about,
        "tokens": trials[-1].tokens,
        "trace": [[one.label, round(one.recall, 5), round(one.iou, 5), one.measured] for one in trials],
        "other": other,
        "check": check,
        "notes": list(notes),
    }
