"""Content of reStructuredText directives (docutils, Sphinx): code, an equation, a table, text, or none."""

from __future__ import annotations

import re
from enum import Enum, auto

__all__ = ["DIRECTIVE", "EXPLICIT", "OPTION", "DirectiveKind", "directive_kind"]

EXPLICIT = re.compile(r"\s*\.\.(?:\s|$)")
"""Start of a directive, target, footnote, substitution or comment."""
DIRECTIVE = re.compile(
    r"\s*\.\.[ \t]+(?:\|(?P<substitution>[^|]+)\|[ \t]+)?(?P<name>[A-Za-z][\w.+-]*(?::[\w.+-]+)*)[ "
    r"\t]?::(?:[ \t]+(?P<argument>.*))?"
)
OPTION = re.compile(r"\s*:(?P<name>[\w][\w. -]*):(?:[ \t]+(?P<value>.*))?")


class DirectiveKind(Enum):
    """Content of a directive."""

    CODE = auto()
    EQUATION = auto()
    IMAGE = auto()
    FIGURE = auto()
    """A picture with a caption."""
    LIST_TABLE = auto()
    CSV_TABLE = auto()
    RULE = auto()
    """Settings and generated lists: no text of their own."""
    TEXT = auto()
    """Text: notes, and anything unknown."""


_KINDS = {
    **dict.fromkeys(
        ("code", "code-block", "sourcecode", "parsed-literal", "prompt", "doctest", "testcode", "testsetup"),
        DirectiveKind.CODE,
    ),
    **dict.fromkeys(
        ("testoutput", "ipython", "jupyter-execute", "literalinclude", "productionlist", "console"), DirectiveKind.CODE
    ),
    **dict.fromkeys(("graphviz", "digraph", "mermaid", "uml", "plantuml", "raw", "highlight-code"), DirectiveKind.CODE),
    **dict.fromkeys(("math",), DirectiveKind.EQUATION),
    **dict.fromkeys(("image", "thumbnail"), DirectiveKind.IMAGE),
    **dict.fromkeys(("figure",), DirectiveKind.FIGURE),
    **dict.fromkeys(("list-table", "flat-table"), DirectiveKind.LIST_TABLE),
    **dict.fromkeys(("csv-table",), DirectiveKind.CSV_TABLE),
    **dict.fromkeys(
        ("toctree", "contents", "index", "highlight", "include", "default-role", "role", "module"), DirectiveKind.RULE
    ),
    **dict.fromkeys(
        ("currentmodule", "py:module", "py:currentmodule", "meta", "sectnum", "section-numbering"), DirectiveKind.RULE
    ),
    **dict.fromkeys(("autosummary", "tabularcolumns", "target-notes", "default-domain", "title"), DirectiveKind.RULE),
}


def directive_kind(name: str) -> DirectiveKind:
    """Content of a directive, by name."""
    return _KINDS.get(name.lower(), DirectiveKind.TEXT)
