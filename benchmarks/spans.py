"""Character-level recall and IoU as defined in Chroma's "Evaluating Chunking Strategies" (2024).

recall = found / wanted; IoU = found / (returned + wanted - found). A character returned twice counts twice in
`returned`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

__all__ = ["Question", "Scores", "Span", "occurrences", "paired_interval", "score"]


class Span(NamedTuple):
    """Characters of a document; a summary has no document and only its length."""

    doc_id: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Question:
    """Question with the spans of its answer."""

    text: str
    doc_id: str
    references: tuple[tuple[int, int], ...]


class Scores(NamedTuple):
    """Scores of one question, 0 to 1."""

    recall: float
    iou: float


def score(question: Question, spans: Sequence[Span], places: Sequence[Sequence[int]] | None = None) -> Scores:
    """Return recall and IoU of one question.

    Args:
        places: for each reference the starts of all places where its very words stand; then a character of it counts as
            found
            wherever it was. None: in its own place only, as in the comparison.
    """
    total = got = 0
    covered_mask = np.zeros(max((end for _, end in question.references), default=0), np.bool_)
    for number, (start, end) in enumerate(question.references):
        mask = ~covered_mask[start:end]
        covered_mask[start:end] = True
        hit = np.zeros(end - start, np.bool_)
        for place in (start,) if places is None else places[number]:
            for span in spans:
                if span.doc_id == question.doc_id:
                    hit[max(span.start - place, 0) : max(span.end - place, 0)] = True
        total += int(mask.sum())
        got += int((hit & mask).sum())
    returned = sum(span.end - span.start for span in spans)
    return Scores(got / total, got / (returned + total - got))


def occurrences(text: str, references: Iterable[tuple[int, int]]) -> list[list[int]]:
    """Return the starts of each reference's text in a text."""
    results = []
    for start, end in references:
        starts, at = [], text.find(text[start:end])
        while at >= 0:
            starts.append(at)
            at = text.find(text[start:end], at + 1)
        results.append(starts)
    return results


def paired_interval(
    ours: np.ndarray, theirs: np.ndarray, *, draws: int = 10_000, seed: int = 0
) -> tuple[float, float, float]:
    """Return the mean difference and its 95 % interval by a paired bootstrap over the questions.

    Source: Efron and Tibshirani 1993, percentile intervals.

    Args:
        ours, theirs: (n,) of the same questions in the same order.
    """
    difference = ours - theirs
    chosen = np.random.default_rng(seed).integers(0, len(difference), (draws, len(difference)))
    low, high = np.quantile(difference[chosen].mean(axis=1), [0.025, 0.975])
    return float(difference.mean()), float(low), float(high)
