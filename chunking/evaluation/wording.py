"""What the numbers say, in plain sentences: a difference, a leaderboard, the causes of failure.

The labels of configurations are in them as they are: whoever draws them makes plain text of the sentence first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from chunking.evaluation.comparing import Line
from chunking.evaluation.metrics import COST, Metric, metric_of
from chunking.evaluation.runs import Cause
from chunking.evaluation.statistics import Difference, Interval

__all__ = ["CAUSES", "METHODS", "CauseWords", "difference_in_words", "interval_in_words", "verdict"]


class CauseWords(NamedTuple):
    """A cause of failure as people read it."""

    label: str
    meaning: str
    """A sentence."""


CAUSES: Mapping[Cause, CauseWords] = {
    Cause.NOT_IN_PARSE: CauseWords("Not in the text", "The answer was left out when the file was read, or the file has changed since."),
    Cause.REPEAT: CauseWords("Dropped as a repeat", "Another place with the same text was shown in its stead."),
    Cause.SPLIT: CauseWords("Split by a boundary", "No chunk holds the answer whole, and not all of its parts were found."),
    Cause.CUT_OFF: CauseWords(
        "Cut off by the model", "Its chunk is longer than the model reads, and the answer stands behind what it reads."
    ),
    Cause.RANKED_BELOW: CauseWords("Ranked below the cut", "A chunk holds the answer, and others were ranked above it."),
}
"""In the order of the way from the file to the result."""

METHODS: Mapping[str, str] = {
    "interval": "95 % interval of the mean: the questions are drawn again 2,000 times, with replacement (bootstrap), and the means of "
    "the draws read at their percentiles, a little further out for few questions.",
    "difference": "The differences question by question, drawn again 2,000 times (paired bootstrap). It counts as shown where the 95 % "
    "interval excludes 0 and swapping the two at random gives as large a difference in less than 5 of 100 tries.",
    "needed": "So many more questions show a difference as large as the one seen in 8 of 10 cases.",
    "leaderboard": "Each configuration is compared with the best. The more there are, the further ahead the luckiest is by chance; the "
    "intervals are wider by that (largest statistic of a bootstrap, multiple comparisons with the best), so that the one that is "
    "truly best is called worse in at most 2.5 of 100 cases. What cannot be told from the best is tied; fewer context tokens decide ties.",
    "sensitivity": "For each value the mean over the runs that have it, compared where all other settings are the same.",
}
"""How the numbers were made, for a help text beside them."""


def interval_in_words(one: Interval, metric: str) -> str:
    """Such as `71.2 % (66.0 to 76.1 %, 117 questions)`.

    >>> interval_in_words(Interval(0.7, 0.65, 0.75, 0.3, 117), "recall")
    '70.0 % (95 % interval 65.0 to 75.0 %, 117 questions)'
    """
    row = metric_of(metric)
    if not one.n:
        return "no question"
    if not one.known:
        return f"{row.text(one.mean)} (one question only: no statistics)"
    low = row.text(one.low).removesuffix(f" {row.unit}")
    return f"{row.text(one.mean)} (95 % interval {low} to {row.text(one.high)}, {one.n:,} questions)"


def difference_in_words(one: Difference, metric: str, a: str = "the first", b: str = "the second") -> str:
    """One sentence about two configurations, `a` less `b`.

    >>> print(difference_in_words(Difference(0.012, -0.02, 0.044, 117, 0.4, 0.2, False, 640, 30), "recall"))
    No difference in recall shown: +1.2 points (−2.0 to +4.4) on 117 questions. About 640 more questions are needed.
    """
    row = metric_of(metric)
    name = _in_text(row)
    if not one.n:
        return "The two have no question in common, so nothing can be compared."
    if one.n == 1:
        return f"One question only, so no statistics: {name} differs by {row.points(one.mean)}."
    if not one.differing:
        return f"No difference in {name}: it is the same on each of the {one.n:,} questions."
    span = f"{_bare(row, one.low)} to {_bare(row, one.high)}"
    if one.shown:
        more = "higher" if one.mean > 0 else "lower"
        first, second = sorted((abs(one.low), abs(one.high)))
        between = f"{row.points(first, sign=False).split()[0]} to {row.points(second, sign=False)}"
        return (
            f"The {name} of {a} is {row.points(one.mean, sign=False)} {more} than that of {b} "
            f"(95 % interval {between}, {one.n:,} questions)."
        )
    return f"No difference in {name} shown: {row.points(one.mean)} ({span}) on {one.n:,} questions. {_more(one)}"


def verdict(lines: Sequence[Line], metric: str) -> str:
    """What a leaderboard says, in a few sentences: who is best, who is tied with it, and what would tell them apart."""
    row = metric_of(metric)
    name = _in_text(row)
    full = [line for line in lines if line.complete]
    if not full:
        return "Nothing was measured yet."
    if len(full) == 1:
        return "Only one configuration was measured on all questions: there is nothing to compare it with."
    best = next(line for line in full if line.best)
    count = best.difference.n
    if count == 1:
        return "One question only: no statistics, and so no winner."
    tied = [line for line in full if line.tied]
    value = row.text(best.summary[metric].mean)
    if len(tied) == 1:
        return f"“{best.run.label}” has the best {name}, {value}: chance does not explain its lead over any of the other {len(full) - 1}."
    told = f"{_number(len(tied), len(full))} cannot be told apart in {name} by {count:,} questions."
    first = tied[0]
    if first.best:
        told += f" “{best.run.label}” has the best mean, {value}, and of these sends the fewest context tokens."
    else:
        tokens, most = (line.summary[COST].mean for line in (first, best))
        told += (
            f" Of these “{first.run.label}” sends the fewest context tokens, {tokens:,.0f} a question. The best mean is that of "
            f"“{best.run.label}”: {value} with {most:,.0f} context tokens, {row.points(first.difference.mean, sign=False)} ahead, "
            f"as the luckiest of {len(full)} may well be by chance."
        )
    questions = [line.difference.needed for line in tied if not line.best and line.difference.needed]
    return f"{told} About {_round(min(questions))} more questions would begin to tell them apart." if questions else told


def _more(one: Difference) -> str:
    if one.needed is None:
        return "It is so small that no number of questions within reason would show it."
    return f"About {_round(one.needed)} more question{'s are' if one.needed != 1 else ' is'} needed."


def _round(number: int) -> str:
    """Two digits are as much as such an estimate is worth.

    >>> _round(7), _round(643), _round(11938)
    ('7', '640', '12,000')
    """
    digits = max(len(str(number)) - 2, 0)
    return f"{round(number, -digits):,}"


def _number(tied: int, all_: int) -> str:
    return f"All {all_} configurations" if tied == all_ else f"{tied} of {all_} configurations"


def _bare(row: Metric, value: float) -> str:
    """A difference without its unit."""
    return row.points(value).split()[0]


def _in_text(row: Metric) -> str:
    """A label inside a sentence: abbreviations stay as they are."""
    return row.label if any(map(str.isupper, row.label.split()[0][1:])) else row.label[0].lower() + row.label[1:]
