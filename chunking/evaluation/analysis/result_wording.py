"""Results in plain sentences: a difference, an interval, a leaderboard's verdict.

Labels of configurations are inserted unescaped: the caller turns the sentence into plain text before drawing it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from chunking.evaluation.analysis.recommendation import FEWEST, Recommendation
from chunking.evaluation.analysis.run_comparison import LeaderboardRun
from chunking.evaluation.analysis.statistics import Difference, Interval
from chunking.evaluation.metrics.metric_table import COST, Metric, metric_of

__all__ = [
    "METHODS",
    "LeaderboardVerdict",
    "difference_in_words",
    "interval_in_words",
    "metric_in_text",
    "two_digits",
    "verdict",
]


METHODS: Mapping[str, str] = {
    "interval": (
        "95 % confidence interval of the mean: the questions are reweighted 2,000 times (Bayesian bootstrap), together "
        "with one more question that scores the lowest or the highest possible value. For metrics that are 0 or 1 it "
        "is the exact interval of Clopper and Pearson, so it also holds when nearly everything is found."
    ),
    "difference": (
        "Paired bootstrap: the differences per question are resampled 2,000 times. A difference is statistically "
        "significant where the 95 % confidence interval excludes 0 and swapping the two at random gives as large a "
        "difference in fewer than 5 of 100 tries."
    ),
    "needed": (
        "With this many more questions, a difference as large as the observed one would be significant in 8 of "
        "10 cases."
    ),
    "leaderboard": (
        "Each configuration is compared with the best. The more there are, the further ahead the luckiest may be by "
        "chance, so the intervals are widened (largest statistic of a bootstrap, multiple comparisons with the best): "
        "the one that is truly best is called worse in at most 2.5 of 100 cases. Those not significantly worse are "
        "statistically tied with the best."
    ),
    "recommended": (
        "The recommended configuration is the cheapest one that is at most the margin below the best "
        "(non-inferiority test, 95 % confidence for all configurations together): it is worse by more than "
        "that in at most 5 of 100 cases. If there are too few questions to show this for any, the one with "
        "the best mean so far is named, without a claim."
    ),
    "sensitivity": "For each value, the mean over the runs that have it, compared where all other settings are equal.",
}
"""Help texts about the statistical methods, by the kind of number they explain."""


def interval_in_words(one: Interval, metric: str) -> str:
    """Describe a mean with its interval and number of questions.

    >>> interval_in_words(Interval(0.7, 0.65, 0.75, 0.3, 117), "recall")
    '70.0 % (95 % confidence interval 65.0 to 75.0 %, 117 questions)'
    """
    row = metric_of(metric)
    if not one.n:
        return "no question"
    if not one.known:
        return f"{row.text(one.mean)} (one question only: no statistics)"
    low = row.text(one.low).removesuffix(f" {row.unit}")
    return f"{row.text(one.mean)} (95 % confidence interval {low} to {row.text(one.high)}, {one.n:,} questions)"


def difference_in_words(one: Difference, metric: str, a: str = "the first", b: str = "the second") -> str:
    """Describe the difference `a` minus `b` of two configurations in one sentence.

    >>> difference = Difference(0.012, -0.02, 0.044, 117, 0.4, 0.2, False, 640, 30)
    >>> print(difference_in_words(difference, "recall"))  # doctest: +NORMALIZE_WHITESPACE
    No significant difference in recall: +1.2 points (95 % confidence interval −2.0 to +4.4) on 117 questions.
    About 640 more questions are needed.
    """
    row = metric_of(metric)
    name = metric_in_text(row)
    if not one.n:
        return "The two runs have no question in common, so they cannot be compared."
    if one.n == 1:
        return f"Only one question, so no statistics: {name} differs by {row.points(one.mean)}."
    if not one.differing:
        return f"No difference in {name}: it is equal on each of the {one.n:,} questions."
    span = f"{_bare(row, one.low)} to {_bare(row, one.high)}"
    if one.shown:
        more = "higher" if one.mean > 0 else "lower"
        first, second = sorted((abs(one.low), abs(one.high)))
        between = f"{row.points(first, sign=False).split()[0]} to {row.points(second, sign=False)}"
        return (
            f"The {name} of {a} is {row.points(one.mean, sign=False)} {more} than that of {b} "
            f"(95 % confidence interval {between}, {one.n:,} questions)."
        )
    sentence = (
        f"No significant difference in {name}: {row.points(one.mean)} (95 % confidence interval {span}) on "
        f"{one.n:,} questions."
    )
    return f"{sentence} {_more(one)}"


class LeaderboardVerdict(NamedTuple):
    """Summary of a leaderboard: the recommended configuration, and how certain that is."""

    head: str
    """Quotable sentence with the recommended configuration and its value."""
    detail: str
    """Certainty of the recommendation, and the number of questions that would decide; may be empty."""


def verdict(
    lines: Sequence[LeaderboardRun], metric: str, name: Callable[[LeaderboardRun], str] | None = None
) -> LeaderboardVerdict:
    """Return the recommended configuration in words, its certainty and the questions needed.

    Args:
        lines: the rows of `leaderboard`.
        name: returns the name of a line; default: its label in quotation marks.
    """
    row = metric_of(metric)
    called = name or (lambda line: f"“{' '.join(line.run.label.split())}”")
    first = next((line for line in lines if line.complete and line.recommendation is not None), None)
    if first is None or first.recommendation is None:
        return LeaderboardVerdict("There is no run yet.", "")
    chosen, value = first.recommendation, _value(first, row)
    if chosen.compared == 1:
        return LeaderboardVerdict(
            f"{called(first)} reaches {value}.",
            "It is the only configuration run on all questions, so there is nothing to compare it with.",
        )
    if chosen.questions == 1:
        return LeaderboardVerdict(
            "One question is too few to recommend a configuration.",
            f"The best on it was {called(first)}, with {_mean(first, row)}.",
        )
    if not chosen.decided:
        for_now = " for now" if chosen.questions < FEWEST else ""
        return LeaderboardVerdict(
            f"{called(first)} is recommended{for_now}: it has the best mean, {value}.", _undecided(chosen, lines, row)
        )
    best = next(line for line in lines if line.best)
    return LeaderboardVerdict(
        f"{called(first)} is the recommended configuration: {value}.", _decided(chosen, first, best, called(best), row)
    )


def _undecided(chosen: Recommendation, lines: Sequence[LeaderboardRun], row: Metric) -> str:
    """Return what to do although the margin is not shown to be kept: a tie is decided by cost."""
    tied, gap = sum(line.tied for line in lines), row.points(chosen.shortfall, sign=False)
    if chosen.questions >= FEWEST and tied > 1:
        return (
            f"{_number(tied, chosen.compared)} are statistically tied with the best, and this one is at most {gap} "
            f"below it (95 % confidence). Take a cheaper one of them if tokens matter. {_would_decide(chosen)}"
        )
    sentence = f"{chosen.questions:,} questions are too few to decide"
    if chosen.shortfall > chosen.margin:
        sentence += f": the best may be another, by up to {gap} (95 % confidence)"
    return f"{sentence}. {_would_decide(chosen)}"


def _decided(chosen: Recommendation, first: LeaderboardRun, best: LeaderboardRun, named: str, row: Metric) -> str:
    sure = f"95 % confidence, {chosen.questions:,} questions"
    of = f"the best of {chosen.compared} configurations"
    if chosen.shortfall <= 0:
        sentence = f"It is {of} ({sure})."
    else:
        sentence = f"It is at most {row.points(chosen.shortfall, sign=False)} below {of} ({sure})"
        sentence += ", and sends the fewest context tokens of all within the margin." if not chosen.cheaper else "."
    if not first.best and _mean(first, row) != _mean(best, row):
        sentence += f" The best mean is that of {named}: {_mean(best, row)}, {_tokens(best)}."
    if chosen.cheaper:
        others = "One that sends" if chosen.cheaper == 1 else f"{chosen.cheaper:,} that send"
        sentence += f" {others} fewer context tokens may be within the margin, too. {_would_decide(chosen)}"
    return sentence


def _would_decide(chosen: Recommendation) -> str:
    if chosen.needed is None:
        return "No realistic number of questions would decide."
    return f"About {two_digits(chosen.needed)} questions would decide."


def _value(line: LeaderboardRun, row: Metric) -> str:
    """Describe a run's metric with its interval, and its context tokens per question."""
    sentence = interval_in_words(line.summary[row.name], row.name)
    return sentence if row.unit == "tokens" else f"{metric_in_text(row)} {sentence}, {_tokens(line)}"


def _mean(line: LeaderboardRun, row: Metric) -> str:
    return f"{metric_in_text(row)} {row.text(line.summary[row.name].mean)}"


def _tokens(line: LeaderboardRun) -> str:
    cost = line.summary[COST].mean
    return f"{cost:,.0f} context tokens per question" if math.isfinite(cost) else "context tokens unknown"


def _more(one: Difference) -> str:
    if one.needed is None:
        return "The difference is so small that no realistic number of questions would make it significant."
    return f"About {two_digits(one.needed)} more question{'s are' if one.needed != 1 else ' is'} needed."


def two_digits(number: int) -> str:
    """Format a count with two significant digits; an estimate is no more precise.

    >>> two_digits(7), two_digits(643), two_digits(11938)
    ('7', '640', '12,000')
    """
    digits = max(len(str(number)) - 2, 0)
    return f"{round(number, -digits):,}"


def _number(tied: int, all_: int) -> str:
    everyone = "Both configurations" if all_ == 2 else f"All {all_} configurations"
    return everyone if tied == all_ else f"{tied} of {all_} configurations"


def _bare(row: Metric, value: float) -> str:
    """Format a difference without its unit."""
    return row.points(value).split()[0]


def metric_in_text(row: Metric) -> str:
    """Return a metric's label for use inside a sentence: lower case unless an abbreviation."""
    return row.label if any(map(str.isupper, row.label.split()[0][1:])) else row.label[0].lower() + row.label[1:]
