"""Chunkscope, started for a test, and a browser to drive it."""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

from playwright.sync_api import Browser, BrowserContext, Error, Locator, Page, expect, sync_playwright

from tests.support.stand_in_model import stand_in_path

ROOT = Path(__file__).parent.parent.parent
NAMES = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""The first one is Chromium without its own menus and tabs, which cost a quarter of the processor time and nobody sees.
"""
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

PATIENCE = 300_000
"""Milliseconds: a busy machine takes its time, and a test that holds waits no longer than it must."""
LONG = 900_000
"""Milliseconds for what runs the model over all samples."""

expect.set_options(timeout=PATIENCE)


@contextmanager
def running_app(
    workspace: Path,
    script: str = "app.py",
    *,
    stand_in: bool = False,
    variables: Path | None = None,
    root: Path = ROOT,
    port: int = 0,
    options: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
) -> Iterator[str]:
    """Start Streamlit on a free port with a workspace of its own; gives its address.

    Args:
        stand_in: its local model is the stand-in, where what is found does not matter: importing torch takes each
            server and each of its workers seconds.
        variables: a file of more environment variables, for a stand-in that looks at it each time (see shared_app.py).
        port: 0 for a free one.
        options: more of Streamlit's.
        environment: more variables, or others in their place.
        root: where the app's files are, such as those of another version.
    """
    port = port or free_port()
    command = [
        sys.executable,
        "-m",
        "streamlit",
        "run",
        script,
        "--server.port",
        str(port),
        "--server.headless",
        "true",
        *options,
    ]
    environment = {**os.environ, "CHUNKSCOPE_WORKSPACE": str(workspace), **(environment or {})}
    if stand_in:
        environment["PYTHONPATH"] = stand_in_path()
    if variables is not None:
        environment["CHUNKSCOPE_TEST_VARIABLES"] = str(variables)
    process = subprocess.Popen(command, cwd=root, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        address = f"http://127.0.0.1:{port}"
        wait_for(f"{address}/_stcore/health")
        yield address
    finally:
        process.terminate()
        process.wait(60)  # a busy machine takes its time with the libraries it has loaded


def free_port() -> int:
    """A port that nobody listens at now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(address: str) -> None:
    """Wait until a server answers there."""
    for _ in range(600):
        try:
            with urllib.request.urlopen(address, timeout=1):
                return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(f"the app did not answer at {address}")


_running: list[Browser] = []
_profiles: dict[Browser, BrowserContext] = {}
_idle: dict[Browser, list[Page]] = {}
"""Tabs that were put back."""


@contextmanager
def chromium(*flags: str) -> Iterator[Browser]:
    """A headless Chromium of this machine. One at a time a process: Playwright can be started once.

    Args:
        flags: of its command line, besides those of every test.
    """
    path = next((program for name in NAMES if (program := shutil.which(name))), None)
    if path is None:
        raise FileNotFoundError("no Chromium was found; tests/browser/find_chromium.sh says what to install")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*FLAGS, *flags])
        _running.append(browser)
        try:
            yield browser
        finally:
            _running.remove(browser)
            _profiles.clear()
            _idle.clear()
            browser.close()


def new_tab(
    browser: Browser,
    *,
    width: int = 1440,
    height: int = 900,
    colours: Literal["light", "dark"] = "light",
    alone: bool = False,
) -> Page:
    """A tab, and with it a session of its own: to be closed, or put back, by who opened it.

    Args:
        alone: it shares nothing with any other tab, as the browser of somebody else; close its context. The others are
            of one profile, as a person's tabs are: the app's scripts are fetched once, and not by each tab.
    """
    idle = _idle.get(browser)
    if idle and not alone:
        page = idle.pop()
    else:
        page = (browser.new_context() if alone else _profile(browser)).new_page()
        page.on("console", lambda line: print(line.text) if line.type == "error" else None)  # shown if the test fails
    page.context.set_default_timeout(PATIENCE)  # further tabs of somebody else's, too
    page.set_viewport_size({"width": width, "height": height})
    page.emulate_media(color_scheme=colours)
    return page


def put_back(page: Page) -> None:
    """Close a tab of the shared profile for who had it, and keep its process for the next `new_tab`.

    The app's scripts are compiled in it, which halves what opening the page costs. Its document and what that has
    stored for the session are gone; not what was set on the tab itself: who listened to it, or gave it scripts of its
    own, closes it.
    """
    page.evaluate("() => { try { sessionStorage.clear(); } catch { return; } Storage.prototype.setItem = () => {}; }")
    page.goto("about:blank")
    page.mouse.move(0, 0)
    _idle.setdefault(page.context.browser, []).append(page)  # type: ignore[arg-type]


def close_left_tabs() -> None:
    """Close tabs that nobody closed or put back: each would ask its server, which is gone, for the rest of the run."""
    for browser in _running:
        for context in browser.contexts:
            if context is not _profiles.get(browser):
                context.close()
                continue
            for page in context.pages:
                if page not in _idle.get(browser, ()):
                    page.close()


@contextmanager
def sound_tab(
    browser: Browser, *, width: int = 1440, height: int = 900, again: bool = True, alone: bool = False
) -> Iterator[Page]:
    """A new tab that must end without an error in its page.

    Args:
        again: it is put back; False for who listens to it, routes its requests, or gives it scripts of its own.
        alone: as for `new_tab`, such as for a browser that has fetched nothing yet; never put back.
    """
    page = new_tab(browser, width=width, height=height, alone=alone)
    errors: list[str] = []

    def note(error: Error) -> None:
        errors.append(str(error))

    page.on("pageerror", note)
    yield page
    if alone:
        page.context.close()
    elif again:
        put_back(page)
        page.remove_listener("pageerror", note)
    else:
        page.close()
    assert errors == []


def _profile(browser: Browser) -> BrowserContext:
    """That of all tabs but those of somebody else. Each tab has a process of its own: a busy one does not hold up
    another.
    """
    if browser not in _profiles:
        _profiles[browser] = browser.new_context()
    return _profiles[browser]


def settled(page: Page) -> None:
    """Wait until the app has run and nothing is left to draw: a page that has just been opened rests, too, until its
    first run begins.
    """
    drawn = page.get_by_test_id("stMain").get_by_test_id("stElementContainer").first
    expect(drawn).to_be_attached()
    expect(page.locator("[data-test-script-state=notRunning]")).to_be_attached()


_STANDS = """() => [...document.querySelectorAll('details')].every((one) => {
    const inside = [...one.children].reduce((sum, part) => sum + part.offsetHeight, 0);
    return !one.getAnimations({ subtree: true }).length && (!one.open || Math.abs(one.clientHeight - inside) < 2); })"""
"""Every expander has the height of what is in it."""


def unfold(page: Page, title: str | re.Pattern[str]) -> None:
    """Open the expander with this title, and wait until it stands still.

    While it unfolds, what is in it is cut off and scrolls: a press that begins on a button may end beside it, and a
    popover that opens there is closed.
    """
    page.get_by_text(title).click()
    settled(page)
    page.wait_for_function(_STANDS)


def widget(page: Page, key: str) -> Locator:
    """The element of the widget with this key."""
    return page.locator(f".st-key-{key}")
