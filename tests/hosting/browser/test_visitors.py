"""A demo in the browser: two visitors side by side, each in a copy of their own that lasts through a reload."""

from __future__ import annotations

import hashlib
import os
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from streamlit.file_util import get_static_dir

from chunking.deployment import operator_settings
from chunking.errors import LockedError, NotFoundError
from chunking.store import Workspace
from chunking.store.workspace_file.opening import open_workspace_file
from components.server.upkeep import upkeep
from hosting.hosted_deployment import HostedDeployment
from tests.browser.app import LONG, new_tab, running_app, settled, widget

pytestmark = pytest.mark.browser


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The home folder of the deployment."""
    return tmp_path_factory.mktemp("demo") / "home"


@pytest.fixture(scope="module")
def address(home: Path) -> Iterator[str]:
    """A demo over the samples."""
    with running_app(
        home, "serve.py", stand_in=True, environment={"CHUNKSCOPE_MODE": "demo", "CHUNKSCOPE_HOME": str(home)}
    ) as result:
        yield result


def visiting(browser: Browser, address: str) -> Page:
    """The documents page in a browser of a visitor's own."""
    tab = new_tab(browser, alone=True)
    tab.goto(f"{address}/documents")
    expect(tab.get_by_test_id("stDataFrame").first).to_be_visible()
    return tab


def test_visitors_do_not_meet(browser: Browser, address: str, home: Path) -> None:
    """What one deletes the other has; a reload and a second tab come back to the same copy, and no script reads the
    cookie.
    """
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


@pytest.mark.parametrize(
    "path", ["/app/static/serve.py", "/_stcore/script-health-check", "/.streamlit/secrets.toml", "/serve.py"]
)
def test_unknown_addresses_get_the_empty_page(browser: Browser, address: str, path: str) -> None:
    """The app's first page, which is the same for everybody, or Streamlit's own where a file is named; not the file."""
    stranger = browser.new_context()
    empty = (stranger.request.get(f"{address}/documents").body(), (Path(get_static_dir()) / "index.html").read_bytes())
    assert stranger.request.get(f"{address}{path}").body() in empty
    stranger.close()


_OPENED = (
    "address => new Promise(done => { const to = new WebSocket(address); to.onopen = () => done(true); "
    "to.onclose = () => done(false); })"
)


def test_a_visitors_download_and_session_are_theirs(browser: Browser, address: str) -> None:
    """Another visitor who has the addresses gets nothing and puts nothing there; a page of another site opens no
    session.
    """
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
    assert [person.context.request.get(saved.value.url).status for person in (tab, other)] == [200, 404]

    elsewhere = new_tab(browser, alone=True)
    stream = f"{address.replace('http', 'ws', 1)}/_stcore/stream"
    assert (tab.evaluate(_OPENED, stream), elsewhere.evaluate(_OPENED, stream)) == (True, False)


WORD = "Xylophone"


def digests(folder: Path) -> dict[str, str]:
    """The hash of every file of a workspace but locks, by its path there."""
    files = [
        file for file in folder.rglob("*") if file.is_file() and "lock" not in file.name and file.parent.name != "locks"
    ]
    return {str(file.relative_to(folder)): hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


def built(tab: Page, base: Path) -> None:
    """Wait until the server has built the index of the samples for the stand-in model."""
    for _ in range(1_000):
        with suppress(NotFoundError, LockedError), Workspace.open(base).writer():
            if Workspace.open(base).index().row.fingerprint:
                return
        tab.wait_for_timeout(100)
    raise TimeoutError("the base has no index")


def clicked(home: Path, visit: Path, hours: float) -> None:
    """Move the last click of a visit back in time."""
    mark = home / "visits" / visit.parent.name / "clicked"
    os.utime(mark, (time.time() - hours * 3_600,) * 2)


def test_a_visit_from_the_upload_to_its_end(browser: Browser, address: str, home: Path, tmp_path: Path) -> None:
    """Upload, index, evaluation, export; another visitor meets nothing of it, the base is as before, and after the idle
    time it is gone.
    """
    before = set((home / "visits").glob("*/workspace"))
    tab = visiting(browser, address)
    built(tab, home / "base")
    base = digests(home / "base")
    (mine,) = set((home / "visits").glob("*/workspace")) - before
    note = f"# {WORD}\n\nThe {WORD} is tuned in the spring.\n"
    tab.locator("input[type=file]").first.set_input_files(
        {"name": "note.md", "mimeType": "text/markdown", "buffer": note.encode()}
    )
    widget(tab, "uploads-add").get_by_role("button").click()
    expect(tab.locator(".view .line").filter(has_text=WORD).first).to_be_visible()
    tab.get_by_role("link", name="Index", exact=True).click()
    widget(tab, "index-build").get_by_role("button").click()
    tab.wait_for_function(
        "() => [...document.querySelectorAll('p')].some(one => /^Done: \\d+/.test(one.textContent))", timeout=LONG
    )
    tab.get_by_role("link", name="Evaluate", exact=True).click()
    widget(tab, "evaluate-start").get_by_role("button").click()
    samples = "|".join(Workspace.open(home / "base").runs.names())
    expect(tab).to_have_url(re.compile(f"run=(?!{samples})[0-9a-f]{{16}}"), timeout=LONG)
    expect(widget(tab, "evaluate-cards")).to_be_visible()
    links = [tab.url]
    tab.get_by_role("link", name="Export", exact=True).click()
    with tab.expect_download() as download:
        tab.get_by_role("button", name="Download chunks.jsonl").click()
    assert WORD in Path(download.value.path()).read_text(encoding="utf-8")
    links += [tab.url, f"{address}/documents?doc=note", f"{address}/search?q={WORD}", download.value.url]
    widget(tab, "workspace-switcher").get_by_role("button").first.click()
    with tab.expect_download() as saved:
        widget(tab, "workspace-save").get_by_role("button").click()
    saved.value.save_as(tmp_path / "copy.chunkscope")

    other = visiting(browser, address)
    (theirs,) = set((home / "visits").glob("*/workspace")) - before - {mine}
    for link in links[:-1]:
        other.goto(link)
        settled(other)
        expect(other.get_by_test_id("stMain")).not_to_contain_text(f"The {WORD}")
        assert WORD not in other.get_by_test_id("stMain").inner_text()
    assert other.context.request.get(links[-1]).status == 404
    ours, their = Workspace.open(mine), Workspace.open(theirs)
    assert {row.doc_id for row in ours.documents()} - {row.doc_id for row in their.documents()} == {"note"}
    assert len(ours.runs.names()) == len(their.runs.names()) + 1
    assert digests(home / "base") == base

    open_one = open_workspace_file(tmp_path / "copy.chunkscope", tmp_path / "local")
    assert WORD in Workspace.open(open_one.folder).document("note").text
    assert Workspace.open(open_one.folder).runs.names() == ours.runs.names()

    clicked(home, mine, hours=5)
    upkeep(HostedDeployment(operator_settings({"CHUNKSCOPE_MODE": "demo", "CHUNKSCOPE_HOME": str(home)})), frozenset())
    assert not mine.parent.exists()
    assert theirs.exists()
    assert digests(home / "base") == base
    for one in (tab, other):
        one.context.close()
