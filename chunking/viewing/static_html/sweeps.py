"""A sweep as HTML: its leaderboard, with a bar for each mean, and the verdict above it."""

from __future__ import annotations

import math

from chunking.display import quantity
from chunking.evaluation.analysis.result_wording import Verdict
from chunking.evaluation.analysis.run_comparison import Line
from chunking.evaluation.metrics.metric_table import COST, metric_of
from chunking.evaluation.sweep.sweep_result import SweepResult, standing, sweep_facts
from chunking.viewing.static_html.elements import Html, bar, card, clipped, disclosure, element, faint, head, table

__all__ = ["sweep_html"]

_MOST_LINES, _MOST_FAILED = 30, 20
_MOST_TEXT = 300
"""Characters of a label or a sentence."""


def sweep_html(result: SweepResult) -> Html:
    """A card with the first 30 configurations, and a sentence about the others."""
    rest = len(result.lines) - _MOST_LINES
    failed = [(clipped(one.label, _MOST_TEXT), clipped(one.error, _MOST_TEXT)) for one in result.report.failed[:_MOST_FAILED]]
    return card(
        head(clipped(result.sweep.name, _MOST_TEXT), *sweep_facts(result)),
        *(_verdict(result.verdict) if result.lines else []),
        *([_leaderboard(result)] if result.lines else []),
        *([faint(f"… and {quantity(rest, 'more configuration')}; to_pandas() has them all.")] if rest > 0 else []),
        disclosure("Failed configurations", *([table(("Configuration", "Why"), failed, prose=(0, 1))] if failed else [])),
    )


def _verdict(verdict: Verdict) -> list[Html]:
    head = element("div", clipped(verdict.head, 2 * _MOST_TEXT), style="margin:6px 0 0", dir="auto")
    return [head, faint(clipped(verdict.detail, 2 * _MOST_TEXT))] if verdict.detail else [head]


def _leaderboard(result: SweepResult) -> Html:
    metric, cost = metric_of(result.sweep.metric), metric_of(COST)
    most = max((line.summary[metric.name].mean for line in result.lines if math.isfinite(line.summary[metric.name].mean)), default=0.0)

    def row(line: Line) -> tuple[str, ...]:
        one = line.summary[metric.name]
        length = one.mean / (1.0 if metric.percent or not most else most) if math.isfinite(one.mean) else 0.0
        return (
            f"{line.place}",
            clipped(line.run.label, _MOST_TEXT),
            metric.text(one.mean),
            bar(length, "picked"),
            f"{metric.text(one.low)} to {metric.text(one.high)}" if one.known else "",
            cost.text(line.summary[COST].mean),
            standing(line),
        )

    titles = ("", "Configuration", metric.label, "", "95 % confidence interval", cost.label, "")
    return table(titles, map(row, result.lines[:_MOST_LINES]), prose=(1,))
