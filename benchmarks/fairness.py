"""Fairness of the queue: time of one person's build while ten of another are queued.

    python -m benchmarks fairness

One server in the mode team, and people over its websockets. The other person's builds take longer than the measurement:
without a reserved place, this person would wait for the first of them.
"""

from __future__ import annotations

import asyncio
import re
import tempfile
import time
from contextlib import AsyncExitStack
from pathlib import Path

from benchmarks.builds import fill
from benchmarks.load.page_client import PageClient
from benchmarks.load.served import Server
from benchmarks.load.visitor import headers_of
from benchmarks.report import Row, Table
from chunking.deployment import Person, SignIn, operator_settings
from chunking.store import Workspace
from chunking.store.copies.linked_copy import linked_copy
from components.server.jobs.job_limits import processors
from hosting.hosted_deployment import HostedDeployment
from hosting.people.people import person_id

MANY = 10
"""Builds of the other person."""
SHORT, LONG = 50_000, 400_000
"""Characters of the measured build, and of each other build."""
ALONE = 2
"""Number of measurements alone, before; the fastest counts."""
MOST = 3.0
"""Maximum slowdown: two people share the processors."""
PATIENCE = 900.0
_DONE = re.compile(r"= ([\d,]+) embedded \+ ([\d,]+) reused")


def run() -> Table:
    """Measure builds alone in new workspaces, then one during the other person's builds."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        server = Server(folder / "home", "team")
        short, long = _filled(server.home, folder)
        server.start()
        try:
            return asyncio.run(_measure(server, short, long))
        finally:
            server.stop()


def _filled(home: Path, folder: Path) -> tuple[list[str], list[str]]:
    """Return the ids of workspaces with equal documents, of person 1 and of person 2."""
    here = HostedDeployment(operator_settings({"CHUNKSCOPE_MODE": "team", "CHUNKSCOPE_HOME": str(home)}))
    problems: list[list[str]] = []
    for number, characters, times in ((1, SHORT, ALONE + 1), (2, LONG, MANY)):
        person = here.people.record_visit(Person(person_id(SignIn.PROXY, f"person{number}"), f"Person {number}"))
        source = folder / f"filled{number}"
        fill(source, 1, characters)
        problems.append([here.workspaces.create(f"{place}", person.id) for place in range(times)])
        for id in problems[-1]:
            linked_copy(Workspace.open(source, create=False), here.workspaces.place(id))
    return problems[0], problems[1]


async def _measure(server: Server, short: list[str], long: list[str]) -> Table:
    async with AsyncExitStack() as tabs:
        alone = [await _built(await _begun(tabs, server, 1, id)) for id in short[:ALONE]]
        for id in long:
            await _begun(tabs, server, 2, id)
        parallel = await _built(await _begun(tabs, server, 1, short[-1]))
        others = len(server.workers())
    if not others:
        raise RuntimeError("the builds of the other person ended before the one that was measured: give them more text")
    texts = f"alone, same run: {', '.join(f'{seconds:.0f} s' for seconds in alone)}"
    row = Row(
        f"a build, from the click to its end, while {MANY} of another person are queued",
        f"{parallel:.0f} s",
        texts,
        f"{parallel / min(alone):.2f}",
        f"< {MOST:g}",
        parallel < MOST * min(alone),
    )
    return Table(
        f"One person's build while {MANY} of another are queued",
        [row],
        [
            f"Mode team, {processors()} processors, 2 places for heavy jobs; real server, default model. Each build of "
            f"the other person has {LONG // SHORT} times as much text, and the first was still running at the end: "
            "without a place that is kept, this one waits for it."
        ],
    )


async def _begun(tabs: AsyncExitStack, server: Server, number: int, id: str) -> tuple[PageClient, float]:
    """Start a build in a new tab; return the tab and the time."""
    tab = await tabs.enter_async_context(PageClient(server.address, headers_of(server.address, "team", number)))
    await tab.open("index", f"workspace={id}")
    began = time.perf_counter()
    await tab.click("index.build")
    return tab, began


async def _built(request: tuple[PageClient, float]) -> float:
    """Return the seconds from the click until the page says that the build is done."""
    tab, began = request
    while time.perf_counter() - began < PATIENCE:
        if any(_DONE.search(" ".join(answer.texts)) for answer in await tab.repeat()):
            return time.perf_counter() - began
        await asyncio.sleep(0.05)
    raise RuntimeError(f"a build did not end in {PATIENCE:.0f} s")


if __name__ == "__main__":
    print(run().markdown())
