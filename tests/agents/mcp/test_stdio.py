"""The command as a host starts it: both eras, every tool; it loads nothing before it is asked, and ends at once."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp_types import CallToolResult

from tests.agents.mcp.client import ERAS, ROOT, ask_process, text_of
from tests.agents.mcp.process import HELLO, LIST, READY, answer_of, running, send, tool_call
from tests.cli.command import program


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
        return [await client.call_tool(name, arguments) for name, arguments in calls]

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

    names, hits = ask_process(shelf_place, work, "--profile", "research", mode=mode)
    assert names == ["search", "fetch"]
    assert json.loads(hits)["results"][0]["url"].startswith("chunkscope://document/")


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
    with running(shelf_place, code=code) as process:
        send(process, HELLO, READY, LIST)
        answer_of(process)
        assert answer_of(process)["result"]["tools"]
        assert process.stderr is not None
        assert process.stderr.readline().split() == ["loaded"]
        assert process.stdin is not None
        process.stdin.close()
        assert process.wait(60) == 0


@pytest.mark.parametrize("busy", [False, True], ids=["idle", "busy"])
@pytest.mark.parametrize("end", [None, signal.SIGTERM, signal.SIGINT], ids=["eof", "term", "int"])
def test_the_server_ends_at_once_also_while_a_model_loads(
    shelf_place: Path, end: signal.Signals | None, busy: bool
) -> None:
    """Also while a model loads: a search that never comes back does not hold the process."""
    code = (
        "import sys, time\n"
        "from chunking.agents import Toolbox\n"
        "def search(self, query, **options):\n"
        "    print('busy', file=sys.stderr, flush=True)\n"
        "    time.sleep(3_000)\n"
        "Toolbox.search = search"
    )
    with running(shelf_place, code=code) as process:
        send(process, HELLO, READY)
        answer_of(process)
        assert process.stderr is not None
        if busy:
            send(process, tool_call("search", query="backup"))
            assert process.stderr.readline() == "busy\n"
        _end(process, end)
        assert process.stderr.read() == ""


@pytest.mark.model
@pytest.mark.parametrize("end", [None, signal.SIGTERM, signal.SIGINT], ids=["eof", "term", "int"])
def test_it_ends_at_once_while_the_model_loads(shelf_place: Path, end: signal.Signals | None) -> None:
    """The real one, whose imports hold the interpreter for long stretches."""
    code = (
        "import sys\n"
        "class Tell:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == 'torch':\n"
        "            print('loads', file=sys.stderr, flush=True)\n"
        "sys.meta_path.insert(0, Tell())"
    )
    with running(shelf_place, code=code, python_path=str(ROOT)) as process:
        send(process, HELLO, READY, tool_call("search", query="backup", mode="vector"))
        answer_of(process)
        assert process.stderr is not None
        assert process.stderr.readline() == "loads\n"
        _end(process, end)


def _end(process: subprocess.Popen[str], end: signal.Signals | None) -> None:
    """Close its stdin or send a signal; it ends as a program that has done its work."""
    if end is None:
        assert process.stdin is not None
        process.stdin.close()
    else:
        process.send_signal(end)
    assert process.wait(60) == 0


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
