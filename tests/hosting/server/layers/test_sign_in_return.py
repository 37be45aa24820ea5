"""The address under which somebody signs in is theirs again afterwards, and leads nowhere else."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote, unquote

import pytest

from hosting.server.layers.sign_in_return import SignInReturn
from tests.support.event_loop import run_in_thread

COOKIE = "chunkscope_address"


@pytest.fixture(autouse=True)
def team(monkeypatch: pytest.MonkeyPatch) -> None:
    """A server in the mode team."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", "team")


def answered(path: str, *, status: int = 302, to: str = "/", **headers: str) -> tuple[str, list[str]]:
    """Where an answer leads, and the cookies that it sets."""
    sent: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": status, "headers": [(b"location", to.encode())]})
        await send({"type": "http.response.body", "body": b""})

    async def keep(message: Any) -> None:
        sent.append(message)

    given = [(b"host", b"here.example"), *((key.encode(), value.encode()) for key, value in headers.items())]
    scope = {"type": "http", "method": "GET", "path": path, "scheme": "https", "query_string": b"", "headers": given}
    run_in_thread(lambda: SignInReturn(app)(scope, None, keep))  # type: ignore[arg-type]
    told = [(key.decode(), value.decode()) for key, value in sent[0]["headers"]]
    return dict(told)["location"], [value for key, value in told if key == "set-cookie"]


def kept(referer: str) -> str:
    """The place that a sign-in begun on a page keeps."""
    to, (cookie,) = answered("/auth/login", to="https://id.example/authorize", referer=referer)
    assert to == "https://id.example/authorize"
    assert cookie.endswith("; Path=/; HttpOnly; SameSite=Lax; Max-Age=900; Secure")
    return unquote(cookie.partition(";")[0].removeprefix(f"{COOKIE}="))


def back(cookie: str, **named: Any) -> str:
    """Where the end of a sign-in leads."""
    return answered("/oauth2callback", cookie=f"{COOKIE}={cookie}", **named)[0]


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
    to, (forgotten,) = answered("/oauth2callback", cookie=f"{COOKIE}={quote(place, safe='')}")
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
def test_a_foreign_page_is_no_target_after_sign_in(referer: str) -> None:
    """Nor does an earlier one stay."""
    assert kept(referer) == ""


@pytest.mark.parametrize("other", ["a@b=1", 'seen={"tour":1,"page":2}'])
def test_cookies_of_other_programs_change_nothing(other: str) -> None:
    """A sign-in ends where it began, whatever else a browser keeps for this host."""
    assert answered("/oauth2callback", cookie=f"{other}; {COOKIE}=%2Fdocuments")[0] == "/documents"


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


def test_other_requests_and_answers_pass_unchanged(monkeypatch: pytest.MonkeyPatch) -> None:
    """Other requests, an answer that is no redirect, other modes."""
    cookie = f"{COOKIE}=%2Fdocuments"
    assert answered("/documents", cookie=cookie) == ("/", [])
    assert answered("/oauth2callback", cookie=cookie, status=200) == ("/", [])
    monkeypatch.setenv("CHUNKSCOPE_MODE", "demo")
    assert answered("/oauth2callback", cookie=cookie) == ("/", [])
    assert answered("/auth/login", referer="https://here.example/documents") == ("/", [])
