"""The client against a real server that behaves, dawdles, babbles, refuses and dies, on a fake clock."""

from __future__ import annotations

import logging
import threading
import traceback
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from chunking.errors import Cancelled, EndpointError
from chunking.llm import Client, Usage
from chunking.llm.endpoints import Endpoint
from chunking.llm.llm_client import PATIENCE
from chunking.llm.sending import FAILURES, REST, Gate
from tests.support.llm_server import BEHAVIOURS, KEY, LLMServer, running


class Clock:
    """Time that passes by sleeping only."""

    def __init__(self) -> None:
        self.now = 1_000.0
        self.slept = 0.0
        self._lock = threading.Lock()

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        with self._lock:
            self.now += seconds
            self.slept += seconds


@pytest.fixture
def clock() -> Clock:
    """Of this test."""
    return Clock()


@pytest.fixture
def client(llm_server: LLMServer, clock: Clock) -> Callable[..., Client]:
    """Makes clients that never really wait."""

    def make(kind: str = "llm", cancelled: Callable[[], bool] | None = None, **changes: object) -> Client:
        endpoint = llm_server.endpoint(kind, **changes)  # type: ignore[arg-type]
        return Client(endpoint, cancelled=cancelled, sleep=clock.sleep, clock=clock)

    return make


def ask(client: Client, max_tokens: int = 20) -> str:
    """One completion."""
    return client.complete("Say what it is about.", "泵的维护 Pumps 🚰", max_tokens=max_tokens)


def test_it_asks_as_the_protocol_says(llm_server: LLMServer, client: Callable[..., Client]) -> None:
    """Address, key, model, messages and limit arrive; the answer and what it used come back."""
    llm_server.answer = lambda system, user: f"{user} means: pumps."
    one = client()
    assert ask(one) == "泵的维护 Pumps 🚰 means: pumps."
    assert ask(one)
    request = llm_server.requests[0]
    assert (request.method, request.headers["Authorization"]) == ("POST", f"Bearer {KEY}")
    assert request.path.endswith("/v1/chat/completions")
    assert request.body == {
        "model": "test-writer",
        "messages": [
            {"role": "system", "content": "Say what it is about."},
            {"role": "user", "content": "泵的维护 Pumps 🚰"},
        ],
        "max_tokens": 20,
        "temperature": 0,
    }
    assert one.usage == Usage(requests=2, prompt_tokens=14, answer_tokens=10, cached_tokens=5)


def test_vectors_come_in_the_order_of_the_texts(llm_server: LLMServer, client: Callable[..., Client]) -> None:
    """The server sends them in another one, and says which is which."""
    texts = ["a pump", "泵", "a valve", ""]
    assert client("embedding").embed(texts) == [llm_server.vector(text) for text in texts]
    assert client("embedding").embed([]) == []
    assert llm_server.embedded_texts == ["a pump", "泵", "a valve", " "]  # servers refuse an empty text


def test_half_a_character_is_sent_as_a_question_mark(llm_server: LLMServer, client: Callable[..., Client]) -> None:
    """A lone surrogate, as files and file names may hold, stops nothing."""
    client().complete("a\ud800b", "c\udfffd", max_tokens=20)
    assert (llm_server.requests[0].system, llm_server.requests[0].user) == ("a?b", "c?d")


WRONG = {
    "slow": "did not answer within 0.2 s: try again, or raise CHUNKSCOPE_LLM_TIMEOUT",
    "cut": "cannot be reached",
    "flood": "answered with more than 2,000,000 bytes",
    "html": "web page .*CHUNKSCOPE_LLM_URL",
    "empty": "gave an empty answer",
    "blank": "gave an empty answer",
    "not_json": "is not JSON",
    "deep_json": "is not JSON",
    "wrong_json": "JSON of an unknown",
    "list": "JSON of an unknown",
    "overlong": "answered with 199,999 characters where 20 tokens were asked for",
    "error_in_200": r"answered with an error \(it says: The backend is overloaded\)",
    "400": r"\(status 400\) \(it says: .* is 8192 tokens\)",
    "401": r"the key \(status 401\): check CHUNKSCOPE_LLM_KEY",
    "403": r"the key \(status 403\)",
    "404": "no model 'test-writer'",
    "408": "fails with status 408",
    "429": "too many .*CHUNKSCOPE_LLM_RPM",
    "quota": "quota is used up",
    "500": "fails with status 500",
    "503": r"fails with status 503 \(it says: Overloaded for \(key\) see the log x+…\)",
    "502_html": "fails with status 502: try",
    "redirect": "another address",
}


@pytest.mark.parametrize("behaviour", WRONG)
def test_whatever_goes_wrong_is_one_sentence(
    llm_server: LLMServer, client: Callable[..., Client], behaviour: str, caplog: pytest.LogCaptureFixture
) -> None:
    """It says who, what and what to do; neither it, its causes nor any log of the libraries below holds the key."""
    caplog.set_level(logging.DEBUG)
    llm_server.always = behaviour
    with pytest.raises(EndpointError, match=WRONG[behaviour]) as caught:
        ask(client(retries=0, timeout=0.2 if behaviour == "slow" else 10.0))
    sentence = str(caught.value)
    assert sentence.startswith("The LLM endpoint at 127.0.0.1:")
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert len(sentence) < 320
    assert KEY not in "".join(traceback.format_exception(caught.value))
    assert caught.value.__context__ is None or not hasattr(caught.value.__context__, "request")
    assert KEY not in caplog.text
    assert "Bearer" not in caplog.text


def test_an_answer_that_drips_is_slow(llm_server: LLMServer) -> None:
    """Each byte comes in time, the whole never does: the limit is for the request, not for a byte."""
    llm_server.always = "drips"
    with pytest.raises(EndpointError, match=r"did not answer within 0\.3 s"):
        ask(Client(llm_server.endpoint(timeout=0.3, retries=0)))


@pytest.mark.parametrize(
    ("behaviour", "sentence"),
    [
        ("fewer", "gave 2 vectors for 3 texts"),
        ("ragged", "gave vectors of 64 and of 65 numbers in one answer"),
        ("nan", "without a direction"),
        ("zeros", "without a direction"),
        ("words", "other than numbers"),
        ("wrong_json", "JSON of an unknown"),
        ("html", "web page .*CHUNKSCOPE_EMBEDDING_URL"),
        ("empty", "gave an empty answer"),
        ("401", "the key .*check CHUNKSCOPE_EMBEDDING_KEY"),
        ("404", "has no model 'test-embedder'"),
    ],
)
def test_wrong_vectors_are_refused(
    llm_server: LLMServer, client: Callable[..., Client], behaviour: str, sentence: str
) -> None:
    """None of them may get into an index."""
    llm_server.always = behaviour
    with pytest.raises(EndpointError, match=sentence):
        client("embedding", retries=0).embed(["a", "b", "c"])


def test_a_server_that_is_down(client: Callable[..., Client], llm_server: LLMServer, clock: Clock) -> None:
    """All further tries are made, each after a longer wait; then it says that there is no connection."""
    llm_server.stop()
    with pytest.raises(EndpointError, match=r"cannot be reached \(Connection refused\): start the server"):
        ask(client(retries=4))
    assert 0.5 * (0.5 + 1 + 2 + 4) <= clock.slept <= 1.5 * (0.5 + 1 + 2 + 4)


def test_a_name_that_no_server_has(clock: Clock) -> None:
    """Not found in the network; nothing is asked of one (the name is of the kind reserved for this)."""
    endpoint = Endpoint("http://no-such-host.invalid/v1", "m", KEY, retries=0)
    with pytest.raises(EndpointError, match=r"at no-such-host.invalid cannot be reached"):
        ask(Client(endpoint, sleep=clock.sleep, clock=clock))


@pytest.mark.parametrize(
    "behaviour", ["500", "503", "502_html", "408", "cut", "html", "empty", "not_json", "blank", "error_in_200"]
)
def test_what_may_pass_is_tried_again(llm_server: LLMServer, client: Callable[..., Client], behaviour: str) -> None:
    """Two such answers in a row go by unnoticed."""
    llm_server.respond(behaviour, behaviour)
    assert ask(client()) == llm_server.answer
    assert len(llm_server.requests) == 3


@pytest.mark.parametrize("behaviour", ["400", "401", "403", "404", "quota", "redirect"])
def test_what_cannot_pass_is_asked_once(
    llm_server: LLMServer, client: Callable[..., Client], clock: Clock, behaviour: str
) -> None:
    """Nobody waits for a wrong key, and a spent quota is not spent further."""
    llm_server.always = behaviour
    with pytest.raises(EndpointError):
        ask(client())
    assert len(llm_server.requests) == 1
    assert clock.slept == 0


def test_slow_answers_use_up_two_tries(llm_server: LLMServer, client: Callable[..., Client]) -> None:
    """So that a server that never answers takes three timeouts of a run's time, not five."""
    llm_server.always = "slow"
    with pytest.raises(EndpointError, match="did not answer"):
        ask(client(timeout=0.1, retries=4))
    assert len(llm_server.requests) == 3


def test_a_minute_of_too_many_requests_is_waited_out(
    llm_server: LLMServer, client: Callable[..., Client], clock: Clock
) -> None:
    """Limits count by the minute; further tries for other faults are still all there afterwards."""
    began = clock.now
    llm_server.busy = lambda: clock.now < began + 60
    llm_server.respond("ok", "500", "500")
    assert ask(client(retries=2)) == llm_server.answer
    assert 60 <= clock.slept <= PATIENCE
    assert len(llm_server.requests) < 12


def test_too_many_requests_for_ever(llm_server: LLMServer, client: Callable[..., Client], clock: Clock) -> None:
    """Not waited for longer than `PATIENCE`."""
    llm_server.always = "429"
    with pytest.raises(EndpointError, match="too many"):
        ask(client())
    assert PATIENCE / 2 < clock.slept <= PATIENCE


@pytest.mark.parametrize("behaviour", ["429", "503"])
def test_a_server_is_waited_for_as_long_as_it_asks(
    llm_server: LLMServer, client: Callable[..., Client], clock: Clock, behaviour: str
) -> None:
    """`Retry-After` in seconds, kept to the second."""
    llm_server.retry_after = "17"
    llm_server.respond(behaviour)
    assert ask(client()) == llm_server.answer
    assert clock.slept == pytest.approx(17)


def test_it_may_ask_with_a_date(llm_server: LLMServer, client: Callable[..., Client], clock: Clock) -> None:
    """The other form that the header has; a date that is over means now."""
    for minutes, least, most in ((1, 50, 60), (-1, 0, 0)):
        before = clock.slept
        llm_server.retry_after = format_datetime(datetime.now(UTC) + timedelta(minutes=minutes), usegmt=True)
        llm_server.respond("429")
        assert ask(client()) == llm_server.answer
        assert least <= clock.slept - before <= most


def test_nobody_waits_for_an_hour(llm_server: LLMServer, client: Callable[..., Client], clock: Clock) -> None:
    """Where it asks for more than `PATIENCE`, that is told at once."""
    llm_server.retry_after = "3600"
    llm_server.always = "429"
    with pytest.raises(EndpointError, match="too many"):
        ask(client())
    assert (len(llm_server.requests), clock.slept) == (1, 0)


@pytest.mark.parametrize("header", ["soon", "-5", "1e3", "9" * 40, "\x00", "", "²", "1²", "1.2.3", "5 minutes"])
def test_a_header_that_says_nothing_is_no_reason_to_fail(
    llm_server: LLMServer, client: Callable[..., Client], header: str
) -> None:
    """The own back-off counts then."""
    llm_server.retry_after = header
    llm_server.respond("503")
    assert ask(client()) == llm_server.answer


def test_the_pace_is_kept_by_all_clients_of_a_server(
    llm_server: LLMServer, client: Callable[..., Client], clock: Clock
) -> None:
    """60 requests a minute: the second starts a second after the first, whoever makes it."""
    for _ in range(5):
        ask(client(requests_per_minute=60))
    assert clock.slept == pytest.approx(4)


def test_three_failed_calls_open_the_circuit_breaker(
    llm_server: LLMServer, client: Callable[..., Client], clock: Clock
) -> None:
    """Then nothing is sent for half a minute; one call tries, and its success lets all others through."""
    llm_server.always = "500"
    for _ in range(FAILURES):
        with pytest.raises(EndpointError, match="status 500"):
            ask(client(retries=0))
    llm_server.always = "ok"
    with pytest.raises(EndpointError, match=r"is not called .* status 500"):
        ask(client(retries=0))
    assert len(llm_server.requests) == FAILURES
    clock.sleep(REST)
    assert ask(client()) == ask(client()) == llm_server.answer


def test_only_one_call_tries_after_the_rest() -> None:
    """The others go on failing at once until it is known how that one ended; its failure starts the rest anew."""
    gate = Gate()
    for _ in range(FAILURES):
        gate.failed(0.0, "fails")
    assert gate.refusal(REST - 1) == "fails"
    assert gate.refusal(REST) is None
    assert gate.refusal(REST) == "fails"
    gate.failed(REST + 5, "fails again")
    assert gate.refusal(REST + 6) == "fails again"
    gate.succeeded()
    assert gate.refusal(REST + 6) is None


def test_faults_of_a_request_do_not_open_it(llm_server: LLMServer, client: Callable[..., Client]) -> None:
    """A text that is too long, or a wrong key, says nothing of the server."""
    for behaviour in ("400", "401", "404") * FAILURES:
        llm_server.respond(behaviour)
        with pytest.raises(EndpointError):
            ask(client())
    assert ask(client()) == llm_server.answer


def test_a_refusal_closes_it_again(llm_server: LLMServer, client: Callable[..., Client], clock: Clock) -> None:
    """The call that tries after the rest is refused as too long: the server is there, and others need not wait."""
    llm_server.respond(*["500"] * FAILURES, "400")
    for _ in range(FAILURES):
        with pytest.raises(EndpointError, match="status 500"):
            ask(client(retries=0))
    clock.sleep(REST)
    with pytest.raises(EndpointError, match="status 400"):
        ask(client())
    assert ask(client()) == llm_server.answer


def test_servers_do_not_share_a_breaker(llm_server: LLMServer, client: Callable[..., Client]) -> None:
    """One that is down keeps nobody from another."""
    llm_server.always = "500"
    for _ in range(FAILURES + 1):
        with pytest.raises(EndpointError):
            ask(client(retries=0))
    with running() as other:
        assert ask(Client(other.endpoint())) == other.answer


def test_cancelling_ends_a_wait(llm_server: LLMServer, client: Callable[..., Client], clock: Clock) -> None:
    """Within a slice of a second, not after the minute that the server asks for."""
    llm_server.retry_after = "60"
    llm_server.always = "429"
    began = clock.now
    with pytest.raises(Cancelled, match="Stopped during a request"):
        ask(client(cancelled=lambda: clock.now > began + 3))
    assert clock.slept < 4


def test_nothing_is_sent_once_it_is_cancelled(llm_server: LLMServer, client: Callable[..., Client]) -> None:
    """Also where nothing is waited for."""
    with pytest.raises(Cancelled):
        ask(client(cancelled=lambda: True))
    assert llm_server.requests == []


def test_a_part_of_the_work_is_stopped_by_itself(llm_server: LLMServer, client: Callable[..., Client]) -> None:
    """What shares a client counts for it, and stops without it."""
    full = client()
    part = full.sharing(lambda: len(llm_server.requests) > 0)
    ask(part)
    with pytest.raises(Cancelled):
        ask(part)
    ask(full)
    assert full.usage == part.usage
    assert full.usage.requests == 2


def test_many_threads_use_one_client(llm_server: LLMServer) -> None:
    """Each gets the answer to its own question, and every request is counted."""
    llm_server.answer = lambda system, user: f"about {user}"
    one = Client(llm_server.endpoint(parallel=8))
    with ThreadPoolExecutor(8) as pool:
        answers = list(pool.map(lambda n: one.complete("s", f"question {n}", max_tokens=20), range(60)))
    assert answers == [f"about question {n}" for n in range(60)]
    assert one.usage.requests == 60


def test_a_server_that_dies_midway(llm_server: LLMServer, client: Callable[..., Client]) -> None:
    """What it answered is there; then it is told; when it is back, work goes on with the same client."""
    one = client(retries=1)
    llm_server.die_after(2)
    assert ask(one) == ask(one) == llm_server.answer
    with pytest.raises(EndpointError, match="cannot be reached"):
        ask(one)
    assert one.usage.requests == 2
    llm_server.start()
    assert ask(one) == llm_server.answer


def test_an_answer_of_the_key_is_scrubbed(llm_server: LLMServer, client: Callable[..., Client]) -> None:
    """A server that repeats the header brings it into no index."""
    llm_server.always = "echo_key"
    assert ask(client()) == "You sent Bearer (key)."


def test_thoughts_before_an_answer_are_left_out(llm_server: LLMServer, client: Callable[..., Client]) -> None:
    """Models that think first put them into the text."""
    llm_server.always = "thinks"
    assert ask(client()) == "The answer."


def test_a_model_that_only_thinks(llm_server: LLMServer, client: Callable[..., Client]) -> None:
    """Its thoughts took all tokens: told as that, not as an empty answer."""
    llm_server.answer = "<think>" + "hm " * 30 + "</think>"
    with pytest.raises(EndpointError, match="used all 20 tokens"):
        ask(client(retries=0))


@pytest.mark.parametrize(("behaviour", "field"), [("no_temperature", "temperature"), ("no_max_tokens", "max_tokens")])
def test_a_field_that_a_model_does_not_take_is_left_out(
    llm_server: LLMServer, client: Callable[..., Client], behaviour: str, field: str
) -> None:
    """Newer models name the limit otherwise and take no temperature; that is learned with the first request."""
    llm_server.always = behaviour
    one = client()
    assert ask(one) == ask(one) == llm_server.answer
    assert [field in request.body for request in llm_server.requests] == [True, False, False]
    if field == "max_tokens":
        assert llm_server.requests[-1].body["max_completion_tokens"] == 20


def test_proxies_of_the_environment_are_not_used(
    llm_server: LLMServer, client: Callable[..., Client], monkeypatch: pytest.MonkeyPatch
) -> None:
    """They would see the texts; nobody listens at this one."""
    for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, "http://127.0.0.1:9")
    assert ask(client()) == llm_server.answer


def test_no_key_is_sent_where_there_is_none(client: Callable[..., Client], llm_server: LLMServer) -> None:
    """Local servers want none."""
    llm_server.key = ""
    assert ask(client()) == llm_server.answer
    assert "Authorization" not in llm_server.requests[0].headers


@pytest.mark.parametrize("kind", ["llm", "embedding"])
def test_check_finds_the_server_in_order(llm_server: LLMServer, client: Callable[..., Client], kind: str) -> None:
    """With one request that costs nothing; with a tiny one where it lists no models."""
    client(kind).check()
    assert [request.method for request in llm_server.requests] == ["GET"]
    llm_server.models = ()
    client(kind).check()
    assert [request.method for request in llm_server.requests] == ["GET", "GET", "POST"]


def test_check_tells_what_is_wrong(llm_server: LLMServer, client: Callable[..., Client]) -> None:
    """A model that is not there (with those that are), a wrong key, a server that is no such server."""
    with pytest.raises(
        EndpointError,
        match=r"has no model 'gpt-9': set CHUNKSCOPE_LLM_MODEL to one that it has \(test-writer, test-embedder\)",
    ):
        client(model="gpt-9").check()
    with pytest.raises(EndpointError, match="accept the key"):
        client(key="sk-wrong").check()
    llm_server.always = "html"
    with pytest.raises(EndpointError, match="a web page"):
        client(retries=0).check()
    llm_server.stop()
    with pytest.raises(EndpointError, match="cannot be reached"):
        client(retries=0).check()


def test_every_behaviour_of_the_server_is_known() -> None:
    """What the tests of other parts rely on."""
    assert {"ok", "echo", "slow", "html", "empty", "429", "401", "overlong", "longer"} <= BEHAVIOURS.keys()
