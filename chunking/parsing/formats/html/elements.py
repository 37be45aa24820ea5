"""Which element of a page is what to a reader, a table a question."""

from __future__ import annotations

__all__ = [
    "BLOCKS",
    "BREAKS",
    "CONTROLS",
    "DROPPED",
    "FURNITURE_ROLES",
    "HEADINGS",
    "INLINE",
    "LISTS",
    "PREFORMATTED",
    "UNSELECTABLE",
]

HEADINGS = {f"h{level}": level for level in range(1, 7)}

DROPPED = (
    *("script", "style", "template", "noscript", "title"),
    *("iframe", "frameset", "object", "applet", "svg", "canvas", "audio", "video", "map"),
    *("select", "datalist", "textarea", "input", "progress", "meter"),
)
"""Nothing in them is text of the page. A button's label is dropped too, except in a heading that is itself a button."""

CONTROLS = ("button", "optgroup", "option")

INLINE = (
    *("a", "abbr", "acronym", "b", "bdi", "bdo", "big", "cite", "code", "data", "del", "dfn", "em", "font", "i", "ins"),
    *("kbd", "label", "mark", "nobr", "q", "rb", "rp", "rt", "rtc", "ruby", "s", "samp", "small", "span", "strike"),
    *("strong", "sub", "sup", "time", "tt", "u", "var", "wbr"),
    "embed",  # holds nothing, but the parser puts all that follows into it
)
"""Elements of which only the text counts: they are taken out of the tree before it is walked."""

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
"""Elements that begin and end a line. Any other is part of the line it stands in."""

FURNITURE_ROLES = {
    "navigation": "navigation",
    "contentinfo": "page footer",
    "banner": "page header",
    "search": "search form",
}
"""Roles of parts that belong to the site and not to the page, and the reason for which they are left out."""

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
"""The class, whole, of what a site draws into its text and a reader would not copy: edit links, pilcrows, line numbers.
"""
