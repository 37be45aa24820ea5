"""Browser tab that records a page's last change and its traffic."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, CDPSession, Page

__all__ = ["Load", "Probe"]

_PATIENCE = 120_000
QUIET = 300
"""Milliseconds without a change after which a page is settled; not counted."""

_WATCH = """(() => {
    const bench = window.bench = { began: 0, changed: 0, roots: [] };
    const now = () => performance.now();
    const all = { subtree: true, childList: true, attributes: true, characterData: true };
    const watch = (root, told) => new MutationObserver(told).observe(root, all);
    watch(document, () => { bench.changed = now(); });
    const attach = Element.prototype.attachShadow;
    Element.prototype.attachShadow = function (options) {
        const root = attach.call(this, options), entry = { host: this, changed: 0 };
        bench.roots.push(entry);
        watch(root, () => { entry.changed = bench.changed = now(); });
        return root;
    };
    addEventListener("chunkscope:painted", () => { bench.changed = now(); bench.painted = now(); });
    bench.begin = () => { bench.began = now(); bench.painted = 0; };
    for (const name of ["click", "keydown"]) addEventListener(name, bench.begin, true);
    // When what stands in the component with this key last changed after the click or key; 0 where it did not.
    bench.component = (key) => {
        const times = bench.roots
            .filter(({ host }) => host.isConnected && host.closest(`.st-key-${key}`))
            .map(({ changed }) => changed);
        return Math.max(0, ...times) - bench.began;
    };
    bench.settled = (quiet, path) => {
        if (!document.querySelector("[data-test-script-state=notRunning]")) return null;
        if (document.querySelector("[data-testid=stSkeleton]")) return null;
        if (path !== null && (location.pathname.slice(1) !== path || bench.changed < bench.began)) return null;
        return now() - Math.max(bench.changed, bench.began) > quiet ? Math.max(bench.changed - bench.began, 0) : null;
    };
})()"""


@dataclass(frozen=True, slots=True)
class Load:
    """Bytes received while a page was opened, with headers."""

    streamlit: Counter[str] = field(default_factory=Counter)
    """Bytes of Streamlit's files by kind: script, stylesheet, font ..."""
    ours: Counter[str] = field(default_factory=Counter)
    """Bytes of the app by kind; `messages` are those of the web socket: page, texts, scripts and styles."""
    packed: Counter[str] = field(default_factory=Counter)
    """Number of files by compression."""

    @property
    def total(self) -> int:
        """Return the bytes of all files, without messages."""
        return sum(self.streamlit.values()) + sum(size for kind, size in self.ours.items() if kind != "messages")


class Probe:
    """New tab with an empty cache.

    Args:
        browser: Chromium.
    """

    def __init__(self, browser: Browser) -> None:
        self._context = browser.new_context(viewport={"width": 1440, "height": 900})
        self.page: Page = self._context.new_page()
        self.page.set_default_timeout(_PATIENCE)
        self.page.add_init_script(_WATCH)
        self.load = Load()
        self._files: dict[str, tuple[str, str, str]] = {}
        wire: CDPSession = self._context.new_cdp_session(self.page)
        wire.on("Network.responseReceived", self._received)
        wire.on("Network.loadingFinished", self._finished)
        wire.on("Network.webSocketFrameReceived", self._message)
        wire.send("Network.enable")

    def close(self) -> None:
        """Close the tab."""
        self._context.close()

    def _received(self, event: dict[str, Any]) -> None:
        answer = event["response"]
        packed = next(
            (value for name, value in answer["headers"].items() if name.lower() == "content-encoding"), "not compressed"
        )
        self._files[event["requestId"]] = (answer["url"], event["type"].lower(), packed)

    def _finished(self, event: dict[str, Any]) -> None:
        url, kind, packed = self._files.get(event["requestId"], ("", "other", ""))
        path = urlsplit(url).path
        own = not path.startswith(("/static/", "/_stcore/", "/favicon")) and path != "/" and bool(path)
        (self.load.ours if own else self.load.streamlit)[kind] += int(event["encodedDataLength"])
        self.load.packed[packed] += 1

    def _message(self, event: dict[str, Any]) -> None:
        frame = event["response"]
        data = frame["payloadData"]
        self.load.ours["messages"] += len(data) * 3 // 4 if frame["opcode"] == 2 else len(data)

    def go(self, title: str) -> None:
        """Click the link to a page."""
        self.page.get_by_role("navigation").get_by_role("link", name=title, exact=True).click()

    def settle(self, path: str | None = None) -> float:
        """Wait until the page is settled; returns milliseconds from the last input to the last painted change.

        Args:
            path: of the page that must be drawn since the last click or key.
        """
        look = "([quiet, path]) => { const at = bench.settled(quiet, path); return at === null ? null : [at]; }"
        handle = self.page.wait_for_function(look, arg=[QUIET, path])
        (milliseconds,) = handle.json_value()
        return float(milliseconds)

    def press(self, key: str) -> float:
        """Press a key and wait for the viewer; returns the milliseconds until it has painted."""
        self.page.keyboard.press(key)
        self.page.wait_for_function("() => bench.painted > 0")
        return float(self.page.evaluate("bench.painted - bench.began"))

    def changed(self, key: str) -> float:
        """Return the milliseconds from the last input to the last change in a component of a settled page."""
        self.settle()
        return float(self.page.evaluate("(key) => bench.component(key)", key))
