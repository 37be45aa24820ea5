"""Live recall in a real Chromium: drag the size, and see the dial, the marks and the counts move; ask about selected
text.
"""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect

from chunking.parsing import parse_file
from chunking.store import Workspace
from components.kit.settings_form.widgets import Number, slider_texts
from tests.browser.app import ROOT, settled, widget
from tests.browser.shared_app import SharedApp

pytestmark = pytest.mark.browser

SAMPLES = ROOT / "sample_data"
SIZES = [int(text) for text in slider_texts(Number("Size", "", "175", "tokens", 16, 8192), 25)]
"""Of the curve."""


@pytest.fixture(scope="module")
def address(app_server: SharedApp, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The app with the handbook, and no question yet."""
    folder = tmp_path_factory.mktemp("live") / "workspace"
    Workspace.open(folder).put_document(parse_file(SAMPLES / "handbook/operations-handbook.md", root=SAMPLES))
    return app_server.show(folder)


def number(page: Page, label: str) -> float:
    """What a dial shows."""
    text = page.get_by_role("meter", name=label).locator(".number").inner_text()
    return float(text.removesuffix(" %"))


def counted(page: Page, fate: str) -> int:
    """How many answers are intact, split or missed."""
    return int(page.locator(f"button.fate.{fate} b").inner_text())


def decided_on_the_curve(tab: Page) -> None:
    """The curve is whole after a drag that never waited for it; its mark stands under the thumb, and its arrow keys set
    the size.
    """
    curve, slide = tab.locator(".curve").first, widget(tab, "settings-size").locator("#slide")
    expect(curve).to_have_attribute("data-state", "done")
    expect(curve.locator(".words")).not_to_have_class(re.compile("stale"))
    assert curve.locator("circle.recall").count() == 1 + len(SIZES)

    def apart() -> float:
        thumb = slide.evaluate("node => 8 + (node.value / node.max) * (node.clientWidth - 16)")
        return abs(float(curve.locator("line.now").get_attribute("x1") or 0) - float(thumb))

    assert apart() < 0.5
    box = widget(tab, "settings-size").locator("#box")
    size = int(box.input_value())
    curve.get_by_role("slider").focus()
    tab.keyboard.press("ArrowRight")
    expect(box).to_have_value(str(min(one for one in SIZES if one > size)))
    assert apart() < 0.5
    assert float(curve.locator("line.now").get_attribute("x1") or 0) in {
        float(x or 0)
        for x in curve.locator(".values circle.recall").evaluate_all("all => all.map((one) => one.getAttribute('cx'))")
    }


def test_drag_the_size_and_the_dial_follows(tab: Page, address: str) -> None:
    """From no question at all: two clicks, then every step of the slider moves marks, counts and dial; nothing else
    moves.
    """
    tab.goto(f"{address}/?size=200")
    tab.locator(".view[data-rev]").wait_for()
    settled(tab)
    tab.get_by_role("button", name="Load the sample questions").click()
    expect(tab.locator("button.fate.intact b")).to_have_text("36")
    tab.get_by_role("button", name="Show live recall").click()
    expect(tab.locator(".dial .tag")).to_have_text("live estimate")
    settled(tab)
    before, place = number(tab, "Recall"), tab.locator(".dial").bounding_box()
    assert before > 50
    assert counted(tab, "split") == 0
    turn = tab.locator(".dial").get_attribute("data-turn")
    widget(tab, "settings-size").locator("#box").fill("30")
    expect(tab.locator(".dial")).not_to_have_attribute("data-turn", str(turn))
    expect(tab.locator(".dial .recall .delta")).to_contain_text("▼")
    settled(tab)
    low = number(tab, "Recall")
    assert low < before
    assert counted(tab, "split") > 0
    assert counted(tab, "intact") + counted(tab, "split") + counted(tab, "missed") == 36
    assert tab.locator(".dial").bounding_box() == place
    assert tab.locator(".dial .recall .trace circle").count() >= 2
    tab.locator("button.fate.split").click()
    expect(tab.locator(".view .answer.split.reached").first).to_be_in_viewport()
    slider = widget(tab, "settings-size").locator("#slide").bounding_box()
    assert slider is not None
    tab.mouse.move(slider["x"] + 30, slider["y"] + slider["height"] / 2)
    tab.mouse.down()
    tab.mouse.move(slider["x"] + slider["width"] * 0.5, slider["y"] + slider["height"] / 2, steps=6)
    tab.mouse.up()
    expect(tab.locator("button.fate.split b")).to_have_text("0")
    settled(tab)
    assert number(tab, "Recall") > low
    decided_on_the_curve(tab)
    tab.get_by_role("link", name="Evaluate these settings").click()
    expect(tab.get_by_role("heading", name="Evaluate", exact=True)).to_be_visible()


def test_selected_text_becomes_a_question(tab: Page, address: str) -> None:
    """Select, ask, keep: the new answer is marked, and the set is there in a new link."""
    tab.goto(f"{address}/?size=200")
    tab.locator(".view[data-rev]").wait_for()
    settled(tab)
    part = tab.locator(".view .part").filter(has_text="House rule").first.bounding_box()
    assert part is not None
    tab.mouse.move(part["x"] + 40, part["y"] + 8)
    tab.mouse.down()
    tab.mouse.move(part["x"] + 240, part["y"] + 8, steps=4)
    tab.mouse.up()
    tab.get_by_role("button", name="Ask about this").click()
    dialog = tab.get_by_role("dialog")
    field = dialog.get_by_label("Answer", exact=True)
    expect(field).to_have_value(re.compile(".{11}", re.DOTALL))
    answer = field.input_value()
    dialog.get_by_label("Question", exact=True).fill("What if I have to ask <b>somebody</b>?")
    dialog.get_by_role("combobox").fill("Mine")
    tab.keyboard.press("Enter")
    dialog.get_by_role("button", name="Add the question").click()
    expect(dialog).to_have_count(0)
    expect(tab.locator("button.fate.intact b")).to_have_text("1")
    expect(tab).to_have_url(re.compile("questions=Mine"))
    settled(tab)
    assert "".join(tab.locator(".view .part.answer").all_text_contents()).strip() == answer
    tab.locator(".view .part.answer").first.hover()
    expect(tab.locator(".view .tip")).to_contain_text("What if I have to ask <b>somebody</b>?")
