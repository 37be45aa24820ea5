"""The kinds of job, a row each: its noun, its unit, its sentences and its weight; and the phases of an index run."""

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
    "SWEEP",
    "JobKind",
    "Weight",
    "phases_of",
]

INDEX, SWEEP, EVALUATE, LIVE, ESTIMATE = "index", "sweep", "evaluate", "live", "estimate"
"""Kinds of job, as the worker calls them."""


class Weight(StrEnum):
    """Jobs of one weight wait for each other, and not for those of the other."""

    HEAVY = "heavy"
    """Minutes to hours; whoever starts it goes on with something else."""
    LIGHT = "light"
    """Somebody looks at the page until it comes."""


class JobKind(NamedTuple):
    """What a kind of job is called, and what it may take."""

    noun: str
    """As in "The index run failed"."""
    doing: str
    """As in "Building “main”"."""
    unit: str
    """What is counted, in the plural."""
    begin: str
    """What it does before its worker has said anything."""
    stopping: str
    kept: str
    """What is left of a job whose worker died."""
    weight: Weight = Weight.HEAVY
    hours: float = 12.0
    """It is stopped after that."""
    nice: int = 15
    """Added to the niceness of the server: 15 gives way to every page, and to light jobs."""
    writes: bool = False
    """It holds its workspace's lock: another that writes there does not run meanwhile."""


PERCENT = "percent"
"""Unit of what is counted in hundredths of all there is."""
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
"""What a run does, as the page calls it, in this order."""


def phases_of(config: Config, *, loads: bool = True) -> tuple[IndexPhase, ...]:
    """What a run with these settings goes through.

    Args:
        loads: some vector needs the model.

    >>> [str(phase) for phase in phases_of(Config())]
    ['prepare', 'load', 'split', 'embed', 'finish']
    """
    there = {IndexPhase.LOAD: loads, IndexPhase.ENRICH: adds_text(config), IndexPhase.CLUSTER: config.enrich.raptor}
    return tuple(phase for phase in IndexPhase if there.get(phase, True))
