"""A demo in the browser: two visitors side by side, each in a copy of their own that lasts through a reload."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from chunking.store import Workspace
from tests.browser.app import running_app

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home folder of the deployment."""
    return tmp_path_factory.mktemp("demo") / "home"


@pytest.fixture(scope="module")
def address(home: Path) -> Iterator[str]:
    """A demo over the samples."""
    with running_app(home, "serve.py", stand_in=True, environment={"CHUNKSCOPE_MODE": "demo", "CHUNKSCOPE_HOME": str(home)}) as found:
        yield found


def visiting(browser: Browser, address: str) -> Page:
    """The documents page in a browser of a visitor's own."""
    tab = browser.new_context().new_page()
    tab.goto(f"{address}/documents")
    expect(tab.get_by_test_id("stDataFrame").first).to_be_visible()
    return tab


def test_visitors_do_not_meet(browser: Browser, address: str, home: Path) -> None:
    """What one deletes the other has; a reload and a second tab come back to the same copy, and no script reads the cookie."""
    first = visiting(browser, address)
    (folder,) = (home / "visits").glob("*/workspace")
    visiting(browser, address)
    assert len(list((home / "visits").iterdir())) == 2
    Workspace.open(folder).delete_documents([row.doc_id for row in Workspace.open(folder).documents()])
    first.reload()
    expect(first.get_by_test_id("stFileUploader").first).to_be_visible()
    expect(first.get_by_test_id("stDataFrame")).to_have_count(0)
    second_tab = first.context.new_page()
    second_tab.goto(f"{address}/documents")
    expect(second_tab.get_by_test_id("stFileUploader").first).to_be_visible()
    expect(second_tab.get_by_test_id("stDataFrame")).to_have_count(0)
    assert len(list((home / "visits").iterdir())) == 2
    assert len(Workspace.open(home / "base").documents()) > 0
    assert "chunkscope_visit" not in first.evaluate("document.cookie")


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [
        ("GET", "/media/0123456789abcdef0123456789abcdef.png", 404),
        ("GET", "/component/streamlit/index.html", 404),
        ("GET", "/_stcore/bidi-components/streamlit/index.js", 404),
        ("PUT", "/_stcore/upload_file/made-up/1", 404),
        ("DELETE", "/_stcore/upload_file/made-up/1", 404),
        ("POST", "/_stcore/agent/interact", 403),
        ("POST", "/_stcore/agent/mcp", 400),
        ("GET", "/static/..%2f..%2fserve.py", 400),
        ("GET", "/media/..%2f..%2fserve.py", 400),
    ],
)
def test_a_stranger_is_answered_nothing(browser: Browser, address: str, method: str, path: str, status: int) -> None:
    """At each kind of address that is no page, without a cookie."""
    stranger = browser.new_context()
    assert stranger.request.fetch(f"{address}{path}", method=method).status == status
    stranger.close()


@pytest.mark.parametrize("path", ["/app/static/serve.py", "/_stcore/script-health-check", "/.streamlit/secrets.toml", "/serve.py"])
def test_what_is_not_served_is_the_empty_page(browser: Browser, address: str, path: str) -> None:
    """Streamlit's own first page, which is the same for everybody, and not the file."""
    stranger = browser.new_context()
    assert stranger.request.get(f"{address}{path}").body() == stranger.request.get(f"{address}/documents").body()
    stranger.close()


_OPENED = (
    "address => new Promise(done => { const to = new WebSocket(address); to.onopen = () => done(true); to.onclose = () => done(false); })"
)


def test_a_visitors_download_and_session_are_theirs(browser: Browser, address: str) -> None:
    """Another visitor who has the addresses gets nothing and puts nothing there; a page of another site opens no session."""
    tab, other = visiting(browser, address), visiting(browser, address)
    with tab.expect_request(lambda request: "/_stcore/upload_file/" in request.url and request.method == "PUT") as sent:
        tab.get_by_test_id("stFileUploader").first.locator("input").set_input_files(
            {"name": "a.txt", "mimeType": "text/plain", "buffer": b"A sentence."}
        )
    assert sent.value.response().status == 204  # type: ignore[union-attr]
    token = next(cookie["value"] for cookie in other.context.cookies() if cookie["name"] == "_streamlit_xsrf")  # type: ignore[typeddict-item]
    for method in ("PUT", "DELETE"):
        answer = other.context.request.fetch(sent.value.url, method=method, headers={"X-Xsrftoken": token})
        assert answer.status == 404
    expect(tab.locator(".st-key-uploads-add")).to_be_visible()

    tab.get_by_role("link", name="Export").click()
    with tab.expect_download() as saved:
        tab.get_by_test_id("stDownloadButton").locator("button").first.click()
    assert [who.context.request.get(saved.value.url).status for who in (tab, other)] == [200, 404]

    elsewhere = browser.new_context().new_page()
    stream = f"{address.replace('http', 'ws', 1)}/_stcore/stream"
    assert (tab.evaluate(_OPENED, stream), elsewhere.evaluate(_OPENED, stream)) == (True, False)
