"""Sentences of the report; they name no winner where the difference may be chance."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from chunking.evaluation import (
    Difference,
    Interval,
    LeaderboardRun,
    Made,
    Measure,
    Metric,
    QuestionSet,
    two_digits,
    verdict,
)

__all__ = ["between", "difference_sentence", "headline", "limits"]

_FEW = 30
"""Number of questions below which every interval is wide."""
_MADE = {
    Made.HEADING: "from headings",
    Made.SENTENCE: "from sentences",
    Made.PHRASE: "from key phrases",
    Made.LLM: "by a language model",
}


def between(found: Interval, metric: Metric, *, joint: str = " to ", unit: bool = True) -> str:
    """Format the 95 % interval with its unit once; empty if there is only one question."""
    if not found.known:
        return ""
    low, high = metric.text(found.low), metric.text(found.high)
    ending = f" {metric.unit}" if metric.unit else ""
    return f"{low.removesuffix(ending)}{joint}{high if unit else high.removesuffix(ending)}"


def headline(lines: Sequence[LeaderboardRun], metric: Metric, measure: Measure) -> tuple[str, str]:
    """Return a quotable sentence on the result, and the line under it.

    Args:
        lines: the leaderboard, not empty. Those measured on a sample only are not judged.
    """
    told = verdict(lines, metric.name)
    return told.head, f"{told.detail} Evaluated {measure.label}.".strip()


def difference_sentence(a: str, b: str, found: Difference, metric: Metric) -> str:
    """Return a sentence on a paired comparison: the second run minus the first."""
    if found.n < 2:
        return "Only one question in common: nothing can be said about the difference."
    if not found.differing:
        return f"Both have the same {metric.label.lower()} on each of the {found.n:,} questions."
    size = metric.points(found.mean)
    span = f"95 % confidence interval {metric.points(found.low)} to {metric.points(found.high)}"
    if found.shown:
        better = (found.mean > 0) == metric.higher_is_better
        return (
            f"{b} is {'better' if better else 'worse'} than {a}: {size} ({span}; {found.n:,} questions, "
            f"{found.differing:,} differ)."
        )
    more = (
        f" With about {two_digits(found.needed)} more questions a difference of this size would be significant."
        if found.needed
        else ""
    )
    return (
        f"No statistically significant difference between {a} and {b}: {size} ({span}; {found.n:,} questions, "
        f"{found.differing:,} differ).{more}"
    )


def limits(questions: QuestionSet, lines: Sequence[LeaderboardRun]) -> list[str]:
    """Return cautions for the reader."""
    told = [
        (
            "The intervals come from a bootstrap over the questions, assumed independent: they show how much "
            "the result depends on the choice of questions, not whether these are the questions your readers "
            "ask. Several questions on one passage carry less information than it seems."
        ),
    ]
    if len(lines) > 2:
        told.append(
            f"Each of the {len(lines)} configurations is compared with the best, and the intervals are widened for "
            "that: the luckiest of many may look good by chance."
        )
    if len(questions) < _FEW:
        told.append(f"{len(questions)} questions are few: only large differences can be significant.")
    made = Counter(one.made for one in questions.questions)
    made_up = [f"{made[kind]:,} {words}" for kind, words in _MADE.items() if made[kind]]
    if made_up:
        told.append(f"Generated questions ({', '.join(made_up)}) flatter the chunker that suits them.")
    sampled = sum(not line.complete for line in lines)
    if sampled:
        were = "configuration was" if sampled == 1 else "configurations were"
        told.append(
            f"{sampled:,} {were} run on only some of the questions (dropped early by successive halving) and "
            f"not judged."
        )
    return told
