"""A configuration of a running sweep, with its run so far."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from chunking.config import Config
from chunking.evaluation.analysis.setting_labels import titled
from chunking.evaluation.runs.run import EvaluationRun
from chunking.evaluation.runs.trial_indexes import Trials

__all__ = ["SweepCandidate"]


@dataclass(slots=True)
class SweepCandidate:
    """A configuration of the sweep, with its run so far."""

    number: int
    label: str
    settings: Mapping[str, str]
    config: Config
    n: int
    trials: Trials
    """With the documents as the candidate's parser reads them."""
    is_baseline: bool = False
    """True for the baseline, which is never dropped."""
    run: EvaluationRun | None = None
    new: bool = False
    """True if a question was asked in this sweep."""

    @property
    def title(self) -> str:
        """Settings on one line; the baseline by its name."""
        return "The baseline" if self.is_baseline else titled(self.settings)

    @property
    def group(self) -> str:
        """Fingerprint common to the configurations that share an index."""
        return f"{self.trials.parser} {self.config.fingerprint()}".strip()

    def lacks(self, ids: Collection[str]) -> int:
        """Count the questions that the configuration was not asked yet."""
        answered = {one.question_id for one in self.run.answered} if self.run else set()
        return len(set(ids) - answered)
