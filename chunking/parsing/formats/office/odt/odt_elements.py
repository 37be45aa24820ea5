"""Elements of OpenDocument texts: short names (`text:p`), attributes, and which elements hold text."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from chunking.parsing.builder.reader_types import CONTENTS

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["BOXES", "LEFT_OUT", "SKIPPED", "attribute", "count", "full_name", "lines_under", "short_name"]

LEFT_OUT = {
    "text:table-of-content": CONTENTS,
    "text:illustration-index": "list of figures",
    "text:table-index": "list of tables",
    "text:alphabetical-index": "index",
}
"""Elements left out, with the reason."""

SKIPPED = frozenset(
    {
        *(
            "text:tracked-changes",
            "text:note-citation",
            "text:ruby-text",
            "text:hidden-text",
            "text:hidden-paragraph",
            "text:script",
        ),
        *("text:variable-decls", "text:sequence-decls", "text:user-field-decls", "text:dde-connection-decls"),
        *("text:bibliography-source", "text:object-index-source", "text:user-index-source"),
        *("office:forms", "office:scripts", "office:event-listeners", "office:binary-data", "office:dde-source"),
        *("table:title", "table:desc", "table:covered-table-cell", "table:table-source"),
        *("svg:title", "svg:desc", "draw:object", "draw:object-ole", "draw:plugin", "draw:applet", ""),
    }
)
"""Elements that show nothing to a reader: deleted text is in `tracked-changes`."""
BOXES = (
    "text-box",
    "custom-shape",
    "rect",
    "ellipse",
    "circle",
    "line",
    "polyline",
    "polygon",
    "path",
    "connector",
    "caption",
    "measure",
)
"""Elements of the drawing namespace that may hold text."""

_URNS = {
    name: f"urn:oasis:names:tc:opendocument:xmlns:{name}:1.0"
    for name in ("office", "text", "table", "style", "manifest")
}
_SPACES = {
    **_URNS,
    "draw": "urn:oasis:names:tc:opendocument:xmlns:drawing:1.0",
    "svg": "urn:oasis:names:tc:opendocument:xmlns:svg-compatible:1.0",
    "xlink": "http://www.w3.org/1999/xlink",
    "dc": "http://purl.org/dc/elements/1.1/",
}
_PREFIXES = {address: prefix for prefix, address in _SPACES.items()}
_BREAKS = frozenset({"text:s", "text:tab", "text:line-break"})


_LONGEST = 200
"""Maximum length of cached names: a file may have names of any length."""


def _short(tag: str) -> str:
    space, _, local = tag[1:].rpartition("}")
    return f"{_PREFIXES.get(space, '')}:{local}"


_cached_short = lru_cache(maxsize=1024)(_short)


def short_name(element: _Element) -> str:
    """Return the short name, such as `text:p`; `:name` in other namespaces, empty for an entity."""
    tag = element.tag
    if not isinstance(tag, str):
        return ""
    return _cached_short(tag) if len(tag) <= _LONGEST else _short(tag)


@lru_cache(maxsize=256)
def full_name(name: str) -> str:
    """Return lxml's name, with the namespace in braces, of a short name such as `text:p`."""
    prefix, _, local = name.partition(":")
    return f"{{{_SPACES[prefix]}}}{local}"


def attribute(element: _Element, name: str) -> str:
    """An attribute, such as `text:style-name`; empty if unset."""
    return str(element.get(full_name(name)) or "")


def count(element: _Element, name: str, most: int, *, least: int = 1) -> int:
    """Return a numeric attribute, limited to `least` and `most`; 1 if it is unset or no number."""
    value = attribute(element, name).strip()
    if not (value.isascii() and value.isdecimal()):
        return 1
    return min(max(int(value[:12]), least), most)


def lines_under(element: _Element) -> str:
    """Return the paragraphs and headings in an element as lines, without empty ones."""
    lines = (
        " ".join(_words(paragraph).split()) for paragraph in element.iter(full_name("text:p"), full_name("text:h"))
    )
    return "\n".join(filter(None, lines))


def _words(paragraph: _Element) -> str:
    parts: list[str] = []
    for node in paragraph.iter():
        parts += [" "] if short_name(node) in _BREAKS else [node.text or ""]
        parts += [] if node is paragraph else [node.tail or ""]
    return "".join(parts)
