"""What a curve says about the present value, in a sentence: which values are shown to be better, or that none is."""

from __future__ import annotations

from collections.abc import Sequence

from chunking.config import Config
from chunking.evaluation import Better, CurvePoint, LiveScores, better_values
from components.chunks.recall_curve.curve_request import setting_of

__all__ = ["verdict"]


def verdict(points: Sequence[CurvePoint], present: LiveScores, key: str, config: Config) -> str:
    """Whether recall is shown to be higher at another value, and at which it costs least.

    Args:
        points: of the whole curve, in any order.
        present: of the present settings.
        key: of the setting.
    """
    setting = setting_of(key)
    name, now = setting.title.lower(), _shown(setting.text(config))
    ordered = sorted(points, key=lambda one: int(one.text.rstrip("%")))
    if not ordered:
        return f"No {name} could be estimated with the other settings."
    if len(present.question_ids) < 2:
        return f"One question cannot show that any {name} is better; add questions."
    better = better_values(ordered, present)
    if not better:
        first, last = _shown(ordered[0].text), _shown(ordered[-1].text)
        return f"No {name} from {first} to {last} is shown to have higher recall than the current {now}."
    best, tokens = min(better, key=lambda one: one.point.context_tokens), float(present.scores.context_tokens.mean())
    return (
        f"Shown to have higher recall: {_places(ordered, better)}. Cheapest: {_shown(best.point.text)}, "
        f"+{100 * best.ahead:.1f} points, "
        f"{best.point.context_tokens:,.0f} context tokens (now {tokens:,.0f})."
    )


def _places(ordered: Sequence[CurvePoint], better: Sequence[Better]) -> str:
    """The values that are better, neighbours as a range."""
    there = {one.point.text for one in better}
    runs = list[list[str]]()
    for before, point in zip([None, *ordered], ordered, strict=False):
        if point.text in there:
            if before is not None and before.text in there:
                runs[-1].append(point.text)
            else:
                runs.append([point.text])
    return ", ".join(_shown(run[0]) if len(run) == 1 else f"{_shown(run[0])} to {_shown(run[-1])}" for run in runs)


def _shown(text: str) -> str:
    """
    >>> _shown("8192"), _shown("15%")
    ('8,192', '15%')
    """
    return text if text.endswith("%") else f"{int(text):,}"
