"""One app for the tests of this folder, and tabs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.app import new_tab, put_back, running_app, sound_tab


@pytest.fixture(scope="session")
def address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The app with a fresh workspace that it fills with the samples."""
    with running_app(Path(tmp_path_factory.mktemp("app")) / "workspace") as running:
        yield running


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A new tab in a session of its own, wide, in light colours."""
    tab = new_tab(browser)
    yield tab
    put_back(tab)


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    """A new tab; the test fails on any error in the page."""
    with sound_tab(browser) as page:
        yield page
