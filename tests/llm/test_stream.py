"""Streams of a real server that writes, hangs, breaks off, babbles and dies: what came is kept, the rest is one
sentence.
"""

from __future__ import annotations

from itertools import pairwise

import pytest

from chunking.errors import Cancelled, EndpointError
from chunking.llm import Client, PartialAnswer
from tests.support.llm_server import KEY, LLMServer

TEXT = "Oil the pump weekly [1].\n\n<b>Keep</b> it dry. 每周加油【2】。"


def partial_answers(client: Client, most: int = 100) -> list[PartialAnswer]:
    return list(client.stream("Answer.", "How often?", max_tokens=most))


def test_what_came_so_far_grows_to_the_whole_text(llm_server: LLMServer) -> None:
    """Each step begins with the one before; nothing is asked before the first."""
    llm_server.answer = TEXT
    client = Client(llm_server.endpoint())
    steps = client.stream("Answer.", "How often?", max_tokens=100)
    assert llm_server.requests == []
    texts = [written.text for written in steps]
    assert len(texts) > 5
    assert all(after.startswith(before) for before, after in pairwise(texts))
    assert texts[-1] == TEXT
    (request,) = llm_server.chat_requests
    assert (request.body["stream"], request.body["max_tokens"], client.usage.requests) == (True, 100, 1)


def test_a_server_without_streams_and_a_model_that_thinks(llm_server: LLMServer) -> None:
    """The answer comes at once; thoughts are never part of it."""
    llm_server.answer = TEXT
    llm_server.respond("no_stream")
    assert [written.text for written in partial_answers(Client(llm_server.endpoint()))][-1] == TEXT
    llm_server.answer = "<think>The user wants [7] secrets.</think>\n\nWeekly."
    assert {written.text for written in partial_answers(Client(llm_server.endpoint()))} == {"", "Weekly."}


def test_an_answer_at_its_limit_is_reported(llm_server: LLMServer) -> None:
    llm_server.answer = "word " * 50
    assert [written.cut for written in partial_answers(Client(llm_server.endpoint()), 20)][-1]


@pytest.mark.parametrize("behaviour", ["stream_dies", "stream_noise", "stream_error"])
def test_a_stream_that_fails_after_some_words_keeps_them(llm_server: LLMServer, behaviour: str) -> None:
    """One request, one sentence: what was shown is not written a second time."""
    llm_server.answer = "One two three"
    llm_server.respond(behaviour)
    came = list[PartialAnswer]()
    with pytest.raises(EndpointError) as caught:
        came.extend(Client(llm_server.endpoint()).stream("Answer.", "How often?", max_tokens=50))
    assert came[-1].text.startswith("One")
    assert len(llm_server.chat_requests) == 1
    assert str(caught.value).endswith(".")


@pytest.mark.parametrize(
    "behaviour", ["401", "400", "html", "empty", "wrong_json", "error_in_200", "redirect", "blank"]
)
def test_a_server_that_lies_is_one_sentence(llm_server: LLMServer, behaviour: str) -> None:
    """The same faults as of an answer in one piece; the key stands in none."""
    llm_server.always = behaviour
    with pytest.raises(EndpointError) as caught:
        partial_answers(Client(llm_server.endpoint(retries=0)))
    assert KEY not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_what_fails_before_any_word_is_asked_again(llm_server: LLMServer) -> None:
    """As of any request."""
    llm_server.answer = "Weekly."
    llm_server.respond("503", "no_max_tokens")
    assert partial_answers(Client(llm_server.endpoint(), sleep=lambda _: None))[-1].text == "Weekly."


def test_a_key_in_the_answer_is_not_shown(llm_server: LLMServer) -> None:
    llm_server.answer = f"The key is {KEY}."
    assert partial_answers(Client(llm_server.endpoint()))[-1].text == "The key is (key)."


def test_a_stream_can_be_stopped_between_two_words(llm_server: LLMServer) -> None:
    """Between two words, by the flag or by closing the iterator; the server's connection ends."""
    llm_server.answer = TEXT
    stop = [False]
    steps = Client(llm_server.endpoint(), cancelled=lambda: stop[0]).stream("Answer.", "?", max_tokens=50)
    next(steps)
    stop[0] = True
    with pytest.raises(Cancelled):
        next(steps)
    steps = Client(llm_server.endpoint()).stream("Answer.", "?", max_tokens=50)
    next(steps)
    steps.close()
