"""The viewer in a notebook, driven as a person does; the same in JupyterLab, marimo and a page of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Locator, Page

from tests.browser.app import sound_tab

__all__ = ["LOCAL", "drag_slider", "local_tab", "ticks", "view_of"]

LOCAL = ("http://127.0.0.1", "ws://127.0.0.1", "data:", "blob:", "file:")
"""How the addresses begin that are asked on this machine, or not asked at all."""


@contextmanager
def local_tab(browser: Browser) -> Iterator[Page]:
    """A tab that asks nobody but this machine, and ends without an error in its page."""
    with sound_tab(browser, again=False) as page:
        requests: list[str] = []
        page.on("request", lambda request: requests.append(request.url))
        yield page
        assert [url for url in requests if not url.startswith(LOCAL)] == []


def view_of(panel: Locator | Page) -> Locator:
    """The text with its chunks."""
    return panel.locator(".chunkscope .view")


def ticks(panel: Locator | Page) -> Locator:
    """The chunks that are drawn: one each."""
    return view_of(panel).locator(".tick")


def drag_slider(page: Page, slide: Locator, *, to: float) -> None:
    """With the mouse, in steps, as a hand does; `to` is a share of its width."""
    slide.scroll_into_view_if_needed()
    box = slide.bounding_box()
    assert box
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 0.3, y)
    page.mouse.down()
    for step in range(1, 13):
        page.mouse.move(box["x"] + box["width"] * (0.3 + (to - 0.3) * step / 12), y)
    page.mouse.up()
