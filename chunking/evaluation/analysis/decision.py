"""The decision that a leaderboard supports: baseline, recommended, and cheapest that is as good.

Everything that the app and the report say of it is computed here, so that every place says the same. The rule behind
*Recommended* is that of `recommendation`; this module turns its result into advice. *Cheapest that is as good* is the
run with the fewest context tokens whose mean is within the margin of the best mean and that is statistically tied with
the best and with the recommended run: a tie, not a proof.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from chunking.evaluation.analysis.recommendation import FEWEST
from chunking.evaluation.analysis.result_wording import METHODS, metric_in_text, two_digits, verdict
from chunking.evaluation.analysis.run_comparison import LeaderboardRun
from chunking.evaluation.analysis.setting_labels import brief_label
from chunking.evaluation.analysis.statistics import Difference
from chunking.evaluation.metrics.metric_table import COST, Metric, metric_of
from chunking.glossary import term

__all__ = ["CardRole", "Decision", "DecisionCard", "Reasoning", "decide"]

_SAME_COST = 0.005
"""Relative difference of context tokens below which two costs count as equal."""


class CardRole(StrEnum):
    """Role of a configuration in a decision."""

    BASELINE = "baseline"
    RECOMMENDED = "recommended"
    CHEAPEST = "cheapest"
    MEASURED = "measured"
    """The only configuration measured: there is nothing to recommend it over."""

    @property
    def label(self) -> str:
        """Title of the card."""
        return _LABELS[self]

    @property
    def short(self) -> str:
        """Label of the configuration's point in a plot."""
        return _SHORT[self]


_LABELS = {
    CardRole.BASELINE: "Baseline",
    CardRole.RECOMMENDED: "Recommended",
    CardRole.CHEAPEST: "Cheapest that is as good",
    CardRole.MEASURED: "Measured",
}
_SHORT = {**_LABELS, CardRole.CHEAPEST: "Cheapest"}


@dataclass(frozen=True, slots=True)
class DecisionCard:
    """One of the three configurations to choose from, with what to expect of it."""

    role: CardRole
    line: LeaderboardRun | None
    """Row of the leaderboard; None for a baseline that was not run on all questions."""
    settings: str
    """The settings that matter most, in a line."""
    value: str
    """Mean of the metric with its unit; a dash if not measured."""
    tokens: str
    """Context tokens per question, as a number; a dash if unknown."""
    confidence: str
    """Plain sentence about how sure the choice is."""


@dataclass(frozen=True, slots=True)
class Reasoning:
    """A question about the decision, with its answer."""

    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Decision:
    """Three cards, the sentence above them, and the reasons behind them."""

    headline: str
    """Sentence with the result, for a reader who reads nothing else."""
    cards: tuple[DecisionCard, ...]
    """Baseline, recommended and cheapest, which is the recommended run again if nothing cheaper is as good. Without a
    second run: the baseline and the only one measured.
    """
    metric: Metric
    questions: int
    reasons: tuple[Reasoning, ...]
    """Answers to *Why?*: interval, comparison with the baseline, rule and margin."""

    def card(self, role: CardRole) -> DecisionCard | None:
        """Return the card with this role, or None."""
        return next((card for card in self.cards if card.role is role), None)

    def repeats(self, card: DecisionCard) -> bool:
        """True for *Cheapest* if it is the recommended run: only its sentence says something new."""
        chosen = self.card(CardRole.RECOMMENDED)
        return card.role is CardRole.CHEAPEST and chosen is not None and card.line is chosen.line

    def roles(self, key: str) -> tuple[CardRole, ...]:
        """Return the roles of the run with this key; *Cheapest* only if it is not the recommended run."""
        roles = [card.role for card in self.cards if card.line is not None and card.line.run.key == key]
        return tuple(role for role in roles if role is not CardRole.CHEAPEST or CardRole.RECOMMENDED not in roles)


def decide(lines: Sequence[LeaderboardRun], metric: str) -> Decision | None:
    """Return the three cards of a leaderboard; None if no run was made on all questions.

    Args:
        lines: the rows of `leaderboard` for this metric.
    """
    row = metric_of(metric)
    chosen = next((line for line in lines if line.recommendation is not None), None)
    if chosen is None or chosen.recommendation is None:
        return None
    usual = _baseline(lines, chosen)
    return Decision(
        headline=_headline(chosen, usual, row),
        cards=tuple(_cards(lines, chosen, usual, row)),
        metric=row,
        questions=chosen.recommendation.questions,
        reasons=tuple(_reasons(lines, chosen, usual, row)),
    )


def _cards(
    lines: Sequence[LeaderboardRun], chosen: LeaderboardRun, usual: LeaderboardRun | None, row: Metric
) -> Iterator[DecisionCard]:
    """Yield the cards in the order they are drawn."""
    assert chosen.recommendation is not None
    yield _card(CardRole.BASELINE, usual, None, _baseline_sentence(lines, usual), row)
    if chosen.recommendation.compared == 1:
        if usual is None:
            yield _card(CardRole.MEASURED, chosen, None, "Compare it with others before you choose.", row)
        return
    yield _card(CardRole.RECOMMENDED, chosen, None, _recommended_sentence(chosen, usual, row), row)
    cheapest = _cheapest(lines, chosen, row)
    yield _card(CardRole.CHEAPEST, cheapest, chosen, _cheapest_sentence(cheapest, chosen), row)


def _baseline(lines: Sequence[LeaderboardRun], chosen: LeaderboardRun) -> LeaderboardRun | None:
    """Return the run of the baseline that the leads are measured from: with the recommended run's model if any."""
    there = [line for line in lines if line.complete and line.is_baseline]
    model = chosen.run.config.embedding.model
    return min(there, key=lambda line: line.run.config.embedding.model != model, default=None)


def _cheapest(lines: Sequence[LeaderboardRun], chosen: LeaderboardRun, row: Metric) -> LeaderboardRun:
    """Return the cheapest run that is tied with the recommended one and within the margin of the best mean."""
    assert chosen.recommendation is not None
    best, margin = next(line for line in lines if line.best), chosen.recommendation.margin + 1e-12
    sign = 1 if row.higher_is_better else -1

    def is_as_good(line: LeaderboardRun) -> bool:
        behind = sign * (best.summary[row.name].mean - line.summary[row.name].mean)
        worse = line.gain is not None and line.gain.shown and line.gain.mean < 0
        return line.complete and line.tied and not worse and behind <= margin and _cost(line) < _cost(chosen)

    return min(filter(is_as_good, lines), key=_cost, default=chosen)


def _card(
    role: CardRole, line: LeaderboardRun | None, base: LeaderboardRun | None, sure: str, row: Metric
) -> DecisionCard:
    if line is None:
        return DecisionCard(role, None, "Recursive 512/50 tokens · no prefix · vector search", "–", "–", sure)
    settings = brief_label(line.run.config, base.run.config if role is CardRole.CHEAPEST and base else None)
    cost = _cost(line)
    tokens = f"{cost:,.0f}" if math.isfinite(cost) else "–"
    return DecisionCard(role, line, settings, row.text(line.summary[row.name].mean), tokens, sure)


def _cost(line: LeaderboardRun) -> float:
    """Return the context tokens per question; infinity if unknown."""
    cost = line.summary[COST].mean
    return cost if math.isfinite(cost) else math.inf


# -- the sentences


def _headline(chosen: LeaderboardRun, usual: LeaderboardRun | None, row: Metric) -> str:
    assert chosen.recommendation is not None
    said = chosen.recommendation
    value = row.text(chosen.summary[row.name].mean)
    if said.questions == 1:
        return "One question is too few to recommend a configuration."
    ours = f"The recommended settings {_reach(row, value)}"
    if said.compared == 1:
        start = "The baseline" if usual is not None else "These settings"
        verb = _reach(row, value, one=usual is not None)
        return f"{start} {verb}. There is nothing to compare with yet."
    if usual is chosen:
        return f"The baseline is the best of {said.compared} configurations: it {_reach(row, value, one=True)}."
    if usual is None:
        few = f"; {said.questions} questions are too few to decide" if said.questions < FEWEST else ""
        return f"{ours}, with {_tokens(chosen)} per question{few}."
    theirs = row.text(usual.summary[row.name].mean)
    lead = chosen.lead
    saved = _joined(_cost_against(chosen, usual))
    if lead is not None and lead.shown and lead.mean > 0:
        return f"{ours} instead of the baseline’s {theirs}{saved}."
    if said.questions < FEWEST:
        start = f"{said.questions} questions are too few to decide: so far the recommended settings"
        return f"{start} {_reach(row, value)}, the baseline {theirs}."
    if lead is not None and lead.shown:
        return f"{ours}, the baseline {theirs}: within the margin{saved}."
    return f"The recommended settings and the baseline are tied at {value} and {theirs}{saved}."


def _reach(row: Metric, value: str, *, one: bool = False) -> str:
    """Return the predicate with a metric's value, for a subject in the singular or plural."""
    if row.name == "recall":
        return f"find{'s' if one else ''} {value} of the answers’ text"
    return (
        f"{'reaches' if one else 'reach'} {value} of {metric_in_text(row)}"
        if row.percent
        else (f"{'has' if one else 'have'} {metric_in_text(row)} {value}")
    )


def _joined(phrase: str) -> str:
    return f", {phrase}" if phrase else ""


def _tokens(line: LeaderboardRun) -> str:
    cost = _cost(line)
    return f"{cost:,.0f} context tokens" if math.isfinite(cost) else "an unknown number of context tokens"


def _cost_against(line: LeaderboardRun, other: LeaderboardRun) -> str:
    """Return how many tokens a run sends relative to another, such as `with 65 % fewer context tokens`."""
    ours, theirs = _cost(line), _cost(other)
    if not (math.isfinite(ours) and math.isfinite(theirs) and theirs):
        return ""
    share = ours / theirs - 1
    if abs(share) < _SAME_COST:
        return "with as many context tokens"
    return f"with {100 * abs(share):.0f} % {'more' if share > 0 else 'fewer'} context tokens"


def _baseline_sentence(lines: Sequence[LeaderboardRun], usual: LeaderboardRun | None) -> str:
    if usual is not None:
        return term("Baseline").line
    if any(line.is_baseline for line in lines):
        return "Run on only some of the questions, so it cannot be compared."
    return "Not measured on these questions. Every comparison on Tune measures it."


def _recommended_sentence(chosen: LeaderboardRun, usual: LeaderboardRun | None, row: Metric) -> str:
    assert chosen.recommendation is not None
    said, lead = chosen.recommendation, chosen.lead
    few = f"{said.questions} questions are too few to decide" if said.questions < FEWEST else ""
    hint = f": about {two_digits(said.needed)} would do" if said.needed else ""
    if usual is chosen:
        return f"{few}{hint}." if few else "Nothing measured is better than the baseline: keep it."
    if lead is not None and lead.shown and lead.mean > 0:
        sentence = f"Better than the baseline by {_span(row, lead)}."
        return f"{sentence} {few} between the others{hint}." if few else sentence
    if few:
        return f"{few}{hint}. So far, this one is ahead."
    if usual is None:
        so = "Within the margin of the best measured" if said.decided else "Tied with the best of the others"
        return f"{so}; how much better than the baseline is unknown."
    if lead is not None and lead.shown:
        return f"Worse than the baseline by {_span(row, lead)}, within the margin, {_cost_against(chosen, usual)}."
    cheaper = _cost(chosen) < _cost(usual) * (1 - _SAME_COST)
    advice = "take it" if cheaper else "stay with the baseline if tokens matter"
    return f"A tie with the baseline{_joined(_cost_against(chosen, usual))}: {advice}."


def _cheapest_sentence(cheapest: LeaderboardRun, chosen: LeaderboardRun) -> str:
    assert chosen.recommendation is not None
    if cheapest is chosen:
        return "Nothing cheaper is as good: take the recommended one."
    saved = _cost_against(cheapest, chosen)
    if chosen.recommendation.questions < FEWEST:
        return f"A tie with the recommended one so far, {saved}; too few questions to be sure."
    return f"A tie with the recommended one, {saved}: take it if tokens matter."


def _span(row: Metric, one: Difference) -> str:
    """Return the size of a significant difference as a range, such as `28 to 38 points`.

    >>> wide, narrow = (Difference(m, a, b, 159, 0.0, 0.3, True, None, 60) for m, a, b in (
    ...     (0.331, 0.279, 0.384), (0.03, 0.004, 0.062)))
    >>> _span(metric_of("recall"), wide), _span(metric_of("recall"), narrow)
    ('28 to 38 points', '0.4 to 6.2 points')
    """
    low, high = sorted((abs(one.low), abs(one.high)))
    if row.percent:
        exact = round(100 * low) < 1 or round(100 * low) == round(100 * high)
        digits = 1 if exact else 0
        return f"{100 * low:.{digits}f} to {100 * high:.{digits}f} points"
    return f"{row.points(low, sign=False).split()[0]} to {row.points(high, sign=False)}"


# -- why


def _reasons(
    lines: Sequence[LeaderboardRun], chosen: LeaderboardRun, usual: LeaderboardRun | None, row: Metric
) -> Iterator[Reasoning]:
    """Yield the answers to *Why?*, from the number on the card to the rule behind it."""
    assert chosen.recommendation is not None
    said, mean = chosen.recommendation, chosen.summary[row.name]
    if mean.known:
        yield Reasoning(
            "How certain is the number?",
            f"{row.text(mean.mean)} is the mean over {said.questions:,} questions. With other questions of the same "
            f"kind, it would probably lie between {row.text(mean.low)} and {row.text(mean.high)} (95 % confidence "
            "interval).",
        )
    if usual is not None and usual is not chosen and chosen.lead is not None and chosen.lead.n > 1:
        lead = chosen.lead
        low = row.points(lead.low).split()[0]
        ahead = row.apart(mean.mean, usual.summary[row.name].mean)
        size = f"{row.points(ahead)} (95 % confidence interval {low} to {row.points(lead.high)})"
        shown = "statistically significant" if lead.shown else "a tie: not statistically significant"
        yield Reasoning(
            "Is it better than the baseline?",
            f"{size}: {shown}. Both answered the same {lead.n:,} questions and differ on {lead.differing:,}. The "
            f"interval is widened for the {said.compared} configurations compared: the luckiest of many always looks "
            "good.",
        )
    if said.compared > 1:
        yield Reasoning("Why this one?", verdict(lines, row.name).detail)
        yield Reasoning(
            "What is as good?",
            f"At most {_margin(row, said.margin)} below the best mean (the margin, which you can change), and not "
            "significantly worse. A tie does not prove that two are equal: these questions cannot tell them apart, so "
            "decide by cost.",
        )
        yield Reasoning("What is the rule?", METHODS["recommended"])


def _margin(row: Metric, margin: float) -> str:
    return row.points(margin, sign=False) if row.percent or row.unit else f"{margin:.2f}"
