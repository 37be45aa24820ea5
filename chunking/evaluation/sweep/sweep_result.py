"""Sweep in a single call: plan, run and rank."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Unpack

from chunking.config import Config
from chunking.config.renamed_settings import current_settings
from chunking.display import Displayable, one_line, quantity, summary_line
from chunking.errors import QuestionError
from chunking.evaluation.analysis.result_wording import LeaderboardVerdict, verdict
from chunking.evaluation.analysis.run_comparison import LeaderboardRun, leaderboard
from chunking.evaluation.analysis.setting_labels import run_labels, run_texts, varied
from chunking.evaluation.metrics.counted_results import Measure
from chunking.evaluation.metrics.metric_table import METRICS, metric_of
from chunking.evaluation.questions.question import QuestionPart, QuestionSet
from chunking.evaluation.runs.run import Cancel, EvaluationRun, OnProgress
from chunking.evaluation.runs.trial_indexes import Trials
from chunking.evaluation.sweep.sweep import Sweep, SweepReport, current_grid
from chunking.evaluation.sweep.sweep_run import run_sweep
from chunking.indexing.engine_options import EngineOptions
from chunking.store import Workspace

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["SweepResult", "standing", "sweep", "sweep_facts"]

_MOST_SHOWN, _MOST_FAILED = 10, 3
_MOST_LABEL, _MOST_SENTENCE = 48, 240
"""Most configurations, failures and characters shown in `repr`."""
_ENDS = (("", "mean"), ("_low", "low"), ("_high", "high"))
"""Column suffixes, and the attributes of an interval they hold."""


@dataclass(frozen=True, slots=True, repr=False)
class SweepResult(Displayable):
    """A finished sweep: its configurations, ranked, the recommended one first."""

    sweep: Sweep
    """Plan of the sweep."""
    report: SweepReport
    """Rounds, failures, number of embedded texts."""
    lines: tuple[LeaderboardRun, ...]
    """Leaderboard (see `evaluation.leaderboard`)."""
    questions: int
    """Number of questions asked of each complete configuration."""
    measure: Measure
    """Cutoff of the rankings."""

    @property
    def recommended(self) -> Config:
        """Configuration of the leaderboard's first line, even if the recommendation is undecided.

        Raises:
            QuestionError: every configuration failed.
        """
        if not self.lines:
            raise QuestionError(
                "No configuration of the sweep could be measured; `report.failed` says why.", where=self.sweep.name
            )
        return self.lines[0].run.config

    @property
    def verdict(self) -> LeaderboardVerdict:
        """Recommended configuration in words, and how certain it is."""
        return verdict(self.lines, self.sweep.metric)

    def __repr__(self) -> str:
        row, rest = metric_of(self.sweep.metric), len(self.lines) - _MOST_SHOWN
        width = max((len(_label(line)) for line in self.lines[:_MOST_SHOWN]), default=0)
        shown = (
            (
                f"{line.place:3}  {_label(line):{width}}  {row.text(line.summary[row.name].mean):>9}  {standing(line)}"
            ).rstrip()
            for line in self.lines[:_MOST_SHOWN]
        )
        more = [f"… {quantity(rest, 'more configuration')}"] if rest > 0 else []
        failed = (one_line(f"{one.label}: {one.error}", _MOST_SENTENCE) for one in self.report.failed[:_MOST_FAILED])
        conclusion = [one_line(self.verdict.head, _MOST_SENTENCE)] if self.lines else []
        return "\n".join(
            [summary_line("SweepResult", self.sweep.name, *sweep_facts(self)), *shown, *more, *failed, *conclusion]
        )

    def to_pandas(self) -> pd.DataFrame:
        """Return a row per configuration: varied settings, metrics with intervals, standing."""
        import pandas as pd

        keys = varied(line.run for line in self.lines)
        rows = [_row(line, keys) for line in self.lines]
        metrics = (f"{metric.name}{end}" for metric in METRICS for end, _ in _ENDS)
        columns = ["place", "label", *keys, *metrics, "standing", "pareto", "complete", "questions", "chunks", "run"]
        return pd.DataFrame(rows, columns=columns)


def sweep(
    workspace: Workspace,
    questions: QuestionSet,
    grid: Mapping[str, Sequence[object]] | None = None,
    *,
    tries: Iterable[Mapping[str, object]] = (),
    base: Config | None = None,
    name: str = "sweep",
    metric: str = "recall",
    n: int | None = None,
    minutes: float = 0.0,
    margin: float | None = None,
    baseline: bool = True,
    trials: Trials | None = None,
    on_progress: OnProgress | None = None,
    cancelled: Cancel | None = None,
    **where: Unpack[EngineOptions],
) -> SweepResult:
    """Measure many configurations on the same questions, and rank them.

    Runs and sweep are kept in the workspace; what was measured before is looked up.

    Args:
        questions: the set; of one that is split, only those for tuning are asked.
        grid: values of each setting that is varied; every combination is measured.
        tries: single configurations beside the grid, as settings.
        base: settings that grid and `tries` change; None: the defaults.
        name: of the sweep; one of that name in the workspace is replaced.
        metric: that ranks them, by its name in `evaluation.METRICS`.
        n: number of results that count; None: the base's `search.k`.
        minutes: time limit, by successive halving; 0: every configuration is measured on all questions.
        margin: by how much the recommended one may be worse than the best, in points (`CompareConfig.margin`).
        baseline: also measure the baseline (512/50, vectors only) with the base's embedding model.
        trials: where indexes are built; None: a temporary one.
        where: engine `embedded`, this process; or `ray`, with its address and workers, as for `run_sweep`.
    Raises:
        ConfigError: a setting is unknown, or given under two names.
        QuestionError: there is no question to ask, no configuration or too many, or no such metric.
        Cancelled: it was stopped; finished runs are kept.
        StoreError: the results cannot be saved.
    """
    base = base or Config()
    planned = Sweep(
        name=name,
        question_set=questions.name,
        base=base,
        grid=current_grid(grid or {}),
        tries=tuple({key: str(value) for key, value in current_settings(one, where="A try").items()} for one in tries),
        minutes=minutes,
        n=n or base.search.k,
        metric=metric,
        baseline=baseline,
    )
    report = run_sweep(
        workspace, planned, questions, trials=trials, on_progress=on_progress, cancelled=cancelled, **where
    )
    tuning, measure = questions.of(QuestionPart.TUNE), planned.measure(planned.n)
    lines = leaderboard(_runs(workspace, report), tuning, measure, metric, margin=margin)
    return SweepResult(planned, report, lines, max((len(line.run.answered) for line in lines), default=0), measure)


def sweep_facts(result: SweepResult) -> tuple[str, ...]:
    """Return phrases on a sweep: configurations, failures, questions, metric with cutoff."""
    return (
        quantity(len(result.lines), "configuration"),
        f"{quantity(len(result.report.failed), 'failed configuration')}" if result.report.failed else "",
        quantity(result.questions, "question"),
        f"{metric_of(result.sweep.metric).label.lower()} {result.measure.label}",
    )


def standing(line: LeaderboardRun) -> str:
    """Return “recommended”, “best mean”, “tied with the best” or “dropped early”, else "".

    "dropped early" means that a sweep measured it on a sample of the questions only; "" that it is significantly worse
    than the best.
    """
    if not line.complete:
        return "dropped early"
    return (
        "recommended"
        if line.recommendation is not None
        else "best mean"
        if line.best
        else "tied with the best"
        if line.tied
        else ""
    )


def _runs(workspace: Workspace, report: SweepReport) -> list[EvaluationRun]:
    """Load the runs of a sweep, labelled by the settings that differ among them."""
    texts = (workspace.runs.get(key) for key in (*report.runs, *report.dropped))
    runs = [EvaluationRun.from_json(text) for text in texts if text is not None]
    return [replace(run, label=label) for run, label in zip(runs, run_labels(runs), strict=True)]


def _label(line: LeaderboardRun) -> str:
    return one_line(line.run.label, _MOST_LABEL)


def _row(line: LeaderboardRun, keys: Sequence[str]) -> dict[str, Any]:
    texts = run_texts(line.run)
    ends = {f"{name}{end}": getattr(one, part) for name, one in line.summary.items() for end, part in _ENDS}
    facts = {
        "standing": standing(line),
        "pareto": line.pareto,
        "complete": line.complete,
        "questions": len(line.run.answered),
    }
    return (
        {"place": line.place, "label": line.run.label, "chunks": line.run.chunks, "run": line.run.key}
        | ends
        | facts
        | {key: texts.get(key, "") for key in keys}
    )
