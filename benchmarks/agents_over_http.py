"""Agents that call the running app: cost of HTTP, and page times under eight searching agents."""

from __future__ import annotations

import asyncio
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from time import perf_counter

import anyio
import httpx
from mcp import Client

from benchmarks.agents import CALLS
from benchmarks.load.many import late
from benchmarks.load.page_client import PageClient
from benchmarks.load.visitor import WORDS
from benchmarks.report import Row, Table
from chunking.agents import FULL_TOOLS, AppAddress, Toolbox
from chunking.indexing import add_files, build_index
from chunking.store import Role, RoleAccess, Workspace
from tests.browser.app import ROOT, running_app
from tests.components.server.agents.agent_client import HEADERS, request_of

_ROUNDS, _WARM = 60, 5
_AGENTS, _TOURS = 8, 6
_LOOK = 0.3
"""Seconds between a user's clicks, in which agents have their turn."""
_PAGES = ("documents", "index", "search", "evaluate", "tune", "export")
_HTTP, _BESIDE = 12.0, 1.5
"""Targets: median milliseconds over the library's call, and page time relative to no agents."""


def run() -> Table:
    """Measure the samples, served by `serve.py` as in `make app`."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "home" / "workspace"
        writer = Workspace.open(place)
        add_files(writer, [ROOT / "sample_data"])
        build_index(writer)
        reader = Workspace.open(place, create=False, access=RoleAccess(Role.VIEWER))
        with running_app(place, "serve.py") as address:
            rows = anyio.run(_cost, f"{address}/mcp", Toolbox(lambda: reader, AppAddress(address)))
            alone = asyncio.run(_tour(address))
            with _searching_agents(f"{address}/mcp"):
                together = asyncio.run(_tour(address))
    ratio = late(together) / late(alone)
    rows.append(
        Row(
            f"p95 of a page beside {_AGENTS} agents that search in a loop",
            f"{1000 * late(together):.0f} ms",
            f"without agents {1000 * late(alone):.0f} ms",
            f"{ratio:.2f}",
            f"< {_BESIDE}",
            ratio < _BESIDE,
        )
    )
    note = (
        f"The samples, default settings; {_ROUNDS} rounds of both ways in turn, medians; pages: {_TOURS} tours of "
        f"{len(_PAGES)} pages, each until its run has ended, with {_LOOK} s between them. Each agent asks its next "
        "question as soon as the last is answered. The SDK's client also validates each answer against its schema, "
        "which for a long list is most of the difference. A page that is opened while a search runs shares the "
        "processors with it; without giving way the last row was 5.3."
    )
    return Table("Agents over HTTP", rows, (note,))


async def _cost(address: str, toolbox: Toolbox) -> list[Row]:
    tools = {tool.name: tool for tool in FULL_TOOLS}
    times: dict[str, list[tuple[float, float]]] = {name: [] for name in CALLS}
    async with Client(address) as client:
        for number in range(_WARM + _ROUNDS):
            for name, arguments in CALLS.items():
                began = perf_counter()
                tools[name].call(toolbox, dict(arguments))
                between = perf_counter()
                await client.call_tool(name, dict(arguments))
                if number >= _WARM:
                    times[name].append((between - began, perf_counter() - between))
    return [_cost_row(name, pairs) for name, pairs in times.items()]


def _cost_row(name: str, pairs: list[tuple[float, float]]) -> Row:
    library, ours = (1000 * statistics.median(times) for times in zip(*pairs, strict=True))
    over = 1000 * statistics.median(served - called for called, served in pairs)
    return Row(
        f"{name}, HTTP",
        f"{ours:.1f} ms",
        f"library {library:.1f} ms",
        f"{over:+.1f} ms",
        f"≤ {_HTTP:.0f} ms",
        over <= _HTTP,
    )


async def _tour(address: str) -> list[float]:
    """Return the seconds of each page."""
    async with PageClient(address, {}) as client:
        await client.open()
        for page in _PAGES:
            await client.go(page)
        seconds = []
        for page in _PAGES * _TOURS:
            await asyncio.sleep(_LOOK)
            seconds.append((await client.go(page)).seconds)
        return seconds


@contextmanager
def _searching_agents(address: str) -> Iterator[None]:
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.agents_over_http", address], cwd=ROOT, stdout=subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        process.stdout.readline()  # all have their first answer
        yield
    finally:
        process.terminate()
        process.wait()


async def _search_for_ever(address: str) -> None:
    async with httpx.AsyncClient(trust_env=False, timeout=120, headers=HEADERS) as client:

        async def search(number: int) -> None:
            query = f"{WORDS[number % len(WORDS)]} {number}"
            (await client.post(address, json=request_of("search", {"query": query}))).raise_for_status()

        async def agent(number: int) -> None:
            while True:
                await search(number)
                number += _AGENTS

        await asyncio.gather(*map(search, range(_AGENTS)))
        print("searching", flush=True)
        await asyncio.gather(*map(agent, range(_AGENTS, 2 * _AGENTS)))


if __name__ == "__main__":
    asyncio.run(_search_for_ever(sys.argv[1]))
