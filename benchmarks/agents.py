"""Cost of MCP over the library's calls, in process and over stdio, and the memory of an idle server."""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from time import perf_counter
from typing import Any

import anyio
from mcp import Client, StdioServerParameters

from benchmarks.report import Row, Table
from chunking.agents import FULL_TOOLS, AgentTool, AppAddress, Toolbox
from chunking.agents.mcp import build_server
from chunking.indexing import add_files, build_index
from chunking.store import Role, RoleAccess, Workspace

_ROOT = Path(__file__).parent.parent
_ROUNDS = 60
_WARM = 5
"""Warm-up rounds, not counted."""
_IN_PROCESS, _STDIO, _MEMORY = 3.0, 5.0, 80
"""Targets: median milliseconds over the library's call, and megabytes after the handshake."""
CALLS: Mapping[str, Mapping[str, Any]] = {
    "search": {"query": "How do I rotate the gateway certificates?"},
    "fetch": {"id": "handbook_operations-handbook", "budget": 1_000},
    "toc": {"doc": "handbook_operations-handbook"},
}
_ADDRESS = "http://127.0.0.1:8501"

Ask = Callable[[str], Awaitable[object]]


def run() -> Table:
    """Call every tool by library, MCP in process and MCP over stdio in turn, under the same load."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "workspace"
        writer = Workspace.open(place)
        add_files(writer, [_ROOT / "sample_data"])
        build_index(writer)
        workspace = Workspace.open(place, create=False, access=RoleAccess(Role.VIEWER))
        toolbox = Toolbox(lambda: workspace, AppAddress(_ADDRESS))
        memory, times = anyio.run(_measure, place, toolbox)
    rows = [row for tool in CALLS for row in _rows(tool, times)]
    rows.append(
        Row(
            "memory of the server after the handshake",
            f"{memory:.0f} MB",
            "",
            f"{memory:.0f} MB",
            f"≤ {_MEMORY} MB",
            memory <= _MEMORY,
        )
    )
    notes = (
        f"The samples, default settings, {_ROUNDS} rounds of all ways in turn, medians; results are medians of the "
        "differences in a round. The library's call is that of the toolbox; the SDK's client also validates each "
        "answer against its schema.",
    )
    return Table("Agents", rows, notes)


async def _measure(place: Path, toolbox: Toolbox) -> tuple[float, dict[tuple[str, str], list[float]]]:
    """Return megabytes after the handshake, and seconds by way and tool."""
    command = ["-m", "chunking", "mcp", "--workspace", str(place), "--address", _ADDRESS]
    environment = {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
    started = StdioServerParameters(command=sys.executable, args=command, env=environment, cwd=str(_ROOT))
    tools = {tool.name: tool for tool in FULL_TOOLS}
    before = _children()
    async with (
        Client(build_server(lambda context: toolbox)) as inside,
        Client(started) as outside,
    ):
        await outside.list_tools()
        memory = max(_megabytes(pid) for pid in _children() - before)
        ways: Mapping[str, Ask] = {
            "library": lambda name: _library(tools[name], toolbox),
            "in-process": lambda name: inside.call_tool(name, dict(CALLS[name])),
            "stdio": lambda name: outside.call_tool(name, dict(CALLS[name])),
        }
        return memory, await _timed(ways)


async def _library(tool: AgentTool, toolbox: Toolbox) -> object:
    return tool.call(toolbox, dict(CALLS[tool.name]))


async def _timed(ways: Mapping[str, Ask]) -> dict[tuple[str, str], list[float]]:
    times: dict[tuple[str, str], list[float]] = {(transport, name): [] for transport in ways for name in CALLS}
    for round_ in range(_WARM + _ROUNDS):
        for name in CALLS:
            turn = round_ % len(ways)  # each way is the first one as often as the others
            for transport, ask in [*ways.items()][turn:] + [*ways.items()][:turn]:
                began = perf_counter()
                await ask(name)
                if round_ >= _WARM:
                    times[transport, name].append(perf_counter() - began)
    return times


def _rows(tool: str, times: Mapping[tuple[str, str], list[float]]) -> list[Row]:
    medians = {
        transport: 1_000 * statistics.median(times[transport, tool]) for transport in ("library", "in-process", "stdio")
    }
    pairs = {
        transport: zip(times[transport, tool], times["library", tool], strict=True)
        for transport in ("in-process", "stdio")
    }
    over = {
        transport: 1_000 * statistics.median(ours - library for ours, library in both)
        for transport, both in pairs.items()
    }
    return [
        Row(
            f"{tool}, {transport}",
            f"{medians[transport]:.1f} ms",
            f"library {medians['library']:.1f} ms",
            f"{over[transport]:+.1f} ms",
            f"≤ {most:.0f} ms",
            over[transport] <= most,
        )
        for transport, most in (("in-process", _IN_PROCESS), ("stdio", _STDIO))
    ]


def _children() -> set[int]:
    """Return the child processes of this process."""
    return {int(one) for task in Path("/proc/self/task").iterdir() for one in (task / "children").read_text().split()}


def _megabytes(pid: int) -> float:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmRSS")) / 1_024


if __name__ == "__main__":
    print(run().markdown())
