"""Time from key press to painted boundaries of a 1 MB document, against spans in `st.html`.

Both ways have the same page around them, settings form and all; a step is one arrow key on the size slider.
"""

from __future__ import annotations

import re
import statistics
import tempfile
from pathlib import Path

from playwright.sync_api import Browser, Page

from benchmarks.report import Row, Table
from tests.browser.app import chromium, running_app, settled

STEPS = 15
STEPS_OF_SPANS = 5
"""Number of steps with spans; each takes seconds."""
MOST_BYTES = 60_000
MOST_STEP = 100
"""Maximum milliseconds of a step that a hand on a slider does not notice."""
MOST_COMPARED = 1.5
"""Maximum slowdown of a step with compared chunks on the page."""

_TEXT = re.compile(rb'"doc": ?"[0-9a-f]{16}", ?"packed"')
"""Start of a document's text in a message; references to a cached text do not match."""

_WATCH = """() => {
    window.pressed = 0; window.painted = [];
    const done = () =>
        requestAnimationFrame(() => setTimeout(() => window.painted.push(performance.now() - window.pressed)));
    window.addEventListener("keydown", () => { window.pressed = performance.now(); }, true);
    window.addEventListener("chunkscope:painted", () => window.painted.push(performance.now() - window.pressed));
    let seen = document.querySelector(".spans i")?.className;
    new MutationObserver(() => {
        const now = document.querySelector(".spans i")?.className;
        if (now && now !== seen) { seen = now; done(); }
    }).observe(document.body, { subtree: true, childList: true });
}"""


def run() -> Table:
    """Measure both ways in one browser."""
    with (
        tempfile.TemporaryDirectory() as folder,
        running_app(Path(folder) / "workspace", "benchmarks/viewer_app.py") as address,
        chromium() as browser,
    ):
        ours, sent, texts = measure_steps(browser, f"{address}/?way=viewer", ".view[data-rev]", STEPS)
        both, both_sent, _ = measure_steps(browser, f"{address}/?way=compared", ".view.compared[data-rev]", STEPS)
        theirs, their_sent, _ = measure_steps(browser, f"{address}/?way=spans", ".spans", STEPS_OF_SPANS)
    ratio = statistics.median(ours) / statistics.median(theirs)
    return Table(
        "Key press to painted boundaries, 1 MB document",
        [
            Row(
                "median of a step",
                f"{statistics.median(ours):.0f} ms",
                f"spans in `st.html`: {statistics.median(theirs):.0f} ms",
                f"1/{1 / ratio:.0f}",
                f"≤ 1/5, and ≤ {MOST_STEP} ms",
                ratio <= 0.2 and statistics.median(ours) <= MOST_STEP,
            ),
            Row(
                "bytes to the browser in a step, largest",
                f"{max(sent):,}",
                f"{max(their_sent):,}",
                f"{max(sent):,}",
                f"≤ {MOST_BYTES:,}",
                max(sent) <= MOST_BYTES,
            ),
            Row(
                "median of a step with another way of splitting over the text",
                f"{statistics.median(both):.0f} ms",
                f"without: {statistics.median(ours):.0f} ms",
                f"{statistics.median(both) / statistics.median(ours):.2f}",
                f"≤ {MOST_COMPARED}",
                statistics.median(both) <= MOST_COMPARED * statistics.median(ours),
            ),
            Row(
                "bytes to the browser in such a step, largest",
                f"{max(both_sent):,}",
                f"without: {max(sent):,}",
                f"{max(both_sent):,}",
                f"≤ {MOST_BYTES:,}",
                max(both_sent) <= MOST_BYTES,
            ),
            Row("times the text was sent", str(texts), "", str(texts), "1", texts == 1),
        ],
        [f"{STEPS} steps of the size slider around 200 tokens, Chromium, default settings."],
    )


def measure_steps(browser: Browser, address: str, drawn: str, steps: int) -> tuple[list[float], list[int], int]:
    """Return milliseconds and bytes of each step, and how many times the text was sent."""
    page = browser.new_page(viewport={"width": 1440, "height": 900})
    page.set_default_timeout(120_000)
    received: list[int] = []
    texts = 0

    def receive(frame: bytes | str) -> None:
        nonlocal texts
        message = frame if isinstance(frame, bytes) else frame.encode()
        received.append(len(message))
        texts += len(_TEXT.findall(message))

    page.on("websocket", lambda socket: socket.on("framereceived", receive))
    page.goto(address)
    page.locator(drawn).wait_for()
    settled(page)
    page.wait_for_timeout(2000)
    page.evaluate(_WATCH)
    slider = page.locator(".st-key-settings-size input[type=range]")
    slider.focus()
    times, sizes = [], []
    for step in range(steps):
        received.clear()
        times.append(_step(page, "ArrowRight" if step % 10 < 5 else "ArrowLeft", step + 1))
        sizes.append(sum(received))
    page.close()
    return times, sizes, texts


def _step(page: Page, key: str, count: int) -> float:
    """Press a key; returns the milliseconds until its boundaries were painted."""
    page.keyboard.press(key)
    page.wait_for_function("(count) => window.painted.length >= count", arg=count)
    settled(page)
    page.wait_for_timeout(400)
    milliseconds: float = page.evaluate("window.painted.at(-1)")
    return milliseconds


if __name__ == "__main__":
    print(run().markdown())
