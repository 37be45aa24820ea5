"""How far a measurement is, and how long it will take."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["Cancel", "EvaluationProgress", "OnProgress"]


@dataclass(frozen=True, slots=True)
class EvaluationProgress:
    """How far a run or a sweep is."""

    done: int
    """Questions answered, over all configurations."""
    total: int
    message: str
    seconds_left: float | None = None
    """None while nothing is known of it."""
    share: float | None = None
    """How far it is, 0 to 1, where that is not `done` of `total`: what is prepared is counted nowhere."""


OnProgress = Callable[[EvaluationProgress], None]
Cancel = Callable[[], bool]
"""Asked between questions and batches; True stops."""
