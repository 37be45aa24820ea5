"""What all tests share."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

# Before numpy and torch are imported, here and in every process that a test starts: the workers of a run have a core
# each,
# and more threads than cores burn time by waiting for each other.
os.environ.update(
    dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "RAYON_NUM_THREADS"), "1")
)
os.environ["OMP_WAIT_POLICY"] = "PASSIVE"  # see chunking.embedding.local.model_tokenizer

import pytest
from hypothesis import settings

pytest.register_assert_rewrite("tests.support")  # before its modules are imported

from chunking.allowed import EVERYTHING_ALLOWED, allow  # noqa: E402
from chunking.embedding import model_files  # noqa: E402
from chunking.llm.metering import meter_by  # noqa: E402
from tests.support.llm_server import LLMServer, running  # noqa: E402

if TYPE_CHECKING:
    from playwright.sync_api import Browser

    from tests.browser.shared_app import SharedApp

# No deadline: a busy machine is no fault. The same examples in every run: a red test is the change's doing.
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.register_profile("explore", derandomize=False, deadline=None)  # new examples in every run: `make explore`
settings.load_profile(os.environ.get("EXAMPLES", "fixed"))


def pytest_collection_finish() -> None:
    """What collecting has made lives as long as the run: garbage is looked for among what the tests make."""
    gc.collect()
    gc.freeze()


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Which tests of a run with several processes belong together (see tests/support/processes.py)."""
    from tests.support.processes import ByNeed

    return ByNeed(config, log)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A headless Chromium, for all tests of this process: a start of it costs three seconds of a processor."""
    from tests.browser.app import chromium

    with chromium() as running:
        yield running


@pytest.fixture(scope="module", autouse=True)
def tabs_of_a_module() -> Iterator[None]:
    """Tabs are closed with the module that opened them; most modules open none, and import nothing for it."""
    yield
    if "tests.browser.app" in sys.modules:
        from tests.browser.app import close_left_tabs

        close_left_tabs()


@pytest.fixture(scope="session")
def app_server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SharedApp]:
    """An app that shows any workspace, for all tests of this process that drive one and need no model."""
    from tests.browser.shared_app import shared_app

    with shared_app(tmp_path_factory.mktemp("app")) as running:
        yield running


@pytest.fixture(autouse=True)
def everything_allowed() -> Iterator[None]:
    """What an operator's list allows, and who counts requests, holds for a process: that of a test's deployment ends
    with the test.
    """
    yield
    allow(EVERYTHING_ALLOWED)
    meter_by(lambda: None)


@pytest.fixture(autouse=True)
def model_files_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """A test that changes the files of a model sees it at once."""
    monkeypatch.setattr(model_files, "_RECHECK_SECONDS", -1.0)


@pytest.fixture
def llm_server() -> Iterator[LLMServer]:
    """A local server of the OpenAI protocol that misbehaves on demand (see tests/support/llm_server.py)."""
    with running() as server:
        yield server
