"""Views of evaluations: metrics of a run, leaderboard, comparison of two runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from chunking.cli.terminal.look import TerminalLook, TerminalStyle, interval_bar, share_bar
from chunking.cli.terminal.tables import TableColumn, table
from chunking.cli.terminal.terminal_text import clip
from chunking.display import first_names, quantity

if TYPE_CHECKING:
    from chunking.evaluation.metrics.metric_table import Metric

__all__ = ["draw_causes", "draw_comparison", "draw_estimates", "draw_evaluation", "draw_leaderboard", "metric_rows"]

_WORST = 5
"""Questions shown in full."""
_SHOWN = 10
"""Question names in a list."""
_BAR = 20
_WIDE = 72
"""Minimum terminal width for bars."""

METRIC_COLUMNS = (TableColumn("metric"), TableColumn("mean", right=True), TableColumn("95 % interval", right=True))


def draw_evaluation(rows: Sequence[dict[str, Any]], look: TerminalLook) -> Iterator[str]:
    """Draw each run: metrics with bars, causes of failure, and failed questions of lowest recall.

    Args:
        rows: records of `evaluate`.
    """
    for row in rows:
        questions = row["questions"]
        facts = (row["measure"], quantity(len(questions), "question"), quantity(row["chunks"], "chunk"))
        yield from _title(row["label"] or "defaults", facts, look)
        yield ""
        yield from metric_rows(row["metrics"], look)
        yield from draw_causes(row["causes"], look)
        yield from _worst(questions, look)


def _title(name: str, facts: Sequence[str], look: TerminalLook) -> Iterator[str]:
    yield from look.wrap([(name, TerminalStyle.HEADING), (f" {look.symbols.dot} {', '.join(facts)}", None)], look.prose)


def metric_rows(metrics: Mapping[str, Mapping[str, Any]], look: TerminalLook) -> Iterator[str]:
    """Draw a line per metric: mean, interval, and a bar for shares if there is room.

    Args:
        metrics: by name, each with `mean`, `low` and `high`.
    """
    wide = look.columns >= _WIDE
    cells = [(*_metric_cells(name, one), *([_bar(name, one, look)] if wide else [])) for name, one in metrics.items()]
    yield from table((*METRIC_COLUMNS, *([TableColumn("", style=TerminalStyle.ACCENT)] if wide else [])), cells, look)


def _metric_cells(name: str, one: Mapping[str, Any]) -> tuple[str, str, str]:
    metric = _metric(name)
    if one["mean"] is None:
        return metric.label, "", ""
    span = "" if one["low"] is None else f"{_bare(metric, one['low'])} to {_bare(metric, one['high'])}"
    return metric.label, metric.text(one["mean"]), span


def _metric(name: str) -> Metric:
    from chunking.evaluation.metrics.metric_table import metric_of

    return metric_of(name)


def _bare(metric: Metric, value: float) -> str:
    """Return a value without its unit."""
    return metric.text(value).removesuffix(f" {metric.unit}")


def _bar(name: str, one: Mapping[str, Any], look: TerminalLook) -> str:
    from chunking.evaluation.analysis.statistics import SHARE

    if one["low"] is None or _metric(name).bounds is not SHARE:
        return ""
    return interval_bar(one["low"], one["mean"], one["high"], _BAR, look.symbols)


def draw_causes(causes: Mapping[str, int], look: TerminalLook) -> Iterator[str]:
    """Draw the number of failed questions by cause, most frequent first; nothing without any."""
    from chunking.evaluation import CAUSES

    labels = {cause.value: wording.label for cause, wording in CAUSES.items()}
    counted = sorted(((name, count) for name, count in causes.items() if count), key=lambda pair: -pair[1])
    if not counted:
        return
    most = counted[0][1]
    yield ""
    yield look.heading("Failed questions")
    cells = [
        (labels.get(name, name), f"{count:,}", share_bar(count / most, _BAR, look.symbols)) for name, count in counted
    ]
    yield from table(
        (TableColumn("cause"), TableColumn("questions", right=True), TableColumn("", style=TerminalStyle.BAD)),
        cells,
        look,
    )


def _worst(questions: Sequence[Mapping[str, Any]], look: TerminalLook) -> Iterator[str]:
    """Draw the failed questions with the lowest recall, and why each failed."""
    failed = sorted((row for row in questions if row["cause"]), key=lambda row: row["recall"] or 0.0)[:_WORST]
    if not failed:
        return
    yield ""
    yield look.heading("Lowest recall")
    for row in failed:
        yield from look.paragraph(f"{_metric('recall').text(row['recall'] or 0.0)}  {row['question']}")
        yield from look.paragraph(row["why"] or "", indent=3, style=TerminalStyle.DIM)


def draw_leaderboard(rows: Sequence[dict[str, Any]], look: TerminalLook) -> Iterator[str]:
    """Draw leaderboards: configurations by place, estimates if any, verdict and failures.

    Args:
        rows: records of `sweep`, each with its configurations in `lines`; a record without `lines` has only estimates.
    """
    for row in rows:
        facts = (row["measure"], quantity(row["questions"], "question"))
        yield from _title(row["name"], facts, look)
        yield ""
        if "lines" in row:
            yield from _lines(row, look)
        if row.get("estimated"):
            yield from draw_estimates(row, look)
        if "lines" in row:
            yield ""
            yield from look.paragraph(row["verdict"], style=TerminalStyle.HEADING)
            yield from _failures(row["failed"], look)


def _lines(row: Mapping[str, Any], look: TerminalLook) -> Iterator[str]:
    from chunking.evaluation.metrics.metric_table import COST

    metric = _metric(row["metric"])
    with_cost = metric.unit != "tokens"
    columns = (
        TableColumn("", right=True),
        TableColumn("configuration", least=14, style=TerminalStyle.ACCENT),
        TableColumn(metric.label, right=True),
        TableColumn("95 % interval", right=True),
        *([TableColumn("tokens", right=True)] if with_cost else []),
        TableColumn("chunks", right=True),
        TableColumn("", least=4),
    )
    cells = []
    for line in row["lines"]:
        means = line["metrics"]
        _, mean, span = _metric_cells(metric.name, means[metric.name])
        tokens = [_metric_cells(COST, means[COST])[1].removesuffix(" tokens")] if with_cost else []
        state = look.symbols.best + " best" if line["best"] else "tied" if line["tied"] else ""
        place = f"{line['place']}." if line["place"] else ""
        label = line["label"] if line["complete"] else f"{line['label']} ({quantity(line['questions'], 'question')})"
        cells.append((place, label, mean, span, *tokens, f"{line['chunks']:,}", state))
    yield from table(columns, cells, look)


def draw_estimates(row: Mapping[str, Any], look: TerminalLook) -> Iterator[str]:
    """Draw estimated configurations, best first, with measurements and reasons to measure them.

    Args:
        row: record of `sweep --estimate`, or a step of the demo.
    """
    metric = _metric(row["metric"])
    ranked = sorted(row["estimated"], key=lambda one: one["estimated_metrics"][metric.name])
    if metric.higher_is_better:
        ranked.reverse()
    measurements = {one["label"]: one["measured"].get(metric.name) for one in row.get("estimated_against_measured", ())}
    cells = []
    for one in ranked:
        value = measurements.get(one["label"])
        estimate = metric.text(one["estimated_metrics"][metric.name])
        values = [] if not measurements else [""] if value is None else [metric.text(value)]
        cells.append((one["label"], estimate, *values, f"{one['chunks']:,}", ", ".join(one["measure_as"])))
    if "lines" in row:
        yield ""
    yield look.heading(f"Estimates of {metric.label}")
    columns = (
        TableColumn("configuration", least=14, style=TerminalStyle.ACCENT),
        TableColumn("estimated", right=True),
        *([TableColumn("measured", right=True)] if measurements else []),
        TableColumn("chunks", right=True),
        TableColumn("chosen as", least=8),
    )
    yield from table(columns, cells, look)
    if row["not_estimated"]:
        yield quantity(len(row["not_estimated"]), "configuration") + " not estimated"


def _failures(failed: Sequence[Mapping[str, Any]], look: TerminalLook) -> Iterator[str]:
    for one in failed:
        yield from look.paragraph(f"! {one['label']}: {one['error']}", style=TerminalStyle.BAD)


def draw_comparison(rows: Sequence[dict[str, Any]], look: TerminalLook) -> Iterator[str]:
    """Draw two runs' means, the sentence on their difference, and the questions each wins; notes.

    A candidate (A) beside its live index (B) also has its boundaries and texts.

    Args:
        rows: records of `compare`.
    """
    for row in rows:
        metric = _metric(row["metric"])
        sides = [(name, row[name]) for name in ("a", "b")]
        cells = [(name.upper(), one.get("file") or one["index"], metric.text(one["mean"])) for name, one in sides]
        yield from table(
            (
                TableColumn(""),
                TableColumn("run", keep_end=True, style=TerminalStyle.ACCENT),
                TableColumn(metric.label, right=True),
            ),
            cells,
            look,
        )
        yield ""
        yield from look.paragraph(row["sentence"], style=TerminalStyle.HEADING)
        for name in ("a", "b"):
            yield from _better(name.upper(), row[f"{name}_better"], look)
        if "boundaries" in row:
            yield from _index_changes(row, look)
        for note in row["notes"]:
            yield from look.paragraph(f"! {note}", style=TerminalStyle.BAD)


def _index_changes(row: Mapping[str, Any], look: TerminalLook) -> Iterator[str]:
    """Draw how the boundaries and texts of a candidate differ from the live index's, and why a limit failed."""
    boundaries, texts, compared = row["boundaries"], row["texts"], row["documents_compared"]
    sample = "" if compared == row["documents_comparable"] else f" (a sample of {row['documents_comparable']:,})"
    yield from look.paragraph(
        f"Boundaries in {quantity(compared, 'document')}{sample}: {boundaries['shared']:,} in both, "
        f"{boundaries['candidate_only']:,} only in A, {boundaries['live_only']:,} only in B."
    )
    yield from look.paragraph(
        f"Embedded texts of A: {texts['new']:,} new, {texts['reused']:,} reused; {texts['removed']:,} of B removed."
    )
    for failure in row["failures"]:
        yield from look.paragraph(f"! {failure}", style=TerminalStyle.BAD)


def _better(name: str, questions: Sequence[str], look: TerminalLook) -> Iterator[str]:
    """Draw the questions on which one run is better."""
    if not questions:
        return
    names = first_names([clip(one, 40, look.symbols.ellipsis) for one in questions], _SHOWN)
    yield from look.paragraph(f"{name} is better on {quantity(len(questions), 'question')}: {names}")
