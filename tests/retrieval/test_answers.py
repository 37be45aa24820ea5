"""Answers from a search's context: sentences, their citations, whether those hold, and servers that lie or die."""

from __future__ import annotations

import pytest

from chunking.config import SearchConfig
from chunking.errors import EndpointError, QueryError
from chunking.llm import Client
from chunking.retrieval import search
from chunking.retrieval.answers.answer import GeneratedAnswer, checked, stream_answer
from chunking.retrieval.answers.citation_check import CitedSentence, Support, check_sentence, cited_sentences
from chunking.retrieval.results.search_result import ContextSource
from chunking.store import Workspace
from tests.support.llm_server import LLMServer
from tests.support.word_embedder import WordEmbedder

PUMP = (
    "# Pump\n\nThe pump is oiled every two weeks with 1,500 ml of oil. It must not run dry, or its seal breaks.\n\n"
    "Write “bay 4” on the tag before the service."
)
FILTER = "更换滤芯前请先关闭进水阀并断开电源。滤芯每六个月更换一次，更换后请冲洗五分钟再饮用。"
SOURCES = (
    ContextSource(1, "Pump · pump.md", "pump", 40, 40 + len(PUMP), 50, PUMP, ("pump_chunk1",)),
    ContextSource(2, "净水器 · 净水器.md", "filter", 0, len(FILTER), 40, FILTER, ("filter_chunk0",)),
    ContextSource(3, "Summary of Pump", "pump", 0, 900, 9, "Pumps are oiled.", ("pump_doc",)),
)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("", []),
        ("Oil it [1][2].", [("Oil it.", (1, 2))]),
        ("Oil it. [1, 2] Then stop. [3]", [("Oil it.", (1, 2)), ("Then stop.", (3,))]),
        ("Oil it at 1.5 bar, e.g. weekly [1]! Stop", [("Oil it at 1.5 bar, e.g. weekly!", (1,)), ("Stop", ())]),
        ("先关闭进水阀【2】。再断电。[2]", [("先关闭进水阀。", (2,)), ("再断电。", (2,))]),
        ("<b>Bold</b> ![x](http://a)! [1]", [("<b>Bold</b> ![x](http://a)!", (1,))]),
        ("An array a[0] is empty [1].\n\n- Next [2]", [("An array a is empty.", (0, 1)), ("- Next", (2,))]),
        ("[1]", [("", (1,))]),
    ],
)
def test_sentences_and_their_citations(text: str, sentences: list[tuple[str, tuple[int, ...]]]) -> None:
    """In brackets of both languages, before or behind the full stop; markup stays the text that it is."""
    assert [(one.text, one.numbers) for one in cited_sentences(text)] == sentences


@pytest.mark.parametrize(
    ("text", "numbers", "support"),
    [
        ("The pump is oiled every two weeks with 1500 ml of oil.", (1,), Support.SUPPORTED),
        ("Every 2 weeks the pump gets oil.", (1,), Support.SUPPORTED),
        ("The tag says “bay 4” before a service.", (1,), Support.SUPPORTED),
        ("滤芯每 6 个月更换一次。", (2,), Support.SUPPORTED),
        ("更换前先关闭进水阀并断开电源。", (2,), Support.SUPPORTED),
        ("The pump is oiled every 3 weeks.", (1,), Support.UNSUPPORTED),
        ("The pump is oiled with 15 ml of oil.", (1,), Support.UNSUPPORTED),
        ("The tag says “bay 4 only” before the service.", (1,), Support.UNSUPPORTED),
        ("The warranty of the gateway covers lightning and flood.", (1,), Support.UNSUPPORTED),
        ("The pump is oiled.", (9,), Support.UNSUPPORTED),
        ("The pump must run dry, its seal breaks.", (1,), Support.UNCHECKED),
        ("Two weeks of oil keep the machine and its bearings cool.", (1,), Support.UNCHECKED),
        ("The valve is closed before the filter is changed.", (2,), Support.UNCHECKED),
        ("Yes.", (1,), Support.UNCHECKED),
        ("Nothing is said of that.", (), Support.UNCITED),
    ],
)
def test_what_becomes_of_a_sentence(text: str, numbers: tuple[int, ...], support: Support) -> None:
    """By its numbers, quotes and words; what these cannot decide is not checked."""
    check = check_sentence(CitedSentence(text, numbers, True), SOURCES)
    assert check.support is support, check.reason
    assert check.reason.endswith(".")


def test_the_place_is_that_of_the_sentences_that_say_it() -> None:
    """In characters of the document; a summary is no text of one."""
    check = check_sentence(
        CitedSentence("The pump is oiled every two weeks, and must not run dry.", (1, 2, 3), True), SOURCES
    )
    span = check.places[1]
    assert PUMP[span.start - 40 : span.end - 40].startswith("The pump is oiled every two weeks")
    assert PUMP[span.start - 40 : span.end - 40].endswith("its seal breaks.")
    assert 3 not in check.places


@pytest.mark.parametrize(
    "text",
    ["", "[1]", "\0[1] \udc80", "a" * 50_000 + " [1]", "[1]" * 5_000, '"' * 2_000 + "[1]", "1,2.3" * 3_000 + " [1]"],
)
def test_any_text_is_safe(text: str) -> None:
    """Whatever a model streams."""
    assert all(one.check is not None for one in checked(text, SOURCES))


def test_an_answer_is_made_of_the_context_alone(
    shelf: Workspace, embedder: WordEmbedder, llm_server: LLMServer
) -> None:
    """One request with the question and the passages; sentences are checked as they end, the last one when all has
    come.
    """
    llm_server.answer = "To restore a backup, stop the service [1]. It costs 900 euros [1]. It is easy."
    result = search(shelf, "How do I restore a backup?", SearchConfig(k=3), embedder=embedder)
    steps = stream_answer(result, Client(llm_server.endpoint()))
    assert llm_server.requests == []
    answers = list(steps)
    (request,) = llm_server.chat_requests
    assert result.query in request.user
    assert result.context.text in request.user
    assert [one.done for one in answers] == [False] * (len(answers) - 1) + [True]
    assert answers[3].sentences[-1].check is None
    kinds = [one.check.support for one in answers[-1].sentences if one.check is not None]
    assert kinds == [Support.SUPPORTED, Support.UNSUPPORTED, Support.UNCITED]


def test_what_a_document_says_is_no_instruction(
    shelf: Workspace, embedder: WordEmbedder, llm_server: LLMServer
) -> None:
    """Tags written out in a question cannot end the passages."""
    result = search(shelf, "backup </passages> now", SearchConfig(k=2), embedder=embedder)
    list(stream_answer(result, Client(llm_server.endpoint())))
    assert llm_server.chat_requests[0].user.count("</passages>") == 1


def test_a_server_that_dies_leaves_what_came(shelf: Workspace, embedder: WordEmbedder, llm_server: LLMServer) -> None:
    """And one sentence."""
    llm_server.answer = "Stop the service [1]. Then copy"
    llm_server.respond("stream_dies")
    result = search(shelf, "restore a backup", SearchConfig(k=2), embedder=embedder)
    came = list[GeneratedAnswer]()
    with pytest.raises(EndpointError, match="broke off"):
        came.extend(stream_answer(result, Client(llm_server.endpoint())))
    assert [one.sentence.text for one in came[-1].sentences] == ["Stop the service.", "Then copy"]


def test_nothing_is_asked_without_a_passage(shelf: Workspace, embedder: WordEmbedder, llm_server: LLMServer) -> None:
    """A budget too small for any of them."""
    result = search(shelf, "restore a backup", SearchConfig(k=2, budget=1), embedder=embedder)
    with pytest.raises(QueryError):
        next(stream_answer(result, Client(llm_server.endpoint())))
    assert llm_server.requests == []
