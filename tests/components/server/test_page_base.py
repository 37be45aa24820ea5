"""A page knows its server, and nothing but Streamlit's page is changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient
from streamlit.file_util import get_static_dir

from components.server.page_base import PageBase
from components.server.server_parts import LOCAL_PARTS
from hosting.server.hosted_parts import LAYERS

PAGE = Path(get_static_dir()) / "index.html"


@pytest.fixture
def browser() -> TestClient:
    """What asks for Streamlit's page, and for a report of the same length."""

    def page(request: Request) -> Response:
        return FileResponse(PAGE)

    def report(request: Request) -> Response:
        return HTMLResponse("<html><head></head>".ljust(len(PAGE.read_bytes())))

    routes = [Route("/", page), Route("/chunks", page), Route("/report", report)]
    inside = [Middleware(PageBase), Middleware(GZipMiddleware)]  # Streamlit compresses within
    return TestClient(Starlette(routes=routes, middleware=inside))


@pytest.mark.parametrize("path", ["/", "/chunks"])
def test_the_page_names_its_server(browser: TestClient, path: str) -> None:
    """Before the scripts that look for it, compressed for a browser that reads it."""
    plain = browser.get(path, headers={"Accept-Encoding": "identity"})
    assert plain.status_code == 200
    assert 0 < plain.text.index("BACKEND_BASE_URL") < plain.text.index("<script type")
    assert int(plain.headers["content-length"]) == len(plain.content) > len(PAGE.read_bytes())
    assert "etag" not in plain.headers
    short = browser.get(path, headers={"Accept-Encoding": "gzip"})
    assert (short.headers["content-encoding"], short.headers["vary"]) == ("gzip", "Accept-Encoding")
    assert int(short.headers["content-length"]) < len(plain.content) / 2
    assert short.text == plain.text


def test_other_files_stay_as_they_are(browser: TestClient) -> None:
    """A report, though it is HTML of the same length; and what is asked without its text."""
    assert "BACKEND_BASE_URL" not in browser.get("/report").text
    assert len(browser.get("/report").content) == len(PAGE.read_bytes())
    assert browser.head("/chunks").headers["content-length"] == str(len(PAGE.read_bytes()))


def test_every_server_has_it() -> None:
    """For one person and for many."""
    assert PageBase in LOCAL_PARTS.layers
    assert PageBase in LAYERS
