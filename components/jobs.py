"""Index runs of the app: each in a process of its own, known to every session, one at a time a workspace.

A run goes on when its page is left or its tab closed; whoever opens the Index page sees it, and can stop it.
"""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from dataclasses import dataclass
from typing import Any

import streamlit as st

from chunking.config import Config

__all__ = ["Job", "Jobs", "jobs"]


@dataclass(slots=True)
class Job:
    """One run. Written by the thread that reads the worker's lines, read by pages: plain values only."""

    process: subprocess.Popen[str]
    done: int = 0
    total: int = 0
    message: str = "Starting …"
    report: dict[str, Any] | None = None
    error: str | None = None
    cancelled: bool = False
    active: bool = True
    stopping: bool = False

    @property
    def share(self) -> float:
        """How far it is, 0 to 1."""
        return min(self.done / self.total, 1.0) if self.total else 0.0

    def cancel(self) -> None:
        """Ask the worker to stop after its present batch: the end of its standard input says so."""
        self.stopping = True
        if self.process.stdin and not self.process.stdin.closed:
            self.process.stdin.close()

    def follow(self) -> None:
        """Read the worker's lines until it ends; runs in a thread."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._take(json.loads(line))
        self.process.wait()
        if not (self.report or self.error or self.cancelled):
            self.error = "The index run ended without a word; what it had committed is kept. Build again to go on from there."
        self.active = False

    def _take(self, event: dict[str, Any]) -> None:
        name = event["event"]
        if name == "plan":
            self.total, self.message = event["chunks"], "Cutting …"
        elif name == "progress":
            self.done, self.total, self.message = event["done"], event["total"], event["message"]
        elif name == "done":
            self.report = event["report"]
        elif name == "cancelled":
            self.cancelled = True
        elif name == "failed":
            self.error = event["error"]


class Jobs:
    """The last run of each workspace."""

    def __init__(self) -> None:
        self._of: dict[str, Job] = {}
        self._lock = threading.Lock()

    def of(self, address: str) -> Job | None:
        """The run that is under way, or the last one; None before the first."""
        return self._of.get(address)

    def start(self, address: str, config: Config, name: str) -> Job:
        """Start a run, unless one is under way (then that one is returned)."""
        with self._lock:
            present = self._of.get(address)
            if present and present.active:
                return present
            job = Job(_worker())
            assert job.process.stdin is not None
            line = {"workspace": address, "name": name, "config": config.changed(), "doc_ids": None}
            job.process.stdin.write(json.dumps(line) + "\n")
            job.process.stdin.flush()
            self._of[address] = job
        threading.Thread(target=job.follow, daemon=True).start()
        return job

    def forget(self, address: str) -> None:
        """Drop what is remembered of a run that has ended."""
        job = self._of.get(address)
        if job and not job.active:
            del self._of[address]


def _worker() -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "chunking.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        encoding="utf-8",
    )


@st.cache_resource(show_spinner=False)
def jobs() -> Jobs:
    """The jobs of this server, shared by all sessions."""
    return Jobs()
