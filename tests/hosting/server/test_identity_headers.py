"""Whom a request's headers name, and what an address must be to be believed."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient
from streamlit import config

from chunking.deployment import SignIn
from hosting.people.identity import vouched_for
from hosting.server.hosted_parts import LAYERS
from hosting.server.request_limits import IdentityHeaders
from tests.support.event_loop import run_in_thread

_NAMED = "server.trustedUserHeaders"
ONE = [("X-User", "ann"), ("X-Mail", "ann@example.com")]


@pytest.fixture(autouse=True)
def proxy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A team whose proxy signs people in."""
    for name, value in {"MODE": "team", "SIGN_IN": "proxy", "HOME": str(tmp_path)}.items():
        monkeypatch.setenv(f"CHUNKSCOPE_{name}", value)
    before = config.get_option(_NAMED)
    config.set_option(_NAMED, {"X-User": "sub", "X-Mail": "email"})
    yield
    config.set_option(_NAMED, before)


@pytest.fixture
def client() -> TestClient:
    """A client of a server behind the layer."""

    async def page(request: Request) -> Response:
        return PlainTextResponse("ok")

    return TestClient(Starlette(routes=[Route("/", page)], middleware=[Middleware(IdentityHeaders)]))


def connected(headers: list[tuple[str, str]]) -> bool:
    """Whether the server takes a WebSocket; the client of tests would send each header once."""
    sent: list[Any] = []

    async def app(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "websocket.accept"})

    async def keep(message: Any) -> None:
        sent.append(message)

    scope = {"type": "websocket", "headers": [(name.lower().encode(), value.encode()) for name, value in headers]}
    run_in_thread(lambda: IdentityHeaders(app)(scope, None, keep))  # type: ignore[arg-type]
    return [message["type"] for message in sent] == ["websocket.accept"]


@pytest.mark.parametrize(
    ("headers", "used"),
    [
        ([], True),
        (ONE, True),
        ([*ONE, *ONE], True),
        ([("X-User", "eve"), *ONE], False),
        ([*ONE, ("x-uSER", "eve")], False),
        ([*ONE, ("X-Mail", "op@example.com")], False),
        ([*ONE, ("X-Mail", "")], False),
        ([*ONE, ("X-Other", "1"), ("X-Other", "2")], True),
    ],
)
def test_who_is_named_twice_is_nobody(client: TestClient, headers: list[tuple[str, str]], used: bool) -> None:
    """A proxy that adds its header behind the client's: the first one is what Streamlit believes."""
    assert client.get("/", headers=headers).status_code == (200 if used else 400)
    assert connected(headers) is used


@pytest.mark.parametrize("sign_in", ["proxy", "oidc"])
def test_where_no_proxy_signs_people_in_its_headers_are_nothing(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, sign_in: str
) -> None:
    """They are not read, so nothing is refused for them."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", "demo" if sign_in == "proxy" else "team")
    monkeypatch.setenv("CHUNKSCOPE_SIGN_IN", sign_in)
    monkeypatch.setenv(
        "CHUNKSCOPE_WORKSPACE", f"elsewhere/{sign_in}"
    )  # another deployment: settings are read once for each
    assert client.get("/", headers=[("X-User", "eve"), *ONE]).status_code == 200


def test_it_is_before_what_asks_who_it_is() -> None:
    """Uploads and files too."""
    names = [layer.__name__ for layer in LAYERS]
    assert names.index("IdentityHeaders") < min(map(names.index, ("OriginCheck", "UploadLimits", "MediaAccess")))


@pytest.mark.parametrize(
    ("said", "email"),
    [
        ({"email": "op@example.com"}, "op@example.com"),
        ({"email": "op@example.com", "email_verified": "true"}, "op@example.com"),
        ({"email": " op@example.com "}, "op@example.com"),
        ({"email": "操作@example.com"}, "操作@example.com"),
        ({"email": "op@example.com", "email_verified": False}, ""),
        ({"email": "op@example.com", "email_verified": "false"}, ""),
        ({"email": "op@example.com", "email_verified": "False"}, ""),
        ({"email": "\u00adop@example.com"}, ""),
        ({"email": "op\u200b@example.com"}, ""),
        ({"email": "op@example.com\u202e"}, ""),
        ({"email": "op@exam ple.com"}, ""),
        ({"email": "op\u00a0@example.com"}, ""),
        ({"email": "op@e\uff58ample.com"}, ""),
        ({"email": "\u212aim@example.com"}, ""),
        ({"email": ["op@example.com"]}, ""),
    ],
)
@pytest.mark.parametrize("kind", SignIn)
def test_an_address_that_would_be_taken_for_anothers_is_none(said: dict[str, object], email: str, kind: SignIn) -> None:
    """Operators are told by it, in small letters and without invisible ones; the person is let in all the same."""
    person = vouched_for(
        {"sub": "7", "iss": "https://id.example.com", "is_logged_in": True, "email_verified": True, **said}, kind
    )
    assert person is not None
    assert person.email == email
