"""Checks of a page for everybody: what axe objects to, and what is wider than a small window."""

from __future__ import annotations

from typing import Any

from playwright.sync_api import Page, ViewportSize

WIDE: ViewportSize = {"width": 1440, "height": 900}
NARROW = (390, 640, 820)
LEVELS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]


def violations(page: Page, options: dict[str, Any]) -> list[str]:
    """What axe objects to: the rule, the element, and why."""
    violations = page.evaluate("(options) => axe.run(document, options)", {**options, "resultTypes": ["violations"]})[
        "violations"
    ]
    return [
        f"{rule['id']}: {node['html'][:200]} {node['failureSummary']}" for rule in violations for node in rule["nodes"]
    ]


def sideways(page: Page) -> list[str]:
    """What is wider than a small window: its width, the element, and how wide that is. 640 px are 1,280 px at 200 %
    zoom.
    """
    problems = []
    for width in NARROW:
        page.set_viewport_size({"width": width, "height": 800})
        wide = page.evaluate("""async () => {
            const drawn = () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
            const frames = document.querySelectorAll("[data-testid=stMain], [data-testid=stAppViewContainer]");
            const wide = () => [document.scrollingElement, ...frames].filter((box) => box.scrollWidth > innerWidth);
            await drawn();
            for (let turn = 0; turn < 60 && wide().length; turn++) await drawn(); // tables take some frames
            return wide().map((box) => `${box.dataset.testid ?? "page"} ${box.scrollWidth}`);
        }""")
        problems += [f"{width}: {one}" for one in wide]
    page.set_viewport_size(WIDE)
    return problems
