"""The inspector's command line against the real server: both transports, both eras, every tool of the full profile."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from chunking.agents import FULL_TOOLS
from tests.agents.mcp.client import ROOT
from tests.agents.official.npm_programs import NpmPrograms
from tests.support.facts import tells
from tests.support.stand_in_model import stand_in_path

_REFUSED = 5
"""Its exit code for an answer that is an error of the tool."""
_CALLS: list[tuple[str, dict[str, Any], str]] = [
    ("list_documents", {}, "handbook_operations-handbook faq_faq"),
    ("search", {"query": "How do I rotate the gateway certificates?", "k": 3, "detail": True}, "certificate"),
    ("search", {"query": "鹭 G3 网关如何更换证书？", "mode": "text", "filters": {"language": "zh"}}, "网关"),
    ("toc", {"doc": "manual-zh_产品使用手册"}, "手册"),
    ("fetch", {"id": "manual-zh_产品使用手册", "budget": 200}, "next"),
    ("related", {"doc": "service-guides_finch-c4-service-guide", "n": 3}, "finch"),
    ("show_chunks", {"doc": "faq_faq", "query": "refund"}, "faq_faq"),
    ("evaluate", {"questions": "few"}, "recall"),
    ("collect", {"text": "# 水泵\n\n泵在更换滤芯前须断电。", "name": "水泵.md"}, "agents_水泵"),
    ("search", {"query": "水泵 滤芯", "mode": "text"}, "断电"),
    ("delete", {"ids": ["agents_水泵"]}, "agents_水泵"),
]
"""(tool, arguments, words of the answer), in this order: what is collected is found, and deleted again."""


class Reply(NamedTuple):
    """What the inspector prints, and how it ends."""

    code: int
    result: dict[str, Any]

    @property
    def text(self) -> str:
        """The one text of a tool's answer."""
        (content,) = self.result["content"]
        return str(content["text"])


Ask = Callable[..., Reply]


@pytest.fixture(params=["http legacy", "http modern", "stdio legacy", "stdio modern"])
def ask(request: pytest.FixtureRequest, programs: NpmPrograms, own_samples: Path, tmp_path: Path) -> Ask:
    """Asks the server over one transport in one era: a method, then the inspector's options."""
    transport, era = request.param.split()
    options = [
        "--cli",
        "--quiet",
        "--format",
        "json",
        "--protocol-era",
        era,
        "--transport",
        transport,
        "--connect-timeout",
        "0",
    ]
    if transport == "http":
        options += ["--server-url", f"{request.getfixturevalue('mount')}?write=1"]
        target: list[str] = []
    else:
        place = shutil.copytree(own_samples, tmp_path / "workspace")
        options += ["-e", f"PYTHONPATH={stand_in_path()}", "--cwd", str(ROOT)]
        target = ["--", sys.executable, "-m", "chunking", "mcp", "--workspace", str(place), "--write"]

    def inspect(method: str, *words: str) -> Reply:
        ran = programs.run("mcp-inspector", *options, "--method", method, *words, *target)
        assert ran.returncode in {0, _REFUSED}, ran.stderr
        return Reply(ran.returncode, json.loads(ran.stdout)["result"])

    return inspect


def _call(ask: Ask, tool: str, arguments: dict[str, Any]) -> Reply:
    return ask("tools/call", "--tool-name", tool, "--tool-args-json", json.dumps(arguments, ensure_ascii=False))


def test_the_inspector_drives_every_tool(ask: Ask) -> None:
    """With their schemas portable by its strict check; text and structured content are the same."""
    listed = ask("tools/list", "--strict")
    assert listed.code == 0
    assert [tool["name"] for tool in listed.result["tools"]] == [tool.name for tool in FULL_TOOLS]
    assert {tool for tool, _, _ in _CALLS} == {tool.name for tool in FULL_TOOLS}
    for tool, arguments, words in _CALLS:
        reply = _call(ask, tool, arguments)
        assert reply.code == 0, (tool, arguments, reply.text)
        assert json.loads(reply.text) == reply.result["structuredContent"]
        assert all(word in reply.text for word in words.split()), (tool, arguments, reply.text[:1_000])


def test_the_inspector_is_told_what_is_wrong(ask: Ask) -> None:
    """An argument that a tool does not have, by its name; an id that is not there."""
    for tool, arguments, facts in (
        ("search", {"query": "水泵", "top_k": 3}, "top_k k"),
        ("toc", {"doc": "没有"}, "没有"),
    ):
        reply = _call(ask, tool, arguments)
        assert reply.code == _REFUSED
        assert reply.result["isError"]
        assert tells(reply.text, facts)


def test_the_inspector_reads_documents(ask: Ask) -> None:
    """As resources by their template; there are no prompts."""
    (template,) = ask("resources/templates/list").result["resourceTemplates"]
    assert template["uriTemplate"] == "chunkscope://document/{doc}"
    (read,) = ask("resources/read", "--uri", "chunkscope://document/faq_faq").result["contents"]
    assert read["mimeType"] == "text/markdown"
    assert read["text"].startswith("Ternwick")
    assert ask("prompts/list").result["prompts"] == []
