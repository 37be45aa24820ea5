"""What an answer tells a browser: which sites may show it in a frame, and that its address and its type are to be left
as they are.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from components.server.security_headers import SecurityHeaders
from hosting.server.hosted_parts import LAYERS


@pytest.fixture
def browser(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> TestClient:
    """What asks a server of three answers: a page, a file with a policy of its own, and a fault."""
    monkeypatch.setenv("CHUNKSCOPE_HOME", str(tmp_path))

    def page(request: Request) -> Response:
        return PlainTextResponse("ok")

    def file(request: Request) -> Response:
        return PlainTextResponse(
            "ok", headers={"Content-Security-Policy": "sandbox", "X-Content-Type-Options": "nosniff"}
        )

    def refused(request: Request) -> Response:
        return PlainTextResponse("no", 403)

    routes = [Route("/", page), Route("/file", file), Route("/refused", refused)]
    return TestClient(Starlette(routes=routes, middleware=[Middleware(SecurityHeaders)]))


@pytest.mark.parametrize("mode", ["local", "demo", "team"])
@pytest.mark.parametrize("path", ["/", "/refused", "/not-there"])
def test_no_other_site_shows_the_app_in_a_frame(
    browser: TestClient, monkeypatch: pytest.MonkeyPatch, mode: str, path: str
) -> None:
    """In every mode, and for every answer; a page tells its address to its own server only, which a sign-in needs."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", mode)
    message = browser.get(path).headers
    assert message["content-security-policy"] == "frame-ancestors 'self'"
    assert (message["x-content-type-options"], message["referrer-policy"]) == ("nosniff", "same-origin")


def test_a_policy_of_the_answer_stays(browser: TestClient) -> None:
    """Both hold in a browser; what is there already is not said twice."""
    message = browser.get("/file").headers
    assert message.get_list("content-security-policy") == ["sandbox", "frame-ancestors 'self'"]
    assert message.get_list("x-content-type-options") == ["nosniff"]


@pytest.mark.parametrize(
    ("sites", "message"),
    [
        (
            "https://wiki.example.com, https://*.example.org:8443",
            "'self' https://*.example.org:8443 https://wiki.example.com",
        ),
        ("https://wiki.example.com; script-src *", "'self'"),
        ("*", "'self'"),
    ],
)
def test_sites_that_the_operator_has_named_do(
    browser: TestClient, monkeypatch: pytest.MonkeyPatch, sites: str, message: str
) -> None:
    """A setting that cannot be used allows nobody."""
    monkeypatch.setenv("CHUNKSCOPE_EMBEDDED_IN", sites)
    assert browser.get("/").headers["content-security-policy"] == f"frame-ancestors {message}"


def test_it_is_around_everything_else() -> None:
    """Also around the layers that refuse something by themselves."""
    assert LAYERS[0] is SecurityHeaders
