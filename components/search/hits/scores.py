"""How a score came about, in words: what each way of searching says, and the steps that add up to it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from chunking.config import Fusion
from chunking.retrieval import Leg, Result, SearchResult
from chunking.retrieval.rerank.reranking import RERANKERS

__all__ = ["column_words", "leg_row", "number", "scale", "score_words", "step_rows", "step_words"]

_LEGS: dict[str, tuple[str, str, str]] = {"vector": ("vector", "cosine", ".3f"), "text": ("full text", "BM25", ".2f")}
"""Leg to its name on screen, the unit of its own score, and how many digits that has."""

_STEPS: dict[str, tuple[str, str]] = {
    "vector": ("vector", "meaning"),
    "text": ("full text", "words"),
    **{str(row.name): (row.stage, "second") for row in RERANKERS.values()},
    "children": ("chunks found", "larger"),
}
"""Step to its name on screen and its tone; the tones are those of search/hits/style.css. What is not here is named as
it is.
"""

_LARGER = re.compile(r"x(\d+)$")


def number(value: float, digits: str) -> str:
    """
    >>> number(-0.5, "+.2f"), number(0.5, "+.2f")
    ('−0.50', '+0.50')
    """
    return f"{value:{digits}}".replace("-", "−")


def leg_row(name: str, leg: Leg, digits: str, *, exact: bool = False) -> dict[str, Any]:
    """What one way of searching says about a hit."""
    label, unit, own_digits = _LEGS.get(name, (name, "score", ".3f"))
    own = f"{unit} {number(leg.score, own_digits)}" if leg.score is not None else "none"
    return {
        "name": label,
        "tone": step_words(name)[1],
        "part": leg.part,
        "adds": number(leg.part, f"+{digits}"),
        "rank": f"{leg.rank} of {leg.candidates}" if leg.matched else f"not in {leg.candidates}",
        "raw": "exact characters" if exact else own,
        "z": number(leg.z, "+.2f"),
        "weight": f"{leg.weight:.2f}",
        "found": leg.matched,
    }


def step_words(name: str) -> tuple[str, str]:
    """Name on screen and tone of a step.

    >>> step_words("text"), step_words("x2"), step_words("own_rule")
    (('full text', 'words'), ('2× chunk', 'larger'), ('own rule', 'second'))
    """
    larger = _LARGER.match(name)
    return (f"{larger[1]}× chunk", "larger") if larger else _STEPS.get(name, (name.replace("_", " "), "second"))


def step_rows(hit: Result, digits: str) -> list[dict[str, Any]]:
    """The waterfall of a hit's score: what each step adds, and the sum so far.

    A result without steps of its own is the sum of its legs.
    """
    steps = [(step.name, step.amount, step.explanation) for step in hit.steps] or [
        (name, leg.part, "") for name, leg in hit.legs.items()
    ]
    rows: list[dict[str, Any]] = []
    total = 0.0
    for name, amount, why in steps:
        label, tone = step_words(name)
        row = {
            "name": label,
            "tone": tone,
            "from": total,
            "part": amount,
            "adds": number(amount, f"+{digits}"),
            "why": why,
        }
        total += amount
        rows.append(row | {"sum": number(total, digits)})
    return rows


def scale(results: Sequence[Result]) -> tuple[float, float]:
    """The ends of the longest bars: parts below zero are stacked to the left of it, the others to the right."""
    parts = [[row["part"] for row in step_rows(hit, ".2f")] for hit in results]
    low = min((sum(part for part in row if part < 0) for row in parts), default=0.0)
    return low, max((sum(part for part in row if part > 0) for row in parts), default=0.0)


_SINGLE: Mapping[str, tuple[str, str]] = {
    "vector": (
        ".3f",
        (
            "Cosine of the angle between the query's and the chunk's vector: 1 is the same direction, 0 has "
            "nothing in common."
        ),
    ),
    "text": (
        ".2f",
        (
            "BM25: how often the query's words occur in the chunk; rare words count more, long chunks less. No "
            "upper limit."
        ),
    ),
}

_FUSED: Mapping[Fusion, tuple[str, str]] = {
    Fusion.STANDARDISED: (
        ".2f",
        (
            "Sum of both legs, in standard deviations: 0 is an average candidate of this search, +1 is one deviation "
            "better. Comparable only within one search."
        ),
    ),
    Fusion.RECIPROCAL_RANK: (".4f", "Sum over both legs of weight / (60 + rank). Comparable only within one search."),
}
_MORE_STEPS = "Sum of its steps, which “Why this hit” lists. Comparable only within one search."


def score_words(result: SearchResult, fusion: Fusion) -> tuple[str, str]:
    """Digits of the score, and what it is. One leg alone keeps its own score, in a hybrid search too."""
    (first, *others) = result.weights
    digits, meaning = _FUSED[fusion] if others else _SINGLE[first]
    more = any(step.name not in hit.legs for hit in result.results for step in hit.steps)
    return digits, _MORE_STEPS if more else meaning


def column_words(result: SearchResult, fusion: Fusion) -> dict[str, str]:
    """What the columns of "Why this hit" mean; those that say nothing for this search are empty and not shown."""
    fused = len(result.weights) > 1
    standardised = fused and fusion is Fusion.STANDARDISED
    adds = "standardised × weight" if standardised else "weight / (60 + rank)"
    return {
        "rank": "Rank among the candidates of this leg.",
        "raw": "Vector: cosine similarity, at most 1. Full text: BM25, no upper limit.",
        "z": (
            "How many standard deviations the score is above the mean of the candidates (z-score); a "
            "candidate that the leg did not find "
            "counts as its lowest."
        )
        if standardised
        else "",
        "weight": "Weight of this leg in the score; set under More." if fused else "",
        "adds": f"Contribution to the score: {adds}." if fused else "",
    }
