"""The report as an HTML page, with or without texts of the documents.

Everything is escaped by the template. A content security policy allows the file's own two scripts by their hashes and
no request: a script from a document would not run, and an image from a server would not load. Without texts, numbers,
settings, causes and fingerprints stay; questions, gold answers, document names and sentences about one question are
left out: a question may be a heading of a document, and a sentence may name the section of an answer.
"""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from importlib.resources import files
from typing import Any

from chunking.errors import ChunkscopeError
from chunking.evaluation import COST, METHODS, METRICS, EvaluationRun, Measure, Metric, load_set, metric_of
from chunking.evaluation.analysis.recommendation import FEWEST
from chunking.export.configuration import configuration_yaml
from chunking.export.export_job import Material, matching_part, shared_run
from chunking.export.report.figures import MOST_LINES
from chunking.export.report.report_contents import ReportContents, contents
from chunking.export.report.report_wording import between
from chunking.store import Workspace

__all__ = ["TextlessReport", "contents_html", "report_html", "reports_without_texts"]

_UNSEEN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)
"""Control characters, and marks that change the direction of the text after them."""


def report_html(material: Material) -> str:
    """Return the report as an HTML page of about 5 MB, most of it plotly.

    Args:
        material: with runs and their questions; its measure and metric.
    Raises:
        QuestionError: there is nothing to report.
    """
    return contents_html(contents(material))


def contents_html(report: ReportContents) -> str:
    """Return computed contents as an HTML page."""
    drawing, library = _file("report.js"), _plotly()
    page: str = _template().render(
        report=report,
        drawn=MOST_LINES,
        metrics=_ordered(report.metric),
        cost=metric_of(COST),
        fewest=FEWEST,
        methods=METHODS,
        between=between,
        policy=_policy(library, drawing),
        style=_file("report.css"),
        drawing=drawing,
        library=library,
        plots={name: {"light": plot.light, "dark": plot.dark} for name, plot in report.plots.items()},
        yaml=configuration_yaml(
            report.lines[0].run.config, of=f"the run {report.lines[0].run.key}", inputs=report.inputs, with_texts=False
        ),
    )
    return page


def _ordered(first: Metric) -> list[Metric]:
    """Sort the metrics: the ranking metric, its cost, then the others."""
    return sorted(METRICS, key=lambda metric: (metric != first, metric.name != COST))


def _policy(*scripts: str) -> str:
    hashes = " ".join(
        f"'sha256-{base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()}'" for script in scripts
    )
    return (
        f"default-src 'none'; script-src {hashes}; style-src 'unsafe-inline'; img-src data: blob:; font-src data:; "
        "base-uri 'none'; form-action 'none'"
    )


@lru_cache
def _template() -> Any:
    from jinja2 import Environment, FunctionLoader, StrictUndefined

    loader = FunctionLoader(_file)
    environment = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_visible,
    )
    return environment.get_template("report.html")


def _visible(value: Any) -> Any:
    """Replace invisible characters of a text; safe markup stays, since its hash depends on every byte."""
    return _UNSEEN.sub("\ufffd", value) if type(value) is str else value


def _file(name: str) -> str:
    return files("chunking.export.report").joinpath(name).read_text(encoding="utf-8").replace("\r\n", "\n")


@lru_cache
def _plotly() -> str:
    from plotly.offline import get_plotlyjs

    text: str = get_plotlyjs()
    return text.replace("\r\n", "\n").replace("</script", "<\\/script")


@dataclass(frozen=True, slots=True)
class TextlessReport:
    """Report on one question set without texts of the documents."""

    title: str
    """Name of the question set."""
    headline: str
    subline: str
    html: str
    """HTML page of about 5 MB, most of it plotly."""


def reports_without_texts(workspace: Workspace) -> list[TextlessReport]:
    """Return a report per question set with runs on its current questions, newest set first.

    As on the Export page, a report covers the runs on the questions of the newest run.
    """
    runs = [shared_run(run, (workspace.uri,)) for run in _measured(workspace)]
    return [
        report for name in workspace.question_sets.names() if (report := _report(workspace, name, runs)) is not None
    ]


def _measured(workspace: Workspace) -> Iterator[EvaluationRun]:
    """Yield the successful runs, newest first."""
    runs = []
    for text in workspace.runs.all().values():
        try:
            runs.append(EvaluationRun.from_json(text))
        except ChunkscopeError:
            continue  # of a version whose settings are not known any more: to be measured again, not to be shown
    yield from sorted(
        (run for run in runs if run.answered and not run.error), key=lambda run: run.made_at, reverse=True
    )


def _report(workspace: Workspace, name: str, runs: list[EvaluationRun]) -> TextlessReport | None:
    questions = load_set(workspace, name).questions
    over = [run for run in runs if matching_part(questions, [run]) is not None]
    same = tuple(run for run in over if run.questions == over[0].questions)
    part = matching_part(questions, same) if same else None
    if part is None:
        return None
    material = Material(workspace, runs=same, questions=part, measure=Measure(same[0].n))
    report = without_texts(contents(material))
    return TextlessReport(name, report.headline, report.subline, contents_html(report))


def without_texts(report: ReportContents) -> ReportContents:
    """Return a report's contents without what quotes or names a document or a question.

    Notes and failed runs are dropped as well: their sentences may name one.
    """
    questions = replace(
        report.questions,
        questions=tuple(replace(one, text="", answers=(), judged=()) for one in report.questions.questions),
    )
    return replace(
        report,
        questions=questions,
        story=None,
        gained=(),
        lost=(),
        documents=(),
        more_documents=report.more_documents + len(report.documents),
        notes=(),
        failed=(),
        texts=False,
    )
