"""The recall that was measured of an index, as a sentence for agents: how far they can rely on its search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from chunking.text.byte_caches import MB, ByteCache

if TYPE_CHECKING:
    from chunking.config import Config
    from chunking.evaluation import Run
    from chunking.store import Workspace

__all__ = ["measured_recall"]

_METRIC = "recall"
_MOST_RUNS = 50
"""Newest runs that are looked through."""

_sentences: ByteCache[str] = ByteCache(f"{__name__}.sentences", MB)


def measured_recall(workspace: Workspace) -> str:
    """One sentence with the recall of the newest index on the question set of its newest run; empty where none was measured.

    A run counts if it would come out the same now: the same settings, documents, model and code. The answer is remembered until
    something is written to the workspace.

    Raises:
        StoreError: the workspace cannot be read.
    """
    if not workspace.indexes():
        return ""
    key = (workspace.uri, workspace.version(), workspace.runs.version)
    known = _sentences.get(key)
    if known is None:
        known = _sentence(workspace)
        _sentences.put(key, known)
    return known


def _sentence(workspace: Workspace) -> str:
    from chunking.errors import ChunkscopeError
    from chunking.evaluation import Measure, interval_in_words, load_set, score_run, summary

    run = _current_run(workspace, workspace.index().config)
    if run is None:
        return ""
    try:
        scores = score_run(run, load_set(workspace, run.question_set).questions, Measure(run.n))
    except ChunkscopeError:  # the set was deleted since
        return ""
    if not len(scores):
        return ""
    recall = interval_in_words(summary(scores)[_METRIC], _METRIC)
    return f"Measured recall of the first {run.n} results on the question set '{run.question_set}': {recall}."


def _current_run(workspace: Workspace, config: Config) -> Run | None:
    from chunking.errors import QuestionError
    from chunking.evaluation import Run, documents_key, is_current

    documents = documents_key(workspace.documents())
    for name in workspace.runs.names()[:_MOST_RUNS]:
        try:
            run = Run.from_json(workspace.runs.get(name) or "")
        except QuestionError:  # of another version
            continue
        if not run.error and run.answered and _same_settings(run.config, config) and is_current(run, documents):
            return run
    return None


def _same_settings(one: Config, other: Config) -> bool:
    """Alike but for the number of results, which the sentence says."""
    return one.fingerprint() == other.fingerprint() and one.search.model_copy(update={"k": other.search.k}) == other.search
