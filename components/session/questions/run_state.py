"""Evaluation runs stored in the workspace, cached per version."""

from __future__ import annotations

import streamlit as st

from chunking.errors import QuestionError
from chunking.evaluation import EvaluationRun, QuestionSet, documents_key, is_current, use_loaded
from chunking.text.byte_caches import MB, byte_cache
from components.session.document_caches import clear_when_unused
from components.session.workspace import MOST_WORKSPACES, workspace

__all__ = ["all_runs", "current_runs", "run", "runs_of"]


def runs_of(questions: QuestionSet, *, parsers: bool = False) -> list[EvaluationRun]:
    """Return the runs over exactly these questions that are still current, the newest first.

    Failed runs are included. A run belongs to a set by the questions' fingerprint: it stays when the set is renamed,
    and is no longer listed when a question has changed. Runs over a part of the set (tune or holdout) belong to that
    part. Runs on other documents or by another version are not listed: next to new runs they would mislead.

    Args:
        parsers: True to include runs for which a sweep had the documents read by another parser: their results lie in
            other texts than those on the pages.
    """
    mine, target = questions.fingerprint, workspace()
    over = [one for one in all_runs() if one.questions == mine]
    if not over:
        return []
    current = _current(target.uri, target.version(), target.runs.version, mine, parsers)
    return [one for one in over if one.key in current]


def current_runs() -> list[EvaluationRun]:
    """Return the successful runs on any questions that are still current, the newest first."""
    target = workspace()
    current = _current(target.uri, target.version(), target.runs.version, None, False)
    return [one for one in all_runs() if one.key in current and one.answered and not one.error]


def run(key: str | None) -> EvaluationRun | None:
    """Return the run with this key; None without one."""
    return next((one for one in all_runs() if one.key == key), None) if key else None


def all_runs() -> tuple[EvaluationRun, ...]:
    """Return all readable runs of the workspace, the newest first."""
    target = workspace()
    return _read(target.uri, target.runs.version)


@clear_when_unused
@st.cache_data(show_spinner=False, max_entries=MOST_WORKSPACES)
def _current(address: str, version: str, kept: str, questions: str | None, parsers: bool) -> frozenset[str]:
    """Return the keys of the runs over these questions (None: over any) that are current.

    Chunks made elsewhere are loaded first, as runs depend on them too.
    """
    target = workspace()
    use_loaded(target)
    documents = target.derived(documents_key)
    over = (one for one in all_runs() if questions in (None, one.questions))
    return frozenset(one.key for one in over if is_current(one, documents, parsers=parsers))


@clear_when_unused
@st.cache_resource(show_spinner=False, max_entries=16)
def _read(address: str, version: str) -> tuple[EvaluationRun, ...]:
    """Return all readable runs, the newest first; runs with unknown settings are left out."""
    return tuple(filter(None, map(_parsed, workspace().runs.all().values())))


@byte_cache(most=64 * MB)
def _parsed(data: str) -> EvaluationRun | None:
    """Parse a run once: while a comparison is under way, one is added every few seconds."""
    try:
        return EvaluationRun.from_json(data)
    except QuestionError:
        return None  # it can only be measured again
