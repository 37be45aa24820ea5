"""Hand-made runs that count as current in a workspace."""

from __future__ import annotations

from dataclasses import replace

from chunking.evaluation import EvaluationRun, QuestionSet
from chunking.evaluation.runs.run import documents_key, model_key, run_key
from chunking.store import Workspace

__all__ = ["put_current_run"]


def put_current_run(workspace: Workspace, questions: QuestionSet, run: EvaluationRun) -> EvaluationRun:
    """Store a run under the key that an evaluation of these questions would have now, and return it."""
    documents = documents_key(workspace.documents())
    key = run_key(documents, questions, run.config, n=run.n, depth=run.depth, model=model_key(run.config))
    current = replace(run, key=key)
    workspace.runs.put({key: current.to_json()})
    return current
