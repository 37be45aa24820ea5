"""Comparisons of settings: made from what was chosen, kept in the workspace, run beside the pages, and gone on with
later.
"""

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
from components.tune.sweep.sweep_results import Stand
from components.tune.sweep.value_chooser import Choice

__all__ = ["StoredSweep", "kept_sweeps", "start", "sweep_of", "sweep_of_few", "why_not"]

_LOADED = "loaded:"


class StoredSweep(NamedTuple):
    """A comparison of the workspace."""

    sweep: Sweep
    report: SweepReport | None
    """None where it has not come to its end yet."""


def sweep_of(choice: Choice, question_set: str, base: Config, target: Workspace, looked: Stand) -> Sweep:
    """What is to be run; under the name of a kept one where that is the same, so that it goes on with it.

    Where the time is limited, the worse are dropped by what the page looks at.
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
        measure = looked.measure
        sweep = replace(sweep, metric=looked.metric.name, budget=measure.budget or 0, expanded=measure.expanded)
    return _named(sweep, " × ".join(titles) or "Current settings", kept_sweeps(target))


def sweep_of_few(estimated: Sweep, settings: Sequence[Mapping[str, str]], target: Workspace) -> Sweep:
    """Some configurations of an estimated sweep, to be measured."""
    sweep = replace(estimated, name="", grid={}, tries=tuple(dict(one) for one in settings), minutes=0.0)
    return _named(sweep, f"{len(settings)} of {estimated.combinations:,} estimated", kept_sweeps(target))


def why_not(sweep: Sweep) -> str:
    """Why the sweep cannot run, as a sentence; counted without building configurations, which may be millions."""
    try:
        sweep.check()
        deployment().quotas.check_configurations(sweep.combinations)
    except (QuestionError, QuotaError) as error:
        return str(error)
    return ""


def _settings_of(splitter: str, base: Config, target: Workspace) -> Mapping[str, str]:
    """A configuration that cuts with this splitter, the rest as it is."""
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


def start(target: Workspace, sweep: Sweep) -> ServerJob:
    """Keep it and run it, unless one is under way (then that one's job is returned).

    Raises:
        ChunkscopeError: it cannot be kept, has more configurations than may be tried here, or no process can be
            started.
    """
    present = jobs().of(target.uri, SWEEP)
    if present and present.active:
        return present
    deployment().quotas.check_configurations(sweep.combinations)
    save_sweep(target, sweep)
    return jobs().start_job(target.uri, SWEEP, {"name": sweep.name}, name=sweep.name)


def kept_sweeps(target: Workspace) -> tuple[StoredSweep, ...]:
    """Every comparison of the workspace that can be read, the newest first."""
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
