"""A client of any OpenAI-compatible server: `/chat/completions`, `/embeddings`, `/models`."""

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
"""Most seconds that one call waits for a server that says it has too many requests: limits count by the minute."""

_FIRST_WAIT = 0.5
"""Seconds before the first further try; doubled for each."""
_LONGEST_WAIT = 15.0
"""Seconds between two tries at a server that has too many requests and does not say how long to wait."""
_SLICE = 0.2
"""Seconds slept between two looks at whether the user has stopped the work."""
_TEXT_BYTES, _VECTOR_BYTES = 2_000_000, 128_000_000
"""Most bytes of an answer."""
_OTHER_SPELLING = {"max_tokens": "max_completion_tokens", "temperature": ""}
"""Fields that some models do not take: their other name, or none where they are left out."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class PartialAnswer:
    """What a model has written so far."""

    text: str
    """Without thoughts before it; empty while it thinks. It is data: whoever shows or stores it says so."""
    cut: bool
    """It reached the most tokens that it may write."""


class Client:
    """Asks a server, and asks again where that may help. Thread-safe; one for a run is meant.

    A request that fails in a way that may pass (a status of 408, 409, 425 or 5xx, no connection, no answer in time, an
    answer that is no JSON) is tried again after 0.5, 1, 2 … seconds, each longer or shorter by up to a half. Where the
    server says that there are too many requests it is given up to `PATIENCE` seconds, those that it asks for where it
    says. Three calls in a row that fail all the same open a circuit breaker for 30 s; pace, pauses and breaker are
    shared by all clients of that server in this process.

    Each try is counted for whoever the thread asks for that makes the client, or shares it (see `metering`).

    Args:
        endpoint: The server, the model, the key.
        cancelled: Asked before each request and while waiting; True raises `Cancelled`.
        sleep: Waits so many seconds.
        clock: Seconds, rising.
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
        """What this client has asked so far, as the server counts it."""
        with self._lock:
            return self._tally[0]

    def sharing(self, cancelled: Callable[[], bool] | None = None) -> Client:
        """This client for a part of the work that is stopped by itself, asking for whoever this thread does.

        Connections and `usage` are one.
        """
        other = copy(self)
        other.cancelled, other._meter = cancelled, meter()
        return other

    def complete(self, system: str, user: str, *, max_tokens: int) -> str:
        """Let the model write.

        Args:
            system: What it is to do.
            user: What it is to do it with.
            max_tokens: Most that it writes.
        Returns:
            Its text, not empty, at most 32 characters a token long. It is data: whoever shows or stores it says so.
        Raises:
            EndpointError: the server cannot be reached or does not answer as it should.
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
        """Let the model write, and give its text so far with each piece that arrives.

        Nothing is sent before the first step. A request that fails before any text has come is tried again as
        `complete` does, a later one is not. Closing the iterator ends the request.

        Raises:
            EndpointError, Cancelled: as `complete`.
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
        """The first event of a stream, and those to come."""
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
        """Vectors of texts with one request, in order, all of one length; not normalised.

        Raises:
            EndpointError: as `complete`; also where vectors are missing, ragged or without a direction.
            Cancelled: the user has stopped the work.
        """
        if not texts:
            return []
        body = {"model": self.endpoint.model, "input": [_unicode(text) or " " for text in texts]}
        try:
            return self._call("POST", "/embeddings", body, _VECTOR_BYTES, lambda answer: vectors_of(answer, len(texts)))
        except RequestFault as fault:
            raise self._error(fault) from None

    def check(self) -> None:
        """Check the server, the key and the model; with a tiny request where it lists no models.

        A server that lists its models to anybody is not asked whether it takes the key: the first request tells.

        Raises:
            EndpointError: it is not, does not, or has not.
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
        """A request and its further tries; raises what `_patiently` does."""
        return self._patiently(lambda: self._attempt(method, path, body, most_bytes, read))

    def _patiently(self, attempt: Callable[[], T]) -> T:
        """An attempt, and further ones where it fails.

        Raises:
            RequestFault: none of them has succeeded.
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
        """Seconds until the next try, after `tries` and `waited` seconds; None after the last one."""
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
        """Count the request, and wait until it may be sent.

        Raises:
            QuotaError: whoever it is counted for may not send it.
        """
        take_request(self._meter, self.endpoint.cost(_read_about(body), _most_written(body)))
        rate = self.endpoint.requests_per_minute
        self._wait_until(self._gate.book(self._clock(), 60 / rate if rate else 0.0))
        while (pause := self._gate.paused_until) > self._clock():
            self._wait_until(pause)

    def _pay(self, body: dict[str, Any] | None, used: Usage, text: str | None = None) -> None:
        """Note what a request has cost: as the server counts its tokens, else about."""
        if self._meter is None or body is None:
            return
        written = tokens_about(text) if text is not None else _most_written(body)
        said = used.prompt_tokens or used.answer_tokens
        cost = self.endpoint.cost(*((used.prompt_tokens, used.answer_tokens) if said else (_read_about(body), written)))
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
        """The body with fields named as this model wants them."""
        with self._lock:
            spelling = dict(self._spelling)
        return {name: value for field, value in body.items() if (name := spelling.get(field, field))}

    def _respell(self, field: str) -> bool:
        """Remember another spelling of a field that the server has refused; False where there is none left."""
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
    """Keeps clients that failed together from coming back together."""
    return random.uniform(0.5, 1.5)


def _unicode(text: str) -> str:
    """Without lone surrogates, which no JSON can carry."""
    return text.encode("utf-8", "replace").decode()


def _read_about(body: dict[str, Any] | None) -> int:
    """Tokens that a server reads of a request, about."""
    if body is None:
        return 0
    texts = [str(message["content"]) for message in body["messages"]] if "messages" in body else body["input"]
    return sum(map(tokens_about, texts))


def _most_written(body: dict[str, Any] | None) -> int:
    """Tokens that it may write."""
    return int(body.get("max_tokens", 0)) if body else 0
