"""Evaluation of one configuration on a question set, with a real index and real searches."""

from __future__ import annotations

import time
from collections.abc import Collection
from contextlib import nullcontext
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from chunking.config import Config
from chunking.errors import QuestionError
from chunking.evaluation.analysis.setting_labels import label as label_of
from chunking.evaluation.questions.question import QuestionPart, QuestionSet
from chunking.evaluation.questions.relocation import place_answers
from chunking.evaluation.runs.answered import Answered
from chunking.evaluation.runs.loaded_chunks import use_loaded
from chunking.evaluation.runs.question_search import QuestionSearch
from chunking.evaluation.runs.run import (
    DEPTH,
    Cancel,
    EvaluationProgress,
    EvaluationRun,
    OnProgress,
    model_key,
    run_key,
)
from chunking.evaluation.runs.trial_indexes import Trials
from chunking.store import Workspace

__all__ = ["EvaluationOptions", "askable", "evaluate", "failed_run", "key_of", "known_run", "refuse_unanswerable"]


@dataclass(frozen=True, slots=True)
class EvaluationOptions:
    """Options of a run: questions asked, results counted and stored, label, saving."""

    n: int | None = None
    """Results that count; default: the configuration's `search.k`."""
    depth: int = DEPTH
    """Results stored per question: at least `n`; no more than `n` if more would change the first."""
    part: QuestionPart | None = None
    """Part of the questions to ask; None: all."""
    only: Collection[str] | None = None
    """Ids of the questions to ask now, for a sample; earlier answers stay in the run. None: all."""
    label: str = ""
    """Label of the run; default: made of the settings that differ from the defaults."""
    keep: bool = True
    """True: save the run in `Workspace.runs`."""


def evaluate(
    workspace: Workspace,
    questions: QuestionSet,
    config: Config,
    options: EvaluationOptions | None = None,
    *,
    trials: Trials | None = None,
    on_progress: OnProgress | None = None,
    cancelled: Cancel | None = None,
) -> EvaluationRun:
    """Build an index with a configuration and search it for every question; stored answers are reused.

    The index is built in a scratch workspace that is deleted afterwards, unless `trials` is given. The run is stored in
    `Workspace.runs` (see `EvaluationOptions.keep`). If a stored run answers every question asked, it is returned
    unchanged.

    Args:
        options: questions to ask and results that count.
        trials: where indexes are built, to share them between runs; default: a temporary one.
    Raises:
        QuestionError: there is no question, or none whose document is in the workspace.
        Cancelled: it was stopped.
        ChunkscopeError: the index cannot be built, or the result not be saved.
    """
    options = options or EvaluationOptions()
    chosen = questions if options.part is None else questions.of(options.part)
    with nullcontext(trials) if trials is not None else Trials(workspace) as there:
        askable_questions, notes = askable(chosen, there)
        n = options.n or config.search.k
        earlier = known_run(there, askable_questions, config, n, options.depth)
        ids = [one.id for one in askable_questions.questions if options.only is None or one.id in options.only]
        if earlier is not None and not set(ids) - {one.question_id for one in earlier.answered}:
            return earlier
        stamped = there.documents
        there.copy_documents(_RunProgress(len(ids), on_progress).building, cancelled)  # as they are now
        if there.documents != stamped:  # one has changed since the questions were looked at
            askable_questions, notes = askable(chosen, there)
        run = _measured(there, askable_questions, config, options, n, ids, earlier, on_progress, cancelled)
        run = replace(
            run,
            key=key_of(there, askable_questions, config, n, options.depth),
            label=options.label or label_of(config),
            notes=tuple(dict.fromkeys((*notes, *there.warnings, *run.notes))),
        )
    if options.keep:
        workspace.runs.put({run.key: run.to_json()}, done=("evaluated settings on", questions.name))
    return run


def askable(questions: QuestionSet, trials: Trials) -> tuple[QuestionSet, tuple[str, ...]]:
    """Return the unanswerable questions and those with all documents present, and notes.

    A note has the number of questions left out; without any, there is no note.

    Raises:
        QuestionError: the set is empty, or no question remains.
    """
    if not questions.questions:
        raise QuestionError(
            "There are no questions; import some, or write one on the Chunks page.", where=questions.name
        )
    askable_questions = [
        one
        for one in questions.questions
        if one.unanswerable or (one.answers and all(answer.doc_id in trials.rows for answer in one.answers))
    ]
    if not askable_questions:
        message = (
            f"No question of '{questions.name}' has its answer in a document of this workspace; add the "
            f"documents first."
        )
        raise QuestionError(message, where=questions.name)
    left_out = len(questions) - len(askable_questions)
    if not left_out:
        return questions, ()
    note = (
        f"{left_out} of {len(questions)} questions were left out: their documents are not in the workspace, or "
        f"they have no gold answer."
    )
    return replace(questions, questions=tuple(askable_questions)), (note,)


def refuse_unanswerable(questions: QuestionSet) -> None:
    """Raise if no question has an answer but some are unanswerable: no configuration could win.

    Raises:
        QuestionError: `QuestionSet.all_unanswerable` is True; an empty set passes.
    """
    if questions.all_unanswerable:
        raise QuestionError(
            (
                f"Nothing in the documents answers any question of '{questions.name}', so no configuration can "
                f"find more than another; add questions with answers. The Evaluate page measures how often the "
                f"search correctly reports no answer."
            ),
            where=questions.name,
        )


def key_of(trials: Trials, questions: QuestionSet, config: Config, n: int, depth: int = DEPTH) -> str:
    """Return the key under which a run on this question set is stored, complete or a sample.

    Registers the workspace's loaded chunks as this thread's splitters, since the key includes their versions.

    Args:
        n: number of results that count, in place of the configuration's `search.k`.
    """
    use_loaded(trials.workspace)
    return run_key(trials.documents, questions, config, n=n, depth=depth, model=model_key(config))


def known_run(
    trials: Trials, questions: QuestionSet, config: Config, n: int, depth: int = DEPTH
) -> EvaluationRun | None:
    """Return the stored run of these arguments, complete or a sample; None if absent or failed.

    Raises:
        QuestionError: the stored record is not a run.
    """
    text = trials.workspace.runs.get(key_of(trials, questions, config, n, depth))
    run = None if text is None else EvaluationRun.from_json(text)
    return None if run is None or run.error else run


def _measured(
    trials: Trials,
    questions: QuestionSet,
    config: Config,
    options: EvaluationOptions,
    n: int,
    ids: Collection[str],
    earlier: EvaluationRun | None,
    on_progress: OnProgress | None,
    cancelled: Cancel | None,
) -> EvaluationRun:
    """Ask the questions that are not answered yet, and return them with the earlier answers."""
    started = time.perf_counter()
    answers = {one.question_id: one for one in earlier.answered} if earlier else {}
    new = [one for one in questions.questions if one.id in ids and one.id not in answers]
    total = len(new)
    progress = _RunProgress(total, on_progress)
    trial = trials.trial(config, say=progress.building, cancelled=cancelled)
    placed = place_answers(questions, trials.copied_document).questions if trials.parser else questions
    gold = {one.id: one.answers for one in placed.questions} if trials.parser else {}
    new_ids = {one.id for one in new}
    searches = QuestionSearch(trials, trial, config, n, options.depth, questions.syntax)
    progress.count(0)
    for answered in searches.answers([one for one in placed.questions if one.id in new_ids], cancelled):
        answers[answered.question_id] = replace(answered, gold=gold.get(answered.question_id, ()))
        progress.count(sum(name in answers for name in new_ids))
    return EvaluationRun(
        key="",
        label="",
        config=config,
        question_set=questions.name,
        questions=questions.fingerprint,
        documents=trial.index.fingerprint,
        answered=_ordered(questions, answers.values()),
        n=n,
        depth=searches.search.k,
        chunks=trial.index.row.chunks,
        embedded=trials.embedded_for(trial) + (earlier.embedded if earlier else 0),
        seconds=time.perf_counter() - started + (earlier.seconds if earlier else 0.0),
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        notes=(*trial.reasons, *trials.unread, *searches.notes(total)),
        syntax=questions.syntax,
        parser=trials.parser,
    )


def _ordered(questions: QuestionSet, answers: Collection[Answered]) -> tuple[Answered, ...]:
    places = {one.id: place for place, one in enumerate(questions.questions)}
    return tuple(sorted((one for one in answers if one.question_id in places), key=lambda one: places[one.question_id]))


class _RunProgress:
    """Progress messages of one run."""

    def __init__(self, total: int, on_progress: OnProgress | None) -> None:
        self._total, self._on_progress = total, on_progress
        self._began: float | None = None

    def building(self, message: str) -> None:
        """Report a step of the index build."""
        if self._on_progress is not None:
            self._on_progress(EvaluationProgress(0, self._total, message))

    def count(self, done: int) -> None:
        """Report the number of answered questions and the time left."""
        now = time.perf_counter()
        self._began = now if self._began is None else self._began
        left = (now - self._began) / done * (self._total - done) if done else None
        if self._on_progress is not None:
            self._on_progress(EvaluationProgress(done, self._total, "Asking the questions", left))


def failed_run(trials: Trials, questions: QuestionSet, config: Config, n: int, error: Exception) -> EvaluationRun:
    """Build the record of a configuration that failed, without storing it.

    `known_run` ignores such a record, so the next sweep tries the configuration again.
    """
    return EvaluationRun(
        key=key_of(trials, questions, config, n),
        label=label_of(config),
        config=config,
        question_set=questions.name,
        questions=questions.fingerprint,
        documents="",
        answered=(),
        n=n,
        depth=DEPTH,
        made_at=datetime.now(UTC).isoformat(timespec="seconds"),
        error=str(error),
        syntax=questions.syntax,
        parser=trials.parser,
    )
