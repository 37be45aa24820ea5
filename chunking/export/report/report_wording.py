"""Sentences of the report; they name no winner where the difference may be chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from chunking.evaluation import (
    Difference,
    Interval,
    LeaderboardRun,
    Made,
    Metric,
    QuestionSet,
    two_digits,
)

__all__ = ["between", "difference_sentence", "limits"]

_FEW = 30
"""Number of questions below which every interval is wide."""
_MADE = {
    Made.HEADING: "from headings",
    Made.SENTENCE: "from sentences",
    Made.PHRASE: "from key phrases",
    Made.LLM: "by a language model",
}


def between(interval: Interval, metric: Metric, *, joint: str = " to ", unit: bool = True) -> str:
    """Format the 95 % interval with its unit once; empty below two questions.

    Args:
        joint: text between its two ends.
        unit: False leaves the unit out.
    """
    if not interval.known:
        return ""
    low, high = metric.text(interval.low), metric.text(interval.high)
    ending = f" {metric.unit}" if metric.unit else ""
    return f"{low.removesuffix(ending)}{joint}{high if unit else high.removesuffix(ending)}"


def difference_sentence(a: str, b: str, difference: Difference, metric: Metric) -> str:
    """Return a sentence on a paired comparison: the second run minus the first."""
    if difference.n < 2:
        return "Only one question in common: nothing can be said about the difference."
    if not difference.differing:
        return f"Both have the same {metric.label.lower()} on each of the {difference.n:,} questions."
    size = metric.points(difference.mean)
    span = f"95 % confidence interval {metric.points(difference.low)} to {metric.points(difference.high)}"
    if difference.shown:
        better = (difference.mean > 0) == metric.higher_is_better
        return (
            f"{b} is {'better' if better else 'worse'} than {a}: {size} ({span}; {difference.n:,} questions, "
            f"{difference.differing:,} differ)."
        )
    more = (
        f" With about {two_digits(difference.needed)} more questions a difference of this size would be significant."
        if difference.needed
        else ""
    )
    return (
        f"No statistically significant difference between {a} and {b}: {size} ({span}; {difference.n:,} questions, "
        f"{difference.differing:,} differ).{more}"
    )


def limits(questions: QuestionSet, lines: Sequence[LeaderboardRun]) -> list[str]:
    """Return cautions about a result: bootstrap, many runs, few, generated or sampled questions."""
    cautions = [
        (
            "The intervals come from a bootstrap over the questions, assumed independent: they show how much "
            "the result depends on the choice of questions, not whether these are the questions your readers "
            "ask. Several questions on one passage carry less information than it seems."
        ),
    ]
    if len(lines) > 2:
        cautions.append(
            f"Each of the {len(lines)} configurations is compared with the best, and the intervals are widened for "
            "that: the luckiest of many may look good by chance."
        )
    if len(questions) < _FEW:
        cautions.append(f"{len(questions)} questions are few: only large differences can be significant.")
    counts = Counter(one.made for one in questions.questions)
    generated = [f"{counts[kind]:,} {words}" for kind, words in _MADE.items() if counts[kind]]
    if generated:
        cautions.append(f"Generated questions ({', '.join(generated)}) flatter the chunker that suits them.")
    sampled = sum(not line.complete for line in lines)
    if sampled:
        were = "configuration was" if sampled == 1 else "configurations were"
        cautions.append(
            f"{sampled:,} {were} run on only some of the questions (dropped early by successive halving) and "
            f"not judged."
        )
    return cautions
