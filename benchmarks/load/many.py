"""Fifty people at a time against one: slider steps, searches, errors, and memory per session."""

from __future__ import annotations

import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.load.served import Server, processor_seconds
from benchmarks.load.visitor import SEARCHES, STEPS, Pace, Timings, Visitor
from benchmarks.report import Row, Table
from components.server.upkeep import EVERY

__all__ = ["PEOPLE", "late", "run"]

PEOPLE, FIRST = 50, 10
MOST_STEP, MOST_SEARCH = 0.3, 1.0
"""Maximum seconds at the 95th percentile."""
MOST_MEMORY = 15.0
"""Maximum MB per session, after the first ones."""
KEPT = 20
"""Seconds for which the server keeps a disconnected session; two minutes by default."""


def run(people: int = PEOPLE, mode: str = "demo", pace: Pace | None = None) -> Table:
    """Measure one person, the first ten, everybody, then nobody."""
    with tempfile.TemporaryDirectory() as folder:
        server = Server(Path(folder) / "home", mode, {"server.disconnectedSessionTTL": str(KEPT)})
        server.start()
        try:
            return asyncio.run(_measure(server, people, pace or Pace()))
        finally:
            server.stop()


def late(seconds: Sequence[float]) -> float:
    """Return the 95th percentile."""
    return statistics.quantiles(seconds, n=20, method="inclusive")[-1] if len(seconds) > 1 else seconds[0]


async def _measure(server: Server, people: int, pace: Pace) -> Table:
    warm, alone, few, all_ = Timings(), Timings(), Timings(), Timings()
    visitors = [Visitor(server.address, server.mode, number) for number in range(people)]
    await visitors[0].enter(warm)
    for timings in (warm, alone, alone):
        await visitors[0].visit(Pace(1.0), timings)
    first = visitors[: min(FIRST, people)]
    for one in first[1:]:
        await one.enter(few)
    await _together(first, Pace(pace.reading / 2), few)
    before = server.sample()
    for one in visitors[len(first) :]:
        await one.enter(all_)
    own, theirs, began = time.process_time(), processor_seconds(server.pid), time.perf_counter()
    await _together(visitors, pace, all_)
    lasted = time.perf_counter() - began
    shares = [seconds / lasted for seconds in (time.process_time() - own, processor_seconds(server.pid) - theirs)]
    full = server.sample()
    for one in visitors:
        await one.leave()
    await asyncio.sleep(KEPT + EVERY + 15)
    left = server.sample()
    more = people - len(first)
    grown = full.memory - before.memory
    each = grown / more if more else 0.0
    errors = alone.errors + few.errors + all_.errors
    rows = [
        _row(
            f"p95 of {len(all_.boundaries)} steps of the slider, until the boundaries came",
            all_.boundaries,
            alone.boundaries,
            MOST_STEP,
        ),
        _row("the same, until the run of the page ended", all_.steps, alone.steps, None),
        _row(f"p95 of {len(all_.searches)} searches", all_.searches, alone.searches, MOST_SEARCH),
        Row(
            "errors",
            f"{len(errors)}",
            f"{len(alone.boundaries + all_.boundaries) + len(alone.searches + all_.searches)} steps and searches",
            str(len(errors)),
            "0",
            not errors,
        ),
        Row(
            f"memory a session, after the first {len(first)}",
            f"{grown:.0f} MB for {more}",
            f"{before.memory:.0f} MB with {len(first)}",
            f"{each:.1f} MB",
            f"< {MOST_MEMORY:g} MB",
            each < MOST_MEMORY,
        ),
        Row(
            "memory when all have left",
            f"{left.memory:.0f} MB",
            f"{full.memory:.0f} MB with {people}",
            f"{(full.memory - left.memory) / grown:+.0%} of what they took is given back"
            if grown > 0
            else "nothing had been taken",
        ),
        Row(
            "file descriptors, threads when all have left",
            f"{left.descriptors}, {left.threads}",
            f"{full.descriptors}, {full.threads} with {people}",
            (
                f"{left.descriptors - before.descriptors:+d}, {left.threads - before.threads:+d} against the "
                f"first {len(first)}"
            ),
        ),
    ]
    notes = [
        f"Mode {server.mode}, {os.cpu_count()} processors; real server, default model, LanceDB; sessions over "
        f"websockets, no browsers. In {lasted:.0f} s each person drags the slider over {STEPS} steps and asks "
        f"{SEARCHES} questions nobody asked before, with {pace.reading:g} s of reading between, on average.",
        f"Medians: boundaries {_ms(all_.boundaries)}, against {_ms(alone.boundaries)} alone; search "
        f"{_ms(all_.searches)}, against {_ms(alone.searches)}. The server used {shares[1]:.2f} processors, and what "
        f"makes the load {shares[0]:.2f}.",
        *[f"Error: {error}" for error in errors[:3]],
    ]
    return Table(f"{people} people at a time", rows, notes)


async def _together(visitors: Sequence[Visitor], pace: Pace, into: Timings) -> None:
    """Let all people visit, with starts spread over the length of a visit."""
    length = pace.reading * (SEARCHES + 1)
    await asyncio.gather(
        *(one.visit(pace, into, delay=length * number / len(visitors)) for number, one in enumerate(visitors))
    )


def _ms(seconds: Sequence[float]) -> str:
    return f"{1_000 * statistics.median(seconds):.0f} ms"


def _row(what: str, seconds: Sequence[float], alone: Sequence[float], most: float | None) -> Row:
    delay, before = late(seconds), late(alone)
    target = f"< {1_000 * most:.0f} ms" if most else ""
    return Row(
        what,
        f"{1_000 * delay:.0f} ms",
        f"one person: {1_000 * before:.0f} ms",
        f"{delay / before:.1f} ×",
        target,
        delay < most if most else None,
    )
