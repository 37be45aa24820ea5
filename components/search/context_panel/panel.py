"""The context of a search, as Streamlit sees it: the budget, the passages, the plain text."""

from __future__ import annotations

import streamlit as st

from chunking.retrieval import SearchResult
from components.kit.browser import component
from components.kit.settings_form.setting_field import number_field
from components.search.context_panel.passages import passages

__all__ = ["context_panel"]

_panel = component("context")
_HOW = (
    "The text sent to a language model with the question: passages in reading order, each with a number that an "
    "answer can cite. Tokens are counted with the embedding model's tokenizer; other models count slightly differently."
)


def context_panel(result: SearchResult, *, height: int, key: str = "context") -> None:
    """The context of a search with its budget.

    Args:
        result: the search.
        height: of the passages, in pixels.
        key: of the component and its widgets.
    """
    with st.container(horizontal=True, vertical_alignment="bottom", key=f"{key}.top"):
        number_field("search.budget", key=f"{key}.budget", step=250, width=200)
        st.caption("The language model's context for this question.", help=_HOW, width="content")
    if not result.context.sources:
        st.info("No passage fits the budget. Raise it, or use smaller chunks.")
        return
    _panel(key=key, data=passages(result.context, result.cost) | {"height": height})
    text = st.expander("As one text", key=f"{key}.text", on_change="rerun")
    if text.open:
        with text:
            st.code(result.context.text, language=None, height=360, wrap_lines=True)
            st.download_button(
                "Download", result.context.text, "context.txt", "text/plain", on_click="ignore", key=f"{key}.download"
            )
