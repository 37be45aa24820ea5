"""An agent answers ten sample questions with the tools alone: a loop between the test LLM server and MCP."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from chunking.agents import Toolbox
from chunking.agents.mcp import build_server
from chunking.llm.llm_client import Client as ModelClient
from tests.agents.mcp.client import text_of
from tests.support.event_loop import run_in_thread
from tests.support.llm_server import LLMServer

_SAMPLES = Path(__file__).parents[3] / "sample_data"
_QUESTIONS = (
    *("handbook-01", "handbook-02", "handbook-03", "handbook-04", "handbook-05"),
    *("api-01", "api-02", "faq-01", "faq-02", "zh-01"),
)
_MOST_TURNS = 6
_SYSTEM = (
    "Answer from the documents alone. Reply with one JSON object: a tool with its arguments, or an answer with "
    "the url it stands at."
)


def _sample_questions() -> Iterator[Mapping[str, Any]]:
    for line in (_SAMPLES / "questions.jsonl").read_text(encoding="utf-8").splitlines():
        question = json.loads(line)
        if question["id"] in _QUESTIONS:
            yield question


def _model(system: str, user: str) -> str:
    """Plays a model that searches, reads on around the best hit, and answers with what it has read.

    It sees what any model would: the tools, the question, and the text of each answer.
    """
    talk = json.loads(user)
    assert {tool["name"] for tool in talk["tools"]} >= {"search", "fetch"}
    answers = talk["answers"]
    if not answers:
        return json.dumps({"tool": "search", "arguments": {"query": talk["question"]}})
    hits = json.loads(answers[0])["results"]
    read = len(answers) - 1
    if read < 3:
        return json.dumps({"tool": "fetch", "arguments": {"id": hits[read]["id"], "neighbours": 1}})
    passages = [json.loads(answer) for answer in answers[1:]]
    return json.dumps({"answer": "\n".join(one["text"] for one in passages), "url": passages[0]["url"]})


def _loop(client: Client, model: ModelClient, question: str) -> Any:
    """Ask the model, call what it names, until it answers."""

    async def work() -> dict[str, Any]:
        tools = [{"name": tool.name, "parameters": tool.input_schema} for tool in (await client.list_tools()).tools]
        answers: list[str] = []
        for _ in range(_MOST_TURNS):
            user = json.dumps({"tools": tools, "question": question, "answers": answers}, ensure_ascii=False)
            said = await anyio.to_thread.run_sync(lambda user=user: model.complete(_SYSTEM, user, max_tokens=4_000))
            step: dict[str, Any] = json.loads(said)
            if "answer" in step:
                return step
            answers.append(text_of(await client.call_tool(step["tool"], step["arguments"])))
        raise AssertionError(f"no answer after {_MOST_TURNS} turns")

    return work()


def _letters(text: str) -> str:
    return re.sub(r"\s+", "", text)


@pytest.mark.parametrize("mode", ["auto", "legacy"])
def test_an_agent_answers_ten_questions(samples: Toolbox, llm_server: LLMServer, mode: str) -> None:
    """Its answers hold the gold answers, and each has an address in the app."""
    llm_server.answer = _model
    model, questions = ModelClient(llm_server.endpoint()), list(_sample_questions())
    assert len(questions) == len(_QUESTIONS)

    async def main() -> Sequence[dict[str, Any]]:
        async with Client(build_server(lambda context: samples), mode=mode) as client:
            return [await _loop(client, model, question["question"]) for question in questions]

    for question, step in zip(questions, run_in_thread(main), strict=True):
        assert step["url"].startswith("http://127.0.0.1:8501/?doc=")
        for answer in question["answers"]:
            assert _letters(answer["text"]) in _letters(step["answer"]), question["id"]
