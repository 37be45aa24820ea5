"""Controls and words that a page shows at rest: what a reader has to look past before the first click.

`python -m tests.browser.at_rest ADDRESS …` counts them for pages of a running app.
"""

from __future__ import annotations

import sys
from typing import NamedTuple

from playwright.sync_api import Page

from tests.browser.app import chromium, new_tab, settled

__all__ = ["AtRest", "at_rest"]


class AtRest(NamedTuple):
    """Counts of one page at rest, the whole of it, scrolled to or not."""

    controls: int
    """Buttons, links, fields, sliders and choices of the page that can be used; a list or tree of rows is one."""
    helps: int
    """Signs that only explain what stands beside them."""
    navigation: int
    """The same of the bar above all pages."""
    words: int
    """Words in sight on the page, without the shown document's text."""


_COUNT = """() => {
    const CONTROLS = "button, a[href], input:not([type=hidden]), textarea, select, summary, [tabindex]";
    const ROWS = "[role=tree], [role=grid], [role=listbox]";
    const found = { controls: 0, helps: 0, navigation: 0, words: 0 };
    // Beyond the left or upper edge is what only the focus or a drawer brings in
    const onPage = (node) => {
        const { right, bottom } = node.getBoundingClientRect();
        return right > 0 && bottom + scrollY > 0;
    };
    const seen = (node) => node.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })
        && node.getClientRects().length > 0;
    const walk = (node, bar, rows) => {
        if (node.nodeType === Node.TEXT_NODE) {
            if (!bar && node.parentElement && seen(node.parentElement) && onPage(node.parentElement))
                found.words += node.data.split(/\\s+/).filter((word) => /[\\p{L}\\p{N}]/u.test(word)).length;
            return;
        }
        if (node instanceof Element) {
            if (/^(SCRIPT|STYLE)$/.test(node.tagName) || !seen(node) && getComputedStyle(node).display !== "contents")
                return;
            bar ||= node.matches("[data-testid=stHeader], .st-key-workspace-switcher");
            if (node.matches(CONTROLS) && (node.tabIndex >= 0 || rows) && !node.disabled
                && onPage(node) && node.ariaDisabled !== "true" && !node.matches("[data-testid=stMain]")) {
                const help = node.matches("[data-testid=stTooltipIcon] *, .why");
                if (!rows) found[help ? "helps" : bar ? "navigation" : "controls"]++;
            }
            rows ||= node.matches(ROWS);
        }
        if (node.classList?.contains("shown")) return;
        for (const child of [...(node.shadowRoot?.childNodes ?? []), ...node.childNodes]) walk(child, bar, rows);
    };
    walk(document.body, false, false);
    return found;
}"""


def at_rest(page: Page) -> AtRest:
    """Count what a settled page shows."""
    return AtRest(**page.evaluate(_COUNT))


def main(addresses: list[str]) -> None:
    """Print a line for each page."""
    with chromium() as browser:
        for address in addresses:
            page = new_tab(browser, width=1366, height=768)
            page.goto(address)
            settled(page)
            page.wait_for_timeout(4_000)  # what comes after the first run: text, dial and curves
            print(address, at_rest(page))
            page.close()


if __name__ == "__main__":
    main(sys.argv[1:])
