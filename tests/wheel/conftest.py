"""One wheel, and one environment with it, for all tests of this folder."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from chunking.embedding.model_folder import english_folder
from chunking.embedding.packaged.e5_model import e5_packed_file
from tests.browser.app import sound_tab
from tests.wheel.building import Venv, build, copy_tree, install


@pytest.fixture(scope="session")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the repository."""
    return copy_tree(tmp_path_factory.mktemp("tree") / "repository")


@pytest.fixture(scope="session")
def wheel(tree: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of it, with both packaged models."""
    return build("wheel", tree, tmp_path_factory.mktemp("wheel"), MODEL=english_folder(), E5=e5_packed_file())


@pytest.fixture(scope="session")
def venv(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Venv:
    """An environment with that wheel."""
    return install(wheel, tmp_path_factory.mktemp("installed"))


@pytest.fixture
def tab(browser: Browser) -> Iterator[Page]:
    """A new tab; the test fails on any error in the page."""
    with sound_tab(browser) as page:
        yield page
