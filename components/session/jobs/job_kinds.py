"""What jobs are called: each kind with its noun, its unit and its sentences, and the phases of an index run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from chunking.config import Config
from chunking.indexing import Phase
from chunking.indexing.run.fallback_levels import writes

__all__ = ["ESTIMATE", "EVALUATE", "INDEX", "KINDS", "LIVE", "PERCENT", "PHASES", "SWEEP", "Kind", "phases_of"]

INDEX, SWEEP, EVALUATE, LIVE, ESTIMATE = "index", "sweep", "evaluate", "live", "estimate"
"""Kinds of job, as the worker calls them."""


class Kind(NamedTuple):
    """What a kind of job is called."""

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


PERCENT = "percent"
"""Unit of what is counted in hundredths of all there is."""
KINDS: Mapping[str, Kind] = {
    INDEX: Kind(
        "index run",
        "Building",
        "chunks",
        "Starting: counting what is new …",
        "stopping after this batch …",
        "The previous index is intact and can be searched, and finished work is saved: build again to continue.",
    ),
    SWEEP: Kind(
        "experiment",
        "Comparing settings",
        "questions",
        "Starting: looking up finished runs …",
        "stopping after this step; finished runs are saved …",
        "Finished runs are saved: start it again to continue.",
    ),
    EVALUATE: Kind(
        "measurement",
        "Measuring",
        "questions",
        "Starting: looking up finished work …",
        "stopping after this step …",
        "Earlier results are intact: run it again.",
    ),
    LIVE: Kind(
        "encoding for live recall",
        "Encoding",
        PERCENT,
        "Starting: loading the model …",
        "stopping after this document …",
        "Finished documents are saved: start it again to continue.",
    ),
    ESTIMATE: Kind(
        "estimation",
        "Estimating",
        "configurations",
        "Starting: reading the documents …",
        "stopping after this step …",
        "Encoded documents are saved: start it again.",
    ),
}
PHASES: Mapping[Phase, str] = {
    Phase.PREPARE: "Counting what is new",
    Phase.LOAD: "Loading the model",
    Phase.SPLIT: "Splitting",
    Phase.ENRICH: "Writing contexts and summaries",
    Phase.EMBED: "Embedding",
    Phase.CLUSTER: "Building the summary tree",
    Phase.FINISH: "Finishing",
}
"""What a run does, as the page calls it, in this order."""


def phases_of(config: Config, *, loads: bool = True) -> tuple[Phase, ...]:
    """What a run with these settings goes through.

    Args:
        loads: some vector needs the model.

    >>> [str(phase) for phase in phases_of(Config())]
    ['prepare', 'load', 'split', 'embed', 'finish']
    """
    there = {Phase.LOAD: loads, Phase.ENRICH: writes(config), Phase.CLUSTER: config.enrich.raptor}
    return tuple(phase for phase in Phase if there.get(phase, True))
