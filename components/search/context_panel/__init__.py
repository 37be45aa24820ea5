"""Context tab: passages that a language model would get, and their share of the token budget."""

from __future__ import annotations

from typing import Any

import streamlit as st

from chunking.evaluation import COST, metric_of
from chunking.retrieval import Context, Cost, SearchResult
from components.kit.browser import component
from components.kit.settings_form.widgets import number_field
from components.kit.text_looks import text_looks
from components.kit.wording import quantity

__all__ = ["context_panel", "passages"]

_panel = component("context")
_HOW = (
    "The text sent to a language model with the question: passages in reading order, each with a number that an "
    "answer can cite. Tokens are counted with the embedding model's tokenizer; other models count slightly "
    "differently."
)


def context_panel(result: SearchResult, *, height: int, key: str = "context") -> None:
    """Draw the field of the token budget, and the passages that fit it, also as one text.

    Args:
        result: the search.
        height: height of the passages, in pixels.
        key: key of the component and its widgets.
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


def passages(context: Context, cost: Cost) -> dict[str, Any]:
    """Convert a context to data for the browser.

    Args:
        cost: cost of the search, counted as on the Evaluate page.
    Returns:
        JSON: `summary`, `hits` and `rest` (sentences), `sent` and `bare` (tooltips of the first two), `whole` (tokens
        of the full bar), `free` (tokens left of the budget), `sources` (number, citation, tokens, text, and its
        `text_looks`; in reading order), `over` (the first passage alone is over the budget).
    """
    sources = [
        {
            "number": row.number,
            "citation": row.citation,
            "tokens": row.tokens,
            "text": row.text,
            "looks": text_looks(row.text),
        }
        for row in context.sources
    ]
    free = max(context.budget - context.tokens, 0)
    return {
        "summary": _summary(context),
        "sent": metric_of(COST).help,
        "hits": quantity(cost.hits, "hit token"),
        "bare": metric_of("tokens").help,
        "rest": _rest(context, free),
        "whole": max(context.tokens, context.budget, 1),
        "free": free,
        "over": bool(context.budget) and context.tokens > context.budget,
        "sources": sources,
    }


def _summary(context: Context) -> str:
    used = (
        f"{context.tokens:,} of {quantity(context.budget, 'context token')}"
        if context.budget
        else quantity(context.tokens, "context token")
    )
    return f"{used} in {quantity(len(context.sources), 'passage')}"


def _rest(context: Context, free: int) -> str:
    if not context.budget:
        return "No budget is set: every result is included."
    left = f"{quantity(context.left_out, 'result')} did not fit" if context.left_out else "every result is included"
    return f"{quantity(free, 'token')} free · {left}"
