"""Example questions about the documents: from a question set, from the samples, or made from the text."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import streamlit as st

from chunking.errors import QuestionError
from chunking.evaluation import Made, QuestionSet, generate
from chunking.store import DocumentRow, Workspace, documents_by_id
from components.session.document_caches import clear_when_unused
from components.session.questions.question_state import active_name, set_names
from components.session.workspace import MOST_WORKSPACES, workspace

__all__ = ["examples"]

_QUESTIONS = Path(__file__).parents[2] / "sample_data" / "questions.jsonl"
_MOST = 3
_LONGEST = 120
"""Most characters of an example."""
_READ, _LARGEST = 6, 200_000
"""Most documents that questions are made from, and most characters of one."""


class _Example(NamedTuple):
    language: str
    document: str
    text: str


def examples(target: Workspace) -> list[str]:
    """Return up to three questions on different documents, one in another language if possible.

    They come from the chosen question set, else from the newest one; without a set from the sample questions, else from
    the documents' headings and the questions in their text. Empty if these give none.
    """
    ids, sources = target.derived(documents_by_id), target.derived(_sources)
    if not ids:
        return []
    names = [name for name in (active_name(), *set_names()[:1]) if name]
    saved = (_saved(target.uri, target.question_sets.version, name) for name in names)
    samples = [one for one in _samples() if one.document in sources]
    for usable in ([one for one in few if one.document in ids] for few in saved):
        if usable:
            return _varied(usable)
    return _varied(samples) if samples else _varied(_generated(target.uri, target.version()))


def _sources(rows: Sequence[DocumentRow]) -> set[str]:
    return {row.source for row in rows}


def _varied(questions: Sequence[_Example]) -> list[str]:
    """Return the first questions on different documents: two in the most frequent language, one in the next."""
    often = [language for language, _ in Counter(one.language for one in questions).most_common(2)]
    picked: dict[str, str] = {}
    for language in (often[0], often[0], often[-1]) if often else ():
        row = next((one for one in questions if one.language == language and one.document not in picked), None)
        if row:
            picked[row.document] = row.text
    return list(picked.values())[:_MOST]


def _of(questions: QuestionSet) -> list[_Example]:
    """Return the answerable short questions of a set, each with the document of its first answer."""
    return [
        _Example(one.language, one.answers[0].doc_id, one.text)
        for one in questions.questions
        if one.answers and len(one.text) <= _LONGEST
    ]


@clear_when_unused
@st.cache_data(show_spinner=False, max_entries=MOST_WORKSPACES)
def _saved(address: str, version: str, name: str) -> list[_Example]:
    text = workspace().question_sets.get(name)
    with suppress(QuestionError):
        return _of(QuestionSet.from_json(text)) if text else []
    return []


@clear_when_unused
@st.cache_data(show_spinner=False, max_entries=MOST_WORKSPACES)
def _generated(address: str, version: str) -> list[_Example]:
    """Return questions made by rule from some documents; empty if there are none."""
    target = workspace()
    ids = [row.doc_id for row in target.documents() if row.characters <= _LARGEST][:_READ]
    with suppress(QuestionError):
        return _of(generate(list(target.read_documents(ids)), [Made.HEADING], most=10 * _READ))
    return []


@st.cache_data(show_spinner=False)
def _samples() -> list[_Example]:
    """Return the sample questions, each with its document's path."""
    lines: Iterable[str] = _QUESTIONS.read_text(encoding="utf-8").splitlines() if _QUESTIONS.exists() else ()
    return [_Example(row["language"], row["doc"], row["question"]) for row in map(json.loads, lines)]
