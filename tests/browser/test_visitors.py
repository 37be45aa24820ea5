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
