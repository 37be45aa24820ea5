"""An even sample of a large workspace's documents, and question files read with those they are about."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.evaluation import AnswerSpan, Question, QuestionSet
from chunking.evaluation.document_sample import document_sample, live_sample
from chunking.evaluation.questions import question_folder
from chunking.evaluation.questions.question_folder import import_questions
from chunking.store import DocumentRow, Workspace
from tests.support import store_rows as made


def row(doc_id: str, characters: int) -> DocumentRow:
    """A row of a document of this length."""
    empty = dict.fromkeys(DocumentRow._fields, "")
    return DocumentRow(**empty | {"doc_id": doc_id, "characters": characters})


ROWS = st.lists(st.integers(0, 50), max_size=60).map(lambda sizes: [row(f"d{n}", size) for n, size in enumerate(sizes)])


@given(ROWS, st.integers(0, 600), st.sets(st.integers(0, 59)))
def test_a_sample_is_bounded_and_holds_what_is_needed(rows: list[DocumentRow], most: int, numbers: set[int]) -> None:
    """In the order of the list, the same again; all where all fit."""
    needed = {f"d{n}" for n in numbers} & {one.doc_id for one in rows}
    sample = document_sample(rows, needed, most)
    ids = [one.doc_id for one in rows]
    assert list(sample.doc_ids) == [doc_id for doc_id in ids if doc_id in set(sample.doc_ids)]
    assert needed <= set(sample.doc_ids)
    assert sample == document_sample(rows, needed, most)
    length = {one.doc_id: one.characters for one in rows}
    given_length = sum(length[doc_id] for doc_id in needed)
    assert sum(length[doc_id] for doc_id in sample.doc_ids) <= max(most, given_length)
    if sum(length.values()) <= most:
        assert list(sample.doc_ids) == ids
        assert not sample.note


def test_a_sample_is_spread_over_the_list() -> None:
    """A tenth of the documents is one of every ten."""
    rows = [row(f"d{n}", 10) for n in range(100)]
    places = [int(doc_id[1:]) for doc_id in document_sample(rows, (), 100).doc_ids]
    assert {place // 10 for place in places} == set(range(10))
    assert "10 of 100" in document_sample(rows, (), 100).note


def test_documents_with_gold_answers_are_needed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Live recall encodes them whatever else is left out."""
    workspace = Workspace.open(tmp_path)
    workspace.put_documents([made.document(f"d{n}", f"text {n}") for n in range(9)])
    questions = QuestionSet("q", (Question("1", "Where?", (AnswerSpan("d7", 6, 10, "text"),)),))
    assert len(live_sample(workspace, questions).doc_ids) == 9
    short = [one._replace(characters=10**7) for one in workspace.documents()]
    monkeypatch.setattr(workspace, "documents", lambda: short)
    sample = live_sample(workspace, questions)
    assert "d7" in sample.doc_ids
    assert len(sample.doc_ids) < 9


FILE = b"""{"question": "By path?", "doc": "d3.md", "answers": [{"text": "text 3"}]}
{"question": "By its words?", "answers": [{"text": "a word of its own"}]}
{"question": "In none?", "answers": [{"text": "nowhere at all"}]}
{"question": "Of nobody?", "doc": "gone.md", "answers": [{"text": "text 1"}]}
"""


def test_a_large_workspace_reads_only_the_documents_a_file_is_about(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The same questions and the same kinds of problems as with every document, of three that are read."""
    workspace = Workspace.open(tmp_path)
    workspace.put_documents(
        [made.document(f"d{n}", f"text {n}") for n in range(9)] + [made.document("own", "Here is a word of its own.")]
    )
    every = import_questions(workspace, FILE, "q.jsonl")
    read: list[str] = []
    monkeypatch.setattr(question_folder, "MOST_CHARACTERS", 0)
    many = workspace.read_documents
    monkeypatch.setattr(workspace, "read_documents", lambda ids: read.extend(ids) or many(ids))
    some = import_questions(workspace, FILE, "q.jsonl")
    assert some.questions == every.questions
    assert len(every.questions) == 2
    assert [one.kind for one in some.problems] == [one.kind for one in every.problems]
    assert set(read) == {"d0", "d1", "d3", "own"}
