"""The context in numbers: what it takes of the budget, and what was left out."""

from __future__ import annotations

from chunking.retrieval import Cost
from components.search.context_panel import passages
from tests.components.apps.made_search_result import context_of, search_result


def test_without_a_budget_everything_is_in() -> None:
    """The bar stands for the context itself, with nothing free."""
    results = search_result().results
    rows = passages(context_of(results), Cost(321, context_of(results).tokens))
    assert rows["whole"] == sum(source["tokens"] for source in rows["sources"])
    assert rows["free"] == 0
    assert "every result is in" in rows["rest"]


def test_with_a_budget_the_rest_is_free_and_what_is_left_out_is_reported() -> None:
    """The bar stands for the budget."""
    results = search_result().results
    context = context_of(results, budget=1_000)
    rows = passages(context, Cost(321, context.tokens))
    assert rows["whole"] == 1_000
    assert rows["free"] == 1_000 - context.tokens
    assert rows["summary"].startswith(f"{context.tokens:,} of 1,000 context tokens in 4 passages")
    assert rows["hits"].startswith("321 hit token")
    assert "1 result did not fit" in rows["rest"]


def test_over_the_budget_is_reported() -> None:
    """A counter may count otherwise at a seam: no bar is longer than its frame, and the words say so."""
    results = search_result().results
    context = context_of(results, budget=10)
    rows = passages(context, Cost(321, context.tokens))
    assert rows["over"]
    assert rows["whole"] > 10
    assert rows["free"] == 0
