"""Evaluation of an index as it is in the workspace: nothing is copied, split or embedded."""

from __future__ import annotations

from collections.abc import Callable

from chunking.config import Config, SearchConfig
from chunking.evaluation.questions.question import QuestionSet
from chunking.evaluation.runs.evaluate import EvaluationOptions, askable, evaluate, known_run
from chunking.evaluation.runs.run import Cancel, EvaluationRun, OnProgress, parsed_documents_key
from chunking.evaluation.runs.trial_indexes import TrialIndex, Trials
from chunking.indexing import staleness
from chunking.store import Index, Workspace

__all__ = ["evaluate_index", "known_index_run"]


class _BuiltIndex(Trials):
    """Trials whose only index is a built one of the workspace, searched where it is."""

    def __init__(self, workspace: Workspace, index: Index) -> None:
        super().__init__(workspace, doc_ids=index.row.scope)
        self._index = index

    @property
    def documents(self) -> str:
        """Fingerprint of the documents; an index that a build of today would change counts with its own."""
        key = super().documents
        stale = staleness(self.workspace, self._index.row)
        return parsed_documents_key(key, f"index {self._index.fingerprint}") if stale else key

    def copy_documents(
        self, say: Callable[[str], None] | None = None, cancelled: Callable[[], bool] | None = None
    ) -> Workspace:
        """Return the workspace itself."""
        return self.workspace

    def trial(
        self,
        config: Config,
        *,
        say: Callable[[str], None] | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> TrialIndex:
        """Return the index, whatever the configuration."""
        return TrialIndex(self._index.name, self._index, 0, tuple(self._index.row.built.reasons))


def evaluate_index(
    workspace: Workspace,
    index: Index,
    questions: QuestionSet,
    search: SearchConfig,
    options: EvaluationOptions | None = None,
    *,
    on_progress: OnProgress | None = None,
    cancelled: Cancel | None = None,
) -> EvaluationRun:
    """Search a built index for every question, and save the run; a stored run of it is returned unchanged.

    An index that is up to date gives the run of its settings, which `evaluate` then returns too. Raises as `evaluate`.

    Args:
        search: search settings, in place of the index's own.
    """
    with _BuiltIndex(workspace, index) as trials:
        return evaluate(
            workspace,
            questions,
            index.config.model_copy(update={"search": search}),
            options,
            trials=trials,
            on_progress=on_progress,
            cancelled=cancelled,
        )


def known_index_run(
    workspace: Workspace, index: Index, questions: QuestionSet, search: SearchConfig
) -> EvaluationRun | None:
    """Return the stored run of `evaluate_index` with as many results as `search.k`; None if there is none."""
    config = index.config.model_copy(update={"search": search})
    with _BuiltIndex(workspace, index) as trials:
        askable_questions, _ = askable(questions, trials)
        run = known_run(trials, askable_questions, config, search.k)
    if run is None or {one.id for one in askable_questions.questions} - {one.question_id for one in run.answered}:
        return None
    return run
