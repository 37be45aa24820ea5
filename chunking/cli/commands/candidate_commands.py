"""The commands `compare --candidate` (review a candidate index) and `candidate` (promote or drop it)."""

from __future__ import annotations

import argparse
import math
from typing import TYPE_CHECKING, Any

from chunking.cli.commands.evaluation_arguments import ProgressLines, corpus, measure_of, problem_records, questions_of
from chunking.cli.streams import say, say_result, write_row
from chunking.errors import ConfigError

if TYPE_CHECKING:
    from chunking.evaluation import EvaluationRun, Measure, QuestionChange, QuestionSet
    from chunking.evaluation.analysis.answer_changes import AnswerChanges
    from chunking.store import Index, Workspace

__all__ = ["candidate", "compare_candidate"]


def compare_candidate(arguments: argparse.Namespace) -> int:
    """Review a candidate beside its live index: boundaries, gold answers and texts, as one object.

    Exit code 1 if the metric's mean falls by more than `--max-drop`, or with `--fail-if-worse` significantly.
    """
    from chunking.evaluation import metric_of
    from chunking.evaluation.analysis.answer_changes import answer_changes
    from chunking.indexing.index_review import candidate_pair, review
    from chunking.indexing.planning.index_plan import DEFAULT_NAME

    _check(arguments)
    metric, name = metric_of(arguments.metric), arguments.name or DEFAULT_NAME
    arguments.paths, arguments.sole_writer = [], False
    with corpus(arguments) as there:
        pair = candidate_pair(there.workspace, name)
        imported = questions_of(arguments, there)
        measure = measure_of(arguments, pair.live.config.search.k)
        live, candidate = (
            _run(there.workspace, one, imported.questions, measure) for one in (pair.live, pair.candidate)
        )
        answers = answer_changes(live, candidate, imported.questions, measure, metric.name, changed=pair.changed)
        compared = review(there.workspace, pair)
    notes = [
        *_notes(answers, len(pair.changed), pair.live.name),
        *(note for run in (live, candidate) for note in run.notes),
    ]
    for note in notes:
        say(note)
    sentence = answers.sentence(pair.candidate.name, pair.live.name)
    say_result(sentence)
    record = _record(answers, pair.live, pair.candidate) | {"measure": measure.label, "sentence": sentence}
    record |= {"notes": notes, "problems": problem_records(imported)} | compared.as_record()
    failures = list(_failures(answers, arguments))
    write_row(record | {"failures": failures})
    for failure in failures:
        say(failure)
    return int(bool(failures))


def _check(arguments: argparse.Namespace) -> None:
    """Raise ConfigError for arguments that do not go together."""
    if arguments.a is not None:
        raise ConfigError("--candidate compares two indexes of a workspace; leave the files out.", where="--candidate")
    for name in ("workspace", "questions"):
        if getattr(arguments, name) is None:
            raise ConfigError(f"--candidate needs --{name}; add it.", where=f"--{name}")
    if arguments.max_drop is not None and not 0 <= arguments.max_drop < math.inf:
        raise ConfigError(
            f"--max-drop is {arguments.max_drop:g}; give the points that may be lost, such as 2.", where="--max-drop"
        )


def _run(workspace: Workspace, index: Index, questions: QuestionSet, measure: Measure) -> EvaluationRun:
    """Evaluate an index with its own search settings."""
    from chunking.evaluation import EvaluationOptions
    from chunking.evaluation.runs.built_index import evaluate_index
    from chunking.evaluation.runs.question_search import results_wanted
    from chunking.evaluation.runs.run import DEPTH

    search = index.config.search
    n = results_wanted(search, measure.n or search.k, measure.budget, DEPTH)
    return evaluate_index(workspace, index, questions, search, EvaluationOptions(n=n), on_progress=ProgressLines())


def _notes(answers: AnswerChanges, changed: int, live: str) -> list[str]:
    if not changed:
        return []
    return [
        f"Documents changed or added since '{live}' was built: {changed:,}. Their boundaries, and "
        f"{answers.left_out:,} questions about them, are not compared."
    ]


def _failures(answers: AnswerChanges, arguments: argparse.Namespace) -> list[str]:
    metric, failures = answers.metric, []
    allowed = arguments.max_drop
    if allowed is not None and answers.drop > metric.margin(allowed, answers.means[0]) + 1e-12:
        failures.append(
            f"{metric.label} falls by {metric.points(answers.drop, sign=False)}, more than the {allowed:g} allowed."
        )
    if arguments.fail_if_worse and answers.difference.shown and answers.drop:
        failures.append(f"{metric.label} is significantly worse.")
    return failures


def _record(answers: AnswerChanges, live: Index, candidate: Index) -> dict[str, Any]:
    """Return means, difference, and the answers won and lost; `a` is the candidate, as in `compare A B`."""
    means = answers.means
    sides = {"a": (candidate, means[1]), "b": (live, means[0])}
    return {
        "metric": answers.metric.name,
        **{side: _index(index) | {"mean": mean} for side, (index, mean) in sides.items()},
        "difference": answers.difference.as_record(),
        "a_better": [one.question.id for one in answers.won],
        "b_better": [one.question.id for one in answers.lost],
        "won": [_change(one, answers.metric.name) for one in answers.won],
        "lost": [_change(one, answers.metric.name) for one in answers.lost],
        "left_out": answers.left_out,
    }


def _index(index: Index) -> dict[str, Any]:
    row = index.row
    return {"index": row.name, "chunks": row.chunks, "fingerprint": row.fingerprint, "settings": row.config.changed()}


def _change(one: QuestionChange, metric: str) -> dict[str, Any]:
    before, after = one.causes
    return {
        "id": one.question.id,
        "question": one.question.text,
        "change": one.change.value,
        "live": getattr(one.a, metric),
        "candidate": getattr(one.b, metric),
        "why_live": before.value if before else None,
        "why_candidate": after.value if after else None,
    }


def candidate(arguments: argparse.Namespace) -> int:
    """Promote a candidate, undo the last promotion, or drop the candidate; print the live index."""
    from chunking.indexing.index_review import candidate_pair
    from chunking.indexing.planning.index_plan import DEFAULT_NAME
    from chunking.store import Workspace
    from chunking.store.candidate_indexes import candidate_of

    name = arguments.name or DEFAULT_NAME
    workspace = Workspace.open(arguments.workspace, create=False, sole_writer=arguments.sole_writer)
    if arguments.what == "promote":
        with workspace.writer():
            workspace.promote(name, candidate_pair(workspace, name).candidate.fingerprint)
    elif arguments.what == "undo":
        workspace.undo_promotion(name)
    else:
        workspace.drop_index(candidate_of(name))
    live = next((row for row in workspace.indexes() if row.name == name), None)
    write_row({"what": arguments.what, "live": live.as_record() if live else None})
    return 0
