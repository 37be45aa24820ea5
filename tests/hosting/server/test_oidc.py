"""The end of a sign-in by OpenID Connect, as a browser that somebody else leads may bring it."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from importlib import import_module
from typing import Any
from urllib.parse import parse_qs, urlsplit

import httpx
import pytest
from authlib.integrations.httpx_client import AsyncOAuth2Client  # type: ignore[import-untyped]
from joserfc import jwt
from joserfc.jwk import OctKey, RSAKey
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.sessions import SessionMiddleware
from streamlit.runtime.secrets import AttrDict
from streamlit.web.server.starlette import starlette_auth_routes as routes

from hosting.server.browser_cookies import SignInReturn
from tests.support.event_loop import run_in_thread

HERE, THERE = "http://here.example", "https://id.example"
USER = "_streamlit_user"
HTTP: Any = import_module(
    next(one for one in AsyncOAuth2Client.__mro__ if one.__name__ == "AsyncClient").__module__.partition(".")[0]
)
"""The library that the server's client of the provider is made of."""
Claims = dict[str, Any]


class Provider:
    """Says who somebody is, or lies about it."""

    def __init__(self) -> None:
        self.key = self.signer = RSAKey.generate_key(2048, {"kid": "1"}, private=True)
        self.header: dict[str, Any] = {"alg": "RS256", "kid": "1"}
        self.change: Callable[[Claims], object] = lambda claims: None
        self.says_who = True
        self.nonce = ""
        self.requests = 0

    def answer(self, request: Any) -> Any:
        """What the server is answered."""
        assert request.url.host == "id.example"
        if request.url.path.endswith("openid-configuration"):
            names = {"authorization_endpoint": "auth", "token_endpoint": "token", "jwks_uri": "keys"}
            metadata = {"issuer": THERE, "id_token_signing_alg_values_supported": ["RS256"]}
            return HTTP.Response(200, json=metadata | {key: f"{THERE}/{path}" for key, path in names.items()})
        if request.url.path == "/keys":
            return HTTP.Response(200, json={"keys": [self.key.as_dict(private=False)]})
        self.requests += 1
        token = {"access_token": "a", "token_type": "Bearer"}
        return HTTP.Response(200, json=token | ({"id_token": self._id_token()} if self.says_who else {}))

    def _id_token(self) -> str:
        now = int(time.time())
        claims: Claims = {
            "iss": THERE,
            "sub": "ann",
            "aud": "chunkscope",
            "iat": now,
            "exp": now + 60,
            "nonce": self.nonce,
        }
        self.change(claims)
        if self.header["alg"] == "none":
            return jwt.encode(self.header, claims, OctKey.import_key("x" * 32), algorithms=["none"])
        return jwt.encode(self.header, claims, self.signer, algorithms=[self.header["alg"]])


@pytest.fixture
def provider(monkeypatch: pytest.MonkeyPatch) -> Provider:
    """The one that the server knows."""
    created = Provider()
    section = {
        "redirect_uri": f"{HERE}/oauth2callback",
        "cookie_secret": "s" * 40,
        "client_id": "chunkscope",
        "client_secret": "secret",
        "server_metadata_url": f"{THERE}/.well-known/openid-configuration",
    }
    monkeypatch.setenv("CHUNKSCOPE_MODE", "team")
    monkeypatch.setattr(routes, "get_secrets_auth_section", lambda: AttrDict(section))
    monkeypatch.setattr(routes, "get_redirect_uri", lambda auth: section["redirect_uri"])
    monkeypatch.setattr(routes, "get_origin_from_redirect_uri", lambda: HERE)
    monkeypatch.setattr(routes, "get_cookie_secret", lambda: section["cookie_secret"])
    monkeypatch.setattr(routes, "_parse_provider_token", lambda token: "default")

    async def handle(transport: object, request: Any) -> Any:
        return created.answer(request)

    monkeypatch.setattr(HTTP.AsyncHTTPTransport, "handle_async_request", handle)
    return created


def ended(
    provider: Provider, lead: Callable[[dict[str, str]], object] = lambda query: None, *, other: bool = False
) -> tuple[bool, str]:
    """Whether a browser is signed in at the end, and where it is led.

    Args:
        lead: changes what the browser brings back.
        other: another browser brings it than the one that began.
    """

    async def browse() -> tuple[bool, str]:
        app = Starlette(
            routes=routes.create_auth_routes(""),
            middleware=[Middleware(SignInReturn), Middleware(SessionMiddleware, secret_key="k")],
        )
        first, second = (httpx.AsyncClient(transport=httpx.ASGITransport(app), base_url=HERE) for _ in range(2))
        async with first, second:
            begun = await first.get("/auth/login", headers={"referer": f"{HERE}/documents?doc=a"})
            sent = {key: values[0] for key, values in parse_qs(urlsplit(begun.headers["location"]).query).items()}
            assert sent["redirect_uri"] == f"{HERE}/oauth2callback"
            provider.nonce = sent.get("nonce", "")
            query = {"state": sent["state"], "code": "1"}
            lead(query)
            end = await (second if other else first).get("/oauth2callback", params=query)
            return bool(json.dumps(end.cookies.get(USER, "")).strip('"')), end.headers["location"]

    return run_in_thread(browse)


def test_who_comes_back_as_they_went_is_signed_in(provider: Provider) -> None:
    """On the page that they had opened."""
    assert ended(provider) == (True, "/documents?doc=a")
    assert provider.requests == 1


@pytest.mark.parametrize(
    "lead",
    [
        lambda query: query.update(state="x" * 30),
        lambda query: query.pop("state"),
        lambda query: query.update(state=""),
        lambda query: query.update(error="access_denied", error_description="a\r\nb"),
    ],
)
def test_a_state_that_is_not_this_browsers_signs_nobody_in(
    provider: Provider, lead: Callable[[dict[str, str]], object]
) -> None:
    """The provider is not even asked: somebody else's code would make this browser theirs."""
    signed_in, place = ended(provider, lead)
    assert not signed_in
    assert place.startswith("/")
    assert not place.startswith("//")
    assert provider.requests == 0


def test_another_browser_cannot_end_what_this_one_began(provider: Provider) -> None:
    """Though it has the state."""
    assert ended(provider, other=True) == (False, "/")
    assert provider.requests == 0


@pytest.mark.parametrize(
    "change",
    [
        lambda claims: claims.update(nonce="another"),
        lambda claims: claims.pop("nonce"),
        lambda claims: claims.update(aud="another app"),
        lambda claims: claims.update(iss="https://evil.example"),
        lambda claims: claims.update(exp=int(time.time()) - 3_600, iat=int(time.time()) - 7_200),
    ],
)
def test_a_token_for_another_occasion_signs_nobody_in(provider: Provider, change: Callable[[Claims], object]) -> None:
    """Another sign-in's, another app's, another provider's, one that is over."""
    provider.change = change
    assert not ended(provider)[0]


def test_a_token_that_the_provider_has_not_signed_signs_nobody_in(provider: Provider) -> None:
    """By a stranger's key under the same name, by nobody; nor does an answer without one."""
    provider.signer = RSAKey.generate_key(2048, {"kid": "1"}, private=True)
    assert not ended(provider)[0]
    provider.signer, provider.header = provider.key, {"alg": "none"}
    assert not ended(provider)[0]
    provider.says_who = False
    assert not ended(provider)[0]
