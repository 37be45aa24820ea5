"""What a long call is given: where it tells how far it is, and how it learns that nobody waits any more."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["CallControl"]


def _report_nothing(done: float, total: float, message: str) -> None:
    """Nobody listens."""


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class CallControl:
    """Progress and cancel of one call; the default is a call that nobody watches and nobody stops."""

    report: Callable[[float, float, str], None] = _report_nothing
    """Told (done, total, message) as often as the work likes; total 0 is unknown."""
    cancelled: Callable[[], bool] = _never
    """Asked between steps; True stops the work."""
