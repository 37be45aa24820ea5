"""Client of any OpenAI-compatible server: `/chat/completions`, `/embeddings`, `/models`."""

from __future__ import annotations

import logging
import random
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import chain
from threading import Lock
from typing import Any, TypeVar

from chunking.allowed import allowed
from chunking.errors import Cancelled, EndpointError
from chunking.llm.endpoints import Endpoint
from chunking.llm.metering import Meter, meter, take_request, tokens_about
from chunking.llm.model_answers import (
    Malformed,
    Usage,
    check_length,
    model_names,
    piece_of,
    shown_so_far,
    text_of,
    usage_of,
    vectors_of,
)
from chunking.llm.sending import RequestFault, Transport, gate_of

__all__ = ["PATIENCE", "Client", "PartialAnswer"]

PATIENCE = 90.0
"""Maximum seconds that one call waits for a server with too many requests."""

_FIRST_WAIT = 0.5
"""Seconds before the first retry; doubled for each further one."""
_LONGEST_WAIT = 15.0
"""Maximum seconds between retries at a server that does not say how long to wait."""
_SLICE = 0.2
"""Seconds slept between two checks for cancellation."""
_TEXT_BYTES, _VECTOR_BYTES = 2_000_000, 128_000_000
"""Maximum bytes of an answer."""
_OTHER_SPELLING = {"max_tokens": "max_completion_tokens", "temperature": ""}
"""Alternative names of request fields that some models refuse; empty: the field is omitted."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PartialAnswer:
    """Text of a streamed answer so far, and whether it ended at the token limit."""

    text: str
    """Untrusted text, without reasoning; empty during reasoning."""
    cut: bool
    """True if the answer ended at the token limit."""


class Client:
    """Client of one endpoint, with retries; thread-safe, meant for one run.

    A request that fails in a way that may pass (a status of 408, 409, 425 or 5xx, no connection, a timeout, an answer
    that is no JSON) is retried after 0.5, 1, 2 … seconds, each longer or shorter by up to a half. A server with too
    many requests is given up to `PATIENCE` seconds, or the time it asks for. Three failed calls in a row open a circuit
    breaker for 30 s; pace, pauses and breaker are shared by all clients of that server in this process.

    Requests are charged to the meter of the thread that makes or shares the client (see `metering`).

    Args:
        endpoint: server, model and key.
        cancelled: called before each request and while waiting; True raises `Cancelled`.
        sleep: waits for some seconds.
        clock: monotonic seconds.
    """

    def __init__(
        self,
        endpoint: Endpoint,
        *,
        cancelled: Callable[[], bool] | None = None,
        sleep: Callable[[float], None] = time.sleep,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.endpoint = endpoint
        self.cancelled = cancelled
        self._sleep, self._clock = sleep, clock
        self._gate = gate_of(endpoint.url)
        self._transport = Transport(endpoint, clock)
        self._lock = Lock()
        self._tally = [Usage()]
        self._meter: Meter | None = meter()
        self._spelling: dict[str, str] = {}

    @property
    def usage(self) -> Usage:
        """Requests and tokens of this client so far, as counted by the server."""
        with self._lock:
            return self._tally[0]

    def sharing(self, cancelled: Callable[[], bool] | None = None) -> Client:
        """Return a client with its own cancellation and the current thread's meter.

        Connections and `usage` are shared.
        """
        other = copy(self)
        other.cancelled, other._meter = cancelled, meter()
        return other

    def complete(self, system: str, user: str, *, max_tokens: int) -> str:
        """Ask the model for one complete answer, and return its text without reasoning.

        Args:
            system: system message, with the task.
            user: user message, with the material.
            max_tokens: maximum length of the answer.
        Returns:
            A text, not empty, of at most 32 characters per token; it may end early at `max_tokens`. Untrusted:
            label it as generated when shown or stored.
        Raises:
            EndpointError: the server cannot be reached or does not answer as it should.
            QuotaError: the quota of the person who is charged is used up.
            Cancelled: the user has stopped the work.
        """
        request = self._chat_request(system, user, max_tokens)
        while True:
            try:
                text = self._call(
                    "POST",
                    "/chat/completions",
                    self._spelled(request),
                    _TEXT_BYTES,
                    lambda answer: text_of(answer, max_tokens),
                )
            except RequestFault as fault:
                if not self._respell(fault.parameter):
                    raise self._error(fault) from None
            else:
                return self.endpoint.scrubbed(text)

    def stream(self, system: str, user: str, *, max_tokens: int) -> Iterator[PartialAnswer]:
        """Generate a text as a stream, yielding the text so far with each piece.

        Nothing is sent before the first step. A request that fails before the first piece is retried as in `complete`,
        a later failure is not. Closing the iterator ends the request.

        Raises:
            EndpointError, QuotaError, Cancelled: as `complete`.
        """
        request = self._chat_request(system, user, max_tokens) | {"stream": True}
        while True:
            try:
                written, rest = self._patiently(lambda: self._start_stream(request))
                break
            except RequestFault as fault:
                if not self._respell(fault.parameter):
                    raise self._error(fault) from None
        try:
            yield from self._read_stream(written, rest, request)
        except RequestFault as fault:
            raise self._error(fault) from None
        finally:
            rest.close()

    def _chat_request(self, system: str, user: str, max_tokens: int) -> dict[str, Any]:
        messages = [{"role": "system", "content": _unicode(system)}, {"role": "user", "content": _unicode(user)}]
        return {"model": self.endpoint.model, "messages": messages, "max_tokens": max_tokens, "temperature": 0}

    def _start_stream(self, request: dict[str, Any]) -> tuple[dict[str, Any], Generator[dict[str, Any], None, None]]:
        """Return the first event of a stream, and an iterator of the others."""
        self._take_turn(request)
        events = self._transport.stream("/chat/completions", self._spelled(request), _TEXT_BYTES)
        first = next(events, None)
        if first is None:
            raise RequestFault(
                "gave an empty answer", "choose another model, or look at what the server says", weight=2
            )
        return first, events

    def _read_stream(
        self, first: dict[str, Any], rest: Iterator[dict[str, Any]], request: dict[str, Any]
    ) -> Iterator[PartialAnswer]:
        text, cut, used, max_tokens = "", False, Usage(), request["max_tokens"]
        try:
            for event in chain([first], rest):
                if self.cancelled is not None and self.cancelled():
                    raise Cancelled(f"Stopped during a request to {self.endpoint.name}.")
                new = replace(usage_of(event), requests=int(event is first))
                used += new
                with self._lock:
                    self._tally[0] += new
                try:
                    piece, ended = piece_of(event)
                    text, cut = text + piece, cut or ended
                    check_length(text, max_tokens)
                except Malformed as error:
                    raise RequestFault(str(error), "choose another model, or look at what the server says") from None
                yield PartialAnswer(self.endpoint.scrubbed(shown_so_far(text)), cut)
        finally:
            self._pay(request, used, text)
        if not shown_so_far(text).strip():
            what = f"used all {max_tokens} tokens before it wrote anything" if cut else "gave an empty answer"
            raise RequestFault(what, "choose another model, or look at what the server says")

    def embed(self, texts: Sequence[str]) -> list[list[float]]:
        """Embed texts with one request; for no texts, return [] without any.

        The vectors have equal length, the texts' order, and are not normalised.

        Raises:
            EndpointError: as `complete`; also if vectors are missing, of different lengths or zero.
            QuotaError, Cancelled: as `complete`.
        """
        if not texts:
            return []
        body = {"model": self.endpoint.model, "input": [_unicode(text) or " " for text in texts]}
        try:
            return self._call("POST", "/embeddings", body, _VECTOR_BYTES, lambda answer: vectors_of(answer, len(texts)))
        except RequestFault as fault:
            raise self._error(fault) from None

    def check(self) -> None:
        """Check the server, the key and the model, with a tiny request if it lists no models.

        A key is not checked at a server that lists its models to anybody: the first request shows it.

        Raises:
            EndpointError: a check failed.
        """
        try:
            names = self._call("GET", "/models", None, _TEXT_BYTES, model_names)
        except RequestFault as fault:
            if not fault.absent:
                raise self._error(fault) from None
            names = []
        if not names:
            self._smallest()
        elif self.endpoint.model and self.endpoint.model not in names:
            offered = f"{', '.join(name[:60] for name in names[:5])}{' …' if len(names) > 5 else ''}"
            what = f"has no model '{self.endpoint.model}'"
            raise self._error(
                RequestFault(what, f"set {self.endpoint.variable('model')} to one that it has ({offered})")
            )

    def _smallest(self) -> None:
        if self.endpoint.kind == "embedding":
            self.embed(["test"])
        else:
            self.complete("Answer with one word.", "Say: ok", max_tokens=16)

    def _call(
        self, method: str, path: str, body: dict[str, Any] | None, most_bytes: int, read: Callable[[dict[str, Any]], T]
    ) -> T:
        return self._patiently(lambda: self._attempt(method, path, body, most_bytes, read))

    def _patiently(self, attempt: Callable[[], T]) -> T:
        """Call `attempt` until it succeeds or the retries are used up.

        Raises:
            RequestFault: all attempts failed.
        """
        refusal = self._gate.refusal(self._clock())
        if refusal is not None:
            raise RequestFault(
                f"is not called for a while because it failed several times in a row: it {refusal}",
                "try again in a minute",
            )
        tries, waited = 0, 0.0
        while True:
            try:
                value = attempt()
            except RequestFault as fault:
                wait = self._next_wait(fault, tries, waited)
                if wait is None:
                    if fault.shared:
                        self._gate.failed(self._clock(), fault.what)
                    else:
                        self._gate.succeeded()  # whoever refuses a request is there
                    raise
                tries += fault.weight or 0
                waited += wait
                self._wait_until(self._clock() + wait)
            else:
                self._gate.succeeded()
                return value

    def _attempt(
        self, method: str, path: str, body: dict[str, Any] | None, most_bytes: int, read: Callable[[dict[str, Any]], T]
    ) -> T:
        self._take_turn(body)
        answer = self._transport.request(method, path, body, most_bytes)
        used = usage_of(answer)
        with self._lock:
            self._tally[0] += used
        self._pay(body, used)
        try:
            return read(answer)
        except Malformed as error:
            raise RequestFault(str(error), "choose another model, or look at what the server says", weight=2) from None

    def _next_wait(self, fault: RequestFault, tries: int, waited: float) -> float | None:
        """Return the seconds until the next retry; None if there is none."""
        left = PATIENCE - waited
        if (
            fault.weight is None
            or tries + fault.weight > self.endpoint.retries
            or left < 1
            or (fault.after or 0.0) > left
        ):
            return None
        if fault.after is not None:
            wait = fault.after
        elif fault.weight:
            wait = _FIRST_WAIT * 2**tries * _jitter()
        else:
            wait = min(max(2.0, waited), _LONGEST_WAIT) * _jitter()
        if fault.weight == 0:
            self._gate.pause(self._clock() + min(wait, left))
        return min(wait, left)

    def _take_turn(self, body: dict[str, Any] | None) -> None:
        """Charge the request, and wait until it may be sent.

        Raises:
            QuotaError: the person's quota is used up.
        """
        take_request(self._meter, self.endpoint.cost(_read_about(body), _most_written(body)))
        rate = self.endpoint.requests_per_minute
        self._wait_until(self._gate.book(self._clock(), 60 / rate if rate else 0.0))
        while (pause := self._gate.paused_until) > self._clock():
            self._wait_until(pause)

    def _pay(self, body: dict[str, Any] | None, used: Usage, text: str | None = None) -> None:
        """Charge the cost of a request: by the server's token counts, else by estimates."""
        if self._meter is None or body is None:
            return
        written = tokens_about(text) if text is not None else _most_written(body)
        counted = used.prompt_tokens or used.answer_tokens
        cost = self.endpoint.cost(
            *((used.prompt_tokens, used.answer_tokens) if counted else (_read_about(body), written))
        )
        if cost:
            self._meter.pay(cost)

    def _wait_until(self, time: float) -> None:
        while True:
            if self.cancelled is not None and self.cancelled():
                raise Cancelled(f"Stopped during a request to {self.endpoint.name}; earlier answers are cached.")
            left = time - self._clock()
            if left <= 0:
                return
            self._sleep(min(left, _SLICE))

    def _spelled(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return the body with field names that this model accepts."""
        with self._lock:
            spelling = dict(self._spelling)
        return {name: value for field, value in body.items() if (name := spelling.get(field, field))}

    def _respell(self, field: str) -> bool:
        """Switch a refused field to its other name; False if there is none."""
        with self._lock:
            if field not in _OTHER_SPELLING or field in self._spelling:
                return False
            self._spelling[field] = _OTHER_SPELLING[field]
            return True

    def _error(self, fault: RequestFault) -> EndpointError:
        name, what, remedy = self.endpoint.name, fault.what, fault.remedy
        if not allowed().everything:  # whose reasons, and the server's own words, may name addresses
            what, remedy = what.partition(" (")[0], "try again later, or ask whoever runs this server"
            logging.getLogger(__name__).warning("%s %s: %s.", name, fault.what.partition(" (it says")[0], fault.remedy)
        return EndpointError(
            f"{name[0].upper()}{name[1:]} {what}: {remedy}.", where=self.endpoint.place, kind=self.endpoint.kind
        )


def _jitter() -> float:
    """Return a random factor that spreads the retries of clients that failed together."""
    return random.uniform(0.5, 1.5)


def _unicode(text: str) -> str:
    """Replace lone surrogates, which JSON cannot contain."""
    return text.encode("utf-8", "replace").decode()


def _read_about(body: dict[str, Any] | None) -> int:
    """Estimate the input tokens of a request."""
    if body is None:
        return 0
    texts = [str(message["content"]) for message in body["messages"]] if "messages" in body else body["input"]
    return sum(map(tokens_about, texts))


def _most_written(body: dict[str, Any] | None) -> int:
    """Return the maximum output tokens of a request."""
    return int(body.get("max_tokens", 0)) if body else 0
