"""Questions to begin with, for a search field that is still empty."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import streamlit as st

from chunking.store import DocumentRow

__all__ = ["examples"]

_QUESTIONS = Path(__file__).parents[3] / "sample_data" / "questions.jsonl"
_LANGUAGES = ("en", "en", "zh")


def examples(rows: Sequence[DocumentRow]) -> list[str]:
    """At most three things to search for.

    Of the samples' questions, each from another document and one in Chinese, where the workspace holds the samples;
    elsewhere headings of its documents.
    """
    held = {row.source for row in rows}
    asked = [(language, doc, question) for language, doc, question in _questions() if doc in held]
    found: dict[str, str] = {}
    for language in _LANGUAGES:
        row = next((row for row in asked if row[0] == language and row[1] not in found), None)
        if row:
            found[row[1]] = row[2]
    return list(found.values()) or _headings(rows)


@st.cache_data(show_spinner=False)
def _questions() -> list[tuple[str, str, str]]:
    """(language, path of the document, question) of each sample question."""
    lines = _QUESTIONS.read_text(encoding="utf-8").splitlines() if _QUESTIONS.exists() else []
    return [(row["language"], row["doc"], row["question"]) for row in map(json.loads, lines)]


def _headings(rows: Sequence[DocumentRow]) -> list[str]:
    """The second heading of up to three documents (the first is often the title again), else their titles."""
    outlines = [row.doc_toc.splitlines() for row in rows[:3]]
    return [lines[1].strip() if len(lines) > 1 else row.title for row, lines in zip(rows, outlines, strict=False)]
