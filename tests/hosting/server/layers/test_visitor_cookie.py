"""The cookie of a demo's visitors: given once, to pages alone, and never in other modes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from hosting.demo.visit_cookies import token_of
from hosting.server.layers.visitor_cookie import VisitorCookie
from tests.support.event_loop import run_in_thread


def answered(
    path: str = "/", *, cookie: str = "", scheme: str = "http", query: str = "", type: str = "text/html; charset=utf-8"
) -> list[str]:
    """The cookies that an answer sets."""
    sent: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", type.encode())]})
        await send({"type": "http.response.body", "body": b""})

    async def keep(message: Any) -> None:
        sent.append(message)

    headers = [(b"cookie", cookie.encode())] if cookie else []
    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "scheme": scheme,
        "query_string": query.encode(),
        "headers": headers,
    }
    run_in_thread(lambda: VisitorCookie(app)(scope, None, keep))  # type: ignore[arg-type]
    return [value.decode() for name, value in sent[0]["headers"] if name == b"set-cookie"]


@pytest.fixture
def demo(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server in the mode demo."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", "demo")


def value_of(cookie: str) -> str:
    """What a browser sends back."""
    return cookie.partition(";")[0].partition("=")[2]


def test_a_browser_gets_a_token_that_no_script_reads(demo: None) -> None:
    """Another one each, signed; over HTTPS for this host alone, by a name that no other host can set."""
    (first,), (second,), (secure,) = answered(), answered(), answered(scheme="https")
    tokens = {token_of(Path(), value_of(one)) for one in (first, second, secure)}
    assert len(tokens - {""}) == 3
    assert secure.startswith("__Host-chunkscope_visit=")
    assert ("Path=/;" in secure, "Domain" in secure) == (True, False)
    assert "HttpOnly; SameSite=Lax" in first
    assert ("Secure" in first, "Secure" in secure) == (False, True)


def test_it_is_given_once_and_with_pages_alone(demo: None) -> None:
    """What is no token is replaced: else its sender would stand before the door for good."""
    (given,) = answered()
    assert answered(cookie=f"chunkscope_visit={value_of(given)}") == []
    for forged in (
        "forged",
        "a" * 43,
        f"{'a' * 43}.{'b' * 43}",
        value_of(given)[:-1] + "!",
        f"{value_of(given)}.x",
        "é" * 43,
    ):
        assert len(answered(cookie=f"chunkscope_visit={forged}")) == 1
    assert len(answered(scheme="https", cookie=f"chunkscope_visit={value_of(given)}")) == 1
    assert answered(scheme="https", cookie=f"__Host-chunkscope_visit={value_of(given)}") == []
    assert answered("/static/app.js", type="text/javascript") == []


@pytest.mark.parametrize(
    "other", ["a@b=1", "a,b=1", 'seen={"tour":1,"page":2}', "words=one two", "=", "path", "a=\x01"]
)
def test_cookies_of_other_programs_change_nothing(demo: None, other: str) -> None:
    """Whatever else a browser keeps for this host, the visit is found before and after it, and a page is answered."""
    (given,) = answered()
    ours = f"chunkscope_visit={value_of(given)}"
    assert len(answered(cookie=other)) == 1
    assert answered(cookie=f"{other}; {ours}") == answered(cookie=f"{ours}; {other}") == []


def test_only_a_demo_sets_the_visitor_cookie(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody is told by a cookie of ours there."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", "team")
    assert answered() == []
    monkeypatch.delenv("CHUNKSCOPE_MODE")
    assert answered() == []


def test_an_invitation_is_kept_through_the_sign_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """For some minutes, and only what has the form of one."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", "team")
    token = f"{'0' * 16}.{'a' * 64}"
    (kept,) = answered(query=f"invitation={token}")
    assert kept == f"chunkscope_invitation={token}; Path=/; HttpOnly; SameSite=Lax; Max-Age=900"
    assert answered(query="invitation=x%0d%0aSet-Cookie:%20y") == []
    monkeypatch.setenv("CHUNKSCOPE_MODE", "local")
    assert answered(query=f"invitation={token}") == []
