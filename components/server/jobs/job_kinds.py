"""Kinds of job with their wording and weight, and the phases of an index run."""

from __future__ import annotations

from collections.abc import Mapping
from enum import StrEnum
from typing import NamedTuple

from chunking.config import Config
from chunking.indexing import IndexPhase
from chunking.indexing.run.fallback_levels import adds_text

__all__ = [
    "ESTIMATE",
    "EVALUATE",
    "INDEX",
    "KINDS",
    "LIVE",
    "PERCENT",
    "PHASES",
    "REVIEW",
    "SWEEP",
    "JobKind",
    "Weight",
    "index_share",
    "phases_of",
]

INDEX, SWEEP, EVALUATE, LIVE, ESTIMATE, REVIEW = "index", "sweep", "evaluate", "live", "estimate", "review"
"""Kinds of job, by the worker's names."""


class Weight(StrEnum):
    """Weight of a job, heavy or light: jobs wait only for jobs of the same weight."""

    HEAVY = "heavy"
    """Takes minutes to hours; the user goes on with something else."""
    LIGHT = "light"
    """The user waits for it on the page."""


class JobKind(NamedTuple):
    """Wording, weight and limits of a kind of job."""

    noun: str
    """Noun, as in "The index run failed"."""
    doing: str
    """Participle, as in "Building “main”"."""
    unit: str
    """Plural noun of the progress count."""
    begin: str
    """Message before the worker's first report."""
    stopping: str
    recovery: str
    """Sentence about the work that survives a dead worker."""
    weight: Weight = Weight.HEAVY
    hours: float = 12.0
    """Time limit in hours."""
    nice: int = 15
    """Niceness added to the server's: 15 yields to every page, and to light jobs."""
    writes: bool = False
    """True if it locks its workspace: two such jobs never run there together."""


_FINISHING = 0.1
"""Share of an index run for the steps after the last chunk, however long they take."""
PERCENT = "percent"
"""Unit of a progress count in percent."""
KINDS: Mapping[str, JobKind] = {
    INDEX: JobKind(
        "index run",
        "Building",
        "chunks",
        "Starting: counting what is new …",
        "stopping after this batch …",
        "The previous index is intact and can be searched, and finished work is saved: build again to continue.",
        writes=True,
    ),
    SWEEP: JobKind(
        "experiment",
        "Comparing settings",
        "questions",
        "Starting: looking up finished runs …",
        "stopping after this step; finished runs are saved …",
        "Finished runs are saved: start it again to continue.",
    ),
    EVALUATE: JobKind(
        "measurement",
        "Measuring",
        "questions",
        "Starting: looking up finished work …",
        "stopping after this step …",
        "Earlier results are intact: run it again.",
    ),
    REVIEW: JobKind(
        "review",
        "Comparing both indexes",
        "questions",
        "Starting: looking up finished work …",
        "stopping after this question …",
        "Both indexes are as they were: start it again.",
        Weight.LIGHT,
        hours=4.0,
        nice=10,
    ),
    LIVE: JobKind(
        "encoding for live recall",
        "Encoding",
        PERCENT,
        "Starting: loading the model …",
        "stopping after this document …",
        "Finished documents are saved: start it again to continue.",
        Weight.LIGHT,
        hours=4.0,
        nice=10,
    ),
    ESTIMATE: JobKind(
        "estimation",
        "Estimating",
        "configurations",
        "Starting: reading the documents …",
        "stopping after this step …",
        "Encoded documents are saved: start it again.",
        Weight.LIGHT,
        hours=4.0,
        nice=10,
    ),
}
PHASES: Mapping[IndexPhase, str] = {
    IndexPhase.PREPARE: "Counting what is new",
    IndexPhase.LOAD: "Loading the model",
    IndexPhase.SPLIT: "Splitting",
    IndexPhase.ENRICH: "Writing contexts and summaries",
    IndexPhase.EMBED: "Embedding",
    IndexPhase.CLUSTER: "Building the summary tree",
    IndexPhase.FINISH: "Finishing",
}
"""Phases of an index run in order, with their names on the page."""


def phases_of(config: Config, *, loads: bool = True) -> tuple[IndexPhase, ...]:
    """Return the phases that an index run with these settings goes through, in order.

    Args:
        loads: True if a vector is missing, so that the model is needed.

    >>> [str(phase) for phase in phases_of(Config())]
    ['prepare', 'load', 'split', 'embed', 'finish']
    """
    there = {IndexPhase.LOAD: loads, IndexPhase.ENRICH: adds_text(config), IndexPhase.CLUSTER: config.enrich.raptor}
    return tuple(phase for phase in IndexPhase if there.get(phase, True))


def index_share(done: int, total: int, step: int = 0, steps: int = 0) -> float:
    """Return the finished share of an index run, 0 to 1, with `_FINISHING` reserved for its last steps.

    Args:
        step: of `steps` after the last chunk, from 1; 0 before.
    """
    if step:
        return 1 - _FINISHING + _FINISHING * (step - 1) / steps
    return (1 - _FINISHING) * min(done / total, 1.0) if total else 0.0
