"""Classify HTML elements, one table per question."""

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
"""Elements without text of the page. Button labels are dropped too, unless the button is a heading."""

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
"""Exact class of elements a reader would not copy: edit links, pilcrows, line numbers."""
