"""Retag headings named by ARIA, find permalinks of headings, and mark superscripts and subscripts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from chunking.parsing.formats.html.html_elements import BLOCKS, HEADINGS
from chunking.text.folding import without_invisible
from chunking.text.raised_text import END, LINKED, SUBSCRIPT, SUPERSCRIPT

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["mark_raised", "name_headings", "permalinks_of"]

_ROLE = re.compile(rb"role\s{0,9}=\s{0,9}[\"']?\s{0,9}heading")
_LEVEL = 2
"""Level of `role="heading"` without one (ARIA 1.2)."""
_HOLDERS = frozenset({"td", "th", "li", "dd", "dt", "caption", "summary", "figcaption", "legend"})
"""Elements that keep their tag around a heading."""
_NEVER = frozenset({"html", "body", "table", "tr", "thead", "tbody", "tfoot", "ul", "ol", "dl"})
_SIGNS = frozenset({"", "#", "##", "¶", "§", "🔗", "⚓", "⛓", "🔖", "∞", "⌗"})
_WORDS = frozenset({"link", "permalink", "anchor", "permanent link", "direct link", "copy link"})
_NAMES = ("anchor", "headerlink", "hash-link", "permalink", "heading-link", "deep-link", "self-link")

_TAGS = {"sup": SUPERSCRIPT, "sub": SUBSCRIPT}
_STYLED = ("span", "a", "small", "font", "i", "b", "em", "strong", "u", "abbr", "label")
"""Elements that a style may raise; on others `vertical-align` places a cell or a picture."""
_STYLE = re.compile(
    r"vertical-align\s*:\s*(?:(super|text-top)|(sub|text-bottom)|(-?)\d{0,3}\.?\d{1,4}(?:em|ex|px|pt|%))", re.IGNORECASE
)
_INLINE = re.compile(rb"style=[\"'][^\"'<>]{0,200}vertical-align")
"""Cheap test: some element has such an inline style."""
_SELECTOR = re.compile(r"([a-z][a-z0-9]{0,9})?(?:\.([\w-]{1,60}))?", re.IGNORECASE)
_MOST_SHEETS, _MOST_RULES = 20, 5_000
_LONGEST_RULE, _LONGEST_SELECTORS = 2_000, 400
"""Characters of a rule before `vertical-align`, and of its selectors."""
_NOTE_NAME = re.compile(r"noteref|note-ref|fnref", re.IGNORECASE)
_NOTE_CLASS = re.compile(rf"{_NOTE_NAME.pattern}|\breference\b", re.IGNORECASE)
_LONGEST_MARK = 12
_WRITTEN_MARK = re.compile(r"\[[0-9]{1,4}\]")
"""A note mark already in brackets: a wiki page has hundreds."""


def name_headings(root: _Element, markup: bytes) -> None:
    """Turn elements with `role="heading"` into h1 to h6 in place, and apply `aria-level`.

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
    """Return a heading's permalinks: links with `#` that show a sign (¶), `permalink` or nothing.

    Empty if the heading has no other text.
    """
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


def mark_raised(root: _Element, markup: bytes, raised: Iterable[_Element] | None = None) -> None:
    """Put the marks of `raised_text` around superscripts and subscripts of a page, in place.

    They are found by tag, inline style, a simple rule of the page's styles, or as note links; formulas in MathML stay
    as they are.

    Args:
        root: of a tree without comments.
        markup: source in lower-case UTF-8; saves searches for what it does not contain.
        raised: `sup` and `sub` elements of the page, if known.
    """
    for element in root.iter(*_TAGS) if raised is None else raised:
        _wrap(element, _TAGS[element.tag])
    styled = b"vertical-align" in markup
    rules = dict(_raising_rules(root)) if styled else {}
    if rules or (styled and _INLINE.search(markup)):
        for element in root.iter(*_STYLED):
            opening = _by_style(element, rules) if element.tag in _STYLED else ""
            if opening:
                _wrap(element, opening)
    if b"noteref" in markup or b"footnote-ref" in markup:
        for link in root.iter("a"):
            text = "".join(islice(link.itertext(), 20))
            is_marked = END in text or (link.getparent() is not None and link.getparent().tag in _TAGS)
            if not is_marked and len(text) <= _LONGEST_MARK and _names_note(link):
                _wrap(link, SUPERSCRIPT)


def _wrap(element: _Element, opening: str) -> None:
    is_plain = not len(element)
    text = element.text or "" if is_plain else "".join(islice(element.itertext(), 20))
    if not text.strip() or (not is_plain and any(child.tag in BLOCKS for child in element)):
        return
    if opening == SUPERSCRIPT and len(text) <= _LONGEST_MARK and _is_note(element, text):
        if _WRITTEN_MARK.fullmatch(text):
            return
        opening = LINKED
    if is_plain:
        element.text = opening + text + END
    else:
        last = element[-1]
        element.text, last.tail = opening + (element.text or ""), (last.tail or "") + END


def _is_note(element: _Element, text: str) -> bool:
    """True if a superscript is only a link within the document, or is named a note reference."""
    named = element.get("class")
    if (named and _NOTE_CLASS.search(named)) or _names_note(element):
        return True
    link = next(element.iter("a"), None)
    if link is None:
        link = next((one for one in islice(element.iterancestors(), 3) if one.tag == "a"), None)
        if link is None or "".join(islice(link.itertext(), 20)).strip() != text.strip():
            return False
    return _names_note(link) or "#" in (link.get("href") or "")


def _names_note(element: _Element) -> bool:
    return any(name and _NOTE_NAME.search(name) for name in map(element.get, ("role", "epub:type", "class")))


def _raising_rules(root: _Element) -> Iterator[tuple[str, str]]:
    """(tag, `.class` or both, opening character) of style rules that raise or lower text."""
    for element in islice(root.iter("style"), _MOST_SHEETS):
        sheet = "".join(element.itertext())
        declared = _STYLE.finditer(sheet) if "vertical-align" in sheet.lower() else ()
        for declaration in islice(declared, _MOST_RULES):
            opening, brace = (
                _raised_by(declaration),
                sheet.rfind("{", max(declaration.start() - _LONGEST_RULE, 0), declaration.start()),
            )
            if not opening or brace < 0 or "}" in sheet[brace : declaration.start()]:
                continue
            selectors = sheet[max(brace - _LONGEST_SELECTORS, 0) : brace]
            for selector in selectors[selectors.rfind("}") + 1 :].split(","):
                last = _SELECTOR.fullmatch((selector.split() or [""])[-1])
                if last and last[2]:
                    yield f"{(last[1] or '').lower()}.{last[2]}", opening


def _by_style(element: _Element, rules: Mapping[str, str]) -> str:
    style = element.get("style")
    declaration = _STYLE.search(style) if style else None
    opening = _raised_by(declaration) if declaration else ""
    if not opening and rules:
        for name in (element.get("class") or "").split()[:8]:
            opening = opening or rules.get(f".{name}") or rules.get(f"{element.tag}.{name}") or ""
    return opening


def _raised_by(declaration: re.Match[str]) -> str:
    """Direction of a declaration; empty for a length of 0."""
    if declaration[2] or declaration[3]:
        return SUBSCRIPT
    return SUPERSCRIPT if declaration[1] or re.search("[1-9]", declaration[0]) else ""
