"""How far an estimation is: what the model encodes first, and then the configurations, each of which takes a moment."""

from __future__ import annotations

import time
from collections.abc import Callable

from chunking.errors import Cancelled
from chunking.evaluation.runs.run_progress import Cancel, EvaluationProgress, OnProgress

__all__ = ["EstimateProgress"]

_LOADING = 6.0
"""Seconds in which a model is loaded, about; most of them for importing torch."""
_CHARACTERS = 8_000.0
"""That a model encodes a second, about, before anything is known of this machine: two slow cores do twice that."""
_EACH = 0.05
"""Seconds that a configuration takes, about, before any was estimated."""
_BEGUN = 0.02
"""Share of the encoding after which its time says more than the guess."""


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
