"""Runs that are kept in the workspace, read once a version."""

from __future__ import annotations

import streamlit as st

from chunking.errors import QuestionError
from chunking.evaluation import QuestionSet, Run
from components.workspace import workspace

__all__ = ["all_runs", "run", "runs_of"]


def runs_of(questions: QuestionSet) -> list[Run]:
    """The runs over these very questions, the newest first; those that failed are among them, with their sentence.

    A run belongs to a set by the questions' fingerprint: it stays when the set is renamed, and is no longer listed when a question has
    changed. Runs over a part of the set (tune or holdout) belong to that part.
    """
    mine = questions.fingerprint
    return [one for one in all_runs() if one.questions == mine]


def run(key: str | None) -> Run | None:
    """The run with this key; None where it is not there (any more)."""
    return next((one for one in all_runs() if one.key == key), None) if key else None


def all_runs() -> tuple[Run, ...]:
    """Every run of the workspace, the newest first."""
    target = workspace()
    return _read(target.uri, target.runs.version)


@st.cache_resource(show_spinner=False, max_entries=2)
def _read(address: str, version: int) -> tuple[Run, ...]:
    """Every run that can be read, newest first; one of a version whose settings are not known any more is left out."""
    read = []
    for data in workspace().runs.all().values():
        try:
            read.append(Run.from_json(data))
        except QuestionError:
            continue  # it can be measured again, and nothing else is to be done about it
    return tuple(read)
