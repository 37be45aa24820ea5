"""The commands `sweep` (many configurations, one question set) and `compare` (two results).

`sweep --estimate` estimates before anything is built, measures the few that matter, and shows both numbers.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import redirect_stdout
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chunking.cli.commands.evaluation_arguments import (
    Corpus,
    ProgressLines,
    corpus,
    intervals_record,
    margin_of,
    measure_of,
    problem_records,
    questions_of,
)
from chunking.cli.commands.files import config_of, engine_options, pair
from chunking.cli.streams import complain, say, say_result, write_row
from chunking.config import QuerySyntax, SearchMode
from chunking.config.renamed_settings import current_settings
from chunking.errors import ConfigError, QuestionError

if TYPE_CHECKING:
    from chunking.evaluation import (
        CandidateConfig,
        LeaderboardRun,
        LiveEstimate,
        Measure,
        QuestionSet,
        Sweep,
        SweepReport,
    )

__all__ = ["compare", "sweep"]

_MOST = 1e12
"""Upper bound of a plausible metric value."""


def sweep(arguments: argparse.Namespace) -> int:
    """Evaluate a grid of configurations, and print the leaderboard, failures and estimates.

    Uses the dev split of the questions. With `--estimate`, estimates all and evaluates only those that matter. Exit
    code 1 if no configuration was evaluated (unless only estimates were asked for), or a file could not be read.
    """
    from chunking import evaluation
    from chunking.indexing.engine_options import is_on_ray

    base = config_of(arguments)
    evaluation.metric_of(arguments.metric)
    if not 0 <= arguments.minutes < math.inf:
        said = "below 0" if arguments.minutes < 0 else "no number"
        raise ConfigError(f"--minutes is {said}; give the time limit in minutes, or leave it out.", where="--minutes")
    if arguments.estimate and arguments.minutes:
        raise ConfigError("--estimate takes seconds and needs no --minutes; give one of them.", where="--estimate")
    if arguments.measure < 0:
        raise ConfigError(
            f"--measure is {arguments.measure}; give how many to evaluate, 0 for none.", where="--measure"
        )
    where = engine_options(arguments)
    if is_on_ray(where) and arguments.address and arguments.workspace is None:
        raise ConfigError("--address needs --workspace, a folder that all machines see.", where="--workspace")
    measure, margin = measure_of(arguments, base.search.k), margin_of(arguments)
    planned = evaluation.Sweep(
        name=arguments.name or "sweep",
        question_set=arguments.questions,
        base=base,
        grid=_grid(arguments.grid),
        tries=_tries(arguments.tries),
        minutes=arguments.minutes,
        n=measure.n or base.search.k,
        budget=measure.budget or 0,
        expanded=measure.expanded,
        metric=arguments.metric,
    )
    planned = replace(planned, baseline=_uses_vectors(planned))
    with corpus(arguments) as there:
        imported = questions_of(arguments, there)
        questions = imported.questions.of(evaluation.QuestionPart.TUNE)
        problems = {"problems": problem_records(imported), "failed_files": there.failures()}
        estimates = None
        if arguments.estimate:
            estimates = estimate_sweep(planned, there, imported.questions, margin, arguments.measure)
            planned = estimates.to_measure
            if not planned.tries:
                head = {
                    "name": planned.name,
                    "metric": planned.metric,
                    "measure": measure.label,
                    "questions": len(questions),
                }
                write_row(head | estimates.record(there, questions) | problems)
                return int(bool(there.failed))
        trials = evaluation.Trials(there.workspace, doc_ids=there.doc_ids)
        with trials, redirect_stdout(sys.stderr):  # where Ray reports workers that died
            report = evaluation.run_sweep(
                there.workspace, planned, imported.questions, trials=trials, on_progress=ProgressLines(), **where
            )
        for one in report.failed:
            complain(f"{one.label}: {one.error}")
        for note in report.notes:
            say(note)
        record = _record(planned, report, questions, measure, there, margin)
        say_result(record["verdict"])
        write_row(record | (estimates.record(there, questions, report.runs) if estimates else {}) | problems)
    return int(not report.runs or bool(there.failed))


def compare(arguments: argparse.Namespace) -> int:
    """Print the paired difference of two outputs of `evaluate`, and which questions each wins.

    `--candidate` compares two indexes of a workspace instead. Exit code 1 with `--fail-if-worse` if the first is
    significantly worse.
    """
    from chunking.cli.commands.candidate_commands import compare_candidate
    from chunking.evaluation import difference_in_words, metric_of, paired

    if arguments.candidate:
        return compare_candidate(arguments)
    if arguments.b is None:
        raise ConfigError("Two outputs of evaluate are compared; give both files, or --candidate.", where="compare")
    for name in ("workspace", "name", "questions", "max_drop"):
        if getattr(arguments, name) is not None:
            option = f"--{name.replace('_', '-')}"
            raise ConfigError(f"{option} goes with --candidate; add it, or leave {option} out.", where=option)
    metric = metric_of(arguments.metric)
    (first, told_a), (second, told_b) = _rows(arguments.a, metric.name), _rows(arguments.b, metric.name)
    both = [key for key in first if key in second]
    if not both:
        message = f"{arguments.a} and {arguments.b} have no question in common; evaluate both on the same question set."
        raise QuestionError(message, where=str(arguments.b))
    ours, theirs = ([float(rows[key]) for key in both] for rows in (first, second))
    difference = paired(ours, theirs)
    sign = 1 if metric.higher_is_better else -1
    changes = {key[0]: sign * (a - b) for key, a, b in zip(both, ours, theirs, strict=True)}
    sentence = difference_in_words(difference, metric.name, arguments.a.name, arguments.b.name)
    say_result(sentence)
    notes = list(_differences(told_a, told_b))
    for note in notes:
        say_result(note)
    write_row(
        {
            "metric": metric.name,
            "a": {"file": str(arguments.a), "mean": sum(ours) / len(ours)},
            "b": {"file": str(arguments.b), "mean": sum(theirs) / len(theirs)},
            "difference": difference.as_record(),
            "sentence": sentence,
            "a_better": [name for name, change in changes.items() if change > 0],
            "b_better": [name for name, change in changes.items() if change < 0],
            "left_out": len(first) + len(second) - 2 * len(both),
            "notes": notes,
        }
    )
    return int(bool(arguments.fail_if_worse) and difference.shown and sign * difference.mean < 0)


def _uses_vectors(sweep: Sweep) -> bool:
    """True if a configuration searches by vectors: then the baseline needs no model that nobody asked for."""
    sweep.check()
    modes = (one.config.search.mode for one in sweep.configs() if one.config is not None)
    return any(mode is not SearchMode.TEXT for mode in modes)


def _grid(pairs: Iterable[str]) -> dict[str, tuple[str, ...]]:
    """Parse `size=200,300` into a grid; values with commas of their own are separated by `|`.

    >>> _grid(["size=200,300", "keep_whole=code,table|none"])
    {'size': ('200', '300'), 'keep_whole': ('code,table', 'none')}
    """
    from chunking.evaluation.sweep.sweep import current_grid

    grid: dict[str, tuple[str, ...]] = {}
    for key, values in (pair(text, "size=200,300") for text in pairs):
        if key in grid:
            raise ConfigError(f"The setting '{key}' is varied twice; give all its values at once.", where=key)
        several = values.split("|") if "|" in values else values.split(",")
        grid[key] = tuple(dict.fromkeys(one.strip() for one in several))
    return current_grid(grid, where="--grid")


def _tries(texts: Iterable[str]) -> tuple[dict[str, str], ...]:
    """Parse each `size=300 overlap=10%` into one configuration."""
    tries = [dict(pair(one, "size=300") for one in text.split()) for text in texts]
    return tuple({key: str(value) for key, value in current_settings(one, where="--try").items()} for one in tries)


def _record(
    sweep: Sweep, report: SweepReport, questions: QuestionSet, measure: Measure, there: Corpus, margin: float
) -> dict[str, Any]:
    from chunking.evaluation import EvaluationRun, leaderboard, verdict
    from chunking.evaluation.analysis.setting_labels import run_labels

    keys = [*report.runs, *report.dropped]
    read = [EvaluationRun.from_json(text) for text in map(there.workspace.runs.get, keys) if text]
    named = zip(read, run_labels(read), strict=True)
    runs = [
        replace(run, label=name) for run, name in named
    ]  # by what differs here; where they are kept, from the defaults
    lines = leaderboard(runs, questions, measure, sweep.metric, margin=margin)
    return {
        "name": sweep.name,
        "metric": sweep.metric,
        "measure": measure.label,
        "questions": len(questions),
        "verdict": " ".join(verdict(lines, sweep.metric)).strip(),
        "recommendation": _recommendation(lines),
        "lines": [_line(one) for one in lines],
        "failed": [{"label": one.label, "settings": dict(one.settings), "error": one.error} for one in report.failed],
        "rounds": [
            {"questions": one.questions, "asked": len(one.runs), "dropped": len(one.dropped)} for one in report.rounds
        ],
        "notes": list(report.notes),
        "parsers": report.as_record().get("parsers", []),
        "embedded": report.embedded,
        "known": report.known,
        "seconds": round(report.seconds, 3),
    }


def _recommendation(lines: Sequence[LeaderboardRun]) -> dict[str, Any] | None:
    """Return the recommended configuration and the questions needed to decide; None without runs."""
    named = ((line.run, line.recommendation) for line in lines if line.recommendation is not None)
    return next(({"run": run.key, "label": run.label, **chosen.as_record()} for run, chosen in named), None)


def _line(line: LeaderboardRun) -> dict[str, Any]:
    run = line.run
    return {
        "place": line.place,
        "label": run.label,
        "tied": line.tied,
        "best": line.best,
        "pareto": line.pareto,
        "complete": line.complete,
        "metrics": intervals_record(dict(line.summary)),
        "difference": line.difference.as_record(),
        "shortfall": line.shortfall if math.isfinite(line.shortfall) else None,
        "settings": run.config.changed(),
        **({"parser": run.parser} if run.parser else {}),
        "chunks": run.chunks,
        "questions": len(run.answered),
        "run": run.key,
        "notes": list(run.notes),
    }


def _rows(path: Path, metric: str) -> tuple[Mapping[tuple[str, str], float], Mapping[str, Any]]:
    """Read the output of `evaluate`: a metric by question, and the whole record."""
    try:
        tree = json.loads(path.read_text(encoding="utf-8-sig"))
        return {(str(row["id"]), str(row["question"])): _check_value(row[metric]) for row in tree["questions"]}, tree
    except OSError as error:
        raise QuestionError(
            f"The result {path} cannot be read ({error.strerror}); check the name.", where=str(path)
        ) from error
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        message = f"{path} is not output of `chunkscope evaluate` ({type(error).__name__}: {error}); give such output."
        raise QuestionError(message, where=str(path)) from error


def _check_value(number: float) -> float:
    """Convert a metric's value; ValueError if none can have it."""
    value = float(number)
    if not 0 <= value < _MOST:
        raise ValueError(f"{value} is not a value of a metric")
    return value


def _differences(a: Mapping[str, Any], b: Mapping[str, Any]) -> Iterator[str]:
    """Yield sentences on differences between two results other than their settings."""
    if a.get("measure") != b.get("measure"):
        yield f"The runs were evaluated differently: the first {a.get('measure')}, the second {b.get('measure')}."
    questions = [[(row["id"], row["question"]) for row in tree["questions"]] for tree in (a, b)]
    prints = [
        tree["fingerprints"].get("questions") if isinstance(tree.get("fingerprints"), dict) else None for tree in (a, b)
    ]
    syntaxes = [
        tree.get("syntax", QuerySyntax.OPERATORS) for tree in (a, b)
    ]  # earlier versions wrote none, and obeyed operators
    if questions[0] == questions[1] and prints[0] != prints[1] and syntaxes[0] != syntaxes[1]:
        yield (
            "Their questions were read differently: as typed searches, where quotations are conditions, and "
            "as plain language, where they are text. Evaluate both again with the same --syntax."
        )
    elif questions[0] == questions[1] and prints[0] != prints[1]:
        yield (
            "Their questions are the same, but the gold answers are at different positions: the documents or "
            "the answers changed in between."
        )


# -- estimates before measuring


@dataclass(frozen=True, slots=True)
class SweepEstimates:
    """Estimates of a sweep's configurations, and those chosen to be measured."""

    sweep: Sweep
    """Sweep that was estimated, current settings included."""
    estimates: Sequence[LiveEstimate]
    chosen: Sequence[CandidateConfig]
    seconds: float

    @property
    def to_measure(self) -> Sweep:
        """Sweep of the few configurations worth measuring."""
        return replace(self.sweep, grid={}, tries=tuple(one.estimate.settings for one in self.chosen))

    def record(self, there: Corpus, questions: QuestionSet, keys: Sequence[str] = ()) -> dict[str, Any]:
        """Return the estimates as a JSON record, next to the measurements of `keys`; shares 0 to 1.

        Args:
            keys: of the runs that were measured.
        """
        from chunking.evaluation import EvaluationRun, checked

        runs = [EvaluationRun.from_json(text) for text in map(there.workspace.runs.get, keys) if text]
        rows = checked(self.estimates, runs, questions)
        estimable = [one for one in self.estimates if one.known]
        reasons = {id(one.estimate): [str(reason) for reason in one.reasons] for one in self.chosen}
        return {
            "estimated": [
                {
                    "label": _label(one),
                    "settings": dict(one.settings),
                    "chunks": one.chunks,
                    "estimated_metrics": dict(one.means),
                }
                | {"measure_as": reasons.get(id(one), []), "notes": list(one.notes)}
                for one in estimable
            ],
            "not_estimated": [
                {"label": _label(one), "settings": dict(one.settings), "reasons": list(one.gaps)}
                for one in self.estimates
                if not one.known
            ],
            "estimated_against_measured": [
                {
                    "label": _label(row.estimate),
                    "run": row.run.key,
                    "estimated": dict(row.estimate.means),
                    "measured": dict(row.measured),
                }
                | {"distance": {name: row.distance(name) for name in row.measured}}
                for row in rows
            ],
            "seconds_estimating": round(self.seconds, 3),
        }


def estimate_sweep(sweep: Sweep, there: Corpus, questions: QuestionSet, margin: float, most: int) -> SweepEstimates:
    """Estimate a sweep's configurations and its base settings, and choose those to measure.

    Prints to stderr which configurations have no estimate.

    Args:
        margin: points.
        most: how many are to be measured.
    """
    from chunking.evaluation import estimate_grid, worth_measuring

    sweep, began = replace(sweep, tries=({}, *sweep.tries)), time.perf_counter()
    kept, progress = there.workspace, ProgressLines("configurations")
    estimates = list(
        estimate_grid(
            sweep, there.documents, questions, encodings=kept.encodings, vectors=kept.vectors, on_progress=progress
        ),
    )
    seconds = time.perf_counter() - began
    estimable = sum(one.known for one in estimates)
    say(f"{estimable} configurations estimated in {seconds:.1f} s, without an index.")
    for one in estimates:
        if not one.known:
            say(f"{_label(one)} was not estimated: {' '.join(one.gaps)}")
    return SweepEstimates(sweep, estimates, worth_measuring(estimates, sweep.metric, margin, sweep.base, most), seconds)


def _label(one: LiveEstimate) -> str:
    from chunking.evaluation import Planned

    return Planned(one.settings, one.config).label
