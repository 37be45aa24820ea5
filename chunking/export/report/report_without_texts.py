"""The report without a word of the documents: for whoever may see the results and nothing that was measured on.

Numbers, settings, causes and fingerprints stay. Questions, gold answers, names of documents and sentences about one
question are
left out: a question may be a heading of a document, and a sentence may name the section that an answer is in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from chunking.errors import ChunkscopeError
from chunking.evaluation import EvaluationRun, Measure, load_set
from chunking.export.export_job import Material, asked_of, shared_run
from chunking.export.report.report_contents import ReportContents, contents
from chunking.export.report.report_page import contents_html
from chunking.store import Workspace

__all__ = ["TextlessReport", "reports_without_texts", "without_texts"]


@dataclass(frozen=True, slots=True)
class TextlessReport:
    """The results on one question set."""

    title: str
    """Name of the question set."""
    headline: str
    subline: str
    html: str
    """About 5 MB, most of it plotly."""


def reports_without_texts(workspace: Workspace) -> list[TextlessReport]:
    """One for each question set with runs over its questions as they are now, the newest set first.

    As on the Export page a report is about the runs that asked what the newest of them asked.
    """
    runs = [shared_run(run, (workspace.uri,)) for run in _measured(workspace)]
    return [made for name in workspace.question_sets.names() if (made := _report(workspace, name, runs)) is not None]


def _measured(workspace: Workspace) -> Iterator[EvaluationRun]:
    """Runs that measured something, newest first."""
    found = []
    for text in workspace.runs.all().values():
        try:
            found.append(EvaluationRun.from_json(text))
        except ChunkscopeError:
            continue  # of a version whose settings are not known any more: to be measured again, not to be shown
    yield from sorted(
        (run for run in found if run.answered and not run.error), key=lambda run: run.made_at, reverse=True
    )


def _report(workspace: Workspace, name: str, runs: list[EvaluationRun]) -> TextlessReport | None:
    questions = load_set(workspace, name).questions
    over = [run for run in runs if asked_of(questions, [run]) is not None]
    same = tuple(run for run in over if run.questions == over[0].questions)
    asked = asked_of(questions, same) if same else None
    if asked is None:
        return None
    material = Material(workspace, runs=same, questions=asked, measure=Measure(same[0].n))
    told = without_texts(contents(material))
    return TextlessReport(name, told.headline, told.subline, contents_html(told))


def without_texts(told: ReportContents) -> ReportContents:
    """A report's contents without what quotes or names a document or a question."""
    asked = replace(
        told.asked, questions=tuple(replace(one, text="", answers=(), judged=()) for one in told.asked.questions)
    )
    return replace(
        told,
        asked=asked,
        gained=(),
        lost=(),
        documents=(),
        more_documents=told.more_documents + len(told.documents),
        notes=(),
        failed=(),
        texts=False,
    )
