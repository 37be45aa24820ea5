"""The command `demo`: the app's guide in a terminal, five steps from baseline to recommendation.

Where the samples come from their snapshot, no step loads a model: documents, indexes, runs, encodings and the
questions' vectors are in it. Its numbers of baseline and defaults are then those of its runs, as on the front page.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from chunking.cli.commands.evaluation_arguments import ProgressLines, intervals_record
from chunking.cli.streams import say, show_progress, write_row
from chunking.config import BASELINE_SPLITTING, Config, margin_setting
from chunking.errors import ConfigError
from chunking.samples import (
    BASELINE,
    GRID,
    QUESTION,
    QUESTION_FILE,
    SAMPLE_SET,
    SAMPLES,
    prepare,
    question_vector,
    sample_indexes,
)

if TYPE_CHECKING:
    from chunking.evaluation import LiveEstimate, Question, QuestionSet, Sweep
    from chunking.retrieval.results.search_result import Result, SearchResult
    from chunking.store import Workspace

__all__ = ["demo"]

_SHOWN = 3
"""Hits shown per search."""
_IN = "--workspace demo"


@dataclass(frozen=True, slots=True)
class _Guide:
    """Input shared by the steps of the demo."""

    workspace: Workspace
    questions: QuestionSet
    """Dev split of the samples' question set: settings are chosen on it."""
    sweep: Sweep
    estimates: Sequence[LiveEstimate]

    def estimate(self, config: Config) -> dict[str, Any]:
        """Return a configuration's settings, number of chunks and questions, and means by metric."""
        one = next(one for one in self.estimates if one.config == config)
        return {
            "settings": config.changed(),
            "chunks": one.chunks,
            "questions": one.questions,
            "means": dict(one.means),
        }

    def measured(self, config: Config) -> dict[str, Any] | None:
        """Return a configuration's means by metric in its run on the index; None without one."""
        from chunking.evaluation import EvaluationRun, Measure, score_run, summary

        runs = map(EvaluationRun.from_json, self.workspace.runs.all().values())
        of = self.questions.fingerprint
        run = next((run for run in runs if (run.config, run.questions, run.error) == (config, of, "")), None)
        if run is None:
            return None
        means = {name: one.mean for name, one in summary(score_run(run, self.questions, Measure(run.n))).items()}
        return {"settings": config.changed(), "chunks": run.chunks, "questions": len(run.answered), "means": means}


def demo(arguments: argparse.Namespace) -> int:
    """Print each step of the guide as an object: title, text, equivalent command and numbers.

    Works on the samples, in a temporary workspace or the new one of `--workspace`.
    """
    with _sample_workspace(arguments.workspace) as workspace:
        guide = _estimate_guide(workspace)
        steps = (_baseline, _default, _search, _evaluate, _recommend)
        for number, step in enumerate(steps, 1):
            write_row({"step": number, "steps": len(steps), **step(guide)})
    return 0


@contextmanager
def _sample_workspace(folder: str | None) -> Iterator[Workspace]:
    """Open a workspace with the samples and their indexes, in a given folder or a temporary one.

    Raises:
        ConfigError: there are documents in the folder already.
        ModelError: the snapshot does not fit, and there is no model to build the index with.
    """
    from chunking.indexing import build_index
    from chunking.store import Workspace

    with TemporaryDirectory(prefix="chunkscope-demo-") as elsewhere:
        workspace = Workspace.open(folder or elsewhere)
        if not workspace.untouched:
            raise ConfigError(f"The workspace {folder} is in use; name a new folder for the demo.", where="--workspace")
        show_progress(0, 2, "steps", "preparing the samples")
        samples = prepare()
        with workspace.writer():
            samples.put_into(workspace)
            if not workspace.indexes():
                say(f"The indexes of the samples are built first: {samples.why}")
                for name, config in sample_indexes().items():
                    build_index(workspace, config, name=name)
        yield workspace


def _estimate_guide(workspace: Workspace) -> _Guide:
    """Estimate every configuration of the guide from the stored encodings."""
    from chunking.evaluation import QuestionPart, Sweep, estimate_grid, load_set

    questions = load_set(workspace, SAMPLE_SET).questions
    sweep = Sweep("guide", SAMPLE_SET, Config(), GRID, tries=({}, BASELINE), n=Config().search.k)
    documents = list(workspace.read_documents([row.doc_id for row in workspace.documents()]))
    estimates = estimate_grid(
        sweep,
        documents,
        questions,
        encodings=workspace.encodings,
        vectors=workspace.vectors,
        on_progress=ProgressLines("configurations"),
    )
    return _Guide(workspace, questions.of(QuestionPart.TUNE), sweep, list(estimates))


def _baseline(guide: _Guide) -> dict[str, Any]:
    settings = " ".join(f"--set {key}={value}" for key, value in BASELINE_SPLITTING.items())
    return {
        "title": "How most people split",
        "look": (
            "512 tokens with an overlap of 50, vector search: how many questions find their answer, and at what cost."
        ),
        "command": f"chunkscope chunk {_path(SAMPLES)} {settings}",
        "estimate": guide.estimate(Config.from_settings(BASELINE)),
        "measured": guide.measured(Config.from_settings(BASELINE)),
    }


def _default(guide: _Guide) -> dict[str, Any]:
    return {
        "title": "See recall move",
        "look": "The defaults: chunks follow the structure, with titles and hybrid search. More answers, fewer tokens.",
        "command": f"chunkscope index {_path(SAMPLES)} {_IN}",
        "estimate": guide.estimate(Config()),
        "measured": guide.measured(Config()),
        "baseline": guide.estimate(Config.from_settings(BASELINE)),
        "measured_baseline": guide.measured(Config.from_settings(BASELINE)),
    }


def _search(guide: _Guide) -> dict[str, Any]:
    """Ask one question of the baseline's index and of that of the default settings."""
    from chunking.embedding import load_embedder
    from chunking.retrieval import search

    question = next(one for one in guide.questions.questions if one.text == QUESTION)
    vector = question_vector(load_embedder(Config().embedding), QUESTION)
    searches = []
    for index, config in sample_indexes().items():
        result = search(guide.workspace, QUESTION, config.search, index=index, vector=vector)
        searches.append(_hits(index, str(config.search.mode), result, question))
    return {
        "title": "Ask it a question",
        "look": "The baseline’s index misses the answer; the default settings rank it first.",
        "command": f'chunkscope search "{QUESTION}" {_IN}',
        "question": QUESTION,
        "searches": searches,
    }


def _hits(index: str, mode: str, result: SearchResult, question: Question) -> dict[str, Any]:
    rows = [{"rank": hit.rank, "citation": hit.citation, "answers": _answers(hit, question)} for hit in result.results]
    first = next((row["rank"] for row in rows if row["answers"]), None)
    return {"index": index, "mode": mode, "answer_rank": first, "results": rows[:_SHOWN]}


def _answers(hit: Result, question: Question) -> bool:
    """True if a hit contains the start of an answer."""
    chunk = hit.part
    return any(answer.doc_id == chunk.doc_id and chunk.start <= answer.start < chunk.end for answer in question.answers)


def _evaluate(guide: _Guide) -> dict[str, Any]:
    """Evaluate the defaults on the index, with confidence intervals."""
    from chunking.evaluation import EvaluationOptions, Measure, Trials, causes, evaluate, score_run, summary

    config = Config()
    with Trials(guide.workspace) as trials:
        options = EvaluationOptions(n=config.search.k)
        run = evaluate(guide.workspace, guide.questions, config, options, trials=trials, on_progress=ProgressLines())
    measure = Measure(config.search.k)
    return {
        "title": "Measure it",
        "look": "The defaults on the index itself, with 95 % confidence intervals; each failure has its cause.",
        "command": f"chunkscope evaluate {_IN} --questions {_path(QUESTION_FILE)}",
        "metrics": intervals_record(summary(score_run(run, guide.questions, measure))),
        "causes": {cause.value: count for cause, count in causes(run).items()},
        "questions": len(run.answered),
    }


def _recommend(guide: _Guide) -> dict[str, Any]:
    """Estimate the guide's grid and mark the few configurations worth measuring."""
    from chunking.evaluation import Planned, worth_measuring

    chosen = worth_measuring(guide.estimates, guide.sweep.metric, float(margin_setting().default), guide.sweep.base)
    baseline = Config.from_settings(BASELINE)
    reasons = {id(one.estimate): [str(reason) for reason in one.reasons] for one in chosen}
    rows = [
        {
            "label": "512/50" if one.config == baseline else Planned(one.settings, one.config).label,
            "chunks": one.chunks,
            "estimated_metrics": dict(one.means),
            "measure_as": reasons.get(id(one), []),
        }
        for one in guide.estimates
        if one.known
    ]
    grid = " ".join(f"--grid {key}={','.join(values)}" for key, values in guide.sweep.grid.items())
    return {
        "title": "Let it choose",
        "look": "The grid, estimated without an index. The command measures the few that matter and recommends one.",
        "command": f"chunkscope sweep {_IN} --questions {_path(QUESTION_FILE)} {grid} --estimate",
        "metric": guide.sweep.metric,
        "estimated": rows,
        "not_estimated": [],
    }


def _path(place: Path) -> str:
    """Return a path relative to the current folder, if it is below it."""
    return str(place.relative_to(Path.cwd()) if place.is_relative_to(Path.cwd()) else place)
