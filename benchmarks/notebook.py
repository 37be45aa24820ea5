"""Time from key press to painted boundaries in JupyterLab and in the app: 1 MB document, same browser."""

from __future__ import annotations

import json
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Browser

from benchmarks.report import Row, Table
from benchmarks.viewer import STEPS, measure_steps
from tests.browser.app import chromium, running_app
from tests.browser.jupyter import open_notebook, run_all_cells, running_lab

MOST = 2.0
"""Maximum time of a step, relative to the app."""
MOST_BYTES = 60_000

_CELL = """from benchmarks.long_document import long_document
from chunking.notebook import explore

explore(long_document(), height=640)"""
_WATCH = """() => {
    window.pressed = 0; window.painted = [];
    window.addEventListener("keydown", () => { window.pressed = performance.now(); }, true);
    new PerformanceObserver((list) => {
        for (const { name, startTime } of list.getEntries())
            if (name === "chunkscope:painted") window.painted.push(startTime - window.pressed);
    }).observe({ entryTypes: ["mark"] });
}"""


def run() -> Table:
    """Measure both in one browser."""
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        folder = Path(name)
        with running_app(folder / "workspace", "benchmarks/viewer_app.py") as address:
            app, _, _ = measure_steps(browser, f"{address}/?way=viewer", ".view[data-rev]", STEPS)
        ours, sent = _notebook_steps(browser, folder)
    ratio = statistics.median(ours) / statistics.median(app)
    return Table(
        "Key press to painted boundaries in JupyterLab, 1 MB document",
        [
            Row(
                "median of a step",
                f"{statistics.median(ours):.0f} ms",
                f"the app: {statistics.median(app):.0f} ms",
                f"{ratio:.2f}",
                f"< {MOST:.0f}",
                ratio < MOST,
            ),
            Row(
                "bytes to the browser in a step, largest",
                f"{max(sent):,}",
                "",
                f"{max(sent):,}",
                f"≤ {MOST_BYTES:,}",
                max(sent) <= MOST_BYTES,
            ),
        ],
        [f"{STEPS} steps of the size slider around 150 tokens, Chromium, default settings, without questions."],
    )


def _notebook_steps(browser: Browser, folder: Path) -> tuple[list[float], list[int]]:
    """Return milliseconds and bytes of each step."""
    cell = {"cell_type": "code", "id": "one", "execution_count": None, "metadata": {}, "outputs": [], "source": _CELL}
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    book = folder / "steps.ipynb"
    book.write_text(
        json.dumps({"cells": [cell], "metadata": {"kernelspec": kernel}, "nbformat": 4, "nbformat_minor": 5})
    )
    received: list[int] = []
    with running_lab(folder, [book]) as address:
        page = browser.new_page(viewport={"width": 1440, "height": 900})
        page.set_default_timeout(120_000)
        page.on("websocket", lambda socket: socket.on("framereceived", lambda frame: received.append(len(frame))))
        panel = open_notebook(page, address, book.name)
        run_all_cells(page, panel)
        panel.locator(".chunkscope .view[data-rev]").wait_for()
        page.wait_for_timeout(2000)
        page.evaluate(_WATCH)
        panel.locator(".chunkscope .at-size #slide").focus()
        times, sizes = [], []
        for step in range(STEPS):
            received.clear()
            page.keyboard.press("ArrowRight" if step % 10 < 5 else "ArrowLeft")
            page.wait_for_function("(count) => window.painted.length >= count", arg=step + 1)
            page.wait_for_timeout(400)
            times.append(float(page.evaluate("window.painted.at(-1)")))
            sizes.append(sum(received))
        page.close()
    return times, sizes


if __name__ == "__main__":
    print(run().markdown())
