"""The command `evaluate`: one configuration on a question set, with an exit code for CI."""

from __future__ import annotations

import argparse
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from chunking.cli.commands.evaluation_arguments import (
    Corpus,
    ProgressLines,
    corpus,
    intervals_record,
    measure_of,
    problem_records,
    questions_of,
)
from chunking.cli.commands.files import config_of, pair
from chunking.cli.streams import say, write_row
from chunking.config import Config
from chunking.errors import ConfigError, QuestionError

if TYPE_CHECKING:
    from chunking.evaluation import EvaluationRun, Interval, Measure, Scores, Unanswered, Unjudged
    from chunking.evaluation.questions.question import QuestionSet

__all__ = ["evaluate"]


def evaluate(arguments: argparse.Namespace) -> int:
    """Evaluate a configuration, and print metrics with intervals and each question's results.

    Exit code 1 if a metric's whole interval is below its `--fail-below`, or a file could not be read.
    """
    from chunking import evaluation
    from chunking.evaluation.runs.question_search import results_wanted
    from chunking.evaluation.runs.run import DEPTH

    limits = _limits(arguments.fail_below)
    config = config_of(arguments)
    if arguments.retrieval is not None:
        config = Config.from_settings({"search.retrieval": arguments.retrieval}, config)
    measure = measure_of(arguments, config.search.k)
    with corpus(arguments) as there:
        imported = questions_of(arguments, there)
        if arguments.chunks is not None:
            config = _of_chunks(arguments.chunks, there, config)
        part = evaluation.QuestionPart(arguments.part) if arguments.part else None
        questions = imported.questions if part is None else imported.questions.of(part)
        with evaluation.Trials(there.workspace, doc_ids=there.doc_ids) as trials:
            n = results_wanted(config.search, measure.n or config.search.k, measure.budget, DEPTH)
            options = evaluation.EvaluationOptions(n=n)
            run = evaluation.evaluate(
                there.workspace, questions, config, options, trials=trials, on_progress=ProgressLines()
            )
        for note in _notes(run, measure):
            say(note)
        scores = evaluation.score_run(run, questions, measure)
        if not len(scores) and limits:
            raise QuestionError(
                "No question has an answer in the documents, so no metric can reach a limit; leave --fail-below out."
            )
        summary = evaluation.summary(scores) if len(scores) else {}
        unanswered, unjudged = (
            evaluation.unanswered(run, questions),
            evaluation.unjudged_results(run, questions, measure),
        )
        for problem in (unanswered, unjudged):
            if problem is not None and problem.sentence:
                say(problem.sentence)
        below = list(_below(summary, limits))
        record = _record(run, measure, there, summary)
        record |= {"unanswered": _unanswered_record(unanswered), "unjudged": _unjudged_record(unjudged)}
        record |= {"problems": problem_records(imported), "failed": there.failures(), "below": below}
        write_row(record | {"questions": list(_rows(run, questions, scores, measure, there))})
    for one in below:
        say(
            f"{one['metric']} is significantly below {one['limit']}: its 95 % confidence interval ends at "
            f"{one['high']}."
        )
    return int(bool(below or there.failed))


def _of_chunks(path: Path, there: Corpus, base: Config) -> Config:
    """Return the configuration that keeps chunks made elsewhere unchanged."""
    from chunking.evaluation import config_of_loaded, read_chunks, save_chunks

    try:
        data = path.read_bytes()
    except OSError as error:
        raise QuestionError(
            f"The chunks {path} cannot be read ({error.strerror}); check the name.", where=str(path)
        ) from error
    loaded = read_chunks(data, path.name, there.documents)
    save_chunks(there.workspace, loaded)
    return config_of_loaded(loaded, base)


def _limits(pairs: Iterable[str]) -> dict[str, float]:
    """Parse `--fail-below` into limits by metric; percentages become shares.

    Raises:
        ConfigError: no such metric, one of which less is better, or no number from 0 up.
    """
    from chunking.evaluation import METRICS

    metrics = {one.name: one for one in METRICS if one.higher_is_better}
    limits: dict[str, float] = {}
    for name, value in (pair(text, "recall=80") for text in pairs):
        if name not in metrics:
            raise ConfigError(f"There is no limit for '{name}'; choose one of {', '.join(metrics)}.", where=name)
        try:
            number = float(value.strip().removesuffix("%"))
        except ValueError:
            raise ConfigError(f"The limit of {name} is '{value}'; give a number, such as 80.", where=name) from None
        if not 0 <= number < math.inf:  # nothing is below NaN: such a check would never fail
            raise ConfigError(f"The limit of {name} is '{value}'; give a number, such as 80.", where=name)
        if metrics[name].percent and 0 < number < 1:
            say(
                f"The limit of {name} is {number:g} percent; write {100 * number:g} if you mean "
                f"{100 * number:g} percent."
            )
        limits[name] = number / 100 if metrics[name].percent else number
    return limits


def _below(summary: Mapping[str, Interval], limits: Mapping[str, float]) -> Iterable[dict[str, Any]]:
    """Yield the metrics whose whole confidence interval is below their limit."""
    for name, limit in limits.items():
        one = summary[name]
        if not one.known:
            say(f"Only one question: whether {name} is significantly below the limit is unknown.")
        elif one.high < limit:
            yield {"metric": name, "limit": limit, "mean": one.mean, "high": one.high}


def _record(run: EvaluationRun, measure: Measure, there: Corpus, summary: dict[str, Interval]) -> dict[str, Any]:
    """Return the output of `evaluate` without the rows of questions."""
    from chunking.evaluation import causes
    from chunking.versions import results_version

    return {
        "label": run.label,
        "measure": measure.label,
        "n": measure.n,
        "budget": measure.budget,
        "expanded": measure.expanded,
        "metrics": intervals_record(summary),
        "causes": {cause.value: count for cause, count in causes(run).items()},
        "documents": len(there.documents),
        "chunks": run.chunks,
        "embedded": run.embedded,
        "seconds": round(run.seconds, 3),
        "question_set": run.question_set,
        "syntax": run.syntax.value,
        "fingerprints": {"run": run.key, "questions": run.questions, "index": run.documents, "code": results_version()},
        "settings": run.config.changed(),
        "notes": _notes(run, measure),
    }


def _unanswered_record(unanswered: Unanswered | None) -> dict[str, Any] | None:
    """Return the results of unanswerable questions; None if there are none."""
    if unanswered is None:
        return None
    wrong = unanswered.wrong.as_record() if unanswered.wrong else None
    return {
        "correct": unanswered.correct.as_record(),
        "wrong": wrong,
        "answered_all_the_same": [one.id for one in unanswered.missed],
    }


def _unjudged_record(unjudged: Unjudged | None) -> dict[str, Any] | None:
    """Return the counts of hits nobody judged; None if no question was labelled on results."""
    if unjudged is None:
        return None
    return {
        "hits": unjudged.hits,
        "unjudged": unjudged.unjudged,
        "questions": unjudged.questions,
        "pool_depths": list(unjudged.depths),
    }


def _notes(run: EvaluationRun, measure: Measure) -> list[str]:
    """Return the run's notes, and a warning if it stored too few results."""
    from chunking.evaluation import too_shallow

    short = too_shallow(run, measure)
    shallow = (
        f"For {short} of {len(run.answered)} questions, the {run.depth} stored results are fewer than the "
        f"evaluation needs."
    )
    return [*run.notes, *([shallow] if short else [])]


def _rows(
    run: EvaluationRun, questions: QuestionSet, scores: Scores, measure: Measure, there: Corpus
) -> Iterable[dict[str, Any]]:
    """Yield one row per question, in the set's order."""
    from chunking.evaluation import returned

    texts = {one.id: one.text for one in questions.questions}
    sources = there.sources
    answered = {one.question_id: one for one in run.answered}
    for place, name in enumerate(scores.ids):
        one = answered[name]
        why = one.diagnosis
        spans = returned(one.results, measure)
        yield {
            "id": name,
            "question": texts[name],
            **scores.at(place).as_record(),
            "retrieved": [[sources.get(span.doc_id, span.doc_id), span.start, span.end] for span in spans],
            "cause": why.cause.value if why else None,
            "why": why.sentence if why else None,
            "help": why.help if why else None,
        }
