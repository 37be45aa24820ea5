"""One configuration measured on questions: a real index, real searches."""

from __future__ import annotations

import re
import time
from collections.abc import Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime

from chunking.config import Config, Retrieval, SearchConfig
from chunking.errors import Cancelled, QuestionError
from chunking.evaluation.keys import model_key, run_key
from chunking.evaluation.progress import Cancel, OnProgress, Progress
from chunking.evaluation.questions import Answer, Part, Question, QuestionSet
from chunking.evaluation.runs import Answered, Found, Run
from chunking.evaluation.trials import Trial, Trials
from chunking.model import Chunk
from chunking.retrieval import Result, SearchResult, search
from chunking.store import Workspace

__all__ = ["DEPTH", "evaluate"]

DEPTH = 30
"""Results kept of each question: enough for 1,000 tokens of small chunks."""
_NUMBER = re.compile(r"\d+")


def evaluate(
    workspace: Workspace,
    questions: QuestionSet,
    config: Config,
    *,
    trials: Trials | None = None,
    n: int | None = None,
    depth: int = DEPTH,
    part: Part | None = None,
    label: str = "",
    on_progress: OnProgress | None = None,
    cancelled: Cancel | None = None,
    keep: bool = True,
) -> Run:
    """Build an index with a configuration and ask it every question; a run that is known is looked up.

    Args:
        trials: where indexes are built, to share them between runs; an own one where there is none.
        n: results that count; the configuration's `search.k` where it is None.
        depth: results that are kept of each question, at least `n`.
        part: only the questions of this part; None: all.
        label: what tells it from other runs; made of the settings that differ from the defaults where it is empty.
        keep: save it in `Workspace.runs`.
    Raises:
        QuestionError: there is no question, or none whose document is in the workspace.
        Cancelled: it was stopped.
        ChunkscopeError: the index cannot be built, or the result not be saved.
    """
    with nullcontext(trials) if trials is not None else Trials(workspace) as open_trials:
        chosen, notes = _askable(questions if part is None else questions.of(part), open_trials)
        n = n or config.search.k
        key = run_key(open_trials.documents, chosen, config, n=n, depth=depth, model=model_key(config))
        known = workspace.runs.get(key)
        if known is not None:
            run = Run.from_json(known)
            if not run.error and len(run.answered) == len(chosen):
                return run
        run = _measured(open_trials, chosen, config, n, depth, on_progress, cancelled)
    run = replace(run, key=key, label=label or _label(config), question_set=questions.name, notes=(*notes, *run.notes))
    if keep:
        workspace.runs.put({key: run.to_json()})
    return run


def _label(config: Config) -> str:
    return " · ".join(f"{key} {value}" for key, value in config.changed().items()) or "the default settings"


def _askable(questions: QuestionSet, trials: Trials) -> tuple[QuestionSet, tuple[str, ...]]:
    """The questions whose answers are in documents that there are, and what to say of the others."""
    if not questions.questions:
        raise QuestionError("There is no question to ask; import some, or make some.", where=questions.name)
    asked = [one for one in questions.questions if one.answers and all(answer.doc_id in trials.rows for answer in one.answers)]
    left_out = len(questions) - len(asked)
    if not asked:
        message = (
            f"No question of '{questions.name}' has its answer in a document of this workspace; add the documents, or choose another set."
        )
        raise QuestionError(message, where=questions.name)
    if not left_out:
        return questions, ()
    note = f"{left_out} of {len(questions)} questions were left out: their documents are not in the workspace, or they have no answer."
    return replace(questions, questions=tuple(asked)), (note,)


def _measured(
    trials: Trials, questions: QuestionSet, config: Config, n: int, depth: int, on_progress: OnProgress | None, cancelled: Cancel | None
) -> Run:
    started = time.perf_counter()
    total = len(questions)

    def say(message: str) -> None:
        if on_progress is not None:
            on_progress(Progress(0, total, message))

    trial = trials.trial(config, say=say, cancelled=cancelled)
    deep = _deep(config.search, n, depth)
    answered, notes = list[Answered](), list[str]()
    for number, question in enumerate(questions.questions):
        if cancelled is not None and cancelled():
            raise Cancelled("The run was stopped; measure again to go on from what is embedded.")
        if on_progress is not None:
            on_progress(Progress(number, total, "Asking the questions"))
        result = search(trials.scratch, question.text, deep, index=trial.name, embedder=trial.embedder)
        answered.append(_answered(trials, trial, question, result))
        notes += result.notes
    return Run(
        key="",
        label="",
        config=config,
        question_set=questions.name,
        questions=questions.fingerprint,
        documents=trial.index.fingerprint,
        answered=tuple(answered),
        n=n,
        depth=deep.k,
        chunks=trial.index.row.chunks,
        embedded=trial.embedded,
        seconds=time.perf_counter() - started,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        notes=(*trial.reasons, *_counted(notes, total)),
    )


def _counted(notes: Sequence[str], total: int) -> list[str]:
    """Each different note once, with the number of questions; numbers in it do not make it another one."""
    alike: dict[str, list[str]] = {}
    for note in notes:
        alike.setdefault(_NUMBER.sub("", note), []).append(note)
    return [f"{some[0]} (of {total} questions: {len(some)})" for some in alike.values()]


def _deep(config: SearchConfig, n: int, depth: int) -> SearchConfig:
    """The search, with more results than `n` but the same first ones."""
    as_asked = config.model_copy(update={"k": n})
    if config.retrieval is Retrieval.MERGE:  # what is merged depends on how many results there may be
        return as_asked
    candidates = as_asked.candidate_count
    return config.model_copy(update={"k": max(n, min(depth, candidates // 3)), "candidates": candidates})


def _answered(trials: Trials, trial: Trial, question: Question, result: SearchResult) -> Answered:
    chunks = [chunk for doc_id in dict.fromkeys(one.doc_id for one in question.answers) for chunk in trials.chunks_of(trial, doc_id)]
    return Answered(question.id, tuple(_found(one) for one in result.results), _omega(question.answers, chunks))


def _found(result: Result) -> Found:
    """Where a result stands. A summary stands nowhere: it costs its length and holds no character of the text."""
    chunk = result.chunk
    if chunk.summary:
        return Found("", 0, len(chunk.summary), chunk.token_count, 0, len(chunk.summary))
    near = [chunk, *result.neighbours]
    return Found(chunk.doc_id, chunk.start, chunk.end, chunk.token_count, min(c.start for c in near), max(c.end for c in near))


def _omega(answers: Sequence[Answer], chunks: Sequence[Chunk]) -> float:
    """Precision if every chunk that touches an answer were retrieved."""
    touching = [
        chunk for chunk in chunks if any(one.doc_id == chunk.doc_id and one.start < chunk.end and chunk.start < one.end for one in answers)
    ]
    wanted = {(one.doc_id, place) for one in answers for place in range(one.start, one.end)}
    held = {(chunk.doc_id, place) for chunk in touching for place in range(chunk.start, chunk.end)}
    total = sum(chunk.end - chunk.start for chunk in touching)
    return len(wanted & held) / total if total else 0.0
