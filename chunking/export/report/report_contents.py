"""Contents of the report, computed before any HTML is written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.metadata import PackageNotFoundError, version
from itertools import combinations

from chunking.config import QuerySyntax, is_baseline, settings
from chunking.display import quantity
from chunking.errors import QuestionError
from chunking.evaluation import (
    CAUSES,
    COST,
    METRICS,
    Decision,
    EvaluationRun,
    LeaderboardRun,
    Measure,
    Metric,
    OutcomeChange,
    QuestionChange,
    QuestionSet,
    Recommendation,
    Sensitivity,
    causes,
    compare_lines,
    decide,
    heat,
    leaderboard,
    metric_of,
    per_question,
    sensitivity,
    setting_texts,
    too_shallow,
    unanswered,
    unjudged_results,
    varied,
)
from chunking.evaluation.analysis.setting_labels import BASELINE_LABEL
from chunking.evaluation.runs.run import documents_key
from chunking.export.export_job import Material
from chunking.export.report.figures import Plot, causes_plot, heat_plot, intervals_plot, pareto_plot
from chunking.export.report.report_story import QuestionStory, story
from chunking.export.report.report_wording import between, difference_sentence, limits
from chunking.indexing import DocumentInputs
from chunking.versions import chunks_version, results_version

__all__ = ["Example", "Fact", "ReportContents", "contents"]

MOST_EXAMPLES = 6
"""Maximum examples of improved questions, and of worsened ones."""
MOST_DOCUMENTS = 200
_MAPPED = 3
"""Most influential settings from which the heat map's two are chosen."""
_ROSE, _FELL = (OutcomeChange.GAINED, OutcomeChange.BETTER), (OutcomeChange.LOST, OutcomeChange.WORSE)
_LONGEST_QUOTE = 600
"""Maximum characters of a quoted answer."""
_SYNTAX = {QuerySyntax.PLAIN: "read as plain language", QuerySyntax.OPERATORS: "read as typed searches with operators"}


@dataclass(frozen=True, slots=True)
class Fact:
    """A metric's value in a card of the report, with its interval."""

    metric: Metric
    value: str
    interval: str
    low: float
    """Position of the interval's start in percent of the card's width; 0 if the metric is no share."""
    mean: float
    high: float


@dataclass(frozen=True, slots=True)
class Example:
    """Question that one of two runs answered better."""

    question: str
    quotes: tuple[tuple[str, str], ...]
    """(source, text) of each answer."""
    before: str
    after: str
    why: str
    """Reason why the worse run failed; may be empty."""
    change: OutcomeChange


@dataclass(frozen=True, slots=True)
class ReportContents:
    """Contents of the report, section by section."""

    headline: str
    subline: str
    decision: Decision
    """The cards, with the reasons behind them."""
    story: QuestionStory | None
    """A question that the reference run missed and the first line answered."""
    questions: QuestionSet
    measure: Measure
    metric: Metric
    lines: tuple[LeaderboardRun, ...]
    recommended: Recommendation | None
    """Recommendation on the first line; None if it has nothing to be compared with."""
    facts: tuple[Fact, ...]
    plots: dict[str, Plot]
    causes: tuple[tuple[str, str, int], ...]
    """Causes of the first line's failures, most frequent first: label, meaning, questions."""
    helps: tuple[tuple[str, int], ...]
    """Settings most likely to help the first line, with the number of questions that suggest each."""
    sensitivity: tuple[Sensitivity, ...]
    compared: tuple[LeaderboardRun, LeaderboardRun] | None
    """Pair of the reference run and the first line."""
    difference: str
    gained: tuple[Example, ...]
    lost: tuple[Example, ...]
    changes: dict[str, int]
    """Number of questions by change: gained, better, worse, lost, same."""
    varied: tuple[str, ...]
    settings: tuple[tuple[str, str, str], ...]
    """Settings of the first line: key, value, default; changed ones first."""
    fingerprints: tuple[tuple[str, str], ...]
    documents: tuple[tuple[str, str, str], ...]
    """Source, characters and hash of each document."""
    more_documents: int
    notes: tuple[str, ...]
    limits: tuple[str, ...]
    failed: tuple[tuple[str, str], ...]
    """Label and error of each failed run."""
    made_at: str
    inputs: DocumentInputs
    """Edits, pins, encodings and parsers of the documents."""
    texts: bool = True
    """False: nothing quotes or names a document or a question (`reports_without_texts`)."""


def contents(material: Material) -> ReportContents:
    """Compute the report from runs and questions: leaderboard, plots, causes, examples, settings.

    Args:
        material: with runs and their questions. Its measure is the cutoff of rankings (None: the results of the first
            run), its metric that of the leaderboard, the plots and the examples.
    Raises:
        QuestionError: there is no run, none of them has a question of the set, or there is no such metric.
    """
    if not material.runs:
        raise QuestionError(
            "There is no run to report on; evaluate a configuration on the Evaluate page, or run chunkscope "
            "evaluate, first."
        )
    questions, measure, metric = (
        material.required_questions,
        material.measure or Measure(material.runs[0].n),
        material.metric,
    )
    row = metric_of(metric)
    runs = [
        replace(run, label=BASELINE_LABEL) if not run.parser and is_baseline(run.config) else run
        for run in material.runs
    ]
    lines = leaderboard(runs, questions, measure, metric, margin=material.margin)
    decision = decide(lines, metric)
    if decision is None:
        nothing = (
            "nothing in the documents answers any of the questions"
            if questions.all_unanswerable
            else "none has a question from the set"
        )
        reason = next((run.error for run in material.runs if run.error), nothing)
        raise QuestionError(
            f"None of the {len(material.runs)} runs can be reported ({reason.rstrip('.')}); measure again."
        )
    first, other = lines[0], _opponent(lines)
    effects = (
        sensitivity([line.run for line in lines if line.complete], questions, measure, metric) if len(lines) > 1 else ()
    )
    changes = per_question(other.run, first.run, questions, measure, metric) if other else ()
    return ReportContents(
        headline=decision.headline,
        subline=_subline(lines, decision, measure),
        decision=decision,
        story=story(changes, (other, first), measure, material) if other else None,
        questions=questions,
        measure=measure,
        metric=row,
        lines=lines,
        recommended=first.recommendation if other else None,
        facts=tuple(_fact(first, one) for one in sorted(METRICS, key=lambda one: (one != row, one.name != COST))),
        plots=_plots(lines, decision, questions, measure, [one.key for one in effects[:_MAPPED]]),
        causes=tuple((*CAUSES[cause], number) for cause, number in causes(first.run).items()),
        helps=_helps(first.run),
        sensitivity=effects,
        compared=(other, first) if other else None,
        difference=_difference(other, first, questions, measure, row) if other else "",
        gained=_examples(changes, _ROSE, row, material),
        lost=_examples(changes, _FELL, row, material),
        changes={change.value: count for change, count in Counter(one.change for one in changes).items()},
        varied=varied(line.run for line in lines if not line.is_baseline),
        settings=_settings(first.run),
        fingerprints=_fingerprints(material, first.run),
        documents=tuple(
            (one.source, f"{one.characters:,}", one.hash[:16]) for one in material.documents[:MOST_DOCUMENTS]
        ),
        more_documents=max(0, len(material.documents) - MOST_DOCUMENTS),
        notes=(
            *dict.fromkeys(note for line in lines for note in line.run.notes),
            *_shallow(lines, measure),
            *_labels(first, questions, measure),
            *material.notes,
        ),
        limits=tuple(limits(questions, lines)),
        failed=tuple((run.label, run.error) for run in material.runs if run.error),
        made_at=max(line.run.made_at for line in lines),
        inputs=material.inputs,
    )


def _subline(lines: Sequence[LeaderboardRun], decision: Decision, measure: Measure) -> str:
    """Return what the numbers rest on, in a line."""
    count = quantity(len(lines), "configuration")
    return f"{count}, {quantity(decision.questions, 'question')}, evaluated {measure.label}."


def _opponent(lines: Sequence[LeaderboardRun]) -> LeaderboardRun | None:
    """Return the run to compare the first line with: the baseline, else the defaults, else the next one."""
    others = [line for line in lines[1:] if line.complete]
    usual = next((line for line in others if line.is_baseline), None)
    return usual or next((line for line in others if not line.run.config.changed()), others[0] if others else None)


def _fact(line: LeaderboardRun, metric: Metric) -> Fact:
    interval = line.summary[metric.name]
    shares = [
        100 * value if metric.percent or not metric.unit else 0.0
        for value in (interval.low, interval.mean, interval.high)
    ]
    low, mean, high = (min(max(share, 0.0), 100.0) if interval.known else 0.0 for share in shares)
    return Fact(metric, metric.text(interval.mean), between(interval, metric), low, mean, high)


def _plots(
    lines: Sequence[LeaderboardRun], decision: Decision, questions: QuestionSet, measure: Measure, keys: Sequence[str]
) -> dict[str, Plot]:
    metric = decision.metric
    plots: list[Plot | None] = [intervals_plot(lines, metric)]
    if len(lines) > 1 and metric.unit != "tokens":
        plots.append(pareto_plot(lines, decision))
    plots.append(causes_plot(lines))
    plots.append(_heat(lines, questions, measure, metric, keys))
    return {plot.name: plot for plot in plots if plot is not None}


def _heat(
    lines: Sequence[LeaderboardRun], questions: QuestionSet, measure: Measure, metric: Metric, keys: Sequence[str]
) -> Plot | None:
    """Plot the pair of influential settings with the largest table; None if none is three quarters full."""
    runs = [line.run for line in lines if line.complete]
    maps = [heat(runs, questions, x, y, measure, metric.name) for x, y in combinations(keys, 2)]
    full = [one for one in maps if len(one.x) > 1 and len(one.y) > 1 and (one.runs > 0).mean() >= 0.75]
    return heat_plot(max(full, key=lambda one: one.z.size), metric) if full else None


def _shallow(lines: Sequence[LeaderboardRun], measure: Measure) -> list[str]:
    """Return warnings on runs that stored too few results for the measure."""
    short = [(line.run.label, too_shallow(line.run, measure)) for line in lines]
    return [
        (
            f"“{label}” stored too few results for {count:,} questions to be judged {measure.label}: it may "
            f"be better than shown."
        )
        for label, count in short
        if count
    ]


def _labels(line: LeaderboardRun, questions: QuestionSet, measure: Measure) -> list[str]:
    """Return notes on the first line's unjudged results and its unanswerable questions."""
    label = f"“{line.run.label}”"
    unjudged, without = unjudged_results(line.run, questions, measure), unanswered(line.run, questions)
    notes = [f"{label}: {unjudged.sentence}"] if unjudged and unjudged.sentence else []
    return notes + ([f"{label}: {without.sentence}"] if without else [])


def _helps(run: EvaluationRun) -> tuple[tuple[str, int], ...]:
    named = Counter(one.diagnosis.help for one in run.answered if one.diagnosis is not None and one.diagnosis.help)
    return tuple(sorted(named.items(), key=lambda row: (-row[1], row[0]))[:3])


def _difference(a: LeaderboardRun, b: LeaderboardRun, questions: QuestionSet, measure: Measure, metric: Metric) -> str:
    difference = compare_lines(b, a, questions, measure, metric.name)
    return difference_sentence(f"“{a.run.label}”", f"“{b.run.label}”", difference, metric)


def _examples(
    changes: Sequence[QuestionChange], kinds: Sequence[OutcomeChange], metric: Metric, material: Material
) -> tuple[Example, ...]:
    """Return the questions that changed most."""
    chosen = sorted((one for one in changes if one.change in kinds), key=lambda one: -abs(one.amount))[:MOST_EXAMPLES]
    return tuple(_example(one, metric, material) for one in chosen)


def _example(one: QuestionChange, metric: Metric, material: Material) -> Example:
    why = one.why_b if one.change in _FELL else one.why_a
    quotes = tuple(
        (material.sources.get(answer.doc_id, answer.doc_id), _quote(answer.text)) for answer in one.question.answers
    )
    before, after = (metric.text(getattr(score, metric.name)) for score in (one.a, one.b))
    return Example(one.question.text, quotes, before, after, why.sentence if why else "", one.change)


def _quote(text: str) -> str:
    return text if len(text) <= _LONGEST_QUOTE else f"{text[: _LONGEST_QUOTE - 1]}…"


def _settings(run: EvaluationRun) -> tuple[tuple[str, str, str], ...]:
    mine, usual = setting_texts(run.config), setting_texts(type(run.config)())
    ordered = [one.key for one in settings()]
    keys = [*ordered, *(key for key in mine if key not in ordered)]
    rows = [(key, mine[key], usual.get(key, "")) for key in keys]
    return tuple(sorted(rows, key=lambda row: row[1] == row[2]))


def _fingerprints(material: Material, run: EvaluationRun) -> tuple[tuple[str, str], ...]:
    try:
        ours = version("chunkscope")
    except PackageNotFoundError:  # a checkout that was not installed
        ours = "a checkout"
    return (
        ("Documents, as they are in the workspace now", documents_key(material.documents)),
        (
            f"Questions with their gold answers, {_SYNTAX[material.required_questions.syntax]}",
            material.required_questions.fingerprint,
        ),
        ("Chunks of the first configuration", run.documents),
        ("Parsing and splitting code", chunks_version()),
        ("Evaluation code", results_version()),
        ("Chunkscope", ours),
    )
