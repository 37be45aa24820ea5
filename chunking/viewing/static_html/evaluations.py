"""Runs and sweeps as HTML cards: failed questions and their causes; leaderboard and verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence

from chunking.display import quantity
from chunking.evaluation.analysis.failure_diagnosis import causes
from chunking.evaluation.analysis.result_wording import LeaderboardVerdict
from chunking.evaluation.analysis.run_comparison import LeaderboardRun
from chunking.evaluation.metrics.metric_table import COST, metric_of
from chunking.evaluation.runs.answered import CAUSES, Answered
from chunking.evaluation.runs.run import EvaluationRun, run_facts
from chunking.evaluation.sweep.sweep_result import SweepResult, standing, sweep_facts
from chunking.viewing.static_html.elements import Html, bar, card, clipped, disclosure, element, faint, head, table

__all__ = ["run_html", "sweep_html"]

_MOST_FAILURES, _MOST_NOTES, _MOST_SETTINGS = 20, 10, 60
_MOST_TEXT = 300
"""Maximum characters of a sentence."""

_MOST_LINES, _MOST_FAILED_RUNS = 30, 20
"""Characters of a label or a sentence."""


def run_html(run: EvaluationRun) -> Html:
    """Return a run's card: causes of failure, first 20 failed questions, and changed settings."""
    failed = [one for one in run.answered if one.diagnosis is not None]
    return card(
        head(clipped(run.label, _MOST_TEXT), *(clipped(fact, 2 * _MOST_TEXT) for fact in run_facts(run))),
        *(faint(clipped(note, _MOST_TEXT)) for note in run.notes[:_MOST_NOTES]),
        *([_causes(run)] if failed else []),
        disclosure("Failed questions", *_failures(failed)),
        disclosure("Settings that differ from the defaults", *_settings(run)),
    )


def _causes(run: EvaluationRun) -> Html:
    total = len(run.answered)
    rows = [
        (CAUSES[cause].label, bar(count / total, "warning"), f"{count:,} of {total:,}")
        for cause, count in causes(run).items()
    ]
    return table(("Cause", "", "Questions"), rows)


def _failures(failed: Sequence[Answered]) -> list[Html]:
    if not failed:
        return []
    rows = [
        (
            clipped(one.question_id, _MOST_TEXT),
            CAUSES[why.cause].label,
            clipped(why.sentence, _MOST_TEXT),
            clipped(why.help, _MOST_TEXT),
        )
        for one in failed[:_MOST_FAILURES]
        if (why := one.diagnosis) is not None
    ]
    rest = len(failed) - _MOST_FAILURES
    more = [faint(f"… and {quantity(rest, 'more question')}; to_pandas() has them all.")] if rest > 0 else []
    return [table(("Question", "Cause", "What happened", "Suggestion"), rows, prose=(0, 2, 3)), *more]


def _settings(run: EvaluationRun) -> list[Html]:
    rows = [(clipped(key, _MOST_TEXT), clipped(value, _MOST_TEXT)) for key, value in run.config.changed().items()][
        :_MOST_SETTINGS
    ]
    return [table(("Setting", "Value"), rows, prose=(0, 1))] if rows else []


def sweep_html(result: SweepResult) -> Html:
    """Return a sweep's card: verdict, first 30 configurations, and the first 20 that failed."""
    rest = len(result.lines) - _MOST_LINES
    failed = [
        (clipped(one.label, _MOST_TEXT), clipped(one.error, _MOST_TEXT))
        for one in result.report.failed[:_MOST_FAILED_RUNS]
    ]
    return card(
        head(clipped(result.sweep.name, _MOST_TEXT), *sweep_facts(result)),
        *(_verdict(result.verdict) if result.lines else []),
        *([_leaderboard(result)] if result.lines else []),
        *([faint(f"… and {quantity(rest, 'more configuration')}; to_pandas() has them all.")] if rest > 0 else []),
        disclosure(
            "Failed configurations", *([table(("Configuration", "Why"), failed, prose=(0, 1))] if failed else [])
        ),
    )


def _verdict(verdict: LeaderboardVerdict) -> list[Html]:
    head = element("div", clipped(verdict.head, 2 * _MOST_TEXT), style="margin:6px 0 0", dir="auto")
    return [head, faint(clipped(verdict.detail, 2 * _MOST_TEXT))] if verdict.detail else [head]


def _leaderboard(result: SweepResult) -> Html:
    metric, cost = metric_of(result.sweep.metric), metric_of(COST)
    most = max(
        (line.summary[metric.name].mean for line in result.lines if math.isfinite(line.summary[metric.name].mean)),
        default=0.0,
    )

    def row(line: LeaderboardRun) -> tuple[str, ...]:
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
