"""A sweep estimated before anything is built: `sweep --estimate`. Which few are then measured, and both numbers side by
side.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from chunking.cli.evaluation_arguments import Corpus, ProgressLines
from chunking.cli.streams import say

if TYPE_CHECKING:
    from chunking.evaluation import CandidateConfig, LiveEstimate, QuestionSet, Sweep

__all__ = ["Estimated", "estimated"]


@dataclass(frozen=True, slots=True)
class Estimated:
    """What an estimation came to."""

    sweep: Sweep
    """That was estimated, the present settings among its configurations."""
    estimates: Sequence[LiveEstimate]
    chosen: Sequence[CandidateConfig]
    seconds: float

    @property
    def to_measure(self) -> Sweep:
        """The few that matter."""
        return replace(self.sweep, grid={}, tries=tuple(one.estimate.settings for one in self.chosen))

    def record(self, there: Corpus, questions: QuestionSet, keys: Sequence[str] = ()) -> dict[str, Any]:
        """As plain values; shares from 0 to 1.

        Args:
            keys: of the runs that were measured.
        """
        from chunking.evaluation import EvaluationRun, checked

        runs = [EvaluationRun.from_json(text) for text in map(there.workspace.runs.get, keys) if text]
        rows = checked(self.estimates, runs, questions)
        known = [one for one in self.estimates if one.known]
        reasons = {id(one.estimate): [str(reason) for reason in one.reasons] for one in self.chosen}
        return {
            "estimated": [
                {
                    "label": _label(one),
                    "settings": dict(one.settings),
                    "chunks": one.chunks,
                    "estimated_metrics": dict(one.means),
                }
                | {"measure_as": reasons.get(id(one), []), "notes": list(one.notes)}
                for one in known
            ],
            "not_estimated": [
                {"label": _label(one), "settings": dict(one.settings), "reasons": list(one.gaps)}
                for one in self.estimates
                if not one.known
            ],
            "estimated_against_measured": [
                {
                    "label": _label(row.estimate),
                    "run": row.run.key,
                    "estimated": dict(row.estimate.means),
                    "measured": dict(row.measured),
                }
                | {"distance": {name: row.distance(name) for name in row.measured}}
                for row in rows
            ],
            "seconds_estimating": round(self.seconds, 3),
        }


def estimated(sweep: Sweep, there: Corpus, questions: QuestionSet, margin: float, most: int) -> Estimated:
    """Estimate every configuration of a sweep, and the present settings.

    Args:
        margin: points.
        most: how many are to be measured.
    """
    from chunking.evaluation import estimate_grid, worth_measuring

    sweep, began = replace(sweep, tries=({}, *sweep.tries)), time.perf_counter()
    kept, told = there.workspace, ProgressLines("configurations")
    found = list(
        estimate_grid(
            sweep, there.documents, questions, encodings=kept.encodings, vectors=kept.vectors, on_progress=told
        ),
    )
    seconds = time.perf_counter() - began
    known = sum(one.known for one in found)
    say(f"{known} configurations estimated in {seconds:.1f} s, without an index.")
    for one in found:
        if not one.known:
            say(f"{_label(one)} was not estimated: {' '.join(one.gaps)}")
    return Estimated(sweep, found, worth_measuring(found, sweep.metric, margin, sweep.base, most), seconds)


def _label(one: LiveEstimate) -> str:
    from chunking.evaluation import Planned

    return Planned(one.settings, one.config).label
