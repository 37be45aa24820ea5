"""What of a page is not its text: taken out of the tree before the walk, by the library's own loops, which cost little.

Hidden is what carries `hidden` or an inline style of `display: none` or `visibility: hidden`, a closed dialog, and what is
inline and `aria-hidden` (icons, the drawn twin of a formula); a block that is `aria-hidden` is still seen, so it stays.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from chunking.parsing.formats.html.elements import CONTROLS, DROPPED, FURNITURE_ROLES, HEADINGS, INLINE, LISTS, PREFORMATTED, UNSELECTABLE
from chunking.parsing.formats.html.layout import undo_layout
from chunking.parsing.formats.html.lines import collapse
from chunking.parsing.formats.html.list_markers import write_markers
from chunking.parsing.formats.html.list_rules import apply_list_rules
from chunking.parsing.formats.html.named_headings import permalinks_of
from chunking.parsing.formats.html.raised_elements import mark_raised
from chunking.text.invisible import without_invisible

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["FORMULA", "FURNITURE", "LINES", "Facts", "prune"]

FORMULA = "formula"
"""The tag given to a formula on a line of its own, so that the walk can tell it."""
FURNITURE = "furniture"
"""The tag given to what belongs to the site and not to the page; its attribute `reason` says what it is."""
LINES = "lines"
"""Attribute of furniture whose lines stay apart: it has nothing in it but its text."""

_NOTHING = "template"
"""The tag given to what is hidden: it is taken out with the rest that is no text."""

_HIDDEN_STYLE = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_TELLING = frozenset({"style", "hidden", "aria-hidden", "role", "hreflang"})
"""Attributes that say whether a reader sees an element as part of the page."""
_COLLECTED = (
    *("title", "script", "math", "button", "img", "dialog", "nav", "header", "footer", "table", "dl", "ol", "ul", "style", "sup", "sub"),
    *HEADINGS,
    *PREFORMATTED,
)
_LANGUAGE = re.compile(r"(?:^|\s)(?:language-|lang-|highlight-source-|highlight-|sourceCode |brush:\s*|hljs )([\w+#.-]+)")
_NO_LANGUAGE = frozenset({"notranslate", "default", "none", "nohighlight", "plaintext", "text", "hljs", "sourcecode"})
_ROLES = {"nav": "navigation", "footer": "contentinfo", "header": "banner"}
_SKIP = re.compile(r"\s*(?:skip|jump)\b.{0,40}$|\s*(?:跳到|跳至|跳转|跳过).{0,20}$", re.IGNORECASE)
_LEAST_TRANSLATIONS = 3
_DISPLAYSTYLE = re.compile(r"^\{\\(?:display|text)style\s+(.*)\}$", re.DOTALL)
_PARTS = ("article", "main", "section", "blockquote", "td", "aside", "figure", "li")
"""A header or footer in one of these is that part's own, not the page's."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What a page says of itself."""

    title: str | None
    language: str | None
    """As its `lang` has it."""
    controls: tuple[str, ...] = ()
    """What the site draws into its text to be clicked or counted, and a reader would not copy."""


def prune(root: _Element, markup: bytes | None = None, *, drawn: bool = False) -> Facts:
    """Take out of a tree, for good, what is not text of the page and the tags that mean nothing to a reader; give others their meaning.

    Lists, quotes and tables that are there for the layout become plain blocks, furniture and formulas get tags of their own.
    Each pass over the tree costs a tenth of the parse, so there are as few as can be.

    Args:
        root: of a tree without comments.
        markup: what it was parsed from, in UTF-8 and small letters, where that is known: it spares searches for what is not in it.
        drawn: see `nested_tables.settle_nested`.
    """
    from lxml import etree

    found: dict[str, list[_Element]] = {tag: [] for tag in _COLLECTED}
    for element in root.iter(*_COLLECTED):
        found[element.tag].append(element)
    if markup is not None:
        mark_raised(root, markup, (*found["sup"], *found["sub"]))
    title = next((without_invisible(collapse("".join(title.itertext()))) for title in found["title"] if not _inside(title, "svg")), "")
    sheets = found["style"]
    _note_languages(found)
    _keep_formulas(found)
    _keep_labels(found["button"])
    controls = _drop_skip_link(root)
    controls += [collapse("".join(button.itertext())) for button in found["button"] if button.tag == "button"]
    controls += _drop_permalinks(heading for tag in HEADINGS for heading in found[tag])
    for element in (*found["nav"], *found["header"], *found["footer"]):
        _mark_furniture(element)
    if markup is None or any(name.encode() in markup for name in (*_TELLING, "class")):
        controls += _heed_attributes(root)
    for dialog in found["dialog"]:
        if dialog.get("open") is None:
            dialog.tag = _NOTHING
    for image in found["img"]:
        image.text = image.get("alt", "")
    etree.strip_elements(root, *DROPPED, *CONTROLS, with_tail=False)
    etree.strip_tags(root, *INLINE)
    apply_list_rules(sheets, (*found["ol"], *found["ul"]))
    headings = [heading for tag in HEADINGS for heading in found[tag]]
    write_markers(found["ol"], headings)
    undo_layout(found["table"], headings, found["dl"], drawn=drawn)
    return Facts(title or None, root.get("lang"), tuple(filter(None, controls)))


def _inside(element: _Element, *tags: str) -> bool:
    return next(element.iterancestors(*tags), None) is not None


def _keep_formulas(found: Mapping[str, Sequence[_Element]]) -> None:
    """Formulas become their source where the page has it, else their text; not hidden, whatever stands around them."""
    for script in found["script"]:
        if (script.get("type") or "").startswith("math/tex"):
            script.tag = FORMULA if "display" in script.get("type", "") else "span"
    for formula in found["math"]:
        formula.text = _formula_text(formula)
        formula.tag, formula[:] = (FORMULA if formula.get("display") == "block" else "span"), []
        around = formula.getparent()
        while around is not None and around.tag == "span":
            around.attrib.pop("style", None)
            around = around.getparent()


def _formula_text(formula: _Element) -> str:
    for note in formula.iter("annotation"):
        if "tex" in (note.get("encoding") or "").lower() and note.text:
            source = note.text.strip()
            shown = _DISPLAYSTYLE.match(source)
            return shown[1].strip() if shown else source
    shown_nodes = (node for node in formula.iter() if not str(node.tag).startswith("annotation"))
    parts = [part for node in shown_nodes for part in (node.text, node.tail if node is not formula else None) if part]
    return collapse("".join(parts)) or formula.get("alttext", "")


def _keep_labels(buttons: Iterable[_Element]) -> None:
    """A heading that opens what is under it is a button to the page and a heading to the reader."""
    for button in buttons:
        if _inside(button, "summary", "dt", *HEADINGS):
            button.tag = "span"


def _drop_skip_link(root: _Element) -> list[str]:
    """A page's first link may lead past its menus, for those who do not see where they end; its text."""
    link = next(root.iter("a"), None)
    if link is not None and link.get("href", "").startswith("#") and _SKIP.match("".join(link.itertext())):
        link.tag = _NOTHING
        return [collapse("".join(link.itertext()))]
    return []


def _drop_permalinks(headings: Iterable[_Element]) -> list[str]:
    """Links of headings to themselves; their texts."""
    links = [link for heading in headings if len(heading) for link in permalinks_of(heading)]
    texts = [collapse("".join(link.itertext())) for link in links]
    for link in links:
        link.tag = _NOTHING
    return texts


def _heed_attributes(root: _Element) -> list[str]:
    """Mark what is hidden or furniture by its attributes; the texts of what is there to be clicked or counted."""
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


def _note_languages(found: Mapping[str, Sequence[_Element]]) -> None:
    """Which language code is in, from the classes around it, before the elements that carry them are taken out."""
    for code in [code for tag in PREFORMATTED for code in found[tag]]:
        around = [code, *code.iterchildren("code"), *list(code.iterancestors("div", "figure"))[:2]]
        names = (name for element in around for name in _languages(element))
        code.set("data-language", next(names, ""))


def _languages(element: _Element) -> list[str]:
    named = [element.get("data-lang") or element.get("data-language") or ""]
    found = [match.lower() for match in _LANGUAGE.findall(element.get("class") or "")]
    return [name for name in (*named, *found) if name and name not in _NO_LANGUAGE]


def _mark_furniture(element: _Element) -> None:
    reason = _furniture_reason(element)
    if reason:
        element.tag = FURNITURE
        element.set("reason", reason)


def _mark_translations(links: Iterable[_Element]) -> None:
    """A list of nothing but the page in other languages."""
    items = [link.getparent() for link in links]
    counts = Counter(item.getparent() for item in items if item is not None and item.tag == "li")
    for switch, count in counts.items():
        if switch is not None and switch.tag in LISTS and count >= _LEAST_TRANSLATIONS and count == len(switch.findall("li")):
            switch.tag = FURNITURE
            switch.set("reason", "links to other languages")


def _furniture_reason(element: _Element) -> str | None:
    """Why an element is no part of the page's own text; None where it is, or where that is not sure."""
    reason = FURNITURE_ROLES.get(element.get("role") or _ROLES.get(element.tag, ""))
    if reason in ("navigation", "search form", None):
        return reason
    if _inside(element, *_PARTS) or (reason == "page header" and next(element.iter(*HEADINGS), None) is not None):
        return None
    return reason
