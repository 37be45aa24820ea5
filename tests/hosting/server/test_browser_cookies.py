"""The cookie of a demo's visitors: given once, to pages alone, and never in other modes."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote

import pytest

from hosting.demo.visit_cookies import token_of
from hosting.server.browser_cookies import SignInReturn, VisitorCookie
from tests.support.event_loop import run_in_thread

COOKIE = "chunkscope_address"


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
    (arguments,) = answered()
    assert answered(cookie=f"chunkscope_visit={value_of(arguments)}") == []
    for forged in (
        "forged",
        "a" * 43,
        f"{'a' * 43}.{'b' * 43}",
        value_of(arguments)[:-1] + "!",
        f"{value_of(arguments)}.x",
        "é" * 43,
    ):
        assert len(answered(cookie=f"chunkscope_visit={forged}")) == 1
    assert len(answered(scheme="https", cookie=f"chunkscope_visit={value_of(arguments)}")) == 1
    assert answered(scheme="https", cookie=f"__Host-chunkscope_visit={value_of(arguments)}") == []
    assert answered("/static/app.js", type="text/javascript") == []


@pytest.mark.parametrize(
    "other", ["a@b=1", "a,b=1", 'seen={"tour":1,"page":2}', "words=one two", "=", "path", "a=\x01"]
)
def test_cookies_of_other_programs_change_nothing(demo: None, other: str) -> None:
    """Whatever else a browser keeps for this host, the visit is found before and after it, and a page is answered."""
    (arguments,) = answered()
    ours = f"chunkscope_visit={value_of(arguments)}"
    assert len(answered(cookie=other)) == 1
    assert answered(cookie=f"{other}; {ours}") == answered(cookie=f"{ours}; {other}") == []


def test_other_modes_give_none(monkeypatch: pytest.MonkeyPatch) -> None:
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


@pytest.fixture(autouse=True)
def team(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server in the mode team."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", "team")


def answer_to(path: str, *, status: int = 302, to: str = "/", **headers: str) -> tuple[str, list[str]]:
    """Where an answer leads, and the cookies that it sets."""
    sent: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": status, "headers": [(b"location", to.encode())]})
        await send({"type": "http.response.body", "body": b""})

    async def keep(message: Any) -> None:
        sent.append(message)

    arguments = [(b"host", b"here.example"), *((key.encode(), value.encode()) for key, value in headers.items())]
    scope = {
        "type": "http",
        "method": "GET",
        "path": path,
        "scheme": "https",
        "query_string": b"",
        "headers": arguments,
    }
    run_in_thread(lambda: SignInReturn(app)(scope, None, keep))  # type: ignore[arg-type]
    output = [(key.decode(), value.decode()) for key, value in sent[0]["headers"]]
    return dict(output)["location"], [value for key, value in output if key == "set-cookie"]


def kept(referer: str) -> str:
    """The place that a sign-in begun on a page keeps."""
    to, (cookie,) = answer_to("/auth/login", to="https://id.example/authorize", referer=referer)
    assert to == "https://id.example/authorize"
    assert cookie.endswith("; Path=/; HttpOnly; SameSite=Lax; Max-Age=900; Secure")
    return unquote(cookie.partition(";")[0].removeprefix(f"{COOKIE}="))


def back(cookie: str, **named: Any) -> str:
    """Where the end of a sign-in leads."""
    return answer_to("/oauth2callback", cookie=f"{COOKIE}={cookie}", **named)[0]


@pytest.mark.parametrize(
    "place",
    [
        "/?snapshot=abc",
        "/documents?workspace=0123456789abcdef&doc=a%2Fb",
        "/search?q=%E5%90%88%E5%90%8C",
        "/chunks",
        "/?size=300&q=a+%26+b",
    ],
)
def test_a_link_is_carried_through(place: str) -> None:
    """Of a snapshot, a workspace, a page, a search in any language; once."""
    assert kept(f"https://here.example{place}") == place
    to, (forgotten,) = answer_to("/oauth2callback", cookie=f"{COOKIE}={quote(place, safe='')}")
    assert to == place
    assert "Max-Age=0" in forgotten


def test_the_token_of_an_invitation_is_kept_elsewhere() -> None:
    """In a cookie of its own, and in no address again."""
    assert kept("https://here.example/?invitation=secret&size=300") == "/?size=300"


@pytest.mark.parametrize(
    "referer",
    [
        "",
        "https://elsewhere.example/documents",
        "https://here.example:8443/",
        "nonsense",
        "https://[/x",
        f"https://here.example/?q={'a' * 9_000}",
    ],
)
def test_what_is_no_page_of_this_server_is_not_kept(referer: str) -> None:
    """Nor does an earlier one stay."""
    assert kept(referer) == ""


@pytest.mark.parametrize("other", ["a@b=1", 'seen={"tour":1,"page":2}'])
def test_cookies_of_other_programs_keep_no_address(other: str) -> None:
    """A sign-in ends where it began, whatever else a browser keeps for this host."""
    assert answer_to("/oauth2callback", cookie=f"{other}; {COOKIE}=%2Fdocuments")[0] == "/documents"


@pytest.mark.parametrize(
    "forged",
    [
        "//evil.example",
        "/\\evil.example",
        "https://evil.example",
        "javascript:alert(1)",
        "/a\r\nSet-Cookie: x=y",
        "/a b",
        "",
        "/ä",
        "a",
        "/" + "a" * 9_000,
    ],
)
def test_a_forged_cookie_leads_nowhere(forged: str) -> None:
    """No other host, no header, no page that is none: the sign-in ends as without it."""
    assert back(quote(forged, safe="")) == "/"


def test_nothing_else_is_touched(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other requests, an answer that is no redirect, other modes."""
    cookie = f"{COOKIE}=%2Fdocuments"
    assert answer_to("/documents", cookie=cookie) == ("/", [])
    assert answer_to("/oauth2callback", cookie=cookie, status=200) == ("/", [])
    monkeypatch.setenv("CHUNKSCOPE_MODE", "demo")
    assert answer_to("/oauth2callback", cookie=cookie) == ("/", [])
    assert answer_to("/auth/login", referer="https://here.example/documents") == ("/", [])
