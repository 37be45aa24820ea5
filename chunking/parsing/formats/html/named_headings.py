"""Headings named by ARIA instead of h1 to h6, and the permalinks that sites add to headings."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from chunking.parsing.formats.html.html_elements import HEADINGS
from chunking.text.folding import without_invisible

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["name_headings", "permalinks_of"]

_ROLE = re.compile(rb"role\s{0,9}=\s{0,9}[\"']?\s{0,9}heading")
_LEVEL = 2
"""Of `role="heading"` without a level (ARIA 1.2)."""
_HOLDERS = frozenset({"td", "th", "li", "dd", "dt", "caption", "summary", "figcaption", "legend"})
"""Elements that keep their tag around a heading."""
_NEVER = frozenset({"html", "body", "table", "tr", "thead", "tbody", "tfoot", "ul", "ol", "dl"})
_SIGNS = frozenset({"", "#", "##", "¶", "§", "🔗", "⚓", "⛓", "🔖", "∞", "⌗"})
_WORDS = frozenset({"link", "permalink", "anchor", "permanent link", "direct link", "copy link"})
_NAMES = ("anchor", "headerlink", "hash-link", "permalink", "heading-link", "deep-link", "self-link")


def name_headings(root: _Element, markup: bytes) -> None:
    """Turn elements with `role="heading"` into h1 to h6, and apply `aria-level`.

    Args:
        root: of a tree without comments.
        markup: source in lower-case UTF-8; saves searches for what it does not contain.
    """
    if b"aria-level" not in markup and not _ROLE.search(markup):
        return
    for element in root.xpath("//*[@role or @aria-level]"):
        role = (element.get("role") or "").lower().split()
        aria_level = (element.get("aria-level") or "").strip()
        level = min(int(aria_level), 6) if aria_level.isdecimal() and len(aria_level) < 9 and int(aria_level) else 0
        if element.tag in HEADINGS:
            if level and role[:1] in ([], ["heading"]):
                element.tag = f"h{level}"
        elif role[:1] == ["heading"] and element.tag not in _NEVER and not _stands_in_heading(element):
            _make_heading(element, f"h{level or _LEVEL}")


def _stands_in_heading(element: _Element) -> bool:
    inner = next(element.iterdescendants(*HEADINGS), None)
    return inner is not None or next(element.iterancestors(*HEADINGS), None) is not None


def _make_heading(element: _Element, tag: str) -> None:
    if element.tag not in _HOLDERS:
        element.tag = tag
        return
    heading = element.makeelement(tag)
    heading.text, element.text = element.text, None
    heading.extend(list(element))
    element.append(heading)


def permalinks_of(heading: _Element) -> list[_Element]:
    """Links of a heading to the page itself that show a sign or nothing; none if they are all its text."""
    links = [link for link in heading.iterdescendants("a") if _is_permalink(link)]
    if not links or len(heading) > len(links):
        return links
    rest = without_invisible("".join(heading.itertext())).split()
    return links if rest != without_invisible("".join("".join(link.itertext()) for link in links)).split() else []


def _is_permalink(link: _Element) -> bool:
    href = link.get("href") or ""
    if "#" not in href:
        return False
    words = " ".join(without_invisible("".join(link.itertext())).split())
    if words in _SIGNS:
        return next(link.iterdescendants("img"), None) is None or not words
    named = (link.get("class") or "").lower()
    return words.lower() in _WORDS and any(name in named for name in _NAMES)
