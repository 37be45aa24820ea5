"""A page knows its server and has the app's sheets; nothing but Streamlit's page is changed."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.testclient import TestClient
from streamlit.file_util import get_static_dir

from components.server import page_styles
from components.server.page_base import PageBase
from components.server.page_styles import STYLES
from components.server.server_parts import LOCAL_PARTS
from hosting.server.hosted_parts import LAYERS

PAGE = Path(get_static_dir()) / "index.html"


@pytest.fixture
def browser(monkeypatch: pytest.MonkeyPatch) -> TestClient:
    """What asks for Streamlit's page, and for a report of the same length."""
    monkeypatch.setattr(page_styles, "_sent", False)

    def page(request: Request) -> Response:
        return FileResponse(PAGE)

    def report(request: Request) -> Response:
        return HTMLResponse("<html><head></head>".ljust(len(PAGE.read_bytes())))

    files = Mount("/files", StaticFiles(directory=get_static_dir(), html=True))
    routes = [Route("/", page), Route("/chunks", page), Route("/report", report), files]
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


@pytest.mark.parametrize("encoding", ["identity", "gzip"])
def test_the_page_has_the_sheets(browser: TestClient, encoding: str) -> None:
    """Once, after Streamlit's own styles and before what is drawn; the app then need not draw them."""
    page = browser.get("/", headers={"Accept-Encoding": encoding}).text
    assert page.count(STYLES) == page.count("<style>") == 1
    assert page.index("</head>") < page.index(STYLES) < page.index('<div id="root">')
    assert page_styles._sent


def test_a_page_that_a_browser_has_kept_is_sent_anew(browser: TestClient) -> None:
    """It may be Streamlit's own, without the sheets."""
    kept = browser.head("/files/").headers
    answer = browser.get("/files/", headers={"If-None-Match": kept["etag"], "If-Modified-Since": kept["last-modified"]})
    assert answer.status_code == 200
    assert STYLES in answer.text


def test_other_files_stay_as_they_are(browser: TestClient) -> None:
    """A report, though it is HTML of the same length; and what is asked without its text."""
    assert "BACKEND_BASE_URL" not in browser.get("/report").text
    assert len(browser.get("/report").content) == len(PAGE.read_bytes())
    assert browser.head("/chunks").headers["content-length"] == str(len(PAGE.read_bytes()))


def test_every_server_has_it() -> None:
    """For one person and for many."""
    assert PageBase in LOCAL_PARTS.layers
    assert PageBase in LAYERS
