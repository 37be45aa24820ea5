"""What pins cost: a thousand of them at every step of a slider, and one that is set, until it is painted.

python -m benchmarks.pins

The first on the generated Markdown of `splitting`, 10 MB; pins of every kind are spread over it, and the chunks that splits add are not
counted against them: times are per chunk. The second on 1 MB, on the Chunks page in Chromium.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from pathlib import Path

from playwright.sync_api import Page

from benchmarks.report import Row, Table
from benchmarks.splitting import LENGTH, generated
from chunking.config import DEFAULT_MODEL, ChunkConfig
from chunking.embedding.model_folder import find_model
from chunking.model import Document, Pin, PinKind
from chunking.parsing import parse
from chunking.splitting import Chunker, TokenCounter
from chunking.store import Workspace
from tests.browser.app import chromium, new_tab, running_app, settled

PINS = 1_000
STEPS = 12
MOST_COST = 0.10
"""Of a re-split."""
MOST_OF_A_STEP = 1.5
_SHORT = 1_000_000

_WATCH = """() => {
    window.pressed = 0; window.painted = [];
    window.addEventListener("keydown", () => { window.pressed = performance.now(); window.waits = true; }, true);
    window.addEventListener("chunkscope:painted", ({ detail }) => {
        if (window.waits && detail.rev !== window.rev) { window.painted.push(performance.now() - window.pressed); window.waits = false; }
        window.rev = detail.rev;
    });
}"""


def run() -> Table:
    """Measure both."""
    plain, pinned, chunks, more = _resplit()
    step, pin = _painted()
    cost = pinned / more / (plain / chunks) - 1
    return Table(
        "Pins",
        [
            Row(
                f"re-split with {PINS:,} pins, 10 MB, per chunk",
                f"{pinned * 1000:.0f} ms, {more:,} chunks",
                f"without: {plain * 1000:.0f} ms, {chunks:,} chunks",
                f"+{cost:.0%}" if cost >= 0 else f"{cost:.0%}",
                f"≤ +{MOST_COST:.0%}",
                cost <= MOST_COST,
            ),
            Row(
                "key press to a painted pin, 1 MB",
                f"{pin:.0f} ms",
                f"a step of the size: {step:.0f} ms",
                f"{pin / step:.2f} ×",
                f"≤ {MOST_OF_A_STEP:g} ×",
                pin <= MOST_OF_A_STEP * step,
            ),
        ],
        [f"Medians of {STEPS} steps each, of pins in the same run as of sizes."],
    )


def pins_for(document: Document, number: int) -> tuple[Pin, ...]:
    """Pins of every kind at words all over a document, the spans some sentences long."""
    chance = random.Random(7)
    found = []
    for at in sorted(chance.sample(range(len(document.text) - 400), number)):
        kind = chance.choice([*PinKind])
        found.append(Pin(kind, at, at if kind in (PinKind.SPLIT, PinKind.MERGE) else at + chance.randint(40, 400)))
    return tuple(found)


def _resplit() -> tuple[float, float, int, int]:
    """Seconds without and with pins, and the chunks that there are."""
    document = parse(generated(LENGTH).encode(), "generated.md")
    chunker = Chunker(document, TokenCounter(find_model(DEFAULT_MODEL).path))
    other = chunker.with_pins(pins_for(document, PINS))
    times: dict[int, list[float]] = {0: [], 1: []}
    counts = [0, 0]
    for size in 2 * [*range(200 - STEPS, 200 + STEPS, 2)]:  # the first time each, what both share is made
        for number, one in enumerate((chunker, other)):
            began = time.perf_counter()
            boundaries = one.boundaries(ChunkConfig(size=size))
            times[number].append(time.perf_counter() - began)
            counts[number] = len(boundaries)
    return statistics.median(times[0][STEPS:]), statistics.median(times[1][STEPS:]), counts[0], counts[1]


def _painted() -> tuple[float, float]:
    """Milliseconds from a key press to what it paints: a step of the size, a pin."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "workspace"
        workspace = Workspace.open(place)
        workspace.put_document(parse(generated(_SHORT).encode(), "generated.md"))
        with running_app(place) as address, chromium() as browser:
            page = new_tab(browser)
            page.goto(f"{address}/?size=200")
            settled(page)
            page.evaluate(_WATCH)
            page.locator(".view .scroller").focus()
            page.keyboard.press("ArrowDown")
            pins, sizes = [], []
            for number in range(STEPS):
                field = page.locator(".st-key-settings-size input[type=range]")
                field.focus()
                sizes.append(_step(page, "ArrowRight"))
                page.locator(".view .scroller").focus()
                for _ in range(2):
                    page.keyboard.press("ArrowDown")
                pins.append(_step(page, "m" if number % 2 else "x"))
            return statistics.median(sizes), statistics.median(pins)


def _step(page: Page, key: str) -> float:
    before = page.evaluate("window.painted.length")
    page.keyboard.press(key)
    page.wait_for_function(f"window.painted.length > {before}")
    settled(page)
    return float(page.evaluate("window.painted.at(-1)"))


if __name__ == "__main__":
    print(run().markdown())
