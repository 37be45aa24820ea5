"""A real HTTP server on 127.0.0.1 that speaks the OpenAI protocol, and misbehaves on demand.

    llm_server.answer = lambda system, user: "Pumps move water."   # what chat answers; a plain text also does
    llm_server.respond("429", "429")         # the next two requests are refused, then all is well again
    llm_server.always = "html"            # until it is set back to "ok"
    llm_server.die_after(3)              # three requests are answered, then nobody listens
    client = Client(llm_server.endpoint()) llm_server.requests[0].body["messages"]

Its vectors are counts of hashed words (of characters in Chinese): texts that share words are near each other.
"""

from __future__ import annotations

import contextlib
import errno
import itertools
import json
import random
import re
import socket
import threading
import zlib
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from chunking.llm.endpoints import Endpoint, Kind

__all__ = ["BEHAVIOURS", "KEY", "LLMServer", "Request", "running"]

KEY = "sk-test-4f9a1c77b2e84d03"
"""API key that the server accepts, and that must never appear elsewhere."""
LLM, EMBEDDER = "test-writer", "test-embedder"

Answer = Callable[[str, str], str]
_PORTS = 20_000, 32_000
_places = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Request:
    """Received request."""

    method: str
    path: str
    headers: dict[str, str]
    body: dict[str, Any]

    @property
    def system(self) -> str:
        return str(self.body["messages"][0]["content"])

    @property
    def user(self) -> str:
        return str(self.body["messages"][-1]["content"])


@dataclass(slots=True)
class LLMServer:
    """HTTP server with OpenAI's protocol, whose behaviour the test scripts."""

    answer: Answer | str = "An answer of the test server."
    always: str = "ok"
    """Behaviour of requests without a scripted one."""
    key: str = KEY
    """Required API key; empty: none is required."""
    dimension: int = 64
    models: tuple[str, ...] = (LLM, EMBEDDER)
    """Available models; empty: lists none and accepts any."""
    retry_after: str = ""
    """Retry-After header of answers with 429 and 503."""
    busy: Callable[[], bool] = lambda: False
    """While True every request is refused with 429: for tests with a fake clock."""
    requests: list[Request] = field(default_factory=list)
    script: deque[str] = field(default_factory=deque)
    left: int | None = None
    """Remaining requests before the server dies."""
    release: threading.Event = field(default_factory=threading.Event)
    lock: threading.Lock = field(default_factory=threading.Lock)
    at_once: int = 0
    most_at_once: int = 0
    """Maximum number of concurrent requests seen."""
    _http: _Server | None = None
    _thread: threading.Thread | None = None
    _dying: threading.Thread | None = None
    _path: str = ""
    _port: int = 0

    @property
    def url(self) -> str:
        """Base address, unique among the servers of a process even if they share a port in turn."""
        return f"http://127.0.0.1:{self._port}{self._path}/v1"

    def endpoint(self, kind: Kind = "llm", **changes: Any) -> Endpoint:
        """Return the endpoint of this server with its key and a short timeout, so that tests do not wait."""
        headers = {
            "url": self.url,
            "model": LLM if kind == "llm" else EMBEDDER,
            "key": self.key,
            "kind": kind,
            "timeout": 10.0,
        }
        return Endpoint(**(headers | changes))

    def environment(self, kind: Kind = "llm") -> dict[str, str]:
        """Return the environment variables that configure this server."""
        values = {"URL": self.url, "MODEL": LLM if kind == "llm" else EMBEDDER, "KEY": self.key}
        return {f"CHUNKSCOPE_{kind.upper()}_{name}": value for name, value in values.items()}

    def respond(self, *behaviours: str) -> None:
        """Script the behaviour of the next requests, one each; then `always` applies again."""
        assert not set(behaviours) - BEHAVIOURS.keys()
        self.script.extend(behaviours)

    def die_after(self, requests: int) -> None:
        """Stop the server after this many more requests."""
        self.left = requests

    @property
    def embedded_texts(self) -> list[str]:
        """Texts that were sent to be embedded."""
        return [
            text
            for request in list(self.requests)
            if request.path.endswith("/embeddings")
            for text in request.body["input"]
        ]

    @property
    def chat_requests(self) -> list[Request]:
        """Chat requests received."""
        return [request for request in list(self.requests) if request.path.endswith("/chat/completions")]

    def start(self) -> None:
        """Listen, after `stop` or death again at the same address."""
        if self._dying is not None:
            self._dying.join()  # its clients know that it is gone before its port is free
            self._dying = None
        self.release.clear()
        self.left = None
        self._path = self._path or f"/server{next(_places)}"
        self._http = _Server(("127.0.0.1", self._port), self) if self._port else self._listening()
        self._port = self._http.server_address[1]
        self._thread = threading.Thread(target=self._http.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
        self._thread.start()

    def _listening(self) -> _Server:
        """Bind a port below the ephemeral range, which no process takes while the server is stopped."""
        while True:
            try:
                return _Server(("127.0.0.1", random.randrange(*_PORTS)), self)
            except OSError as error:
                if error.errno != errno.EADDRINUSE:
                    raise

    def stop(self) -> None:
        """Stop the server and close open connections."""
        http, thread = self._http, self._thread
        self._http = self._thread = None
        self.release.set()
        if http is not None and thread is not None:
            http.shutdown()
            thread.join()
            http.end()

    def die(self) -> None:
        """Call `stop` from within a request, which cannot wait for it."""
        with self.lock:
            if self._dying is None:
                self._dying = threading.Thread(target=self.stop, daemon=True)
                self._dying.start()

    def vector(self, text: str) -> list[float]:
        """Return counts of hashed words; the last number keeps an empty text's vector from being zero."""
        counts = [0.0] * self.dimension
        for word in re.findall(r"[㐀-鿿]|\w+", text.lower()):
            counts[zlib.crc32(word.encode()) % (self.dimension - 1)] += 1.0
        counts[-1] = 0.1
        return counts


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def __init__(self, address: tuple[str, int], of: LLMServer) -> None:
        self.of = of
        self.open: set[socket.socket] = set()
        super().__init__(address, _Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        self.open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self.open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that have disconnected."""

    def end(self) -> None:
        for one in list(self.open):
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        self.server_close()


class _Handler(BaseHTTPRequestHandler):
    server: _Server
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_: Any) -> None:
        """Log nothing: tests check stderr."""

    def do_GET(self) -> None:
        self.take({})

    def do_POST(self) -> None:
        self.take(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

    def take(self, body: dict[str, Any]) -> None:
        """Record a request and treat it as scripted."""
        of = self.server.of
        with of.lock:
            of.requests.append(Request(self.command, self.path, dict(self.headers), body))
            behaviour = of.script.popleft() if of.script else of.always
            dying = of.left == 0
            of.left = of.left and of.left - 1
            of.at_once += 1
            of.most_at_once = max(of.most_at_once, of.at_once)
        try:
            if dying:
                of.die()
                of.release.wait(30)
                self.close_connection = True
                return
            BEHAVIOURS["429" if of.busy() else behaviour](self, body)
        finally:
            with of.lock:
                of.at_once -= 1

    def send(self, content: bytes | Any, status: int = 200, kind: str = "application/json", **headers: str) -> None:
        """Answer with JSON, or with raw bytes."""
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.end_headers()
        self.wfile.write(data)

    def stream_words(self, text: str, reason: str | None, *, pause: float = 0.0) -> None:
        """Answer word by word, as events; without a reason the connection ends early."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        self.wfile.write(b": keep-alive\r\n\r\n")
        for word in re.findall(r"\s*\S+|\s+", text):
            self.event({"choices": [{"delta": {"content": word}, "finish_reason": None}]})
            if pause and self.server.of.release.wait(pause):
                return
        if reason is not None:
            self.event({"choices": [{"delta": {}, "finish_reason": reason}]})
            self.wfile.write(b"data: [DONE]\n\n")

    def event(self, content: Any) -> None:
        """Send one event of a stream."""
        self.wfile.write(
            b"data: " + (content if isinstance(content, bytes) else json.dumps(content).encode()) + b"\r\n\r\n"
        )

    def fail(self, status: int, message: str, **fields: str) -> None:
        """Answer with an error in OpenAI's form."""
        headers = (
            {"Retry_After": self.server.of.retry_after} if self.server.of.retry_after and status in (429, 503) else {}
        )
        self.send({"error": {"message": message, "type": "error", **fields}}, status, **headers)


def _ok(handler: _Handler, body: dict[str, Any], text: str | None = None) -> None:
    of = handler.server.of
    key = handler.headers.get("Authorization", "").removeprefix("Bearer ")
    if of.key and key != of.key:
        return handler.fail(401, f"Incorrect API key provided: {key}.", code="invalid_api_key")
    if handler.path == f"{of._path}/v1/models":
        return (
            handler.send({"data": [{"id": name} for name in of.models]})
            if of.models
            else handler.fail(404, "Not Found")
        )
    if of.models and body.get("model") not in of.models:
        return handler.fail(404, f"The model `{body.get('model')}` does not exist.", code="model_not_found")
    if handler.path == f"{of._path}/v1/chat/completions":
        return _chat(handler, body, text)
    if handler.path == f"{of._path}/v1/embeddings":
        return _embed(handler, body, [of.vector(one) for one in body["input"]])
    return handler.fail(404, "Not Found")


def _chat(handler: _Handler, body: dict[str, Any], text: str | None) -> None:
    of = handler.server.of
    system, user = (body["messages"][place]["content"] for place in (0, -1))
    if text is None:
        text = of.answer(system, user) if callable(of.answer) else of.answer
    most = body.get("max_tokens", body.get("max_completion_tokens"))
    words = text.split(" ")
    usage = {"prompt_tokens": len((system + user).split()), "completion_tokens": len(words)}
    usage |= {"prompt_tokens_details": {"cached_tokens": len(system.split()) if len(of.chat_requests) > 1 else 0}}
    reason = "length" if most is not None and len(words) > most else "stop"
    if body.get("stream"):
        return handler.stream_words(text, reason)
    handler.send(
        {"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": reason}], "usage": usage}
    )


def _embed(handler: _Handler, body: dict[str, Any], vectors: list[list[float]]) -> None:
    rows = [{"index": place, "embedding": vector} for place, vector in enumerate(vectors)]
    rows.reverse()  # the protocol promises an index, no order
    handler.send({"data": rows, "usage": {"prompt_tokens": sum(len(text.split()) for text in body["input"])}})


def _vectors(change: Callable[[list[list[float]]], list[list[float]]]) -> Callable[[_Handler, dict[str, Any]], None]:
    """Return a behaviour that answers with changed vectors."""
    return lambda handler, body: _embed(handler, body, change([handler.server.of.vector(one) for one in body["input"]]))


def _fails(status: int, message: str, **fields: str) -> Callable[[_Handler, dict[str, Any]], None]:
    return lambda handler, _: handler.fail(status, message, **fields)


def _sends(content: bytes | Any, **how: Any) -> Callable[[_Handler, dict[str, Any]], None]:
    return lambda handler, _: handler.send(content, **how)


def _slow(handler: _Handler, _: dict[str, Any]) -> None:
    """Send nothing until the server is stopped."""
    handler.server.of.release.wait(30)
    handler.close_connection = True


def _drips(handler: _Handler, _: dict[str, Any]) -> None:
    """Send a byte now and then, so that no single wait is long."""
    handler.send_response(200)
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    while not handler.server.of.release.wait(0.02):
        handler.wfile.write(b" ")


def _cut(handler: _Handler, _: dict[str, Any]) -> None:
    """End the connection in the middle of an answer."""
    handler.send_response(200)
    handler.send_header("Content-Length", "1000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [')
    handler.close_connection = True


def _flood(handler: _Handler, _: dict[str, Any]) -> None:
    """Send bytes without end."""
    handler.send_response(200)
    handler.send_header("Content-Length", str(10**12))
    handler.end_headers()
    while not handler.server.of.release.is_set():
        handler.wfile.write(b" " * 65_536)


def _stream_dies(handler: _Handler, body: dict[str, Any]) -> None:
    """End the connection after some words."""
    text = handler.server.of.answer
    handler.stream_words(text if isinstance(text, str) else text("", ""), None)


def _stream_hangs(handler: _Handler, body: dict[str, Any]) -> None:
    """Send some words, then nothing until the server is stopped."""
    _stream_dies(handler, body)
    handler.server.of.release.wait(30)


def _stream_noise(handler: _Handler, body: dict[str, Any]) -> None:
    """Send a word, then a malformed event."""
    handler.stream_words("One", None)
    handler.event(b"{not json")


def _stream_error(handler: _Handler, body: dict[str, Any]) -> None:
    """Send a word, then an error, as some servers do."""
    handler.stream_words("One", None)
    handler.event({"error": {"message": "The backend is overloaded."}})


def _no_stream(handler: _Handler, body: dict[str, Any]) -> None:
    """Answer at once, as servers without streaming do."""
    _ok(handler, {name: value for name, value in body.items() if name != "stream"})


def _redirect(handler: _Handler, _: dict[str, Any]) -> None:
    handler.send({}, 307, Location="http://127.0.0.1:9/v1/elsewhere")


def _refuses(field_name: str) -> Callable[[_Handler, dict[str, Any]], None]:
    """Return a behaviour that refuses a field, as some models do."""

    def behave(handler: _Handler, body: dict[str, Any]) -> None:
        if field_name in body:
            handler.fail(400, f"Unsupported parameter: '{field_name}'.", param=field_name, code="unsupported_parameter")
        else:
            _ok(handler, body)

    return behave


BEHAVIOURS: dict[str, Callable[[_Handler, dict[str, Any]], None]] = {
    "ok": _ok,
    "echo": lambda handler, body: _ok(handler, body, body["messages"][-1]["content"]),
    "echo_key": lambda handler, body: _ok(handler, body, f"You sent {handler.headers.get('Authorization')}."),
    "blank": lambda handler, body: _ok(handler, body, " \n "),
    "thinks": lambda handler, body: _ok(handler, body, "<think>Hm, let me see.</think>\n\nThe answer."),
    "overlong": lambda handler, body: _ok(handler, body, "and so on " * 20_000),
    "slow": _slow,
    "drips": _drips,
    "cut": _cut,
    "flood": _flood,
    "html": _sends(b"<!DOCTYPE html><html><body>Welcome to nginx!</body></html>", kind="text/html"),
    "empty": _sends(b""),
    "not_json": _sends(b'{"choices": ['),
    "wrong_json": _sends({"result": "of another protocol"}),
    "stream_dies": _stream_dies,
    "stream_hangs": _stream_hangs,
    "stream_noise": _stream_noise,
    "stream_error": _stream_error,
    "no_stream": _no_stream,
    "deep_json": _sends(b"[" * 100_000),
    "list": _sends([1, 2]),
    "error_in_200": _sends({"error": {"message": "The backend is overloaded.", "code": 503}}),
    "400": _fails(400, "This model's maximum context length is 8192 tokens."),
    "401": _fails(
        401, f"Incorrect API key provided: {KEY}. You can find your key at the web site.", code="invalid_api_key"
    ),
    "403": _fails(403, "Forbidden"),
    "404": _fails(404, "Not Found"),
    "408": _fails(408, "Request timeout"),
    "429": _fails(429, "Rate limit reached", code="rate_limit_exceeded"),
    "quota": _fails(429, "You exceeded your current quota.", code="insufficient_quota"),
    "500": _fails(500, "Internal error"),
    "503": _fails(503, f"Overloaded for {KEY}\nsee the log " + "x" * 500),
    "502_html": _sends(b"<html>Bad gateway</html>", status=502, kind="text/html"),
    "redirect": _redirect,
    "no_temperature": _refuses("temperature"),
    "no_max_tokens": _refuses("max_tokens"),
    "longer": _vectors(lambda rows: [[*row, 1.0] for row in rows]),
    "ragged": _vectors(lambda rows: [row + [1.0] * (place % 2) for place, row in enumerate(rows)]),
    "fewer": _vectors(lambda rows: rows[1:]),
    "nan": _vectors(lambda rows: [[float("nan"), *row[1:]] for row in rows]),
    "zeros": _vectors(lambda rows: [[0.0] * len(row) for row in rows]),
    "words": lambda handler, body: _embed(handler, body, [["a", "b"] for _ in body["input"]]),  # type: ignore[list-item]
}
"""Behaviours by name."""


@contextlib.contextmanager
def running(**settings: Any) -> Iterator[LLMServer]:
    """Run a server during a context."""
    server = LLMServer(**settings)
    server.start()
    try:
        yield server
    finally:
        server.stop()
