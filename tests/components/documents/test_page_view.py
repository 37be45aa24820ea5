"""Pages with blocks, chunks and hits on them: what is drawn stands where the lines stand, and a selection goes both
ways.
"""

from __future__ import annotations

import base64
import json
import re
import zlib
from dataclasses import replace

import numpy as np
import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from chunking.model import Location
from components.documents.page_view import _paper_message, _requested_page, has_places, lines_message, page_of
from tests.browser.app import new_tab, put_back, settled
from tests.components.apps.made_documents import scene_document
from tests.components.apps.made_pages import BROKEN, paged_document

BOXES = (0.1, 0.7, 0.47, 0.722)


class TestLines:
    def test_places_come_back_from_the_wire(self) -> None:
        """Offsets and pages exactly, boxes to a tenth of a pixel; a line without a box is told apart."""
        lines = [Location(0, 5, 1, BOXES), Location(7, 9, 1), Location(9, 20, 3, (0.0, 0.0, 1.0, 1.0))]
        packed, n = lines_message(lines)
        raw = zlib.decompress(base64.b64decode(packed))
        planes = np.frombuffer(raw[: 4 * 7 * n], dtype=np.uint8).reshape(4, 7, n)
        gaps, lengths, pages, left, top, width, height = (
            np.ascontiguousarray(planes.transpose(1, 2, 0)).view("<i4").reshape(7, n)
        )
        ends = (gaps + lengths).cumsum()
        assert [*zip((ends - lengths).tolist(), ends.tolist(), pages.cumsum().tolist(), strict=True)] == [
            line[:3] for line in lines
        ]
        assert (left.tolist(), top[0], width[2], height[2]) == ([1000, -1, 0], 7000, 10_000, 10_000)
        assert json.loads(raw[4 * 7 * n :]) == {}
        assert lines_message([])[1] == 0

    def test_the_page_of_a_character(self) -> None:
        """Its line's; between two lines the next one's; none where there are no pages."""
        document = paged_document()
        broken = next(section for section in document.sections if section.title.startswith("Results"))
        assert page_of(document, 0) == 1
        assert page_of(document, broken.start) == 2
        assert page_of(document, len(document.text) + 5) == BROKEN
        assert page_of(scene_document(), 0) is None
        assert has_places(document)
        assert not has_places(scene_document())

    def test_lines_are_those_of_the_document_that_is_shown(self) -> None:
        """Also where it was given the memory, and so the `id`, of one that is gone."""
        for number in range(60):
            text = f"{number:04} words"
            shown = replace(paged_document(), text=text, hash=str(number), locations=(Location(0, number, 1),))
            assert _paper_message(shown)["lines"] == lines_message(shown.locations)[0]
            del shown

    @pytest.mark.parametrize(
        "said",
        [None, "x", {"doc": "other"}, {"doc": "d", "page": "1"}, {"doc": "d", "page": 0}, {"doc": "d", "page": 1}],
    )
    def test_a_browser_that_asks_for_nonsense_is_not_heard(self, said: object) -> None:
        """Only a page of this document, in one of the widths."""
        assert _requested_page(said, "d", "f") is None
        assert _requested_page({"doc": "d", "page": 2, "width": 1000}, "d", "f") == ("df", 2, 1000)


@pytest.fixture
def address(scene_address: str) -> str:
    """The page of pages_app.py."""
    return f"{scene_address}/?app=pages_app"


@pytest.mark.browser
class TestPages:
    def test_a_block_is_drawn_around_its_lines(self, address: str, tab: Page) -> None:
        """A paragraph over two columns is two boxes, each around its lines; left-out text is dashed."""
        ready(tab, address)
        assert tab.locator(".pages .box[role=option]").count() == 6
        assert tab.locator(".pages .tag").locator("visible=true").count() == 0
        boxes = box_of(tab, "The left column,")
        assert boxes.count() == 2
        sheet, left, right = (place(one) for one in (tab.locator(".pages .sheet"), boxes.nth(0), boxes.nth(1)))
        for box, (x, y, width, height) in ((left, (0.1, 0.7, 0.37, 0.22)), (right, (0.53, 0.3, 0.37, 0.187))):
            assert box["x"] - sheet["x"] == pytest.approx(x * sheet["width"] - 4, abs=2)
            assert box["y"] - sheet["y"] == pytest.approx(y * sheet["height"] - 2, abs=2)
            assert box["width"] == pytest.approx(width * sheet["width"] + 8, abs=3)
            assert box["height"] == pytest.approx(height * sheet["height"] + 4, abs=3)
        assert tab.locator(".pages .box.out").get_attribute("aria-label") == "left out, running header: Annual report 1"

    def test_a_click_on_a_box_selects_its_text_and_section(self, address: str, tab: Page) -> None:
        """Picking the table on page 2 picks it in the text, scrolls there and moves the outline."""
        ready(tab, address)
        turned(tab, 2, lambda: tab.get_by_label("Next page").click())
        box_of(tab, "| Name | Size |").click()
        expect(tab.get_by_text(re.compile(r"picked:\s*6"))).to_be_visible()
        expect(tab.locator(".view").get_by_text("| Heron | 90 cm |")).to_be_in_viewport()
        expect(tab.locator(".view .line.picked").first).to_contain_text("| Name | Size |")
        expect(tab.locator(".outline .row.here")).to_contain_text("Results")
        expect(box_of(tab, "| Name | Size |").locator(".tag")).to_have_text("table")
        expect(box_of(tab, "| Name | Size |").locator(".tag")).to_be_visible()

    def test_a_selection_in_text_or_outline_turns_the_page(self, address: str, tab: Page) -> None:
        """The box is marked; a paragraph that begins on the page before is on both."""
        ready(tab, address)
        turned(tab, 2, lambda: tab.locator(".outline .row").nth(1).click())
        expect(tab.locator(".pages .box.cursor")).to_have_attribute("aria-label", re.compile("h2: Results"))
        tab.locator(".view").get_by_text("print() line 1").click()
        expect(tab.locator(".pages")).to_have_attribute("data-page", "3")
        expect(tab.locator(".pages .box.picked")).to_have_attribute("aria-label", re.compile("code: print"))
        box_of(tab, "The end of page two,").click()
        expect(tab.get_by_text(re.compile(r"picked:\s*7"))).to_be_visible()
        expect(tab.locator(".pages")).to_have_attribute("data-page", "3")

    def test_pages_turn_with_keys_and_by_number(self, address: str, tab: Page) -> None:
        """Arrows and a number; blocks one after the other over the edge of the page, and Enter picks."""
        ready(tab, address)
        tab.locator(".pages .boxes").focus()
        turned(tab, 2, lambda: tab.keyboard.press("ArrowRight"))
        turned(tab, 1, lambda: tab.keyboard.press("Home"))
        for _ in range(7):
            tab.keyboard.press("ArrowDown")
        expect(tab.locator(".pages")).to_have_attribute("data-page", "2")
        tab.keyboard.press("Enter")
        expect(tab.get_by_text(re.compile(r"picked:\s*5"))).to_be_visible()
        field = tab.get_by_label("Page number")
        field.fill("99")
        turned(tab, BROKEN, lambda: field.press("Enter"), drawn="false")
        assert field.input_value() == str(BROKEN)
        assert tab.get_by_label("Next page").is_disabled()

    def test_a_page_that_cannot_be_drawn_says_so_and_shows_its_boxes(self, address: str, tab: Page) -> None:
        """In its place; the pages around it are there."""
        ready(tab, address)
        tab.get_by_label("Page number").fill(str(BROKEN))
        turned(tab, BROKEN, lambda: tab.get_by_label("Page number").press("Enter"), drawn="false")
        expect(tab.locator(".pages .note")).to_have_text(f"Page {BROKEN} cannot be drawn; its picture is damaged.")
        expect(box_of(tab, "The last page,")).to_be_visible()
        turned(tab, 3, lambda: tab.get_by_label("Previous page").click())
        expect(tab.locator(".pages .note")).to_be_hidden()

    def test_a_picture_is_made_and_sent_once(self, address: str, own_tab: Page) -> None:
        """Leafing to and fro, running again, going to another page of the app and back: each page comes once, and in
        the finer width where it is enlarged."""
        frames: list[int] = []
        own_tab.on("websocket", lambda socket: socket.on("framereceived", lambda data: frames.append(len(data))))
        ready(own_tab, address)
        turned(own_tab, 2, lambda: own_tab.get_by_label("Next page").click())
        own_tab.wait_for_timeout(700)  # the picture after it comes by itself
        frames.clear()
        turned(own_tab, 3, lambda: own_tab.get_by_label("Next page").click())
        turned(own_tab, 1, lambda: [own_tab.get_by_label("Previous page").click() for _ in range(2)])
        own_tab.get_by_role("link", name="Other").click()
        own_tab.get_by_text("another page").wait_for()
        own_tab.get_by_role("link", name="Pages").click()
        own_tab.locator(".pages[data-drawn=true]").wait_for()
        settled(own_tab)
        assert own_tab.locator(".pages").get_attribute("data-page") == "1"
        for _ in range(3):
            own_tab.get_by_label("Larger").click()
        own_tab.wait_for_timeout(700)
        settled(own_tab)
        assert sum(size > 20_000 for size in frames) <= 4

    def test_a_format_without_pictures_shows_where_things_stand(self, address: str, tab: Page) -> None:
        """Boxes on white, and nothing is asked for."""
        tab.goto(f"{address}&case=bare")
        tab.locator(".pages .box").first.wait_for()
        settled(tab)
        assert tab.locator(".pages img").is_hidden()
        assert tab.locator(".pages .sheet.waiting").count() == 0
        assert box_of(tab, "The left column,").count() == 2

    def test_hits_and_neighbours_are_marked(self, address: str, tab: Page) -> None:
        """With the rank on the page; other text is left alone."""
        ready(tab, f"{address}&case=hits")
        hit, neighbours = tab.locator(".pages .box.hit"), tab.locator(".pages .box.near")
        expect(hit.first.locator(".tag")).to_have_text("hit 1")
        expect(hit.first.locator(".tag")).to_be_visible()
        turned(tab, 2, lambda: tab.get_by_label("Next page").click())
        assert neighbours.count() > 0

    def test_a_document_stays_text_whatever_it_holds(self, address: str, tab: Page) -> None:
        """A heading with markup is a label, not an element."""
        ready(tab, address)
        turned(tab, 2, lambda: tab.get_by_label("Next page").click())
        expect(box_of(tab, "Results <img")).to_be_visible()
        assert tab.locator(".pages img").count() == 1
        assert tab.evaluate("window.broken") is None

    def test_it_fits_a_narrow_screen_and_grows(self, address: str, browser: Browser) -> None:
        """The page is as wide as its column, whole on one step less, and scrolls inside when it is enlarged."""
        tab = new_tab(browser, width=420, colours="dark")
        ready(tab, address)
        sheet, frame = tab.locator(".pages .sheet"), tab.locator(".pages .scroller")
        assert place(frame)["width"] * 0.9 < place(sheet)["width"] < place(frame)["width"] <= 420
        assert tab.locator(".pages").get_attribute("data-theme") == "dark"
        tab.get_by_label("Smaller").click()
        assert place(sheet)["height"] <= place(frame)["height"]
        tab.get_by_label("Larger").click()
        tab.get_by_label("Larger").click()
        assert place(sheet)["width"] > place(frame)["width"]
        put_back(tab)


def ready(tab: Page, address: str) -> None:
    """Open the page and wait until a picture is there."""
    tab.goto(address)
    tab.locator(".pages[data-drawn=true]").wait_for()
    tab.locator(".view[data-rev]").wait_for()
    tab.locator(".pages .box").first.wait_for()
    settled(tab)


def turned(tab: Page, page: int, act: object, drawn: str = "true") -> None:
    """Do something, and wait until this page is there."""
    assert callable(act)
    act()
    tab.locator(f".pages[data-page='{page}'][data-drawn={drawn}]").wait_for()


def box_of(tab: Page, words: str) -> Locator:
    """All regions of the block that begins with these words."""
    first = tab.locator(f'.pages .box[aria-label*="{words}"]').first
    return tab.locator(f'.pages .box[data-k="{first.get_attribute("data-k")}"]')


def place(locator: Locator) -> dict[str, float]:
    """Where an element stands, in pixels."""
    box = locator.bounding_box()
    assert box is not None
    return dict(box)
