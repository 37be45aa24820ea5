"""Evidence for a heading, put together: each kind adds its weight, and the sum says how sure the guess is.

A format finds what speaks for a line; the weights are the same for all. They are log-odds, as in a naive Bayes
classifier:
evidence that does not depend on other evidence adds up, and none decides alone.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from enum import StrEnum
from types import MappingProxyType

__all__ = ["CONFIDENCE", "EVIDENCE", "Evidence", "confidence", "heading_meta"]

EVIDENCE = "evidence"
"""Key of a heading block's `meta`: the kinds of evidence, the strongest first."""
CONFIDENCE = "confidence"
"""Key of a heading block's `meta`: how sure the guess is, 0 to 1. A heading that the file itself names has neither key.
"""


class Evidence(StrEnum):
    """What speaks for a heading. The values are what people read."""

    CONTENTS = "table of contents"
    """The document's own table of contents names it."""
    LINK = "link"
    """A link of the document leads to it, and has its words."""
    NUMBER = "number"
    """Its number counts on from the heading before it."""
    LOOSE_NUMBER = "number out of order"
    """It has a number, which does not follow on: a gap, or too few to tell."""
    RUNNING_HEAD = "running head"
    """The running heads of the pages after it say the same."""
    SIZE = "size"
    """It is larger than the text."""
    WEIGHT = "bold"
    CAPITALS = "capitals"
    FONT = "font"
    """It is in a font of its own, again and again."""
    SPACE = "space"
    """There is more space above it than between lines."""
    POSITION = "position"
    """It is centred, stands in the margin, or opens a page."""
    NAME = "name"
    """It is a word that sections are called by: Abstract, References."""
    MARK = "mark"
    """Signs stand around it: a line of dashes under it, a colon behind it."""


_PRIOR = -2.0
"""Of a short line that could be a heading by its words."""
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
    """How sure it is that a line is a heading, 0 to 1, to two digits.

    >>> confidence([]), confidence([Evidence.WEIGHT, Evidence.SPACE]), confidence([Evidence.SIZE, Evidence.NUMBER, Evidence.CONTENTS])
    (0.12, 0.69, 1.0)
    """
    odds = _PRIOR + sum(_WEIGHTS[one] for one in set(evidence))
    return round(1 / (1 + math.exp(-odds)), 2)


def heading_meta(evidence: Collection[Evidence]) -> dict[str, object]:
    """What a guessed heading's block carries in its `meta`.

    >>> heading_meta([Evidence.SPACE, Evidence.WEIGHT])
    {'evidence': ('bold', 'space'), 'confidence': 0.69}
    """
    order = sorted(set(evidence), key=lambda one: (-_WEIGHTS[one], one))
    return {EVIDENCE: tuple(one.value for one in order), CONFIDENCE: confidence(evidence)}
