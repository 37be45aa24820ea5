"""The command as a host starts it: both eras, every tool; it loads nothing before it is asked, and ends at once."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import IO, Any

import pytest
from mcp import Client
from mcp_types import CallToolResult

from tests.agents.mcp.client import ERAS, ROOT, ask_process, parameters, text_of
from tests.cli.command import program

_HELLO = {
    "jsonrpc": "2.0",
    "id": 1,
    "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}},
}
_READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
_LIST = {"jsonrpc": "2.0", "id": 2, "method": "tools/list"}


def _started(workspace: Path, *words: object, code: str = "") -> subprocess.Popen[str]:
    """The process with its pipes; with `code` first run in it."""
    given = parameters(workspace, *words)
    start = [*given.args] if not code else ["-c", f"{code}\nfrom chunking.__main__ import run\nrun()", *given.args[2:]]
    environment = {"PATH": "/usr/bin:/bin", "HOME": str(workspace.parent)} | dict(given.env or {})
    pipes: dict[str, Any] = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen([sys.executable, *start], env=environment, cwd=ROOT, text=True, encoding="utf-8", **pipes)


def _send(process: subprocess.Popen[str], *messages: dict[str, Any]) -> None:
    stdin: IO[str] | None = process.stdin
    assert stdin is not None
    stdin.write("".join(f"{json.dumps(one)}\n" for one in messages))
    stdin.flush()


def _answer(process: subprocess.Popen[str]) -> dict[str, Any]:
    assert process.stdout is not None
    found: dict[str, Any] = json.loads(process.stdout.readline())
    return found


def _call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


@pytest.mark.parametrize("mode", ERAS)
def test_every_tool_answers_over_stdio(own_shelf_place: Path, mode: str) -> None:
    """With the right to write; links lead to the app at the address that was given."""
    calls: list[tuple[str, dict[str, Any]]] = [
        ("search", {"query": "How is a backup restored?"}),
        ("fetch", {"id": "guide_handbook"}),
        ("toc", {"doc": "guide_handbook"}),
        ("list_documents", {}),
        ("related", {"doc": "guide_handbook"}),
        ("collect", {"path": "."}),
        ("delete", {"ids": ["manuals_manual"]}),
        ("fetch", {"id": "nope"}),
    ]

    async def work(client: Client) -> list[CallToolResult]:
        return [await client.call_tool(name, given) for name, given in calls]

    files = own_shelf_place.parent / "files"
    words = ("--write", "--files", files, "--address", "http://127.0.0.1:9999")
    *answers, refused = ask_process(own_shelf_place, work, *words, mode=mode)
    assert [answer.is_error for answer in answers] == [False] * len(answers), [answer.content for answer in answers]
    assert json.loads(text_of(answers[0]))["results"][0]["url"].startswith("http://127.0.0.1:9999/?doc=")
    assert json.loads(text_of(answers[5]))["added"] == ["pumps"]
    assert refused.is_error


@pytest.mark.parametrize("mode", ERAS)
def test_the_research_profile_over_stdio(shelf_place: Path, mode: str) -> None:
    """Its two tools."""

    async def work(client: Client) -> tuple[list[str], str]:
        names = [tool.name for tool in (await client.list_tools()).tools]
        return names, text_of(await client.call_tool("search", {"query": "backup"}))

    names, found = ask_process(shelf_place, work, "--profile", "research", mode=mode)
    assert names == ["search", "fetch"]
    assert json.loads(found)["results"][0]["url"].startswith("chunkscope://document/")


def test_nothing_heavy_is_loaded_before_a_call_needs_it(shelf_place: Path) -> None:
    """A host starts all its servers at once, and asks few of them."""
    code = (
        "import sys\n"
        "from chunking.agents.mcp import server\n"
        "listed = server._listed\n"
        "def tell(*words):\n"
        "    heavy = {'lancedb', 'torch', 'numpy', 'streamlit', 'pyarrow', 'tokenizers', 'pandas'}\n"
        "    print(*sorted(heavy & {*sys.modules}), 'loaded', file=sys.stderr, flush=True)\n"
        "    return listed(*words)\n"
        "server._listed = tell"
    )
    process = _started(shelf_place, code=code)
    _send(process, _HELLO, _READY, _LIST)
    _answer(process)
    assert _answer(process)["result"]["tools"]
    assert process.stderr is not None
    assert process.stderr.readline().split() == ["loaded"]
    assert process.stdin is not None
    process.stdin.close()
    assert process.wait(60) == 0
    process.stdout.close()  # type: ignore[union-attr]
    process.stderr.close()


@pytest.mark.parametrize("busy", [False, True], ids=["idle", "busy"])
@pytest.mark.parametrize("end", [None, signal.SIGTERM, signal.SIGINT], ids=["eof", "term", "int"])
def test_it_ends_at_once(shelf_place: Path, end: signal.Signals | None, busy: bool) -> None:
    """Also while a model loads: a search that never comes back does not hold the process."""
    code = (
        "import sys, time\n"
        "from chunking.agents import Toolbox\n"
        "def search(self, query, **options):\n"
        "    print('busy', file=sys.stderr, flush=True)\n"
        "    time.sleep(3_000)\n"
        "Toolbox.search = search"
    )
    process = _started(shelf_place, code=code)
    try:
        _send(process, _HELLO, _READY)
        _answer(process)
        assert process.stderr is not None
        if busy:
            _send(process, _call("search", query="backup"))
            assert process.stderr.readline() == "busy\n"
        if end is None:
            assert process.stdin is not None
            process.stdin.close()
        else:
            process.send_signal(end)
        assert process.wait(60) == 0
        assert process.stderr.read() == ""
    finally:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout, process.stderr):
            if pipe is not None and not pipe.closed:
                pipe.close()


def test_what_cannot_be_served_is_said_at_the_start(tmp_path: Path, shelf_place: Path) -> None:
    """One line, and the exit code of the command line."""
    missing = program("mcp", "--workspace", tmp_path / "nope")
    assert (missing.code, missing.out) == (1, "")
    assert "nope" in missing.complaint
    for words in (["--files", tmp_path], ["--write", "--files", tmp_path / "nope"], ["--address", "nonsense"]):
        wrong = program("mcp", "--workspace", shelf_place, *words)
        assert (wrong.code, wrong.out) == (2, "")
        assert wrong.complaint
    assert program("mcp", "--workspace", shelf_place, "--profile", "magic").code == 2
