"""Requests to a model's server are counted for whoever asks, before they are sent; nobody's are not sent where they
have to be.
"""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from contextvars import copy_context
from pathlib import Path

import pytest

from chunking import worker
from chunking.allowed import Allowed, allow
from chunking.config import EmbeddingConfig
from chunking.deployment import Person, operator_settings
from chunking.embedding.remote import RemoteEmbedder
from chunking.errors import EndpointError, QuotaError
from chunking.llm import Client
from chunking.llm.metering import charge_to, meter_by
from chunking.parsing import parse
from chunking.store import Workspace
from hosting.hosted_deployment import HostedDeployment
from hosting.quotas.quotas import PersonQuotas
from tests.support.llm_server import LLMServer

ANN, BOB = "ann", "bob"
PRICED = {"price_in": 1_000.0, "price_out": 10_000.0}


@pytest.fixture
def quotas(tmp_path: Path) -> PersonQuotas:
    """Three requests a day, and a cost of 5; the list holds."""
    arguments = {
        "CHUNKSCOPE_MODE": "team",
        "CHUNKSCOPE_HOME": str(tmp_path),
        "CHUNKSCOPE_LLM_REQUESTS": "3",
        "CHUNKSCOPE_LLM_COST": "5",
    }
    here = HostedDeployment(operator_settings(arguments | {"CHUNKSCOPE_ALLOW_ENDPOINTS": "true"}))
    allow(here.allowed)
    return here.quotas


def asks(quotas: PersonQuotas, person: str) -> None:
    """This thread asks for somebody from now on."""
    meter_by(lambda: quotas.meter(person))


CALLS: dict[str, Callable[[LLMServer], object]] = {
    "complete": lambda server: Client(server.endpoint()).complete("Do.", "This.", max_tokens=16),
    "stream": lambda server: list(Client(server.endpoint()).stream("Do.", "This.", max_tokens=16)),
    "embed": lambda server: Client(server.endpoint("embedding")).embed(["This."]),
    "check": lambda server: Client(server.endpoint()).check(),
    "embedder": lambda server: RemoteEmbedder(server.endpoint("embedding")).embed(["This."]),
    "embedder with progress": lambda server: RemoteEmbedder(server.endpoint("embedding")).embed(
        ["This."], on_progress=lambda done: None
    ),
    "size of vectors": lambda server: RemoteEmbedder(server.endpoint("embedding")).dimension,
}
"""Every way to ask, one request each."""


@pytest.mark.parametrize("call", CALLS)
def test_every_request_is_counted_and_refused_before_it_is_sent(
    quotas: PersonQuotas, llm_server: LLMServer, call: str
) -> None:
    """With the numbers; another person may still ask."""
    asks(quotas, ANN)
    for _ in range(3):
        CALLS[call](llm_server)
    assert (quotas.used_llm(ANN)[0], len(llm_server.requests)) == (3, 3)
    with pytest.raises(QuotaError) as error:
        CALLS[call](llm_server)
    assert error.value.where == "llm_requests"
    assert all(number in str(error.value) for number in ("3", "1"))
    assert len(llm_server.requests) == 3
    asks(quotas, BOB)
    CALLS[call](llm_server)
    assert quotas.used_llm(BOB)[0] == 1


@pytest.mark.parametrize("call", CALLS)
def test_nothing_is_sent_for_nobody(llm_server: LLMServer, call: str) -> None:
    """Such as in a thread of the server that belongs to no session."""
    allow(Allowed(everything=False, endpoints=True))
    with pytest.raises(QuotaError):
        CALLS[call](llm_server)
    assert not llm_server.requests


def test_one_embedder_of_the_process_counts_for_whoever_uses_it(quotas: PersonQuotas, llm_server: LLMServer) -> None:
    """It is made once, by one of them."""
    asks(quotas, ANN)
    shared = RemoteEmbedder(llm_server.endpoint("embedding"), EmbeddingConfig(model="remote:x"))
    asks(quotas, BOB)
    shared.embed(["One."])
    assert (quotas.used_llm(ANN)[0], quotas.used_llm(BOB)[0]) == (0, 1)


def test_further_tries_count(quotas: PersonQuotas, llm_server: LLMServer) -> None:
    """They are requests too."""
    asks(quotas, ANN)
    llm_server.respond("500")
    Client(llm_server.endpoint(), sleep=lambda seconds: None).complete("Do.", "This.", max_tokens=16)
    assert quotas.used_llm(ANN)[0] == len(llm_server.requests) == 2


@pytest.mark.parametrize("streamed", [False, True])
def test_the_cost_counts_and_ends_it(quotas: PersonQuotas, llm_server: LLMServer, streamed: bool) -> None:
    """Also if a streaming server does not count its tokens; what could not be paid is not sent."""
    asks(quotas, ANN)
    client = Client(llm_server.endpoint(price_in=0.0, price_out=200_000.0))
    llm_server.answer = "Pumps move water from one place to another."

    def ask() -> object:
        return (
            list(client.stream("Do.", "This.", max_tokens=20))
            if streamed
            else client.complete("Do.", "This.", max_tokens=20)
        )

    ask()
    assert 1 < quotas.used_llm(ANN)[1] < 5
    with pytest.raises(QuotaError) as error:
        ask()
    assert (error.value.where, len(llm_server.requests)) == ("llm_cost", 1)


def test_a_request_that_costs_more_than_is_left_is_not_sent(quotas: PersonQuotas, llm_server: LLMServer) -> None:
    """By the most that it may write."""
    asks(quotas, ANN)
    with pytest.raises(QuotaError) as error:
        Client(llm_server.endpoint(**PRICED)).complete("Do.", "This.", max_tokens=600)
    assert (error.value.where, llm_server.requests) == ("llm_cost", [])


@pytest.mark.parametrize("fault", ["401", "html", "500", "error_in_200"])
def test_no_sentence_of_a_shared_server_says_where_it_asks(
    quotas: PersonQuotas, llm_server: LLMServer, fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    """Nor what the other server says; the log has the variable to look at."""
    asks(quotas, ANN)
    llm_server.always = fault
    with pytest.raises(EndpointError) as error:
        Client(llm_server.endpoint(retries=0)).complete("Do.", "This.", max_tokens=16)
    message = f"{error.value} {error.value.where}"
    assert not any(word in message for word in ("127.0.0.1", "CHUNKSCOPE", "/v1", "it says"))
    assert caplog.messages


def test_a_job_counts_for_who_has_started_it(
    quotas: PersonQuotas, tmp_path: Path, llm_server: LLMServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it would ask is told before it begins: nothing is sent of what cannot all be."""
    arguments = {"MODE": "team", "HOME": str(tmp_path), "LLM_REQUESTS": "3", "ALLOW_ENDPOINTS": "true"}
    for name, value in arguments.items():
        monkeypatch.setenv(f"CHUNKSCOPE_{name}", value)
    for name, value in llm_server.environment().items():
        monkeypatch.setenv(name, value)
    here = HostedDeployment(operator_settings())
    here.people.record_visit(Person(ANN))
    place = here.workspaces.place(here.workspaces.create("Ours", ANN))
    workspace = Workspace.open(place)
    with workspace.writer():
        workspace.put_documents(
            [parse(f"# Title {number}\n\nPumps move water.\n".encode(), f"d{number}.md") for number in range(5)]
        )
    task = {"workspace": str(place), "person": ANN, "config": {"prefix": "context", "enrich.generator": "llm"}}
    message = io.StringIO()
    assert worker.main(io.StringIO(json.dumps(task) + "\n"), message) == worker.EXIT_CODES["failed"]
    assert json.loads(message.getvalue().splitlines()[-1])["kind"] == "QuotaError"
    assert not llm_server.requests


def test_a_context_can_be_charged_to_somebody(quotas: PersonQuotas, llm_server: LLMServer) -> None:
    """Such as a call of an agent, in whichever thread it runs; outside of it the thread decides as before."""
    asks(quotas, ANN)

    def call() -> None:
        charge_to(quotas.meter(BOB))
        CALLS["embedder"](llm_server)

    copy_context().run(call)
    assert (quotas.used_llm(ANN)[0], quotas.used_llm(BOB)[0]) == (0, 1)
    CALLS["embedder"](llm_server)
    assert (quotas.used_llm(ANN)[0], quotas.used_llm(BOB)[0]) == (1, 1)
