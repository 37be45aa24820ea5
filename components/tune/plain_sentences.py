"""What a comparison came to, in sentences that a person who knows no statistics can use."""

from __future__ import annotations

from chunking.evaluation import Difference, Interval, Metric
from components.kit.wording import quantity

__all__ = ["difference_sentence", "holdout_sentence", "range_words"]


def range_words(metric: Metric, one: Interval) -> str:
    """An interval, short; what is missing where there is none.

    >>> from chunking.evaluation import metric_of
    >>> range_words(metric_of("recall"), Interval(0.8, 0.75, 0.85, 0.1, 50))
    '75–85'
    """
    if not one.known:
        return "one question: no interval"
    if metric.percent:
        return f"{100 * one.low:.0f}–{100 * one.high:.0f}"
    digits = ",.0f" if metric.unit else ".2f"
    return f"{one.low:{digits}}–{one.high:{digits}}"


def difference_sentence(metric: Metric, found: Difference, first: str, second: str) -> str:
    """How two configurations differ, as Markdown; the names must be safe in it.

    >>> from chunking.evaluation import metric_of
    >>> none = Difference(0.012, -0.02, 0.044, 117, 0.4, 0.2, False, 340)
    >>> difference_sentence(metric_of("recall"), none, "A", "B")
    '**No significant difference.** On these 117 questions A has +1.2 points of recall, but anything from −2.0 to +4.4
    points is \
compatible with the data. About 340 more questions are needed to tell.'
    """
    if not found.n:
        return "The two runs have no question in common, so there is nothing to compare."
    on = (
        f"On the one question that both have {first} has"
        if found.n == 1
        else f"On these {found.n:,} questions {first} has"
    )
    name = metric.label.lower() if metric.label.istitle() else metric.label
    mean = f"{metric.points(found.mean)} of {name}" if metric.unit != "tokens" else metric.points(found.mean)
    if found.n == 1:
        return f"{on} {mean}. One question says nothing about the difference."
    low, high = _unsigned(metric.points(found.low).split(" ")[0]), _unsigned(metric.points(found.high))
    if found.shown:
        better = (found.mean > 0) == metric.higher_is_better
        span = f"95 % confidence interval {low} to {high}; statistically significant"
        return f"**{_begun(first if better else second)} is better.** {on} {mean} ({span})."
    if not found.differing and not found.mean:
        return f"**No difference.** Both have the same {name} on each of these {found.n:,} questions."
    more = (
        f"About {found.needed:,} more questions are needed to tell."
        if found.needed
        else "No realistic number of questions would show a difference."
    )
    return (
        f"**No significant difference.** {on} {mean}, but anything from {low} to {high} is compatible with the "
        f"data. {more}"
    )


def _unsigned(number: str) -> str:
    """Nothing has no sign.

    >>> _unsigned("−0.0"), _unsigned("+0.0 points"), _unsigned("−0.01")
    ('0.0', '0.0 points', '−0.01')
    """
    head, *unit = number.split(" ")
    return " ".join([head.lstrip("+−") if not head.strip("+−0.") else head, *unit])


def _begun(name: str) -> str:
    """A name at the beginning of a sentence, whatever sign stands before it."""
    return name.replace("the ", "The ", 1)


def holdout_sentence(metric: Metric, tuned: Interval, held: Interval) -> str:
    """Whether a choice holds on questions that it was not made by."""
    name = metric.label.lower() if metric.label.istitle() else metric.label
    head = f"On the {quantity(held.n, 'question')} held out: {metric.text(held.mean)} {name}"
    if held.known:
        head += f" ({range_words(metric, held)})"
    head += f", against {metric.text(tuned.mean)} on the {tuned.n:,} dev questions it was chosen by."
    if not held.known:
        return f"{head} One question is too few to say more."
    worse = held.high < tuned.mean if metric.higher_is_better else held.low > tuned.mean
    return (
        f"{head} "
        f"{'It fits the dev questions better than new ones: expect the lower value.' if worse else 'The choice holds.'}"
    )
