"""Arguments and input of the commands that evaluate: documents, questions, cutoffs and progress."""

from __future__ import annotations

import argparse
import math
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from chunking.cli.commands.files import add
from chunking.cli.streams import say, show_progress
from chunking.config import QuerySyntax, margin_setting
from chunking.errors import ConfigError, QuestionError

if TYPE_CHECKING:
    from chunking.evaluation import EvaluationProgress, Imported, Interval, Measure, QuestionSet
    from chunking.indexing import Failure
    from chunking.model import Document
    from chunking.store import Workspace

__all__ = [
    "Corpus",
    "ProgressLines",
    "corpus",
    "intervals_record",
    "margin_of",
    "measure_of",
    "problem_records",
    "questions_of",
]

_TENTHS = 10
"""Steps at which progress is printed: each tenth of the questions."""
_MOST = {"n": 1_000_000, "budget": 1_000_000_000}
"""Upper limits of results and tokens: the storage engine counts in 32 bits."""


@dataclass(frozen=True, slots=True)
class Corpus:
    """Documents to search, with their workspace and the files that could not be read."""

    workspace: Workspace
    documents: Sequence[Document]
    failed: Sequence[Failure]
    """Files that could not be read."""

    @property
    def doc_ids(self) -> tuple[str, ...]:
        return tuple(one.doc_id for one in self.documents)

    @property
    def sources(self) -> dict[str, str]:
        """Source paths by document id."""
        return {one.doc_id: one.source for one in self.documents}

    def failures(self) -> list[dict[str, str]]:
        """Return the unreadable files as JSON records."""
        return [one.as_record() for one in self.failed]


@contextmanager
def corpus(arguments: argparse.Namespace) -> Iterator[Corpus]:
    """Read the files into the workspace or a temporary one; without files, use all its documents.

    Raises:
        ConfigError: there is neither a path nor a workspace.
        NotFoundError: no path, and no such workspace.
        QuestionError: no document could be read.
    """
    from chunking.store import Workspace

    if not arguments.paths and arguments.workspace is None:
        raise ConfigError(
            "There is nothing to search: give files or folders, or --workspace with the folder of a workspace."
        )
    with TemporaryDirectory(prefix="chunkscope-") as elsewhere:
        workspace = Workspace.open(
            arguments.workspace or elsewhere, create=bool(arguments.paths), sole_writer=arguments.sole_writer
        )
        if not arguments.paths:
            result = Corpus(
                workspace, list(workspace.read_documents([row.doc_id for row in workspace.documents()])), ()
            )
        else:
            added = add(arguments.paths, arguments, workspace)
            result = Corpus(workspace, list(added.documents), added.failed)
        if not result.documents:
            raise QuestionError("There is no document to search; give files that can be read.")
        yield result


def questions_of(arguments: argparse.Namespace, there: Corpus) -> Imported:
    """Load the question set from a file or the workspace, and print its problems to stderr.

    A set from a file is saved in the workspace of `--workspace`, unless an equal one is there.

    Raises:
        QuestionError: the file cannot be read, or none of its questions has its answers in the documents.
    """
    from chunking.evaluation import Imported, read_questions, relocate, set_names, use_loaded
    from chunking.evaluation.questions.question import QuestionSet
    from chunking.evaluation.questions.question_folder import question_files
    from chunking.evaluation.questions.relocation import shown

    use_loaded(there.workspace)
    path = Path(arguments.questions)
    if not os.path.exists(path) and arguments.questions in set_names(there.workspace):
        kept = QuestionSet.from_json(there.workspace.question_sets.get(arguments.questions) or "")
        moved = relocate(kept, {one.doc_id: one for one in there.documents})
        imported = Imported(moved.questions, (), (), tuple(sentence for _, sentence in moved.lost))
    else:
        files = question_files(path)
        imported = read_questions(files.data, files.name, there.documents, files.other_files)
    if arguments.syntax is not None:
        imported = replace(imported, questions=replace(imported.questions, syntax=QuerySyntax(arguments.syntax)))
    for problem in imported.problems:
        say(f"{path.name}, line {problem.line}: {problem.sentence}")
        for offer in () if problem.kept else problem.offers:
            place = f"{there.sources.get(offer.doc_id, offer.doc_id)}, characters {offer.start:,} to {offer.end:,}"
            say(f"  like it: “{shown(offer.text)}” in {place}")
    for note in imported.notes:
        say(note)
    if not imported.questions.questions:
        message = f"{path.name} has no question whose gold answer is in the documents; each line above says why."
        raise QuestionError(message if imported.problems else f"{path.name} has no question.", where=str(path))
    return (
        imported
        if arguments.workspace is None
        else replace(imported, questions=_kept(there.workspace, imported.questions))
    )


def _kept(workspace: Workspace, questions: QuestionSet) -> QuestionSet:
    """Save the questions in a lasting workspace, once, so that their runs can be viewed and exported."""
    from chunking.evaluation import QuestionSet, free_name, save_set

    sets = (QuestionSet.from_json(text) for text in workspace.question_sets.all().values())
    same = next((one for one in sets if one.fingerprint == questions.fingerprint), None)
    if same is not None:
        return replace(questions, name=same.name)
    return save_set(workspace, replace(questions, name=free_name(questions.name, workspace.question_sets.names())))


def problem_records(imported: Imported) -> list[dict[str, Any]]:
    """Return the problems of an import as JSON records."""
    return [
        {"line": one.line, "question": one.question, "kind": one.kind.value, "error": one.sentence, "kept": one.kept}
        for one in imported.problems
    ]


def measure_of(arguments: argparse.Namespace, k: int) -> Measure:
    """Return the limit of results (`--n`, `--budget`, else `k`), with neighbours if `--expanded`.

    Args:
        k: default number of results.
    Raises:
        ConfigError: both limits are set, or a number is below 1 or too large to search.
    """
    from chunking.evaluation import Measure

    if arguments.n is not None and arguments.budget is not None:
        raise ConfigError("--n and --budget both limit the results; give one of them.", where="--budget")
    for name, most in _MOST.items():
        value = getattr(arguments, name)
        if value is not None and value < 1:
            raise ConfigError(f"--{name} is {value}; give one or more.", where=f"--{name}")
        if value is not None and value > most:
            raise ConfigError(f"--{name} is {value:,}; give {most:,} or less.", where=f"--{name}")
    expanded = bool(arguments.expanded)
    return (
        Measure(arguments.n or k, None, expanded)
        if arguments.budget is None
        else Measure.at_budget(arguments.budget, expanded=expanded)
    )


def margin_of(arguments: argparse.Namespace) -> float:
    """Return `--margin` in points, by which a recommended configuration may miss the best.

    Raises:
        ConfigError: it is out of range.
    """
    row, margin = margin_setting(), arguments.margin
    least, most = row.minimum or 0.0, row.maximum or math.inf
    if margin is None:
        return float(row.default)
    if not least <= margin <= most:
        raise ConfigError(f"--margin is {margin:g}; give {least:g} to {most:g} {row.unit}.", where="--margin")
    return float(margin)


def intervals_record(summary: dict[str, Interval]) -> dict[str, Any]:
    """Return each metric's mean, interval, standard deviation and number of questions, for JSON."""
    return {name: one.as_record() for name, one in summary.items()}


class ProgressLines:
    """Progress of an evaluation as lines on stderr, one per step and per tenth of the questions.

    Args:
        counted: what the progress counts.
    """

    def __init__(self, counted: str = "questions") -> None:
        self._counted, self._last = counted, ("", -1)

    def __call__(self, progress: EvaluationProgress) -> None:
        if show_progress(
            progress.done,
            progress.total,
            self._counted,
            progress.message,
            left=progress.seconds_left,
            share=progress.share,
        ):
            return
        label, _, what = progress.message.rpartition(": ")
        step = f"{label}: {what.partition(' ')[0]}"  # cutting, embedding ...: once, not for each document
        place = (step, _TENTHS * progress.done // max(progress.total, 1))
        if place == self._last:
            return
        self._last = place
        left = "" if progress.seconds_left is None else f", about {progress.seconds_left:,.0f} s left"
        say(f"{progress.done:,} of {progress.total:,} {self._counted}: {progress.message}{left}")
