"""Remove text that is not the page's from a tree before the walk, by lxml's own fast loops.

Hidden is what has `hidden` or an inline `display: none` or `visibility: hidden`, a closed dialog, and inline elements
with `aria-hidden` (icons, the drawn twin of a formula); a block with `aria-hidden` is still visible, so it stays.

Lists, quotes and tables used for layout become plain blocks: whatever holds a heading is layout, since a heading opens
a section; so is a table around another, unless it reads like data (`nested_tables`).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chunking.parsing.formats.html.element_marks import mark_raised, permalinks_of
from chunking.parsing.formats.html.html_elements import (
    CONTROLS,
    DROPPED,
    FURNITURE_ROLES,
    HEADINGS,
    INLINE,
    LISTS,
    PREFORMATTED,
    UNSELECTABLE,
    collapse,
)
from chunking.parsing.formats.html.list_markers import apply_list_rules, write_markers
from chunking.parsing.formats.html.nested_tables import flatten, has_header, settle_nested
from chunking.text.folding import without_invisible

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["FORMULA", "FURNITURE", "LINES", "PageAttributes", "prune"]

FORMULA = "formula"
"""Tag of a displayed formula."""
FURNITURE = "furniture"
"""Tag of site furniture; its attribute `reason` says which."""
LINES = "lines"
"""Attribute of furniture that holds only text, whose lines are kept."""

_NOTHING = "template"
"""Tag of hidden elements, removed with the other non-text."""

_HIDDEN_STYLE = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_TELLING = frozenset({"style", "hidden", "aria-hidden", "role", "hreflang"})
"""Attributes that decide whether an element is visible text of the page."""
_COLLECTED = (
    *(
        "title",
        "script",
        "math",
        "button",
        "img",
        "dialog",
        "nav",
        "header",
        "footer",
        "table",
        "dl",
        "ol",
        "ul",
        "style",
        "sup",
        "sub",
    ),
    *HEADINGS,
    *PREFORMATTED,
)
_LANGUAGE = re.compile(
    r"(?:^|\s)(?:language-|lang-|highlight-source-|highlight-|sourceCode |brush:\s*|hljs )([\w+#.-]+)"
)
_NO_LANGUAGE = frozenset({"notranslate", "default", "none", "nohighlight", "plaintext", "text", "hljs", "sourcecode"})
_ROLES = {"nav": "navigation", "footer": "contentinfo", "header": "banner"}
_SKIP = re.compile(r"\s*(?:skip|jump)\b.{0,40}$|\s*(?:跳到|跳至|跳转|跳过).{0,20}$", re.IGNORECASE)
_LEAST_TRANSLATIONS = 3
_DISPLAYSTYLE = re.compile(r"^\{\\(?:display|text)style\s+(.*)\}$", re.DOTALL)
_PARTS = ("article", "main", "section", "blockquote", "td", "aside", "figure", "li")
"""Elements whose header or footer belongs to them, not to the page."""


@dataclass(frozen=True, slots=True)
class PageAttributes:
    """Title, language, and texts of removed controls of a page."""

    title: str | None
    language: str | None
    """Value of the `lang` attribute."""
    controls: tuple[str, ...] = ()
    """Texts of clickable or counting parts that a reader would not copy."""


def prune(root: _Element, markup: bytes | None = None, *, word_processed: bool = False) -> PageAttributes:
    """Remove a page's hidden text, controls and inline tags in place; mark furniture and formulas.

    Returns the page's title and language, and the texts of removed controls. Layout lists, quotes and tables become
    plain blocks; furniture and formulas get tags of their own. Each pass over the tree costs a tenth of the parse, so
    there are as few as possible.

    Args:
        root: of a tree without comments.
        markup: source in lower-case UTF-8; saves searches for what it does not contain. None: superscripts and
            subscripts are not marked.
        word_processed: see `nested_tables.settle_nested`.
    """
    from lxml import etree

    by_tag: dict[str, list[_Element]] = {tag: [] for tag in _COLLECTED}
    for element in root.iter(*_COLLECTED):
        by_tag[element.tag].append(element)
    if markup is not None:
        mark_raised(root, markup, (*by_tag["sup"], *by_tag["sub"]))
    title = next(
        (
            without_invisible(collapse("".join(title.itertext())))
            for title in by_tag["title"]
            if not _inside(title, "svg")
        ),
        "",
    )
    sheets = by_tag["style"]
    _note_languages(by_tag)
    _keep_formulas(by_tag)
    _keep_labels(by_tag["button"])
    controls = _drop_skip_link(root)
    controls += [collapse("".join(button.itertext())) for button in by_tag["button"] if button.tag == "button"]
    controls += _drop_permalinks(heading for tag in HEADINGS for heading in by_tag[tag])
    for element in (*by_tag["nav"], *by_tag["header"], *by_tag["footer"]):
        _mark_furniture(element)
    if markup is None or any(name.encode() in markup for name in (*_TELLING, "class")):
        controls += _heed_attributes(root)
    for dialog in by_tag["dialog"]:
        if dialog.get("open") is None:
            dialog.tag = _NOTHING
    for image in by_tag["img"]:
        image.text = image.get("alt", "")
    etree.strip_elements(root, *DROPPED, *CONTROLS, with_tail=False)
    etree.strip_tags(root, *INLINE)
    apply_list_rules(sheets, (*by_tag["ol"], *by_tag["ul"]))
    headings = [heading for tag in HEADINGS for heading in by_tag[tag]]
    write_markers(by_tag["ol"], headings)
    undo_layout(by_tag["table"], headings, by_tag["dl"], word_processed=word_processed)
    return PageAttributes(title or None, root.get("lang"), tuple(filter(None, controls)))


def _inside(element: _Element, *tags: str) -> bool:
    return next(element.iterancestors(*tags), None) is not None


def _keep_formulas(by_tag: Mapping[str, Sequence[_Element]]) -> None:
    """Replace formulas by their source, else their text, even inside hidden elements."""
    for script in by_tag["script"]:
        if (script.get("type") or "").startswith("math/tex"):
            script.tag = FORMULA if "display" in script.get("type", "") else "span"
    for formula in by_tag["math"]:
        formula.text = _formula_text(formula)
        formula.tag, formula[:] = (FORMULA if formula.get("display") == "block" else "span"), []
        wrapper = formula.getparent()
        while wrapper is not None and wrapper.tag == "span":
            wrapper.attrib.pop("style", None)
            wrapper = wrapper.getparent()


def _formula_text(formula: _Element) -> str:
    for note in formula.iter("annotation"):
        if "tex" in (note.get("encoding") or "").lower() and note.text:
            source = note.text.strip()
            unwrapped = _DISPLAYSTYLE.match(source)
            return unwrapped[1].strip() if unwrapped else source
    shown_nodes = (node for node in formula.iter() if not str(node.tag).startswith("annotation"))
    parts = [part for node in shown_nodes for part in (node.text, node.tail if node is not formula else None) if part]
    return collapse("".join(parts)) or formula.get("alttext", "")


def _keep_labels(buttons: Iterable[_Element]) -> None:
    """Keep button labels that are headings of the section they open."""
    for button in buttons:
        if _inside(button, "summary", "dt", *HEADINGS):
            button.tag = "span"


def _drop_skip_link(root: _Element) -> list[str]:
    """Drop a first link that skips the menus, and return its text."""
    link = next(root.iter("a"), None)
    if link is not None and link.get("href", "").startswith("#") and _SKIP.match("".join(link.itertext())):
        link.tag = _NOTHING
        return [collapse("".join(link.itertext()))]
    return []


def _drop_permalinks(headings: Iterable[_Element]) -> list[str]:
    """Drop the headings' links to themselves, and return their texts."""
    links = [link for heading in headings if len(heading) for link in permalinks_of(heading)]
    texts = [collapse("".join(link.itertext())) for link in links]
    for link in links:
        link.tag = _NOTHING
    return texts


def _heed_attributes(root: _Element) -> list[str]:
    """Mark elements hidden or furniture by their attributes, and return the texts of controls."""
    links = []
    controls = []
    for element in root.iter("*"):
        if element.get("class") in UNSELECTABLE:
            if not _inside(element, _NOTHING):
                controls.append(collapse("".join(element.itertext())))
            element.tag = _NOTHING
        elif not _TELLING.isdisjoint(element.keys()):
            if element.get("role"):
                _mark_furniture(element)
            if _is_hidden(element):
                element.tag = _NOTHING
            elif element.get("hreflang"):
                links.append(element)
    _mark_translations(links)
    return controls


def _is_hidden(element: _Element) -> bool:
    get = element.get
    if element.tag in (FORMULA, "html", "body"):
        return False
    if get("hidden") is not None and get("hidden") != "until-found":
        return True
    if get("aria-hidden") == "true" and (element.tag in INLINE or element.tag == "img"):
        return True
    return bool(_HIDDEN_STYLE.search(get("style") or ""))


def _note_languages(by_tag: Mapping[str, Sequence[_Element]]) -> None:
    """Record the language of code from classes around it, before these elements go."""
    for code in [code for tag in PREFORMATTED for code in by_tag[tag]]:
        holders = [code, *code.iterchildren("code"), *list(code.iterancestors("div", "figure"))[:2]]
        names = (name for element in holders for name in _languages(element))
        code.set("data-language", next(names, ""))


def _languages(element: _Element) -> list[str]:
    named = [element.get("data-lang") or element.get("data-language") or ""]
    from_classes = [match.lower() for match in _LANGUAGE.findall(element.get("class") or "")]
    return [name for name in (*named, *from_classes) if name and name not in _NO_LANGUAGE]


def _mark_furniture(element: _Element) -> None:
    reason = _furniture_reason(element)
    if reason:
        element.tag = FURNITURE
        element.set("reason", reason)


def _mark_translations(links: Iterable[_Element]) -> None:
    """Mark a list that only links to translations of the page."""
    items = [link.getparent() for link in links]
    counts = Counter(item.getparent() for item in items if item is not None and item.tag == "li")
    for switch, count in counts.items():
        if (
            switch is not None
            and switch.tag in LISTS
            and count >= _LEAST_TRANSLATIONS
            and count == len(switch.findall("li"))
        ):
            switch.tag = FURNITURE
            switch.set("reason", "links to other languages")


def _furniture_reason(element: _Element) -> str | None:
    """Reason why an element is furniture; None if it is text of the page, or if unsure."""
    reason = FURNITURE_ROLES.get(element.get("role") or _ROLES.get(element.tag, ""))
    if reason in ("navigation", "search form", None):
        return reason
    if _inside(element, *_PARTS) or (reason == "page header" and next(element.iter(*HEADINGS), None) is not None):
        return None
    return reason


_HOLDERS = frozenset({*LISTS, "dl", "dt", "dd", "li", "blockquote", "figure"})
_DEFINITION_PARTS = ("table", "dl", "blockquote", "figure", *LISTS, *PREFORMATTED)
"""Content that a definition list of plain lines cannot hold."""
_PLAIN = "div"


def undo_layout(
    tables: Sequence[_Element],
    headings: Sequence[_Element],
    definitions: Iterable[_Element],
    *,
    word_processed: bool = False,
) -> None:
    """Turn layout tables and lists into `div` in place; takes all tables, headings, `dl` of a tree.

    Each ancestor is visited once, whatever their number and depth.
    """
    for table in tables:
        if table.get("role") in ("presentation", "none"):
            flatten(table)
    settle_nested([table for table in tables if table.tag == "table"], headings, word_processed=word_processed)
    visited: set[_Element] = set()
    for heading in headings:
        _open_up(heading, visited)
    for one in definitions:
        if next(one.iterdescendants(*_DEFINITION_PARTS), None) is not None:
            _spread(one)


def _open_up(heading: _Element, visited: set[_Element]) -> None:
    """Flatten the ancestors of a heading, up to a table in which it is only the words of a cell."""
    ancestor = heading.getparent()
    while ancestor is not None and ancestor not in visited:
        visited.add(ancestor)
        if ancestor.tag == "table" and not _flatten_unless_data(ancestor):
            return
        if ancestor.tag in _HOLDERS:
            ancestor.tag = _PLAIN
        ancestor = ancestor.getparent()


def _flatten_unless_data(table: _Element) -> bool:
    if has_header(table):
        return False
    flatten(table)
    return True


def _spread(definitions: _Element) -> None:
    """Turn a definition list that holds more than lines into plain blocks."""
    for part in [definitions, *definitions.iterchildren("div")]:
        for child in part.iterchildren("dt", "dd"):
            child.tag = _PLAIN
    definitions.tag = _PLAIN
