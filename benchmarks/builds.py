"""Steps of the size slider during two index builds, with and without the queue's limits.

    python -m benchmarks builds

One server, one browser, and two builds as the queue starts them. They pause and continue in turn with steps of the
slider, so that other load affects both equally; so do two builds started without the queue's limits.
"""

from __future__ import annotations

import os
import shutil
import signal
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from benchmarks.page_probe import Probe
from benchmarks.report import Row, Table
from chunking import Config, Workspace
from chunking.indexing import IndexPhase
from chunking.parsing import parse
from components.server.jobs import JobLimits, JobProcesses, Jobs, ServerJob
from components.server.jobs.job_limits import processors
from components.server.jobs.worker_process import end_tree, start_worker, tree_of
from tests.browser.app import chromium, running_app

SAMPLE = Path(__file__).parent.parent / "sample_data" / "handbook" / "operations-handbook.md"
BUILDS, ROUNDS, STEPS = 2, 4, 20
DOCUMENTS, CHARACTERS = 40, 150_000
"""Documents and characters of each workspace: enough to embed until the last step."""
MOST = 2.0
"""Maximum slowdown of a step at its 95th percentile."""
PATIENCE = 300.0
"""Seconds to wait until a build embeds."""


def run() -> Table:
    """Measure slider steps in turn: alone, during two queued builds, and during two unqueued builds."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        fill(folder / "filled")
        queued = stack.enter_context(_building(folder, "queued", Jobs(JobLimits())))
        without = Jobs(
            JobLimits(),
            processes=JobProcesses(launch=lambda kind, threads: start_worker(kind._replace(nice=0), processors())),
        )
        free = stack.enter_context(_building(folder, "free", without))
        address = stack.enter_context(running_app(folder / "workspace", "serve.py"))
        probe = Probe(stack.enter_context(chromium()))
        probe.page.goto(f"{address}/chunks")
        probe.settle()
        ways: dict[str, Sequence[ServerJob]] = {"alone": (), "queued": queued, "free": free}
        times: dict[str, list[float]] = {mode: [] for mode in ways}
        for _ in range(ROUNDS):
            for mode, jobs in ways.items():
                _signal(jobs, signal.SIGCONT)
                times[mode] += _steps(probe)
                _signal(jobs, signal.SIGSTOP)
        if not all(job.running for job in (*queued, *free)):
            raise RuntimeError("a build has ended before the last step: give it more text")
    return _table(times)


def fill(folder: Path, documents: int = DOCUMENTS, characters: int = CHARACTERS) -> None:
    """Add documents that are not embedded yet: the longest sample with a number in each line."""
    lines = SAMPLE.read_text(encoding="utf-8").splitlines()
    workspace = Workspace.open(folder)
    for number in range(documents):
        text = "\n".join(f"{line} ({number}, {place})" if line.strip() else "" for place, line in enumerate(lines))
        times = max(1, characters // len(text))
        joined = "\n\n".join(text.replace(f"({number}, ", f"({number}.{time_}, ") for time_ in range(times))
        workspace.put_document(parse(joined.encode(), f"manual{number}.md"))


@contextmanager
def _building(folder: Path, name: str, registry: Jobs) -> Iterator[list[ServerJob]]:
    """Start two builds and pause them while they embed."""
    places = [Path(shutil.copytree(folder / "filled", folder / f"{name}{number}")) for number in range(BUILDS)]
    jobs = [registry.start(str(place), Config(), "main") for place in places]
    try:
        deadline = time.monotonic() + PATIENCE
        while not all(job.phase is IndexPhase.EMBED and job.done for job in jobs):
            if time.monotonic() > deadline or not all(job.running for job in jobs):
                raise RuntimeError(f"a build does not embed: {[job.error or job.line for job in jobs]}")
            time.sleep(0.2)
        _signal(jobs, signal.SIGSTOP)
        yield jobs
    finally:
        for job in jobs:
            if job.process is not None:
                end_tree(job.process)


def _signal(jobs: Sequence[ServerJob], what: signal.Signals) -> None:
    for job in jobs:
        assert job.process is not None
        for pid in tree_of(job.process.pid):
            os.kill(pid, what)


def _steps(probe: Probe) -> list[float]:
    """Return the milliseconds from arrow keys on the size slider to painted boundaries, warmed up."""
    probe.page.locator(".st-key-settings-size input[type=range]").focus()
    times = []
    for step in range(STEPS + 1):
        times.append(probe.press("ArrowRight" if step % 10 < 5 else "ArrowLeft"))
        probe.settle()
    return times[1:]


def _late(times: Sequence[float]) -> float:
    """Return the 95th percentile."""
    return statistics.quantiles(times, n=20, method="inclusive")[-1]


def _table(times: dict[str, list[float]]) -> Table:
    alone, queued, free = (_late(times[mode]) for mode in ("alone", "queued", "free"))
    middle = {mode: statistics.median(some) for mode, some in times.items()}
    count = len(times["alone"])
    return Table(
        "A step of the size slider while two indexes are built",
        [
            Row(
                f"p95 of {count} steps, builds as the queue starts them",
                f"{queued:.0f} ms",
                f"without builds: {alone:.0f} ms",
                f"{queued / alone:.2f}",
                f"< {MOST:g}",
                queued < MOST * alone,
            ),
            Row(
                "the same, builds as important as the server, threads as they like",
                f"{free:.0f} ms",
                f"without builds: {alone:.0f} ms",
                f"{free / alone:.2f}",
            ),
            Row(
                "median of a step, builds as the queue starts them",
                f"{middle['queued']:.0f} ms",
                f"without builds: {middle['alone']:.0f} ms",
                f"{middle['queued'] / middle['alone']:.2f}",
            ),
        ],
        [
            f"{processors()} processors, which the browser shares; the first of the samples, default settings. In "
            f"turns of {STEPS} steps: builds are halted and continued."
        ],
    )


if __name__ == "__main__":
    print(run().markdown())
