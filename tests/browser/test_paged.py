"""A PDF in a real Chromium, from the upload to the page that a hit is on; many files at once, cancelled, and in two
tabs.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, FilePayload, Page, expect

from chunking import chunk_document
from chunking.config import Config
from chunking.parsing import parse
from chunking.store import Workspace
from chunking.store.index.build_record import chunk_fingerprint
from tests.browser.app import LONG, new_tab, put_back, settled
from tests.browser.shared_app import SharedApp
from tests.support.pdfs import QUESTION, report

pytestmark = pytest.mark.browser

NOTE = b"# Note\n\nThe cellar key hangs beside the door.\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The workspace."""
    return tmp_path_factory.mktemp("paged") / "workspace"


@pytest.fixture(scope="module")
def address(app_server: SharedApp, folder: Path) -> str:
    """The app with one short document in it."""
    Workspace.open(folder).put_document(parse(NOTE, "note.md"))
    return app_server.show(folder)


def file(name: str, data: bytes) -> FilePayload:
    return {"name": name, "mimeType": "application/octet-stream", "buffer": data}


def drop(tab: Page, address: str, *files: FilePayload) -> None:
    """Drop files on the Documents page."""
    tab.goto(f"{address}/documents")
    settled(tab)
    tab.locator("input[type=file]").set_input_files(list(files))


def add(tab: Page, number: int) -> None:
    """Add what was found in so many files."""
    tab.get_by_role("button", name=f"Add {number} document").click()
    expect(tab.get_by_text(re.compile("added, |added: |new version of")).first).to_be_visible()
    settled(tab)


def drawn(tab: Page, page: int) -> None:
    """Wait for the picture of a page."""
    tab.locator(f".pages[data-page='{page}'][data-drawn=true]").wait_for()
    tab.locator(".pages .box").first.wait_for()


def build(tab: Page, address: str) -> None:
    """Bring the index up to date."""
    tab.goto(f"{address}/index")
    done = tab.get_by_text(re.compile(r"Done: \d+ chunks"))
    tab.get_by_role("button", name="Build the index").click()
    expect(done).to_be_visible(timeout=LONG)


def plan(tab: Page, label: str) -> int:
    """A number of the Index page's plan."""
    shown = tab.get_by_test_id("stMetric").filter(has_text=label).get_by_test_id("stMetricValue")
    return int(shown.inner_text().replace(",", ""))


def test_a_pdf_from_its_upload_to_the_page_of_a_hit(tab: Page, address: str) -> None:
    """Good and bad files together; a box, its text and its section; a hit, its citation and its box; a new version, and
    what it costs.
    """
    drop(
        tab,
        address,
        file("pump.pdf", report()),
        file("empty.txt", b""),
        file("broken.pdf", report()[:700]),
        file("note.md", NOTE),
    )
    expect(tab.get_by_text("Before adding")).to_be_visible()
    expect(tab.get_by_text(re.compile(r"PDF · 3 pages · 5 sections · [\d,]+ characters · English"))).to_be_visible()
    expect(tab.get_by_text(re.compile("empty.txt is empty"))).to_be_visible()
    expect(tab.get_by_text(re.compile("broken.pdf "))).to_be_visible()
    expect(tab.get_by_text("Unchanged, nothing to add")).to_be_visible()
    add(tab, 1)

    drawn(tab, 1)
    tab.get_by_label("Next page").click()
    drawn(tab, 2)
    expect(tab.locator(".pages .box.out")).to_have_count(2)
    tab.locator(".pages .box[aria-label^='text: Pour a glass']").click()
    expect(tab.locator(".view .line.picked").first).to_contain_text("Pour a glass of water")
    expect(tab.locator(".view .line.picked").first).to_be_in_viewport()
    expect(tab.locator(".outline .row.here")).to_contain_text("Condensate drain")
    tab.locator(".outline .row").filter(has_text="Setting up").click()
    drawn(tab, 1)
    expect(tab.locator(".pages .box.cursor")).to_have_attribute("aria-label", "h2: Setting up")

    build(tab, address)
    tab.goto(f"{address}/search")
    tab.get_by_placeholder("Ask a question").fill(QUESTION)
    tab.keyboard.press("Enter")
    citation = tab.locator(".card .citation").first
    expect(citation).to_contain_text("Heat pump guide › Cleaning · pump.pdf · page 2")
    drawn(tab, 2)
    marked = tab.locator(".pages .box.hit.picked")
    expect(marked.first).to_be_visible()
    expect(marked.first).to_have_attribute("aria-label", re.compile("^hit 1: Cleaning"))
    expect(tab.locator(".view .line.hit.picked").first).to_be_in_viewport()

    drop(tab, address, file("pump.pdf", report(repair="Call the maker before you open anything.")))
    expect(tab.get_by_text(re.compile("New version of “Heat pump guide”")).first).to_be_visible()
    add(tab, 1)
    tab.goto(f"{address}/index")
    expect(tab.get_by_role("button", name="Build the index")).to_be_enabled()
    larger = len(Config().chunk.granularities)  # the chunk of each larger size around it is new, too
    assert (plan(tab, "New"), plan(tab, "Removed")) == (1 + larger, 1 + larger)
    assert plan(tab, "Reused") >= 4


def test_a_chunk_is_drawn_on_its_page_and_follows_the_size(tab: Page, address: str) -> None:
    """On the Chunks page, beside the text; a smaller size draws more boxes without a word from the server about the
    page.
    """
    drop(tab, address, file("chunked.pdf", report()))
    add(tab, 1)
    tab.goto(f"{address}/?doc=chunked&chunk=1")
    tab.locator(".view[data-rev]").wait_for()
    tab.get_by_role("button", name="Page", exact=True).or_(
        tab.get_by_role("radio", name="Page", exact=True)
    ).first.click()
    drawn(tab, 1)
    expect(tab.locator(".pages .box.picked").first).to_have_attribute("aria-label", re.compile("^chunk 1: "))
    before = tab.locator(".pages .box[role=option]").count()
    tab.locator(".st-key-settings-size #box").fill("16")
    expect(tab.locator(".pages .box[role=option]").nth(before + 2)).to_be_attached()
    tab.locator(".pages .box[role=option]").first.click()
    expect(tab.locator(".st-key-chunk-card")).to_contain_text("Chunk 0")
    expect(tab.locator(".st-key-chunk-card")).to_contain_text("page 1")


def test_a_heading_is_mended_a_region_left_out_and_both_are_undone(tab: Page, address: str) -> None:
    """In the tree, the text and on the page at once; a new version keeps the edit that fits; nothing scrolls away
    meanwhile.
    """
    drop(tab, address, file("mended.pdf", report()))
    add(tab, 1)
    drawn(tab, 1)
    row, tree = tab.locator(".st-key-mending-row"), tab.locator(".outline .row")
    level = tree.filter(has_text="Setting up").get_attribute("aria-level")
    tab.locator(".pages .box[aria-label='h2: Setting up']").click()
    row.get_by_role("button", name="Promote").click()
    expect(tab.locator(".pages .box[aria-label='h1✎: Setting up']")).to_be_visible()
    expect(tree.filter(has_text="Setting up ✎")).to_have_attribute("aria-level", str(int(level or 0) - 1))
    expect(tab.locator(".view .line.picked").first).to_contain_text("Setting up")

    before = tab.locator(".pages .box.out").count()
    tab.get_by_role("button", name="Draw a rectangle").click()
    place, words = (
        tab.locator(".boxes").bounding_box(),
        tab.locator(".pages .box[aria-label^='text: ']").first.bounding_box(),
    )
    assert place
    assert words
    tab.mouse.move(words["x"] - 6, words["y"] - 4)
    tab.mouse.down()
    tab.mouse.move(words["x"] + words["width"] + 6, words["y"] + words["height"] + 4, steps=4)
    tab.mouse.up()
    expect(tab.locator(".pages .box.out")).to_have_count(before + 1)
    expect(tab.get_by_text("Edits: 2")).to_be_visible()
    tab.keyboard.press("Control+z")
    expect(tab.locator(".pages .box.out")).to_have_count(before)

    drop(tab, address, file("mended.pdf", report(repair="Call the maker before you open anything.")))
    add(tab, 1)
    expect(tree.filter(has_text="Setting up ✎")).to_be_visible()
    row.get_by_role("button", name="Undo").click()
    expect(tree.filter(has_text="✎")).to_have_count(0)
    expect(tab.get_by_text("Edits: none")).to_be_visible()


def test_a_batch_is_cancelled_midway_and_the_page_stays_usable(tab: Page, address: str) -> None:
    """What was found is offered, what was not read is named, and nothing is in the workspace."""
    text = (
        b"# Long\n\n" + b"Some running text that has to be read word for word, line after line, to the end.\n\n" * 8_000
    )
    drop(tab, address, *(file(f"long{number}.md", text) for number in range(12)))
    expect(tab.get_by_text(re.compile(r"Reading: \d+ of 12 files"))).to_be_visible()
    tab.get_by_role("button", name="Cancel", exact=True).click()
    expect(tab.get_by_text("not read").first).to_be_visible()
    tab.get_by_role("link", name="Chunks").click()
    tab.locator(".view[data-rev]").wait_for()
    tab.get_by_role("link", name="Documents").click()
    expect(tab.get_by_text("long11.md")).to_be_visible()
    tab.get_by_role("button", name=re.compile("Discard|Close")).click()
    expect(tab.get_by_text("long11.md")).not_to_be_visible()


def test_two_tabs_hold_their_own_files(tab: Page, address: str, browser: Browser) -> None:
    """One tab's files are not the other's; what is added is everybody's."""
    other = new_tab(browser)
    drop(tab, address, file("mine.md", b"# Mine\n\nWords."))
    drop(other, address, file("yours.md", b"# Yours\n\nWords."))
    for page, own, strange in ((tab, "mine.md", "yours.md"), (other, "yours.md", "mine.md")):
        expect(page.get_by_text("Before adding")).to_be_visible()
        expect(page.get_by_role("strong").filter(has_text=own)).to_be_visible()
        expect(page.get_by_text(strange)).not_to_be_visible()
    add(tab, 1)
    add(other, 1)
    for page in (tab, other):
        page.goto(f"{address}/documents?doc=mine")
        expect(page.get_by_role("heading", name="Mine")).to_be_visible()
    put_back(other)


GUIDE = """# Pump

Close the valve before you start. Then open the lid and wait.

## Parts

All parts can be had in town.

## Old

This is over.
"""


def pinned(tab: Page, down: int, key: str, *letters: str) -> None:
    """Move to a chunk of the text, press a key, and see the letters of the pins that there are then."""
    scroller = tab.locator(".view .scroller")
    scroller.press("Escape")
    tab.evaluate("document.activeElement?.blur()")
    scroller.focus()
    for _ in range(down):
        scroller.press("ArrowDown")
    scroller.press(key)
    expect(tab.locator(".view .pinsign")).to_have_text(list(letters))
    settled(tab)


def test_boundaries_by_hand_are_those_of_the_index(tab: Page, address: str, folder: Path) -> None:
    """Pinned by keys and taken back; in a new version those that fit hold, the other is listed; the index has what the
    page shows.
    """
    drop(tab, address, file("boiler.md", GUIDE.encode()))
    add(tab, 1)
    tab.goto(f"{address}/?doc=boiler&size=32&min_size=0")
    settled(tab)
    numbers = tab.locator(".view .number")
    expect(numbers).to_have_count(3)
    pinned(tab, 2, "m", "M")
    expect(numbers).to_have_count(2)
    pinned(tab, 0, "Control+z")
    expect(numbers).to_have_count(3)
    pinned(tab, 2, "s", "S")
    pinned(tab, 3, "x", "S", "X")
    expect(numbers).to_have_count(2)
    drop(tab, address, file("boiler.md", f"# News\n\nMore.\n\n{GUIDE.partition('## Old')[0]}".encode()))
    add(tab, 1)
    tab.goto(f"{address}/?doc=boiler&size=32&min_size=0")
    settled(tab)
    expect(tab.locator(".view .pinsign")).to_have_text(["S"])
    tab.get_by_text("Pins", exact=True).click()
    expect(tab.get_by_role("button", name="Show")).to_be_disabled()  # the lost one comes first
    tab.goto(f"{address}/index?size=32&min_size=0")
    tab.get_by_role("button", name=re.compile("Build|Update")).first.click()
    expect(tab.get_by_text(re.compile(r"Done: \d+ chunks"))).to_be_visible(timeout=LONG)
    workspace = Workspace.open(folder)
    index, document = workspace.index(), workspace.document("boiler")
    assert [document.text[pin.start :].partition("\n")[0] for pin in document.pins] == ["## Parts"]
    assert index.documents()["boiler"].fingerprint == chunk_fingerprint(index.config, document)
    stored = sorted((chunk.start, chunk.end) for chunk in index.by_level("chunk") if chunk.doc_id == "boiler")
    assert stored == [(chunk.start, chunk.end) for chunk in chunk_document(document, index.config)]
