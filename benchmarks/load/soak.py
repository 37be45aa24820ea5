"""Long soak test: people come and go, build, and have workers killed; does anything grow?"""

from __future__ import annotations

import asyncio
import os
import random
import statistics
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from benchmarks.load.crowd import Crowd, broken_promises
from benchmarks.load.kills import PEOPLE, kill_worker
from benchmarks.load.served import Sample, Server
from benchmarks.report import Row, Table

__all__ = ["LONG", "run"]

LONG = 10.0
"""Minimum minutes of a meaningful soak."""

_SAMPLE, _KILL = 5.0, 60.0
"""Seconds between two samples, and about between two kills of a worker."""
_MINUTE = 60.0
_QUARTER = 0.25
"""Share of the time in which the server loads things once."""
_MOST = 1.15
"""Maximum ratio of the last quarter to the second one ..."""
_SOME = 3
"""... and for counts, the number of additional ones that is no growth."""
_KEPT = 20
"""Seconds for which the server keeps a disconnected session."""


class _Held(NamedTuple):
    at: float
    """Seconds since the beginning."""
    server: Sample
    files: int
    """Number of temporary files."""


def run(minutes: float, people: int = PEOPLE, environment: Mapping[str, str] | None = None) -> Table:
    """Soak for some minutes, on one server without a restart.

    Args:
        environment: more variables of the server.
    """
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "tmp").mkdir()
        settings = {"TMPDIR": str(folder / "tmp"), **(environment or {})}
        server = Server(folder / "home", "team", {"server.disconnectedSessionTTL": str(_KEPT)}, settings)
        server.start()
        try:
            return asyncio.run(_soak(server, folder / "tmp", minutes, people))
        finally:
            server.stop()


async def _soak(server: Server, temporary: Path, minutes: float, people: int) -> Table:
    crowd, began = Crowd(server, people), time.monotonic()
    samples: list[_Held] = []
    kills = [0]
    async with crowd.working():
        killer = asyncio.create_task(_kill(server, kills))
        while (now := time.monotonic() - began) < _MINUTE * minutes:
            await asyncio.sleep(_SAMPLE)
            samples.append(_Held(now, server.sample(), _files_in(temporary)))
            _tell(samples, kills[0])
        killer.cancel()
        await asyncio.gather(killer, return_exceptions=True)
    folders = crowd.workspaces()
    broken = [fault for one in crowd.writers for fault in broken_promises(crowd, one, folders[one.number])]
    visits = sum(len(one.done.timings.opened) for one in crowd.writers)
    rows = [
        _flat(samples, "resident MB of the server", lambda one: one.server.memory),
        _flat(samples, "file descriptors", lambda one: one.server.descriptors),
        _flat(samples, "processes that it has started", lambda one: one.server.processes),
        _flat(samples, "temporary files", lambda one: one.files),
        Row("lost, or embedded twice", str(len(broken)), f"{visits} visits", str(len(broken)), "0", not broken),
        Row(
            "errors that no kill explains",
            str(len(crowd.errors)),
            f"{visits} visits",
            str(len(crowd.errors)),
            "0",
            not crowd.errors,
        ),
    ]
    kinds = Counter(one.partition(": ")[2] for one in [*broken, *crowd.errors])  # whose it was says nothing
    notes = [
        f"{samples[-1].at / _MINUTE:.0f} minutes; {kills[0]} kills of the process of a job. Medians of the last "
        "quarter of the time against the second one.",
        *[f"Fault, {number:,} times: {what}" for what, number in kinds.most_common(20)],
    ]
    return Table(f"A soak while {people} people come and go", rows, notes)


def _files_in(folder: Path) -> int:
    # A folder that goes while it is walked through is no fault of the walk, as it would be of `Path.rglob`.
    return sum(len(files) for _, _, files in os.walk(folder))


def _tell(samples: list[_Held], kills: int) -> None:
    """Print a line per minute, for soaks that are interrupted."""
    if len(samples) > 1 and samples[-1].at // _MINUTE > samples[-2].at // _MINUTE:
        at, server, files = samples[-1]
        print(
            f"{at / _MINUTE:3.0f} min: {server.memory:.0f} MB, {server.descriptors} descriptors, {server.threads} "
            f"threads, {server.processes} processes, {files} temporary files, {kills} kills",
            file=sys.stderr,
            flush=True,
        )


async def _kill(server: Server, kills: list[int]) -> None:
    chance = random.Random(3)
    while True:
        await asyncio.sleep(_KILL * chance.uniform(0.5, 1.5))
        kills[0] += await kill_worker(server, chance)


def _flat(samples: list[_Held], what: str, of: Callable[[_Held], float]) -> Row:
    last = samples[-1].at
    before = statistics.median(of(one) for one in samples if _QUARTER * last <= one.at <= 2 * _QUARTER * last)
    after = statistics.median(of(one) for one in samples if one.at >= (1 - _QUARTER) * last)
    flat = after <= max(before * _MOST, before + _SOME)
    return Row(
        what,
        f"{after:.0f}",
        f"{before:.0f}",
        f"{after / before:.2f} ×" if before else f"{after:+.0f}",
        f"≤ {_MOST:g} ×",
        flat,
    )
