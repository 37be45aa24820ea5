"""The viewer in marimo, in Chromium: it follows the mouse, and the cells that read it follow it."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, expect

from chunking.config import Config
from tests.browser.app import free_port, wait_for
from tests.browser.notebook_viewer import drag_slider, local_tab, ticks, view_of
from tests.support.stand_in_model import stand_in_path

pytestmark = [
    pytest.mark.browser,
    pytest.mark.skipif(
        importlib.util.find_spec("marimo") is None,
        reason=(
            "marimo is not installed: it asks for another pymdown-extensions than the documentation does "
            "(contributing.md)"
        ),
    ),
]

_NOTEBOOK = """
import marimo

app = marimo.App()


@app.cell
def _():
    import marimo as mo

    from chunking import parse
    from chunking.notebook import explore

    part = "\\n\\n## Part {}\\n\\nThe pump is started. The valve is closed. The light is green."
    text = "# Pump" + "".join(part.format(n) for n in range(9))
    w = mo.ui.anywidget(explore(parse(text.encode(), "pump.md"), height=380))
    w
    return mo, w


@app.cell
def _(mo, w):
    w.value
    mo.md(f"size={w.size} config={w.config.chunk.size} chunk={w.selected_chunk} boundaries={len(w.boundaries)}")
    return


if __name__ == "__main__":
    app.run()
"""
_SETTINGS = """
[display]
theme = "{theme}"
[runtime]
auto_instantiate = true
"""


@contextmanager
def running_marimo(home: Path, theme: Literal["light", "dark"]) -> Iterator[str]:
    """Serve the notebook as its author sees it, run when it is opened; gives the address."""
    (home / "config" / "marimo").mkdir(parents=True)
    (home / "config" / "marimo" / "marimo.toml").write_text(_SETTINGS.format(theme=theme), encoding="utf-8")
    notebook, port = home / "viewer.py", free_port()
    notebook.write_text(_NOTEBOOK, encoding="utf-8")
    folders = {f"XDG_{name}_HOME": str(home / name.lower()) for name in ("CONFIG", "DATA", "STATE", "CACHE")}
    environment = {**os.environ, **folders, "HOME": str(home), "PYTHONPATH": stand_in_path()}
    command = [
        sys.executable,
        "-m",
        "marimo",
        "--quiet",
        "--yes",
        "edit",
        str(notebook),
        "--headless",
        "--no-token",
        "--skip-update-check",
    ]
    command += ["--host", "127.0.0.1", "--port", str(port)]
    process = subprocess.Popen(command, cwd=home, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        wait_for(f"http://127.0.0.1:{port}/health")
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(60)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_slider_moves_the_boundaries_and_the_cells_follow(
    browser: Browser, tmp_path: Path, theme: Literal["light", "dark"]
) -> None:
    """A cell that reads the widget runs again once its user rests, with the settings and the chunk that were chosen."""
    with running_marimo(tmp_path, theme) as address, local_tab(browser) as tab:
        tab.goto(address)
        expect(ticks(tab).first).to_be_visible()
        expect(tab.locator(".chunkscope")).to_have_attribute("data-theme", theme)
        size, sizes = tab.locator(".chunkscope .at-size"), tab.locator(".chunkscope .strip")
        before = sizes.get_attribute("aria-label") or ""
        drag_slider(tab, size.locator("#slide"), to=0.02)
        expect(sizes).not_to_have_attribute("aria-label", before)
        chosen = size.locator("#box").input_value()
        view_of(tab).locator(".scroller").focus()
        for key in ("ArrowDown", "Enter"):
            tab.keyboard.press(key)
        expect(view_of(tab).locator(".tick.picked")).to_have_count(1)
        expect(tab.get_by_text(re.compile(rf"size={chosen} config={chosen} chunk=\d+ boundaries=\d+"))).to_be_visible()
        assert chosen != str(Config().chunk.size)
