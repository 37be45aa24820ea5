"""The jobs of this server: started, found again by every session, one of each kind at a time a workspace."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import streamlit as st

from chunking.config import Config
from chunking.errors import ChunkscopeError
from chunking.indexing import Phase, Plan
from components.session.jobs.job import Job
from components.session.jobs.job_kinds import INDEX, KINDS, Kind, phases_of

__all__ = ["Jobs", "jobs"]

_ROOT = Path(__file__).parents[3]
_COMMAND = ("-m", "chunking.worker")
_STARTING = 2.0
"""Seconds in which a worker starts, about."""


class Jobs:
    """The last job of each kind of each workspace."""

    def __init__(self) -> None:
        self._of: dict[tuple[str, str], Job] = {}
        self._lock = threading.Lock()

    def of(self, address: str, kind: str = INDEX) -> Job | None:
        """The job that is under way, or the last one; None before the first."""
        return self._of.get((address, kind))

    def start(self, address: str, config: Config, name: str, plan: Plan | None = None) -> Job:
        """Start a run that builds an index, unless one is under way (then that one is returned).

        Args:
            plan: of the run, where it is known: says how long it will take before its worker does.
        Raises:
            ChunkscopeError: no process can be started.
        """
        task = {"name": name, "config": config.changed(), "doc_ids": None}
        loads = plan is None or plan.new > 0 or plan.encode > 0
        expected = None if plan is None else _STARTING + plan.seconds_expected
        return self.start_job(address, INDEX, task, phases=phases_of(config, loads=loads), expected=expected)

    def start_job(
        self,
        address: str,
        kind: str,
        payload: Mapping[str, Any],
        *,
        name: str = "",
        phases: tuple[Phase, ...] = (),
        expected: float | None = None,
    ) -> Job:
        """Start a job of a kind, unless one of that kind is under way in the workspace (then that one is returned).

        Args:
            address: of the workspace.
            kind: INDEX, SWEEP, EVALUATE, LIVE or ESTIMATE.
            payload: the worker's task, without its kind and workspace; see chunking/worker.py.
            name: what people call it; the payload's name where empty.
            phases: what a run for an index goes through.
            expected: seconds that it will take, about, where anybody knows.
        Raises:
            ChunkscopeError: no process can be started.
        """
        with self._lock:
            present = self.of(address, kind)
            if present and present.active:
                return present
            named, task = name or str(payload.get("name") or ""), dict(payload)
            job = Job(named, _worker(KINDS[kind]), kind, task, phases=phases, seconds_left=expected)
            job.tell({"kind": kind, "workspace": address, **payload})
            self._of[address, kind] = job
        threading.Thread(target=job.follow, daemon=True).start()
        return job


def _worker(kind: Kind) -> subprocess.Popen[str]:
    """A worker that finds this library wherever the app was started from."""
    paths = [str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    try:
        return subprocess.Popen(
            [sys.executable, *_COMMAND],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
            env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        )
    except OSError as error:
        message = f"The {kind.noun} could not be started ({error.strerror}); close other programs or restart the app, then try again."
        raise ChunkscopeError(message) from error


@st.cache_resource(show_spinner=False)
def jobs() -> Jobs:
    """The jobs of this server, shared by all sessions."""
    return Jobs()
