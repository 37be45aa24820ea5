"""Results as self-contained HTML without scripts, style sheets or addresses, safe for notebooks.

JupyterLab's sanitizer lets the tags and inline styles through in untrusted notebooks. Colours are tints over the page's
own, so that the HTML reads well in light and dark.
"""

from __future__ import annotations

import importlib

from chunking.viewing.static_html.elements import Html

__all__ = ["html_of"]

_PAGES = {
    "Chunk": ("documents", "chunk_html"),
    "Chunks": ("documents", "chunks_html"),
    "Document": ("documents", "document_html"),
    "EvaluationRun": ("evaluations", "run_html"),
    "Result": ("search", "result_html"),
    "SearchResult": ("search", "search_html"),
    "SweepResult": ("evaluations", "sweep_html"),
}
"""Module and function that draw each class; imported on use."""


def html_of(value: object) -> Html:
    """Return a document, chunks, a search, a hit, a run or a sweep as HTML.

    Raises:
        TypeError: it is something else.

    >>> from chunking.parsing import parse
    >>> html_of(parse(b"# Pumps <1>", "pumps.md")).partition("</b>")[0].rpartition(">")[2]
    'Pumps &lt;1&gt;'
    """
    page = next((_PAGES[kind.__name__] for kind in type(value).__mro__ if kind.__name__ in _PAGES), None)
    if page is None:
        raise TypeError(
            f"Objects of type {type(value).__name__} cannot be shown as HTML; give one of {', '.join(_PAGES)}."
        )
    module, function = page
    drawn: Html = getattr(importlib.import_module(f"{__name__}.{module}"), function)(value)
    return drawn
