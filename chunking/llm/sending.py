"""Size-limited HTTP requests with one-sentence errors, and the pace shared by clients of a server."""

from __future__ import annotations

import re
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING, Any
from weakref import finalize

from chunking.llm.endpoints import Endpoint
from chunking.llm.model_answers import Malformed, complaint, decoded

if TYPE_CHECKING:
    import ssl

    import httpx

__all__ = ["FAILURES", "REST", "Gate", "RequestFault", "Transport", "gate_of"]

_CONNECT_SECONDS = 10.0
_BUSY = frozenset({429})
_PASSING = frozenset({408, 409, 425, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529})
"""Statuses after which the same request may succeed."""
_SPENT = frozenset({"insufficient_quota", "billing_hard_limit_reached"})
"""Codes of status 429 that waiting does not help."""
_SECONDS = re.compile(r"[0-9]{1,10}(?:\.[0-9]{1,6})?")
"""Numeric form of `Retry-After`: ASCII digits, also a fraction, which some servers send."""

FAILURES = 3
"""Failed calls in a row, each after its own retries, that open the circuit breaker."""
REST = 30.0
"""Seconds for which an open circuit breaker fails everything at once."""


@dataclass(eq=False)
class RequestFault(Exception):
    """Failure of a request: what happened, the remedy, and whether a retry may help."""

    what: str
    """End of a sentence that begins with the server: `answered with a web page`."""
    remedy: str
    """Advice to the user."""
    weight: int | None = None
    """Number of retries that the failure uses up; None: retrying cannot help.

    0 waits for the server, 1 may pass, 2 is slow or unlikely to pass.
    """
    after: float | None = None
    """Seconds that the server asks to wait."""
    parameter: str = ""
    """Request field that the server refuses."""
    shared: bool = True
    """True if the server is at fault, not the request: counts for the circuit breaker."""
    absent: bool = False
    """True if the server has nothing at this path."""


class Transport:
    """Connections to one endpoint; thread-safe, opened on demand, closed with the last reference."""

    def __init__(self, endpoint: Endpoint, clock: Callable[[], float]) -> None:
        self.endpoint = endpoint
        self._clock = clock
        self._lock = Lock()
        self._http: httpx.Client | None = None

    def request(self, method: str, path: str, body: dict[str, Any] | None, most_bytes: int) -> dict[str, Any]:
        """Send a request and return the JSON object of the answer; it is not retried.

        Raises:
            RequestFault: no connection, a timeout, an error status, more than `most_bytes`, or no JSON object.
        """
        with self._faults():
            status, headers, content = self._exchange(method, path, body, most_bytes)
        if status // 100 != 2:
            raise self._refusal(status, headers, content)
        return self._read(content)

    def stream(self, path: str, body: dict[str, Any], most_bytes: int) -> Generator[dict[str, Any], None, None]:
        """Send a request and yield the JSON objects of its events, or the only object of an answer.

        Closing the iterator closes the connection.

        Raises:
            RequestFault: as `request`, also after some events; or the stream ends without `[DONE]` or a finish reason.
        """
        with self._faults():
            yield from self._events(path, body, most_bytes)

    def _events(self, path: str, body: dict[str, Any], most_bytes: int) -> Iterator[dict[str, Any]]:
        deadline, size, finished = self._clock() + self.endpoint.timeout, 0, False
        with self._send("POST", path, body, "text/event-stream, application/json") as response:
            streams = response.status_code // 100 == 2 and response.headers.get("content-type", "").startswith(
                "text/event-stream"
            )
            content, rest = bytearray(), b""
            for part in response.iter_bytes():
                size += len(part)
                if size > most_bytes:
                    raise RequestFault(
                        f"answered with more than {most_bytes:,} bytes", "choose another model or server", weight=2
                    )
                if self._clock() > deadline:
                    raise self._slow()
                if not streams:
                    content += part
                    continue
                *lines, rest = (rest + part).split(b"\n")
                for line in lines:
                    data = line.strip().removeprefix(b"data:").strip() if line.strip().startswith(b"data:") else b""
                    if data == b"[DONE]":
                        return
                    if data:
                        event = self._read(data)
                        finished = finished or _finished(event)
                        yield event
            if streams and not finished:
                raise RequestFault("broke off mid-answer", "ask again, or choose another model", weight=2)
        if not streams:
            if response.status_code // 100 != 2:
                raise self._refusal(response.status_code, response.headers, bytes(content))
            yield self._read(bytes(content))

    @contextmanager
    def _faults(self) -> Iterator[None]:
        """Turn exceptions of the HTTP library into RequestFault."""
        import httpx

        failure: RequestFault | None = None
        try:
            yield
        except httpx.TimeoutException:
            failure = self._slow()
        except httpx.TransportError as error:
            failure = _unreachable(error)
        except httpx.HTTPError as error:
            failure = RequestFault(
                f"gave an answer that cannot be decoded ({type(error).__name__})", "try again", weight=2
            )
        except httpx.InvalidURL:
            failure = RequestFault("has an address that cannot be used", f"change {self.endpoint.variable('url')}")
        if failure is not None:
            raise failure  # outside the handlers: an HTTP library's error holds the request, and with it the key

    def _exchange(
        self, method: str, path: str, body: dict[str, Any] | None, most_bytes: int
    ) -> tuple[int, httpx.Headers, bytes]:
        deadline = self._clock() + self.endpoint.timeout
        content = bytearray()
        with self._send(method, path, body, "application/json") as response:
            for part in response.iter_bytes():
                content += part
                if len(content) > most_bytes:
                    raise RequestFault(
                        f"answered with more than {most_bytes:,} bytes", "choose another model or server", weight=2
                    )
                if self._clock() > deadline:
                    raise self._slow()
            return response.status_code, response.headers, bytes(content)

    def _send(
        self, method: str, path: str, body: dict[str, Any] | None, accept: str
    ) -> AbstractContextManager[httpx.Response]:
        # Packed answers could unpack to any size.
        headers = {"Accept": accept, "Accept-Encoding": "identity", **self.endpoint.authorization()}
        return self._client().stream(method, self.endpoint.url + path, json=body, headers=headers)

    def _client(self) -> httpx.Client:
        import httpx

        with self._lock:
            if self._http is None:
                # Without the environment's proxies and .netrc, which would see, or replace, the key.
                # Of the environment only the certificates are taken (SSL_CERT_FILE), for servers inside a company.
                timeout = httpx.Timeout(self.endpoint.timeout, connect=min(_CONNECT_SECONDS, self.endpoint.timeout))
                limits = httpx.Limits(max_connections=None, max_keepalive_connections=self.endpoint.parallel)
                self._http = httpx.Client(
                    timeout=timeout, limits=limits, verify=_certificates(), trust_env=False, follow_redirects=False
                )
                finalize(self, self._http.close)
            return self._http

    def _slow(self) -> RequestFault:
        seconds = f"{self.endpoint.timeout:g} s"
        return RequestFault(
            f"did not answer within {seconds}", f"try again, or raise {self.endpoint.variable('timeout')}", weight=2
        )

    def _read(self, content: bytes) -> dict[str, Any]:
        address = f"check that {self.endpoint.variable('url')} is the address of an OpenAI-compatible server, up to /v1"
        try:
            answer = decoded(content)
        except Malformed as error:
            raise RequestFault(str(error), address, weight=2) from None
        if "error" in answer and not answer.keys() & {"choices", "data"}:
            raise RequestFault(
                f"answered with an error{self._said(content)}", "try again, or choose another model", weight=1
            )
        return answer

    def _said(self, content: bytes) -> str:
        words, _, _ = complaint(content, self.endpoint.scrubbed)
        return f" (it says: {words})" if words else ""

    def _refusal(self, status: int, headers: httpx.Headers, content: bytes) -> RequestFault:
        """Return the fault for an error status."""
        endpoint, said = self.endpoint, self._said(content)
        _, code, parameter = complaint(content, endpoint.scrubbed)
        if status in _BUSY and code not in _SPENT:
            return RequestFault(
                f"refuses requests because there are too many{said}", _slower(endpoint), weight=0, after=_wait(headers)
            )
        if status in _BUSY or status == 402:
            return RequestFault(
                f"refuses requests because its quota is used up{said}", "raise it there, or configure another endpoint"
            )
        if status in (401, 403):
            return RequestFault(
                f"does not accept the key (status {status})", f"check {endpoint.variable('key')}", shared=False
            )
        if status in (404, 405, 501):
            model = f"has no model '{endpoint.model}', or nothing at that address{said}"
            return RequestFault(
                model, f"check the model's name and {endpoint.variable('url')}", shared=False, absent=True
            )
        if 300 <= status < 400:
            return RequestFault(
                "redirects to another address, which is not followed",
                f"give the final one in {endpoint.variable('url')}",
            )
        if status in _PASSING:
            return RequestFault(
                f"fails with status {status}{said}",
                "try again later, or see its own log",
                weight=1,
                after=_wait(headers),
            )
        remedy = "choose a model that takes it, or shorter texts"
        return RequestFault(
            f"does not take the request (status {status}){said}", remedy, parameter=parameter, shared=False
        )


def _finished(event: dict[str, Any]) -> bool:
    """True if an event has a finish reason."""
    choices = event.get("choices")
    return isinstance(choices, list) and any(isinstance(one, dict) and one.get("finish_reason") for one in choices)


@lru_cache(maxsize=1)
def _certificates() -> ssl.SSLContext:
    """Load the certificates of `SSL_CERT_FILE`, else the default ones; cached, as loading takes a while."""
    import httpx

    return httpx.create_ssl_context()


def _slower(endpoint: Endpoint) -> str:
    return f"set {endpoint.variable('requests_per_minute')} to what it allows, or try again later"


def _unreachable(error: Exception) -> RequestFault:
    """Return the fault for a missing connection, with the deepest cause, such as `Connection refused`."""
    cause: BaseException = error
    while cause.__cause__ is not None or cause.__context__ is not None:
        cause = cause.__cause__ or cause.__context__ or cause
    reason = str(getattr(cause, "strerror", None) or cause).split("\n", 1)[0].rstrip(".") or type(error).__name__
    return RequestFault(
        f"cannot be reached ({reason[:100]})", "start the server, or check its address and the network", weight=1
    )


def _wait(headers: httpx.Headers) -> float | None:
    """Parse `Retry-After` to seconds, from a number or a date (RFC 9110, 10.2.3); None if it is neither."""
    value = headers.get("retry-after", "").strip()
    if _SECONDS.fullmatch(value):
        return float(value)
    try:
        date = parsedate_to_datetime(value)
        aware = date if date.tzinfo else date.replace(tzinfo=UTC)
        return max(0.0, aware.timestamp() - datetime.now(UTC).timestamp())
    except (ValueError, TypeError, OverflowError):  # the last: a time zone that is centuries away
        return None


# -- pace, pauses and circuit breaker of a server, shared by its clients in a process


class Gate:
    """Pace, pauses and circuit breaker of one server; times are seconds of the caller's clock."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._next = self._paused = self._open_until = 0.0
        self._failures = 0
        self._reason = ""

    def refusal(self, now: float) -> str | None:
        """Return the reason for refusing a call now, or None.

        After its rest, the open breaker lets one call through. Until that call succeeds, the next failure opens it
        again.
        """
        with self._lock:
            if self._failures < FAILURES:
                return None
            if now >= self._open_until:
                self._open_until = now + REST  # others wait for the outcome of this one
                return None
            return self._reason

    def book(self, now: float, interval: float) -> float:
        """Reserve and return a request's start time, at least `interval` after the previous one."""
        with self._lock:
            start = max(now, self._next, self._paused)
            self._next = start + interval
            return start

    def pause(self, until: float) -> None:
        """Let no request start before a time, as the server has too many requests."""
        with self._lock:
            self._paused = max(self._paused, until)

    @property
    def paused_until(self) -> float:
        """Time before which no request starts; 0 if there was no pause."""
        with self._lock:
            return self._paused

    def succeeded(self) -> None:
        """Record a successful call, which closes the breaker."""
        with self._lock:
            self._failures = 0

    def failed(self, now: float, reason: str) -> None:
        """Record a failed call that is the server's fault; the third in a row opens the breaker."""
        with self._lock:
            self._failures += 1
            self._reason = reason
            self._open_until = now + REST


@lru_cache(maxsize=256)
def gate_of(url: str) -> Gate:
    """Return the gate of a base address, such as `https://api.example.com/v1`; one per process."""
    return Gate()
