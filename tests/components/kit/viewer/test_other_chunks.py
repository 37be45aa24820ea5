"""Another way of splitting over the same lines: what is sent, and what is seen and said of it."""

from __future__ import annotations

import re

import numpy as np
import pytest
from playwright.sync_api import Page, expect

from chunking.splitting import BoundaryComparison, compare_boundaries, new_text
from chunking.viewing.messages.view_message import other_message
from components.kit.viewer import OtherChunks
from tests.components.apps.made_documents import scene_document, spans
from tests.components.kit.viewer.viewer_tab import after_repaint, ready, set_size


def of_size(size: int, overlap: int) -> OtherChunks:
    cut = spans(scene_document(), size, overlap)
    return OtherChunks(cut.starts, cut.ends, new_text(scene_document().text, cut), cut.tokens)


def compared(size: int) -> BoundaryComparison:
    """Chunks of a size with an overlap of 30, beside those of 200 with 20."""
    return compare_boundaries(of_size(size, 30).begins, of_size(200, 20).begins)


def test_only_differences_travel_with_a_step() -> None:
    """The chunks have one name as long as they are the same; a message without differences is a few bytes."""
    one, same, other = of_size(200, 20), of_size(200, 20), of_size(190, 20)
    assert one.key == same.key != other.key
    none = other_message(one, compare_boundaries(one.begins, same.begins))
    assert (none["packed"], none["a"], none["b"], none["shared"]) == ("", 0, 0, len(one) - 1)
    nothing = np.zeros(0, np.int32)
    assert other_message(one, BoundaryComparison(nothing, nothing, np.int32([3])))["n"] == 1


@pytest.mark.browser
def test_a_second_track_tells_the_differences(scene_address: str, tab: Page) -> None:
    """Numbers with a sign, dashes where only B has a boundary, counts above, a tip; D goes from difference to
    difference and says it.
    """
    ready(tab, scene_address)
    expect(tab.locator(".others")).to_be_hidden()
    after_repaint(tab, lambda: tab.get_by_text("show another way of splitting").click())
    comparison, other = compared(120), of_size(200, 20)
    marks = tab.locator(".view .othercut")
    text = scene_document().text
    assert marks.evaluate_all(
        "nodes => nodes.map((node) => [...node.nextSibling.textContent].slice(0, 2).join(''))"
    ) == [text[at : at + 2] for at in other.begins.tolist()]
    assert len(comparison.only_b) == tab.locator(".view .othercut.alone").count() > 0
    signs = [label[0] for label in tab.locator(".view .othernumber").all_inner_texts()[1:]]
    assert signs == ["=" if at in comparison.shared else "┆" for at in other.begins[1:].tolist()]
    counts = [int(number) for number in tab.locator(".others b").all_inner_texts()]
    cut = spans(scene_document(), 120, 30)
    assert counts == [
        len(cut.starts),
        len(other),
        len(comparison.shared),
        len(comparison.only_a),
        len(comparison.only_b),
    ]

    first = min([*comparison.only_a.tolist(), *comparison.only_b.tolist()])
    tab.locator(".view .scroller").focus()
    tab.keyboard.press("d")
    said = tab.locator(".view [aria-live]")
    expect(said).to_contain_text("Only A" if first in comparison.only_a else "Only B")
    expect(tab.locator(".view .part.differs")).to_have_text(re.compile(re.escape(text[first : first + 3])))
    before = said.inner_text()
    tab.get_by_role("button", name="Next difference").click()
    expect(said).not_to_have_text(before)
    tab.locator(".view .othernumber").last.hover()
    expect(tab.locator(".view .tip")).to_contain_text(f"{other.starts[-1]}–{other.ends[-1]}")

    after_repaint(tab, lambda: tab.get_by_text("show answers").click())
    assert [int(number) for number in re.findall(r"\d+", tab.locator(".fates .other").inner_text())] == [3, 0, 1]
    set_size(tab, 60)
    assert int(tab.locator(".others .onlyA b").inner_text()) == len(compared(60).only_a)
    after_repaint(tab, lambda: tab.get_by_text("show another way of splitting").click())
    expect(tab.locator(".others")).to_be_hidden()
    assert marks.count() == 0
