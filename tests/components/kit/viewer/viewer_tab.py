"""The viewer in a tab: opened, changed, and where its text stands."""

from __future__ import annotations

import re
from typing import Any

from playwright.sync_api import Page, expect

from chunking.model import Document
from tests.browser.app import settled

ROOT = "document.querySelector('.st-key-viewer [data-testid=stBidiComponentIsolated]').shadowRoot"
SELECT = f"""([from, to]) => {{ const parts = [...{ROOT}.querySelectorAll('.part')];
    const place = (unit) => {{ const part = parts.findLast((one) => one.unit <= unit);
        return [part.firstChild, unit - part.unit]; }};
    getSelection().setBaseAndExtent(...place(from), ...place(to)); }}"""
COPY = f"""() => {{ const data = new DataTransfer();
    {ROOT}.querySelector('.part').dispatchEvent(new ClipboardEvent('copy',
        {{ clipboardData: data, bubbles: true, cancelable: true }}));
    return data.getData('text/plain'); }}"""

_TOP_OF = f"""(unit) => {{ const edge = {ROOT}.querySelector('.scroller').getBoundingClientRect().top;
    for (const part of {ROOT}.querySelectorAll('.part')) {{
        const index = unit - part.unit;
        if (index < 0 || index >= part.firstChild.length) continue;
        const range = document.createRange();
        range.setStart(part.firstChild, index); range.setEnd(part.firstChild, index + 1);
        return range.getBoundingClientRect().top - edge; }}
    return null; }}"""


def top_of(tab: Page, document: Document, offset: int) -> float | None:
    """How many pixels below the viewer's edge a character stands; None where it is not in the page."""
    return tab.evaluate(_TOP_OF, len(document.text[:offset].encode("utf-16-le")) // 2)


def section_on_top(tab: Page, document: Document, title: str) -> bool:
    """Is the section's first character the first line on screen, its prefix line aside?"""
    start = next(section.start for section in document.sections if section.title == title)
    top = top_of(tab, document, start)
    return top is not None and 0 <= top < 40


def ready(tab: Page, address: str) -> None:
    """Open the page and wait until the viewer has drawn."""
    tab.goto(address)
    tab.locator(".view[data-rev]").wait_for()
    settled(tab)


def after_repaint(tab: Page, act: Any) -> None:
    """Do something, and wait until the viewer has answered it."""
    run = tab.locator(".view").get_attribute("data-run")
    act()
    expect(tab.locator(".view")).not_to_have_attribute("data-run", str(run))
    settled(tab)


def set_size(tab: Page, size: int) -> None:
    """Type another size than the one set."""
    after_repaint(tab, lambda: tab.locator(".st-key-settings-size #box").fill(str(size)))
    expect(tab.get_by_text(re.compile(rf"size:\s*{size}"))).to_be_visible()
    settled(tab)
