"""HTML rules of JupyterLab's sanitizer for untrusted notebooks.

From its table of tags, attributes and styles (packages/apputils/src/sanitizer.ts), as narrow as the source or narrower.
"""

from __future__ import annotations

import re
from html.parser import HTMLParser

__all__ = ["Page", "page_of"]

TAGS = frozenset({"b", "details", "div", "li", "span", "summary", "table", "tbody", "td", "th", "thead", "tr", "ul"})
ATTRIBUTES = frozenset({"dir", "style", "title"})
OWN = {("th", "scope"), ("td", "scope")}
_LENGTH, _SHARE = r"(?:\d+(?:\.\d+)?(?:px|em|%)|0)", r"(?:1|0|0\.\d+)"
_COLOUR = rf"(?:#[0-9a-f]{{6}}|rgba\(\d{{1,3}},\d{{1,3}},\d{{1,3}},{_SHARE}\)|transparent)"
_BORDER = rf"(?:(?:{_LENGTH}|solid|none|{_COLOUR})\s*){{1,3}}"
STYLES = {
    "background": _COLOUR,
    "border": _BORDER,
    "border-bottom": _BORDER,
    "border-collapse": "collapse",
    "border-left": _BORDER,
    "border-radius": _LENGTH,
    "cursor": "pointer",
    "display": "inline-block",
    "font-family": r"[a-z-]+(?:,[a-z-]+)*",
    "font-size": _LENGTH,
    "font-style": "italic",
    "font-weight": r"[1-9]00",
    "height": _LENGTH,
    "line-height": r"\d+(?:\.\d+)?",
    "margin": rf"(?:{_LENGTH}\s*){{1,4}}",
    "max-height": _LENGTH,
    "max-width": _LENGTH,
    "opacity": _SHARE,
    "overflow": "auto|hidden",
    "overflow-wrap": "break-word",
    "padding": rf"(?:{_LENGTH}\s*){{1,4}}",
    "padding-left": _LENGTH,
    "text-align": "left|right",
    "vertical-align": "top",
    "white-space": "pre-wrap|nowrap",
    "width": _LENGTH,
}


class Page(HTMLParser):
    """A page read as a browser does.

    Attributes:
        lost: what the sanitizer would take out.
        text: what a reader sees.
        open: elements that have not ended.
        tags: how often each element occurs.
    """

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.lost: list[str] = []
        self.text = ""
        self.open: list[str] = []
        self.tags: dict[str, int] = {}
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        self.tags[tag] = self.tags.get(tag, 0) + 1
        self.lost += [tag] if tag not in TAGS else []
        for name, value in attrs:
            if name not in ATTRIBUTES and (tag, name) not in OWN:
                self.lost.append(f"{tag} {name}")
            if name == "style":
                self.lost += [one for one in (value or "").split(";") if not _passes(one)]

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.lost.append(f"/{tag}")

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.lost.append(f"<!--{data}")

    def handle_decl(self, decl: str) -> None:
        self.lost.append(f"<!{decl}")


def page_of(html: str) -> Page:
    """Return a page's parse; assert that every element ends and the sanitizer would remove nothing."""
    page = Page(html)
    assert (page.lost, page.open) == ([], [])
    html.encode("utf-8")
    return page


def _passes(style: str) -> bool:
    name, _, value = style.partition(":")
    return name in STYLES and re.fullmatch(STYLES[name], value) is not None
