"""Runs made by hand that count as measured on a workspace as it is now."""

from __future__ import annotations

from dataclasses import replace

from chunking.evaluation import EvaluationRun, QuestionSet
from chunking.evaluation.runs.run import documents_key, model_key, run_key
from chunking.store import Workspace

__all__ = ["put_current_run"]


def put_current_run(workspace: Workspace, questions: QuestionSet, run: EvaluationRun) -> EvaluationRun:
    """The run, stored under the key that a measurement of these questions would have now, whatever key it came with."""
    documents = documents_key(workspace.documents())
    key = run_key(documents, questions, run.config, n=run.n, depth=run.depth, model=model_key(run.config))
    current = replace(run, key=key)
    workspace.runs.put({key: current.to_json()})
    return current
