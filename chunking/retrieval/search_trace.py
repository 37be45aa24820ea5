"""The trace of a search: its stages with counts and times, and notes for the user."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from time import perf_counter
from typing import Literal, TypeVar

__all__ = ["Phase", "Stage", "Trace"]

T = TypeVar("T")

Phase = Literal["legs", "fusion", "rerank", "merge", "expand", "evidence", "assemble"]
"""Phase of the pipeline, in order.

With retrieval merge, a stage of `expand` runs before those of `merge`, as the decision needs the parents' texts; the
results judged by `evidence` are assembled before it.
"""


@dataclass(frozen=True, slots=True)
class Stage:
    """Step of a search, with its count and time."""

    name: str
    count: int
    """Number of candidates, hits or chunks that the step returned."""
    milliseconds: float
    """Time that the search waited for it: legs run side by side, so a later one may cost hardly any."""
    phase: Phase | Literal[""] = ""
    """Phase of the pipeline that it belongs to."""


class Trace:
    """Record of one search: its stages and its notes."""

    def __init__(self) -> None:
        self._stages: list[Stage] = []
        self._notes: list[str] = []
        self._untimed = 0.0

    @property
    def stages(self) -> Sequence[Stage]:
        """Stages in the order in which they ended."""
        return tuple(self._stages)

    @property
    def notes(self) -> Sequence[str]:
        """Sentences for the user about the results."""
        return tuple(self._notes)

    def timed(self, name: str, phase: Phase, step: Callable[[], T], count: Callable[[T], int]) -> T:
        """Run a step, record it as a stage with its time and count, and return its result.

        Args:
            count: counts the step's result, such as `len`.
        """
        started, untimed = perf_counter(), self._untimed
        result = step()
        seconds = perf_counter() - started - (self._untimed - untimed)
        self._stages.append(Stage(name, count(result), seconds * 1000, phase))
        return result

    def untimed(self, step: Callable[[], object]) -> None:
        """Run a call whose time the current step does not count, such as loading a model."""
        started = perf_counter()
        step()
        self._untimed += perf_counter() - started

    def note(self, sentence: str) -> None:
        """Add a sentence for the user."""
        self._notes.append(sentence)
