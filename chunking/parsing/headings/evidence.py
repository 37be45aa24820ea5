"""Combine evidence for a heading: each kind adds its weight, and the sum gives the confidence.

Formats find the evidence; the weights are the same for all. They are log-odds, as in a naive Bayes classifier:
independent evidence adds up, and none decides alone.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from enum import StrEnum
from types import MappingProxyType

__all__ = ["CONFIDENCE", "EVIDENCE", "Evidence", "confidence", "heading_meta"]

EVIDENCE = "evidence"
"""Key of a heading block's `meta`: kinds of evidence, the strongest first."""
CONFIDENCE = "confidence"
"""Key of a heading block's `meta`: confidence 0 to 1. Headings named by the file have neither key."""


class Evidence(StrEnum):
    """Evidence for a heading. The values are displayed."""

    CONTENTS = "table of contents"
    """Named by the document's own table of contents."""
    LINK = "link"
    """A link with its words leads to it."""
    NUMBER = "number"
    """Its number follows that of the heading before."""
    LOOSE_NUMBER = "number out of order"
    """Numbered out of order: a gap, or too few numbers to tell."""
    RUNNING_HEAD = "running head"
    """Repeated in the running heads of the pages after it."""
    SIZE = "size"
    """Larger than the text."""
    WEIGHT = "bold"
    CAPITALS = "capitals"
    FONT = "font"
    """In a font of its own, consistently."""
    SPACE = "space"
    """More space above it than between lines."""
    POSITION = "position"
    """Centred, in the margin, or at the top of a page."""
    NAME = "name"
    """A usual section name: Abstract, References."""
    MARK = "mark"
    """Marked by punctuation: dashes below, a colon after it."""


_PRIOR = -2.0
"""Log-odds of a short line worded like a heading."""
_WEIGHTS: Mapping[Evidence, float] = MappingProxyType(
    {
        Evidence.CONTENTS: 4.0,
        Evidence.LINK: 3.0,
        Evidence.NUMBER: 2.5,
        Evidence.LOOSE_NUMBER: 0.8,
        Evidence.RUNNING_HEAD: 2.5,
        Evidence.SIZE: 2.5,
        Evidence.WEIGHT: 1.8,
        Evidence.CAPITALS: 1.0,
        Evidence.FONT: 1.5,
        Evidence.SPACE: 1.0,
        Evidence.POSITION: 0.8,
        Evidence.NAME: 1.5,
        Evidence.MARK: 2.0,
    }
)


def confidence(evidence: Collection[Evidence]) -> float:
    """Confidence that a line is a heading, 0 to 1, to two digits.

    >>> confidence([]), confidence([Evidence.WEIGHT, Evidence.SPACE])
    (0.12, 0.69)
    >>> confidence([Evidence.SIZE, Evidence.NUMBER, Evidence.CONTENTS])
    1.0
    """
    odds = _PRIOR + sum(_WEIGHTS[one] for one in set(evidence))
    return round(1 / (1 + math.exp(-odds)), 2)


def heading_meta(evidence: Collection[Evidence]) -> dict[str, object]:
    """The `meta` of a guessed heading's block.

    >>> heading_meta([Evidence.SPACE, Evidence.WEIGHT])
    {'evidence': ('bold', 'space'), 'confidence': 0.69}
    """
    order = sorted(set(evidence), key=lambda one: (-_WEIGHTS[one], one))
    return {EVIDENCE: tuple(one.value for one in order), CONFIDENCE: confidence(evidence)}
