"""How long a comparison will take: what is known already costs nothing, the rest is estimated from the workspace's own
speed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from chunking.config import Config
from chunking.errors import ChunkscopeError, QuotaError
from chunking.evaluation import EvaluationRun, Planned
from components.session.document_caches import clear_when_unused
from components.session.measured_documents import plan_of
from components.session.workspace import workspace
from components.tune.setting_words import settled

__all__ = ["SweepEstimate", "estimate"]

_SAMPLED = 3
"""Indexes that are planned for the estimate; the others are taken to be like them."""
_SEARCH = 0.035
"""Seconds of a search, where no run has been measured yet."""
_BUILD = 1.5
"""Seconds that an index takes besides its embeddings."""
_NAME = "estimate"
"""Of the index that is planned and never built."""


class SweepEstimate(NamedTuple):
    """What is about to be done."""

    configurations: int
    """That can be made."""
    faulty: tuple[str, ...]
    """Why others cannot, a sentence each."""
    known: int
    """Measured already."""
    indexes: int
    """That have to be built for the rest."""
    seconds: float


def estimate(planned: Sequence[Planned], questions: int, runs: Sequence[EvaluationRun]) -> SweepEstimate:
    """Of a sweep.

    Args:
        planned: its configurations.
        questions: how many each is asked.
        runs: those that are up to date.
    """
    known = {settled(run.config).to_yaml() for run in runs}
    valid = [one.config for one in planned if one.config is not None]
    new = [config for config in valid if settled(config).to_yaml() not in known]
    indexes = {config.fingerprint(): config for config in new}
    target = workspace()
    sampled = list(indexes.values())[:: max(1, len(indexes) // _SAMPLED)][:_SAMPLED]
    builds = [_planned(target.uri, target.version(), config) for config in sampled]
    mean = sum(builds) / len(builds) if builds else 0.0
    seconds = len(indexes) * (mean + _BUILD) + len(new) * questions * _SEARCH
    return SweepEstimate(
        len(valid),
        tuple(dict.fromkeys(one.error for one in planned if one.error)),
        len(valid) - len(new),
        len(indexes),
        seconds,
    )


@clear_when_unused
@st.cache_data(show_spinner=False, max_entries=64)
def _planned(address: str, version: str, config: Config) -> float:
    """Seconds to cut and embed with a configuration; 0 where that cannot be told before the run tells why."""
    try:
        return plan_of(workspace(), config, _NAME).seconds_expected
    except QuotaError:  # of the moment: not to be kept
        raise
    except ChunkscopeError:
        return 0.0
