"""A run of an evaluation as HTML: how many questions failed, why, and which."""

from __future__ import annotations

from collections.abc import Sequence

from chunking.display import quantity
from chunking.evaluation.analysis.failure_diagnosis import causes
from chunking.evaluation.analysis.result_wording import CAUSES
from chunking.evaluation.runs.run import Answered, Run, run_facts
from chunking.viewing.static_html.elements import Html, bar, card, clipped, disclosure, faint, head, table

__all__ = ["run_html"]

_MOST_FAILURES, _MOST_NOTES, _MOST_SETTINGS = 20, 10, 60
_MOST_TEXT = 300
"""Characters of a sentence."""


def run_html(run: Run) -> Html:
    """A card with the causes of failure, and the first 20 questions that failed."""
    failed = [one for one in run.answered if one.diagnosis is not None]
    return card(
        head(clipped(run.label, _MOST_TEXT), *(clipped(fact, 2 * _MOST_TEXT) for fact in run_facts(run))),
        *(faint(clipped(note, _MOST_TEXT)) for note in run.notes[:_MOST_NOTES]),
        *([_causes(run)] if failed else []),
        disclosure("Failed questions", *_failures(failed)),
        disclosure("Settings that differ from the defaults", *_settings(run)),
    )


def _causes(run: Run) -> Html:
    total = len(run.answered)
    rows = [(CAUSES[cause].label, bar(count / total, "warning"), f"{count:,} of {total:,}") for cause, count in causes(run).items()]
    return table(("Cause", "", "Questions"), rows)


def _failures(failed: Sequence[Answered]) -> list[Html]:
    if not failed:
        return []
    rows = [
        (clipped(one.question_id, _MOST_TEXT), CAUSES[why.cause].label, clipped(why.sentence, _MOST_TEXT), clipped(why.help, _MOST_TEXT))
        for one in failed[:_MOST_FAILURES]
        if (why := one.diagnosis) is not None
    ]
    rest = len(failed) - _MOST_FAILURES
    more = [faint(f"… and {quantity(rest, 'more question')}; to_pandas() has them all.")] if rest > 0 else []
    return [table(("Question", "Cause", "What happened", "Suggestion"), rows, prose=(0, 2, 3)), *more]


def _settings(run: Run) -> list[Html]:
    rows = [(clipped(key, _MOST_TEXT), clipped(value, _MOST_TEXT)) for key, value in run.config.changed().items()][:_MOST_SETTINGS]
    return [table(("Setting", "Value"), rows, prose=(0, 1))] if rows else []
