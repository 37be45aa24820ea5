"""Simulation of recommendations and intervals on random question sets with known truth.

`python -m benchmarks.simulations` writes the tables of docs/explanation/statistics.md, reproducibly by its seed.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from benchmarks.report import Row, Table
from chunking.config import CompareConfig
from chunking.evaluation.analysis.best_of_several import against_best
from chunking.evaluation.analysis.recommendation import recommend
from chunking.evaluation.analysis.statistics import SHARE, intervals
from docs.marked_blocks import write_block

SEED = 9
MARGIN = CompareConfig().margin / 100
QUESTIONS = (20, 50, 100, 200, 500)
GAPS = (0.0, 0.02, MARGIN + 0.001, 0.05, 0.15)
CONFIGURATIONS = 12
SETS = 300
"""Sets per gap and number of questions."""
_DRAWS = 500
"""Bootstrap resamples: fewer than in the app, for time."""
_ALIKE = 0.75
"""Correlation of a question's difficulty between configurations."""
_PARTLY = 0.1
"""Share of partly answered questions."""
MEANS = (0.5, 0.7, 0.9, 0.95, 0.98, 0.99, 1.0)
COUNTS = (10, 20, 50, 117, 200, 500)
COVERED = 1000
"""Sets per coverage of an interval."""
_CDF = np.vectorize(NormalDist().cdf, otypes=[float])
_GRID = np.linspace(-6, 6, 4001)
_CDF_OF_GRID = _CDF(_GRID)


@dataclass(frozen=True, slots=True)
class Rates:
    """Rates over the sets of one gap and number of questions."""

    questions: int
    gap: float
    decided: float
    decided_wrong: float
    """Rate of decisions for a configuration truly worse than the best by more than the margin."""
    undecided_wrong: float
    """Rate of undecided sets whose best mean is truly worse by more than the margin."""
    cheapest_wrong: float
    """Rate of wrong choices by the earlier rule: fewest tokens of the statistically tied."""
    needed: float
    """Median number of questions said to decide; NaN for none."""


def scores(random: np.random.Generator, questions: int, means: np.ndarray) -> np.ndarray:
    """Return (questions, configurations) of recall with these true means; hard questions are hard for all."""
    latent = math.sqrt(_ALIKE) * random.normal(size=(questions, 1)) + math.sqrt(1 - _ALIKE) * random.normal(
        size=(questions, len(means))
    )
    ease = np.interp(latent, _GRID, _CDF_OF_GRID)
    parts = np.minimum(_PARTLY, 2 * np.minimum(means, 1 - means))
    missed = 1 - means - parts / 2
    inside = np.divide(ease - missed, parts, out=np.ones_like(ease), where=parts > 0)
    return np.where(ease < missed, 0.0, np.clip(inside, 0.0, 1.0))


def rates(questions: int, gap: float, *, best: float = 0.9, sets: int = SETS) -> Rates:
    """Simulate sets in which one configuration is best and most expensive, the others worse by the gap."""
    random = np.random.default_rng((SEED, questions, round(1e4 * gap)))
    means, costs = np.full(CONFIGURATIONS, best - gap), np.arange(CONFIGURATIONS, 0.0, -1.0)
    means[0] = best
    worse = means < best - MARGIN - 1e-9
    decided = decided_wrong = undecided_wrong = cheapest_wrong = 0
    needed: list[int] = []
    for _ in range(sets):
        drawn = scores(random, questions, means)
        one = recommend(drawn, costs, MARGIN, draws=_DRAWS)
        decided += one.decided
        decided_wrong += one.decided and worse[one.at]
        undecided_wrong += not one.decided and worse[one.at]
        _, differences = against_best(drawn, draws=_DRAWS)
        tied = [number for number, difference in enumerate(differences) if not difference.shown]
        cheapest_wrong += worse[max(tied)]
        if not one.decided and one.needed is not None:
            needed.append(one.needed)
    shares = (number / sets for number in (decided, decided_wrong, undecided_wrong, cheapest_wrong))
    return Rates(questions, gap, *shares, float(np.median(needed)) if needed else math.nan)


def coverage(kind: str, mean: float, questions: int) -> tuple[float, float]:
    """Return the share of 95 % intervals with the true mean: ours, and the percentile bootstrap's."""
    random = np.random.default_rng((SEED, len(kind), questions, round(1e4 * mean)))
    drawn = _values(random, kind, mean, questions)
    pair = intervals(drawn, [SHARE] * COVERED), intervals(drawn)
    ours, before = (float(np.mean([one.low <= mean <= one.high for one in some])) for some in pair)
    return ours, before


KINDS = {
    "whole": "0 or 1, as hit rate and complete answers",
    "parts": "ones, and parts spread evenly below",
    "mixed": "ones, zeros, and parts between",
}


def _values(random: np.random.Generator, kind: str, mean: float, questions: int) -> np.ndarray:
    if kind == "whole":
        return (random.random((questions, COVERED)) < mean).astype(float)
    loss, parts = 1 - mean, random.random((questions, COVERED))
    below = 2 * loss if kind == "parts" else 4 * loss / 3
    if kind == "mixed":
        parts = np.where(random.random((questions, COVERED)) < 0.5, 0.0, parts)
    return np.where(random.random((questions, COVERED)) < below, parts, 1.0)


def run() -> Table:
    """Return the worst rates of both simulations; writes the tables to docs/explanation/statistics.md."""
    drawn = [rates(questions, gap) for gap in GAPS for questions in QUESTIONS]
    covered = {(kind, mean, count): coverage(kind, mean, count) for kind in KINDS for mean in MEANS for count in COUNTS}
    write_block("recommendation", "\n".join(_recommendations(drawn)))
    write_block("coverage", "\n".join(_coverages(covered)))
    worst, least = max(one.decided_wrong for one in drawn), min(ours for ours, _ in covered.values())
    before, low = max(one.cheapest_wrong for one in drawn), min(before for _, before in covered.values())
    rows = (
        Row(
            f"decided recommendation that is more than {100 * MARGIN:g} points worse than the best",
            f"{worst:.1%}",
            f"cheapest of the tied: {before:.0%}",
            "worst case",
            "≤ 5 %",
            worst <= 0.05,
        ),
        Row(
            "95 % interval that holds the true mean",
            f"{least:.1%}",
            f"percentile bootstrap: {low:.0%}",
            "worst case",
            "≥ 93 %",
            least >= 0.93,
        ),
    )
    return Table("Statistics against simulations", rows)


_RATES = ("decided", "decided and wrong", "undecided, best mean so far wrong", "said to decide", "rule before, wrong")


def _recommendations(drawn: list[Rates]) -> Iterator[str]:
    titles = ("others worse by", "questions", *_RATES)
    yield f"| {' | '.join(titles)} |"
    yield f"|{'---|' * len(titles)}"
    for one in drawn:
        needed = f"about {one.needed:,.0f}" if math.isfinite(one.needed) else "–"
        yield (
            f"| {100 * one.gap:g} points | {one.questions} | {one.decided:.0%} | {one.decided_wrong:.1%} | "
            f"{one.undecided_wrong:.0%} | {needed} | {one.cheapest_wrong:.0%} |"
        )


def _coverages(covered: dict[tuple[str, float, int], tuple[float, float]]) -> Iterator[str]:
    yield f"| scores | true mean | {' | '.join(f'{count} questions' for count in COUNTS)} |"
    yield f"|---|---|{'---|' * len(COUNTS)}"
    for kind, words in KINDS.items():
        for mean in MEANS:
            cells = (covered[kind, mean, count] for count in COUNTS)
            yield (
                f"| {words} | {mean:.0%} | "
                f"{' | '.join(f'{100 * ours:.1f} ({100 * before:.0f})' for ours, before in cells)} |"
            )


if __name__ == "__main__":
    print(run().markdown())
