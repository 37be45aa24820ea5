"""Results as HTML that needs nothing: no script, no style sheet, no class, no address, and it fits into a notebook.

The tags and inline styles are those that the sanitizer of JupyterLab lets through in a notebook nobody trusts yet.
Colours are tints over the page's own, so that the same HTML reads well in light and in dark.
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
"""Class to the module here and the function that draws it; imported when it is drawn, since a document needs nothing of
a sweep's.
"""


def html_of(value: object) -> Html:
    """The HTML of a document, a chunk, chunks, a search, a hit, a run or a sweep.

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
