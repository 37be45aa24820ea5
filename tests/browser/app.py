"""Chunkscope, started for a test, and a browser to drive it."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Locator, Page, expect, sync_playwright

ROOT = Path(__file__).parent.parent.parent
NAMES = ("chromium", "chromium-browser", "google-chrome")
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

expect.set_options(timeout=30_000)  # a busy machine takes its time; a test that holds waits no longer than it must


@contextmanager
def running_app(workspace: Path, script: str = "app.py") -> Iterator[str]:
    """Start Streamlit on a free port with a workspace of its own; gives its address."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", script, "--server.port", str(port), "--server.headless", "true"]
    environment = {**os.environ, "CHUNKSCOPE_WORKSPACE": str(workspace)}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        address = f"http://127.0.0.1:{port}"
        _wait(f"{address}/_stcore/health")
        yield address
    finally:
        process.terminate()
        process.wait(10)


def _wait(address: str) -> None:
    for _ in range(600):
        try:
            with urllib.request.urlopen(address, timeout=1):
                return
        except OSError:
            time.sleep(0.1)
    raise TimeoutError(f"the app did not answer at {address}")


@contextmanager
def chromium() -> Iterator[Browser]:
    """A headless Chromium of this machine."""
    path = next((found for name in NAMES if (found := shutil.which(name))), None)
    if path is None:
        raise FileNotFoundError("no Chromium was found; tests/browser/find_chromium.sh says what to install")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


def settled(page: Page) -> None:
    """Wait until the app has run and nothing is left to draw."""
    expect(page.locator("[data-test-script-state=notRunning]")).to_be_attached(timeout=60_000)


def widget(page: Page, key: str) -> Locator:
    """The element of the widget with this key."""
    return page.locator(f".st-key-{key}")
