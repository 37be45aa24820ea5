"""Names of OpenDocument's elements and attributes, short: `text:p` for
`{urn:oasis:names:tc:opendocument:xmlns:text:1.0}p`.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from lxml.etree import _Element

__all__ = ["attribute", "count", "full_name", "lines_under", "short_name"]

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
"""Characters of a name that is kept: a file may have names of any length."""


def _short(tag: str) -> str:
    space, _, local = tag[1:].rpartition("}")
    return f"{_PREFIXES.get(space, '')}:{local}"


_kept_short = lru_cache(maxsize=1024)(_short)


def short_name(element: _Element) -> str:
    """An element's name, such as `text:p`; of another namespace, `:name`; of an entity that is left, nothing."""
    tag = element.tag
    if not isinstance(tag, str):
        return ""
    return _kept_short(tag) if len(tag) <= _LONGEST else _short(tag)


@lru_cache(maxsize=256)
def full_name(name: str) -> str:
    """What lxml calls `text:p`."""
    prefix, _, local = name.partition(":")
    return f"{{{_SPACES[prefix]}}}{local}"


def attribute(element: _Element, name: str) -> str:
    """An attribute, such as `text:style-name`; empty where there is none."""
    return str(element.get(full_name(name)) or "")


def count(element: _Element, name: str, most: int, *, least: int = 1) -> int:
    """An attribute that is a number from `least` on, as far as `most`; 1 where there is none."""
    written = attribute(element, name).strip()
    if not (written.isascii() and written.isdecimal()):
        return 1
    return min(max(int(written[:12]), least), most)


def lines_under(element: _Element) -> str:
    """The paragraphs in an element as lines."""
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
