"""Cost of manual work: time until a pin, a pattern or an edit is painted, and of 1,000 pins.

    python -m benchmarks.editing

The first in Chromium: one app, one document of 1 MB, each against a step of the size slider in the same run. The last
on the generated Markdown of `splitting`, 10 MB, with pins of every kind spread over it.
"""

from __future__ import annotations

import random
import statistics
import tempfile
import time
from itertools import cycle
from pathlib import Path

from playwright.sync_api import Browser, Page

from benchmarks.report import Row, Table
from benchmarks.splitting import LENGTH, generated
from chunking.config import ENGLISH_MODEL, ChunkConfig
from chunking.embedding.model_folder import find_model
from chunking.model import Document, Pin, PinKind
from chunking.parsing import parse
from chunking.splitting import Chunker, TokenCounter
from chunking.store import Workspace
from tests.browser.app import chromium, new_tab, running_app, settled

PINS = 1_000
STEPS = 12
MOST_COST = 0.10
"""Maximum share of a re-split."""
MOST_OF_A_STEP = 1.5
_SHORT = 1_000_000
_LETTERS = "abcdefghijklm"
"""Letters that number the paragraphs: a pattern with another letter matches about 145 other headings."""
_PATTERN = "3: ^a\\d+"

_WATCH = """() => {
    window.pressed = 0; window.painted = [];
    window.addEventListener("keydown", () => { window.pressed = performance.now(); window.waits = true; }, true);
    window.addEventListener("chunkscope:painted", ({ detail }) => {
        if (window.waits && detail.rev !== window.rev) {
            window.painted.push(performance.now() - window.pressed);
            window.waits = false;
        }
        window.rev = detail.rev;
    });
}"""


def run() -> Table:
    """Measure the work in the browser, and the pins."""
    plain, pinned, chunks, more = _resplit()
    cost = pinned / more / (plain / chunks) - 1
    document = parse(numbered(generated(_SHORT)).encode(), "generated.md")
    step, *others = _painted(document)
    labels = (
        "a pin (S, X or M on a boundary)",
        "a letter of a pattern for headings",
        "an edit of a heading on Documents",
    )
    return Table(
        "Work by hand",
        [
            *(_row(label, took, step) for label, took in zip(labels, others, strict=True)),
            Row(
                f"re-split with {PINS:,} pins, 10 MB, per chunk",
                f"{pinned * 1000:.0f} ms, {more:,} chunks",
                f"without: {plain * 1000:.0f} ms, {chunks:,} chunks",
                f"+{cost:.0%}" if cost >= 0 else f"{cost:.0%}",
                f"≤ +{MOST_COST:.0%}",
                cost <= MOST_COST,
            ),
        ],
        [
            f"From key press to paint in Chromium, one document of 1 MB with {len(document.sections):,} sections, one "
            f"server, default settings; medians of {STEPS} each, and of as many slider steps before as after them.",
            (
                "Each letter of a pattern is typed when the outline has followed the one before, and finds some "
                "145 new headings."
            ),
        ],
    )


def _row(what: str, took: float, step: float) -> Row:
    ratio = took / step
    against = f"a step of the size: {step:.0f} ms"
    return Row(
        f"key press to paint: {what}",
        f"{took:.0f} ms",
        against,
        f"{ratio:.2f} ×",
        f"≤ {MOST_OF_A_STEP:g} ×",
        ratio <= MOST_OF_A_STEP,
    )


def numbered(text: str) -> str:
    """Number each paragraph of a text, such as `c15 `."""
    names = (f"{letter}{number} " for number, letter in enumerate(cycle(_LETTERS)))
    return "\n\n".join(next(names) + piece if piece[0].isupper() else piece for piece in text.split("\n\n"))


def pins_for(document: Document, number: int) -> tuple[Pin, ...]:
    """Return pins of every kind at words all over a document, with spans of some sentences."""
    chance = random.Random(7)
    times = []
    for at in sorted(chance.sample(range(len(document.text) - 400), number)):
        kind = chance.choice([*PinKind])
        times.append(Pin(kind, at, at if kind in (PinKind.SPLIT, PinKind.MERGE) else at + chance.randint(40, 400)))
    return tuple(times)


def _resplit() -> tuple[float, float, int, int]:
    """Return seconds without and with pins, and the numbers of chunks."""
    document = parse(generated(LENGTH).encode(), "generated.md")
    chunker = Chunker(document, TokenCounter(find_model(ENGLISH_MODEL).path))
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


def _painted(document: Document) -> list[float]:
    """Return milliseconds from a key press to its painting: a step of the size, a pin, a pattern, an edit."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "workspace"
        Workspace.open(place).put_document(document)
        with running_app(place) as address, chromium() as browser:
            sizes, pins = _pins(browser, address)
            patterns = _patterns(browser, address)
            edits = _edits(browser, address, document)
            sizes += _pins(browser, address)[0]
            return [statistics.median(times) for times in (sizes, pins, patterns, edits)]


def _pins(browser: Browser, address: str) -> tuple[list[float], list[float]]:
    """Measure steps of the size, and pins in turn with them."""
    page = _open(browser, f"{address}/?size=200")
    page.locator(".view .scroller").focus()
    page.keyboard.press("ArrowDown")
    sizes, pins = [], []
    for _, key in zip(range(STEPS), cycle("sxm"), strict=False):
        page.locator(".st-key-settings-size input[type=range]").focus()
        sizes.append(_step(page, "ArrowRight"))
        page.locator(".view .scroller").focus()
        for _ in range(2):
            page.keyboard.press("ArrowDown")
        page.evaluate("window.rev = null")  # a split at a boundary moves none: what is painted next shows its sign
        pins.append(_step(page, key))
    page.close()
    return sizes, pins


def _patterns(browser: Browser, address: str) -> list[float]:
    """Measure typing one letter of a pattern after the other."""
    page = _open(browser, f"{address}/?size=200")
    page.get_by_text("Patterns", exact=True).click()
    field = page.locator(".st-key-settings-headings_from textarea")
    field.fill(_PATTERN)
    page.locator(".st-key-settings-patterns").get_by_text("Pattern 1:").wait_for()
    settled(page)
    times = []
    for letter in _LETTERS[1 : STEPS + 1]:
        field.focus()
        field.evaluate("(box, at) => box.setSelectionRange(at, at + 1)", _PATTERN.index("a"))
        times.append(_step(page, letter))
    page.close()
    return times


def _edits(browser: Browser, address: str, document: Document) -> list[float]:
    """Measure demoting and promoting headings of level 2."""
    title = next(section.title for section in document.sections if section.level == 2)
    page = _open(browser, f"{address}/documents")
    page.locator(".outline .row").filter(has_text=title).first.click()
    page.get_by_role("button", name="Demote").wait_for()
    settled(page)
    times = [_step(page, f"Alt+Shift+Arrow{'Left' if number % 2 else 'Right'}") for number in range(STEPS)]
    page.close()
    return times


def _open(browser: Browser, address: str) -> Page:
    page = new_tab(browser)
    page.goto(address)
    page.locator(".view[data-rev]").wait_for()
    settled(page)
    page.evaluate(_WATCH)
    return page


def _step(page: Page, key: str) -> float:
    before = page.evaluate("window.painted.length")
    page.keyboard.press(key)
    page.wait_for_function(f"window.painted.length > {before}")
    page.locator(
        ".view:not([data-stale])"
    ).wait_for()  # the outline has followed: the next key finds the server at rest
    settled(page)
    return float(page.evaluate("window.painted.at(-1)"))


if __name__ == "__main__":
    print(run().markdown())
