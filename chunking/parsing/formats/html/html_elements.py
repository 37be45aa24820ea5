"""Sets of HTML elements by their role, and white space collapsed like in a browser."""

from __future__ import annotations

import re

from chunking.text.raised_text import END, write_raised

__all__ = [
    "BLOCKS",
    "BREAK",
    "BREAKS",
    "CONTROLS",
    "DROPPED",
    "FURNITURE_ROLES",
    "HEADINGS",
    "INLINE",
    "LISTS",
    "PREFORMATTED",
    "UNSELECTABLE",
    "collapse",
    "lines_of",
]

HEADINGS = {f"h{level}": level for level in range(1, 7)}

DROPPED = (
    *("script", "style", "template", "noscript", "title"),
    *("iframe", "frameset", "object", "applet", "svg", "canvas", "audio", "video", "map"),
    *("select", "datalist", "textarea", "input", "progress", "meter"),
)
"""Elements without text of the page; button labels too, unless the button is a heading."""

CONTROLS = ("button", "optgroup", "option")

INLINE = (
    *("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins"),
    *("kbd", "label", "mark", "nobr", "q", "rb", "rp", "rt", "rtc", "ruby", "s", "samp", "small", "span", "strike"),
    *("strong", "sub", "sup", "time", "tt", "u", "var", "wbr"),
    "embed",  # holds nothing, but the parser puts all that follows into it
)
"""Elements whose tags are removed before the walk, keeping their text."""

BREAKS = frozenset({"br", "hr"})

LISTS = frozenset({"ul", "ol", "menu", "dir"})

PREFORMATTED = frozenset({"pre", "listing", "xmp", "plaintext"})

BLOCKS = frozenset(
    {
        *(
            "html",
            "head",
            "body",
            "div",
            "p",
            "section",
            "article",
            "main",
            "header",
            "footer",
            "nav",
            "aside",
            "hgroup",
            "search",
        ),
        *("center", "address", "form", "fieldset", "legend", "details", "summary", "dialog", "figure", "figcaption"),
        *(
            "dl",
            "dt",
            "dd",
            "li",
            "blockquote",
            "table",
            "caption",
            "colgroup",
            "thead",
            "tbody",
            "tfoot",
            "tr",
            "td",
            "th",
        ),
        *("optgroup", "option", "hr"),
        *HEADINGS,
        *LISTS,
        *PREFORMATTED,
    }
)
"""Elements that begin and end a line; any other is part of its line."""

FURNITURE_ROLES = {
    "navigation": "navigation",
    "contentinfo": "page footer",
    "banner": "page header",
    "search": "search form",
}
"""Roles of parts of the site rather than the page, with the reason to leave them out."""

UNSELECTABLE = frozenset(
    {
        "mw-editsection",
        "mw-jump-link",
        "skip-link",
        "headerlink",
        "linenos",
        "lineno",
        "linenumber",
        "line-numbers-rows",
        "gutter",
    }
)
"""Exact classes of elements a reader would not copy: edit links, pilcrows, line numbers."""

BREAK = "\x1f"
"""Placeholder for `<br>` in text whose own line ends mean nothing."""

_CJK = "\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uff01-\uff60\U00020000-\U0003ffff"
_BETWEEN_CJK = re.compile(f"(?<=[{_CJK}])[ \t]*[\r\n][ \t\r\n]*(?=[{_CJK}])")
_SPACE = re.compile("[ \t\r\n\f\v\x1f]+")


def collapse(text: str) -> str:
    """Return a text on one line: single spaces, none at line ends in Chinese, no soft hyphens.

    Text between the characters of `raised_text` is written as plain text.

    >>> collapse(" 中文\\n文字  and\\xa0 words ")
    '中文文字 and words'
    """
    if not text.isascii():
        if END in text:
            text = write_raised(text)
        text = text.replace("\xa0", " ").replace("\xad", "")
        if "\n" in text or "\r" in text:
            text = _BETWEEN_CJK.sub("", text)
        if "\u3000" in text:  # as wide as a character, and not collapsed
            return _SPACE.sub(" ", text).strip()
    if "\n" in text or "  " in text or "\t" in text or "\r" in text or "\f" in text:
        return " ".join(text.split())
    return text.strip()


def lines_of(run: list[str]) -> list[str]:
    """Join text and split it at `BREAK` into collapsed lines, without empty first and last ones.

    >>> lines_of(["a", BREAK, " ", BREAK, "b", BREAK])
    ['a', '', 'b']
    """
    text = run[0] if len(run) == 1 else "".join(run)
    if BREAK not in text:
        line = collapse(text)
        return [line] if line else []
    lines = [collapse(line) for line in text.split(BREAK)]
    while lines and not lines[-1]:
        lines.pop()
    while lines and not lines[0]:
        lines.pop(0)
    return lines
