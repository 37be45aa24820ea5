"""Answers that a language model proposes: spans of the passages and nothing else, whatever it says."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from chunking.errors import EndpointError
from chunking.evaluation import AnswerSpan, PooledPassage, Proposed, propose_answers
from chunking.llm import Client
from chunking.store import Workspace
from tests.support.llm_server import LLMServer, running

TEXTS = ("The pump is blue. It moves ninety litres.", "Close the valve <b>now</b>.")
PASSAGES = [
    (PooledPassage("a", 100, 100 + len(TEXTS[0])), TEXTS[0]),
    (PooledPassage("b", 7, 7 + len(TEXTS[1])), TEXTS[1]),
]


@pytest.fixture
def server() -> Iterator[LLMServer]:
    with running() as server:
        yield server


def proposed(server: LLMServer, answer: object, tmp_path: Path) -> Proposed:
    server.answer = answer if isinstance(answer, str) else json.dumps(answer)
    return propose_answers(
        "How much?", PASSAGES, Client(server.endpoint()), cache=Workspace.open(tmp_path / "workspace").texts
    )


def test_quotes_are_spans_of_the_passages(server: LLMServer, tmp_path: Path) -> None:
    """In the passage that was named, else where they stand; white space and quote marks aside; asked again, nothing is
    sent.
    """
    answer = [
        {"passage": 1, "quote": "It moves ninety  litres."},
        {"passage": 1, "quote": "Close the valve"},
        {"passage": 1, "quote": "It moves ninety litres."},
    ]
    proposal = proposed(server, answer, tmp_path)
    assert proposal.answers == (
        (0, AnswerSpan("a", 118, 141, "It moves ninety litres.")),
        (1, AnswerSpan("b", 7, 22, "Close the valve")),
    )
    assert proposed(server, "something else", tmp_path) == proposal
    assert len(server.chat_requests) == 1


@pytest.mark.parametrize(
    ("answer", "fact"),
    [
        (
            [
                {"passage": 1, "quote": "It moves a hundred litres."},
                {"passage": 99, "quote": "<script>alert(1)</script>"},
            ],
            "2",
        ),
        ([], "no"),
        ("<b>ninety</b> litres, see [this](http://127.0.0.1:9/)", "JSON"),
        ([{"passage": "one", "quote": 5}, {"quote": "x"}], "1"),
        ('{"quote": ' * 3_000, "JSON"),
    ],
)
def test_what_a_model_makes_up_is_left_out(server: LLMServer, tmp_path: Path, answer: object, fact: str) -> None:
    """A lie, markup, an answer that is none: no proposal, and a sentence without a word of it."""
    proposal = proposed(server, answer, tmp_path)
    assert proposal.answers == ()
    assert fact in proposal.note
    assert "<" not in proposal.note


def test_a_server_that_dies_is_a_sentence(server: LLMServer, tmp_path: Path) -> None:
    """The page tells it, and the query stays as it was."""
    endpoint = server.endpoint(retries=0)
    server.die()
    with pytest.raises(EndpointError):
        propose_answers("How much?", PASSAGES, Client(endpoint), cache=Workspace.open(tmp_path / "workspace").texts)


def test_nothing_is_asked_without_a_passage(server: LLMServer, tmp_path: Path) -> None:
    """There is nothing to quote."""
    proposal = propose_answers(
        "How much?", [], Client(server.endpoint()), cache=Workspace.open(tmp_path / "workspace").texts
    )
    assert (proposal.answers, server.chat_requests) == ((), [])
