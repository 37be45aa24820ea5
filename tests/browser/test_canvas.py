"""The Chunks page as a canvas in a real Chromium: what a drag changes is in sight, and little else is."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from chunking.evaluation import read_questions, save_set
from chunking.parsing import parse_file
from chunking.samples import prepare
from chunking.store import Workspace
from tests.browser.app import ROOT, settled, sound_tab, widget
from tests.browser.at_rest import at_rest
from tests.browser.shared_app import SharedApp
from tests.support.stand_in_model import stand_in_model

pytestmark = pytest.mark.browser

SAMPLES = ROOT / "sample_data"
MOST_CONTROLS = 25
"""Of the page at rest, without the bar above all pages."""


@pytest.fixture(scope="module")
def address(app_server: SharedApp, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The app with the handbook and the sample questions on it."""
    folder = tmp_path_factory.mktemp("canvas") / "workspace"
    workspace = Workspace.open(folder)
    handbook = parse_file(SAMPLES / "handbook/operations-handbook.md", root=SAMPLES)
    workspace.put_document(handbook)
    questions = read_questions((SAMPLES / "questions.jsonl").read_bytes(), "questions.jsonl", [handbook]).questions
    save_set(workspace, replace(questions, name="Mine"))
    return f"{app_server.show(folder)}/?questions=Mine&size=60"


def open_canvas(page: Page, address: str) -> None:
    """The page at rest, its answers drawn."""
    page.goto(address)
    page.locator(".view[data-rev]").wait_for()
    settled(page)
    expect(page.locator(".curve .answers canvas").first).to_be_visible()


def strip_words(page: Page) -> str:
    """What the strip under the curve tells who cannot see it."""
    return page.locator(".curve .answers canvas").first.get_attribute("aria-label") or ""


def counted(page: Page) -> list[int]:
    """How many answers are intact, split and missed, in the line above the text."""
    return [int(page.locator(f"button.fate.{fate} b").inner_text()) for fate in ("intact", "split", "missed")]


def test_a_laptop_shows_what_a_drag_changes(browser: Browser, address: str) -> None:
    """At 1366 × 768, without scrolling: slider, curve, answers, chunks, sizes and warnings; and few controls."""
    with sound_tab(browser, width=1366, height=768) as page:
        open_canvas(page, address)
        facts = widget(page, "chunks-facts")
        for part in (
            widget(page, "settings-size"),
            page.locator(".curve .plot").first,
            page.locator(".curve .answers").first,
            facts.get_by_test_id("stMetric").first,
            facts.get_by_test_id("stMetric").last,
            facts.get_by_test_id("stCaptionContainer"),
            page.locator("button.fate.split"),
        ):
            expect(part).to_be_in_viewport(ratio=1)
        assert at_rest(page).controls <= MOST_CONTROLS


def test_the_answers_turn_as_the_size_moves(tab: Page, address: str) -> None:
    """The strip tells the same counts as the line above the text, after each step."""
    open_canvas(tab, address)
    box = widget(tab, "settings-size").locator("#box")
    places = set()
    for size in ("40", "400"):
        before = strip_words(tab)
        box.fill(size)
        expect(tab.locator(".curve .answers canvas").first).not_to_have_attribute("aria-label", before)
        settled(tab)
        assert [int(number) for number in re.findall(r"\d+", strip_words(tab))] == counted(tab)
        places.add(counted(tab)[1])
    assert len(places) == 2
    dot = tab.locator(".curve .answers canvas").first
    dot.click(position={"x": 200, "y": 6})
    assert tab.locator(".view .scroller").evaluate("node => node.scrollTop") > 0


def test_the_text_reads_as_it_is_meant_and_stays_exact(tab: Page, address: str) -> None:
    """Headings are large and signs folded, yet every character is in the page; one switch shows them."""
    open_canvas(tab, address)
    title = tab.locator(".view .line.h1").first
    assert (title.text_content() or "").endswith("# Roost Operations Handbook\n")
    large = title.locator(".part:not(.hush)").last
    assert float(large.evaluate("node => parseFloat(getComputedStyle(node).fontSize)")) > 20
    expect(title.locator(".part.hush").first).to_have_css("font-size", "0px")
    expect(tab.locator(".view .md-strong").first).to_be_visible()
    text = tab.locator(".view .block").first.locator(".part").all_text_contents()
    tab.locator(".view .rawswitch").click()
    expect(tab.locator(".view .line.h1")).to_have_count(0)
    expect(tab.locator(".view .md-strong")).to_have_count(0)
    assert "".join(tab.locator(".view .block").first.locator(".part").all_text_contents()) == "".join(text)
    tab.locator(".view .rawswitch").click()
    expect(tab.locator(".view .line.h1").first).to_be_visible()


LINES = (
    "# A *b* `c` #\n",
    '> - **x** [y](z "t") ![](p) ~~q~~ <!-- r -->\n',
    "snake_case_name 2*3*4 \\*no* **open [a](b c\n",
    "***\n",
    "*" * 4_000,
    "[" * 2_000 + "](" * 1_000,
    "😀 **粗体** _é_\n",
)


def test_the_pieces_of_a_line_are_in_order_and_inside_it(tab: Page, address: str) -> None:
    """Whatever the line holds: disjoint, ascending, never beyond its end; and signs inside words are letters."""
    open_canvas(tab, address)
    read = tab.evaluate(
        """(lines) => lines.map(
            (line) => window.chunkscope.markupOf(line, line.startsWith("#") ? "heading" : "").pieces)""",
        list(LINES),
    )
    for line, pieces in zip(LINES, read, strict=True):
        ends = [0]
        for start, end, _ in pieces:
            assert ends[-1] <= start < end
            ends.append(end)
        assert ends[-1] <= len(line.encode("utf-16-le")) // 2  # JavaScript's units
    folded = [[LINES[at][start:end] for start, end, look in read[at] if look == "hush"] for at in (0, 1, 2)]
    assert folded[0] == ["# ", "*", "*", "`", "`"]
    assert folded[1][:4] == ["> ", "**", "**", "["]
    assert folded[2] == []


@pytest.fixture
def samples(app_server: SharedApp, tmp_path: Path) -> str:
    """The app over the samples, with the guide above them; the last test, since it turns from the handbook."""
    target = Workspace.open(tmp_path / "workspace")
    with stand_in_model():
        ready = prepare()
        with target.writer():
            ready.put_into(target)
    return app_server.show(tmp_path / "workspace")


def test_the_guide_leaves_the_text_in_sight(browser: Browser, samples: str) -> None:
    """Its first step opens no panel; it shows two steps of five, of which a phone keeps one, in one line."""
    with sound_tab(browser, width=1366, height=768) as page:
        page.goto(f"{samples}/chunks")
        step = widget(page, "guide-step-1").get_by_role("button")
        step.click()
        expect(widget(page, "guide-step-1").get_by_test_id("stBaseButton-secondary")).to_be_visible()
        page.locator(".view .answer").first.wait_for()
        settled(page)
        assert at_rest(page).controls <= MOST_CONTROLS
        for part in (widget(page, "guide-step-2"), widget(page, "settings-size"), widget(page, "chunks-facts")):
            expect(part).to_be_in_viewport(ratio=1)
        expect(page.locator(".view .line.picked").first).to_be_in_viewport()
        expect(widget(page, "chunks-inspector-open")).to_have_count(0)
        expect(widget(page, "guide-step-4")).to_be_hidden()
        page.set_viewport_size({"width": 390, "height": 844})
        expect(step).to_be_hidden()
        guide, text = (widget(page, key).bounding_box() for key in ("guide", "chunks-text"))
        assert guide is not None
        assert text is not None
        assert guide["height"] < 45
        assert text["y"] < 300
        fold = widget(page, "guide-fold").get_by_role("button")
        fold.press("Enter")
        expect(widget(page, "guide-step-4")).to_be_visible()
        settled(page)
        fold.press("Enter")
        expect(widget(page, "guide-step-4")).to_be_hidden()
