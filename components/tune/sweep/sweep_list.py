"""Sweeps of a workspace: created from a choice, stored, started and resumed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import streamlit as st

from chunking.config import Config
from chunking.errors import QuestionError, QuotaError
from chunking.evaluation import Sweep, SweepReport, save_sweep, sweep_report
from chunking.evaluation.runs.loaded_chunks import LoadedChunks, config_of_loaded
from chunking.store import Workspace
from components.session.document_caches import clear_when_unused
from components.session.host import deployment
from components.session.jobs import SWEEP, ServerJob, jobs
from components.session.workspace import workspace
from components.tune.setting_words import spoken_title
from components.tune.sweep.sweep_results import LeaderboardView
from components.tune.sweep.value_chooser import SweepChoice

__all__ = ["StoredSweep", "kept_sweeps", "start_sweep", "sweep_fault", "sweep_of", "sweep_of_few"]

_LOADED = "loaded:"


class StoredSweep(NamedTuple):
    """A stored sweep with its report."""

    sweep: Sweep
    report: SweepReport | None
    """None until the sweep has finished."""


def sweep_of(choice: SweepChoice, question_set: str, base: Config, target: Workspace, view: LeaderboardView) -> Sweep:
    """Create a sweep from a choice; an identical stored sweep keeps its name, so that it resumes.

    With a time limit, successive halving goes by the metric that the page shows.
    """
    tries = [
        {},
        *(_settings_of(name, base, target) for name in choice.splitters),
    ]  # the present settings are always among them
    titles = [spoken_title(key) for key in choice.grid] or list(choice.splitters)
    sweep = Sweep(
        name="",
        question_set=question_set,
        base=base,
        grid={key: tuple(values) for key, values in choice.grid.items()},
        tries=tuple(tries),
        minutes=choice.minutes,
        n=base.search.k,
    )
    if choice.minutes:
        measure = view.measure
        sweep = replace(sweep, metric=view.metric.name, budget=measure.budget or 0, expanded=measure.expanded)
    return _named(sweep, " × ".join(titles) or "Current settings", kept_sweeps(target))


def sweep_of_few(estimated: Sweep, settings: Sequence[Mapping[str, str]], target: Workspace) -> Sweep:
    """Create a sweep that measures some configurations of an estimated sweep."""
    sweep = replace(estimated, name="", grid={}, tries=tuple(dict(one) for one in settings), minutes=0.0)
    return _named(sweep, f"{len(settings)} of {estimated.combinations:,} estimated", kept_sweeps(target))


def sweep_fault(sweep: Sweep) -> str:
    """Return why a sweep cannot run, or "".

    Configurations are counted, not built: there may be millions.
    """
    try:
        sweep.check()
        deployment().quotas.check_configurations(sweep.combinations)
    except (QuestionError, QuotaError) as error:
        return str(error)
    return ""


def _settings_of(splitter: str, base: Config, target: Workspace) -> Mapping[str, str]:
    """Return the settings that make a configuration use this splitter."""
    if splitter.startswith(_LOADED):
        text = target.loaded_chunks.get(splitter.removeprefix(_LOADED))
        if text is not None:
            theirs, ours = config_of_loaded(LoadedChunks.from_json(text), base).changed(), base.changed()
            return {key: value for key, value in theirs.items() if ours.get(key) != value}
    return {"strategy": "custom", "splitter": splitter}


def _named(sweep: Sweep, title: str, kept: Sequence[StoredSweep]) -> Sweep:
    names = {one.sweep.name for one in kept}
    same = next((one.sweep for one in kept if replace(one.sweep, name="").to_json() == sweep.to_json()), None)
    if same is not None:
        return same
    base = f"{title} · {sweep.question_set}"
    number, name = 1, base
    while name in names:
        number += 1
        name = f"{base} ({number})"
    return replace(sweep, name=name)


def start_sweep(target: Workspace, sweep: Sweep) -> ServerJob:
    """Store and start a sweep, or return the job of the one in progress.

    Raises:
        ChunkscopeError: the sweep cannot be stored, has more configurations than allowed, or no process can be
            started.
    """
    present = jobs().of(target.uri, SWEEP)
    if present and present.active:
        return present
    deployment().quotas.check_configurations(sweep.combinations)
    save_sweep(target, sweep)
    return jobs().start_job(target.uri, SWEEP, {"name": sweep.name}, name=sweep.name)


def kept_sweeps(target: Workspace) -> tuple[StoredSweep, ...]:
    """Return the readable sweeps of the workspace, newest first."""
    return _read(target.uri, target.sweeps.version)


@clear_when_unused
@st.cache_resource(show_spinner=False, max_entries=2)
def _read(address: str, version: str) -> tuple[StoredSweep, ...]:
    target = workspace()
    kept = []
    for name, text in target.sweeps.all().items():
        try:
            kept.append(StoredSweep(Sweep.from_json(text), sweep_report(target, name)))
        except QuestionError:
            continue  # of another version: it cannot be gone on with, its runs are kept
    return tuple(kept)
