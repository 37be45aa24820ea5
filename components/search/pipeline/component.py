"""The pipeline strip, as Streamlit sees it."""

from __future__ import annotations

from chunking.retrieval import SearchResult
from components.kit.browser import component
from components.search.pipeline.phases import phases

__all__ = ["pipeline"]

_pipeline = component("pipeline")
_CALLS = "Storage queries; their number does not grow with the number of hits."


def pipeline(result: SearchResult, *, key: str = "pipeline") -> None:
    """A strip of six stages, each with what it handed on and its time; a table of every step opens below it.

    Args:
        result: the search.
        key: of the component.
    """
    hits, calls = len(result.results), result.storage_calls
    facts = [
        (f"{hits:,}", "hit" if hits == 1 else "hits", "Results of this search."),
        (f"{calls:,}", "storage call" if calls == 1 else "storage calls", _CALLS),
    ]
    _pipeline(key=key, data={"phases": phases(result), "facts": facts})
