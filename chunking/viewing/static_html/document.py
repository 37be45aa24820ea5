"""A document as HTML: its facts, warnings and outline, and how its text begins."""

from __future__ import annotations

from chunking.display import quantity
from chunking.model import Document, document_facts
from chunking.viewing.static_html.elements import Html, card, clipped, disclosure, element, faint, head, text_block

__all__ = ["document_html"]

_MOST_LINES, _MOST_WARNINGS = 60, 10
_MOST_TITLE, _MOST_TEXT = 200, 4_000
"""Characters."""


def document_html(document: Document) -> Html:
    """A card of at most some 30 KB, however long the document is."""
    outline = document.doc_toc.splitlines()
    warnings = [*document.warnings[:_MOST_WARNINGS], *_rest(len(document.warnings) - _MOST_WARNINGS, "warning")]
    return card(
        head(clipped(document.title, _MOST_TITLE), clipped(document.source, _MOST_TITLE), *document_facts(document), *_pins(document)),
        *(faint(f"⚠ {clipped(warning, 2 * _MOST_TITLE)}") for warning in warnings),
        disclosure("Outline", *map(_outline_line, outline[:_MOST_LINES]), *map(faint, _rest(len(outline) - _MOST_LINES, "section"))),
        disclosure(
            "Text", text_block(clipped(document.text, _MOST_TEXT)), *map(faint, _rest(len(document.text) - _MOST_TEXT, "character"))
        ),
    )


def _pins(document: Document) -> list[str]:
    return [quantity(len(document.pins), "pin")] if document.pins else []


def _outline_line(line: str) -> Html:
    title = line.lstrip()
    indent = min((len(line) - len(title)) // 2, 6)
    return element("div", clipped(title, _MOST_TITLE), style=f"padding-left:{1.2 * indent:g}em", dir="auto")


def _rest(number: int, noun: str) -> list[str]:
    """A line about what is not shown; none where everything is."""
    return [f"… and {quantity(number, f'more {noun}')}"] if number > 0 else []
