"""The sentences that stand for the rest: near the middle of all, and different from each other.

The middle is the centroid of the sentences' vectors (Radev et al. 2004); that they differ is maximal marginal relevance
(Carbonell and Goldstein 1998). No word is new, so that a summary says nothing the text does not say.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

__all__ = ["chosen", "usable"]

_RELEVANCE = 0.7
"""Weight of being near the middle, against being unlike what is chosen already."""
_LEAD = 0.1
"""What a text's first sentence is nearer for: writers say there what follows."""
_LEANING_COST = 0.15
_SHORT_COST = 0.4
"""Of a sentence of no words, less of longer ones, none from `_ENOUGH` tokens on: short ones are near everything and say
little.
"""
_ENOUGH = 18
_WORSE = 0.55
"""A sentence whose score is under this share of the first one's is left out, though it has room."""
_ALIKE = 0.95
_MOST = 8
"""Sentences of a summary."""
_LEANING = re.compile(
    r"(?:it|its|(?:this|these)(?! (?:article|book|chapter|data "
    r"?sheet|document|guide|handbook|manual|page|paper|report|section)s?\b)|"
    r"that|those|they|them|their|he|she|his|her|such|so|then|there|here|but|and|or|also|however|therefore|thus|otherwise|instead|"
    r"moreover|both|neither|for example|for instance|in that case|see|yes|no)\b|"
    r"这|那|它|其|此|该|但|而|因此|所以|另外|否则|例如|也",
    re.IGNORECASE,
)
"""How a sentence opens that leans on the one before it."""
_ENDED = re.compile(r"[.!?…。！？｡⁇⁈⁉][\"'”’」』）)\]]*$")
_WORD, _HAN = re.compile(r"[^\W\d_]{2,}"), re.compile("[\u3041-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
_LEAST_WORDS, _LEAST_HAN = 4, 8
_MOST_LETTERS = 5_000
"""What is longer is no sentence, whatever few tokens it counts for."""


def usable(sentence: str) -> bool:
    """It is whole, and says enough to stand alone; no question.

    >>> usable("The gateway keeps thirty days of readings."), usable("For example:"), usable("传感器每十分钟读一次数。")
    (True, False, True)
    """
    if len(sentence) > _MOST_LETTERS:
        return False
    bare = sentence.rstrip("\"'”’」』）)")
    if not _ENDED.search(sentence) or bare.endswith(("?", "？")) or sentence[:1].islower():
        return False
    han = len(_HAN.findall(sentence))
    return han >= _LEAST_HAN if han else len(_WORD.findall(sentence)) >= _LEAST_WORDS


def chosen(
    texts: Sequence[str],
    vectors: NDArray[np.float32],
    tokens: Sequence[int],
    room: int,
    *,
    middle: NDArray[np.float32] | None = None,
) -> list[int]:
    """Which sentences make the summary, in reading order; none where none fits.

    Args:
        texts: (n,) sentences.
        vectors: (n, d) unit vectors of them.
        tokens: (n,) of each.
        room: most tokens of all that are chosen.
        middle: (d,) of the text that is summarised; None: of the sentences.
    """
    if not len(texts):
        return []
    lengths = np.asarray(tokens, np.float32)
    middle = vectors.T @ lengths if middle is None else middle
    relevance = vectors @ (middle / max(float(np.linalg.norm(middle)), 1e-12))
    relevance -= _SHORT_COST * np.clip(1 - lengths / _ENOUGH, 0, 1)
    relevance -= np.array([_LEANING_COST if _LEANING.match(text) else 0.0 for text in texts], np.float32)
    relevance[0] += _LEAD
    nearest = np.zeros(len(texts), np.float32)
    taken: list[int] = []
    least = -np.inf
    while len(taken) < _MOST:
        open_rows = (lengths <= room) & (nearest < _ALIKE) & (relevance >= least)
        if not open_rows.any():
            break
        best = int(np.where(open_rows, _RELEVANCE * relevance - (1 - _RELEVANCE) * nearest, -np.inf).argmax())
        least = max(least, _WORSE * float(relevance[best]))
        taken.append(best)
        room -= tokens[best]
        nearest = np.maximum(nearest, vectors @ vectors[best])
    return sorted(taken)
