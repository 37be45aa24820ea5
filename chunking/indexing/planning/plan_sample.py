"""Draw a sample of documents for a plan, and estimate totals over all of them from it.

Documents are sorted by length and divided into strata of equal total length; of each stratum a few are split. Totals
are ratio estimates by length in each stratum, so that a document twice as long counts for twice as many chunks
(W. G. Cochran, Sampling Techniques, 3rd ed., 6.2 and 6.10). The choice is the same for all settings, and documents that
are added later change little of it.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

__all__ = ["MOST_EXACT", "SAMPLE_SIZES", "Content", "EstimatedTotal", "Stratum", "draw_sample", "interval"]

MOST_EXACT = 5_000_000
"""Characters of documents that are all split for a plan; of more, a sample is."""
SAMPLE_SIZES = (96, 300)
"""Documents in a first sample, and in the one that is drawn if it does not tell enough."""
_LEAST_SAMPLED = 12
"""Documents in a sample of long ones."""
_NARROW = 0.02
"""Maximum half width of a narrow interval, as a share of a number."""
_MOST_SAMPLED_CHARACTERS = 4_000_000
"""Characters in a sample, about: their measures stay in memory while settings change."""
_STRATA, _LEAST_IN_A_STRATUM = 12, 12
"""Most strata, and documents drawn of each: from fewer, the variance of a ratio is underestimated (Cochran, 6.9)."""
_FIXED = 200
"""Characters added to each length: a short document has a chunk, too."""
_NORMAL = 1.959964
"""97.5 % quantile of the normal distribution."""


class Content(NamedTuple):
    """A content that one or more documents have."""

    doc_id: str
    """Id of the first of them."""
    characters: int
    documents: int = 1
    """Number of documents that have it."""

    @property
    def size(self) -> int:
        """Length that totals are taken to be proportional to."""
        return self.characters + _FIXED


@dataclass(frozen=True, slots=True)
class Stratum:
    """Number and length of contents of similar length, and those of them that are split."""

    contents: int
    rows_size: int
    """Length of all documents."""
    texts_size: int
    """Length of all contents."""
    sample: tuple[Content, ...]

    @property
    def rows_factor(self) -> float:
        """Total of all documents by that of the sampled contents, each counted for all its documents."""
        return self.rows_size / _rows_size(self.sample)

    @property
    def texts_factor(self) -> float:
        """Total of all contents by that of the sampled ones: texts that equal documents share count once."""
        return self.texts_size / _texts_size(self.sample)

    def total(self, value: Callable[[str], float]) -> float:
        """Estimate the total of a value of documents, given that of the sampled ones by id."""
        return self.rows_factor * sum(one.documents * value(one.doc_id) for one in self.sample)

    def variance(self, value: Callable[[str], float]) -> float:
        """Estimate the variance of `total`."""
        drawn, there = len(self.sample), self.contents
        if drawn in (there, 1):
            return 0.0
        ratio = sum(one.documents * value(one.doc_id) for one in self.sample) / _rows_size(self.sample)
        residuals = (one.documents * (value(one.doc_id) - ratio * one.size) for one in self.sample)
        return there * there * (1 - drawn / there) / drawn * sum(e * e for e in residuals) / (drawn - 1)


def _texts_size(contents: Iterable[Content]) -> int:
    return sum(one.size for one in contents)


def _rows_size(contents: Iterable[Content]) -> int:
    return sum(one.documents * one.size for one in contents)


def draw_sample(contents: Sequence[Content], most: int = SAMPLE_SIZES[-1]) -> list[Stratum]:
    """Divide contents into strata by length, and draw some of each; the same for the same contents.

    Args:
        most: documents in the sample, about; fewer if they are long.
    Returns:
        Strata in order of length. Each has two sampled contents at least, unless it has only one.
    """
    total = _texts_size(contents)
    drawn = min(most, max(_LEAST_SAMPLED, _MOST_SAMPLED_CHARACTERS * len(contents) // max(total, 1)))
    count = max(1, min(_STRATA, drawn // _LEAST_IN_A_STRATUM))
    return [_draw(group, drawn // count) for group in _by_length(contents, total / count)]


def _by_length(contents: Sequence[Content], each: float) -> list[list[Content]]:
    """Divide contents, sorted by length, into groups of about the same total length."""
    groups: list[list[Content]] = [[]]
    size = 0
    for one in sorted(contents, key=lambda one: (one.characters, one.doc_id)):
        if size >= each * len(groups):
            groups.append([])
        groups[-1].append(one)
        size += one.size
    return [group for group in groups if group]


def _draw(group: Sequence[Content], number: int) -> Stratum:
    """Draw the contents with the lowest hashes of their ids."""
    drawn = sorted(group, key=lambda one: hashlib.blake2b(one.doc_id.encode("utf-8", "replace")).digest())
    return Stratum(len(group), _rows_size(group), _texts_size(group), tuple(drawn[: max(2, number)]))


class EstimatedTotal(NamedTuple):
    """Estimated total and its 95 % confidence interval."""

    total: float
    least: float
    most: float

    def is_narrow(self, number: float) -> bool:
        """True if half the interval is at most 2 % of a number: a larger sample would hardly say more."""
        return self.most - self.least <= 2 * _NARROW * number


def interval(strata: Sequence[Stratum], values: Mapping[str, float]) -> EstimatedTotal:
    """Estimate the total of a value over all documents.

    The interval is that of Student's t, with Welch and Satterthwaite's degrees of freedom over the strata.

    Args:
        values: of the sampled documents by id; 0 for missing ones.
    """

    def value(doc_id: str) -> float:
        return values.get(doc_id, 0.0)

    total = sum(one.total(value) for one in strata)
    parts = [(one.variance(value), len(one.sample) - 1) for one in strata]
    variance = sum(part for part, _ in parts)
    if not variance:
        return EstimatedTotal(total, total, total)
    freedom = variance * variance / sum(part * part / degrees for part, degrees in parts if part)
    half = _student(freedom) * math.sqrt(variance)
    counted = sum(one.documents * value(one.doc_id) for stratum in strata for one in stratum.sample)
    return EstimatedTotal(total, max(float(counted), total - half), total + half)


def _student(freedom: float) -> float:
    """97.5 % quantile of Student's t: Abramowitz and Stegun, 26.7.5."""
    z = _NORMAL
    first, second = (z**3 + z) / 4, (5 * z**5 + 16 * z**3 + 3 * z) / 96
    return z + first / freedom + second / freedom**2
