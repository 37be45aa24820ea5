"""A context as numbers and plain texts, ready to draw. The text comes from documents: it is shown letter by letter."""

from __future__ import annotations

from typing import Any

from chunking.evaluation import COST, metric_of
from chunking.retrieval import Context, Cost
from components.kit.rich_text.text_looks import text_looks
from components.kit.wording import quantity

__all__ = ["passages"]


def passages(context: Context, cost: Cost) -> dict[str, Any]:
    """The context with its parts.

    Args:
        cost: of the search, as the Evaluate page counts it.
    Returns:
        JSON: `summary`, `hits` and `rest` (sentences), `sent` and `bare` (what the first two count, on hover),
        `whole` (tokens that the bar stands for), `free` (tokens left of the budget), `sources` (number, citation,
        tokens, text, and
        `text_looks` of it; in reading order), `over` (the first passage alone is over the budget).
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
