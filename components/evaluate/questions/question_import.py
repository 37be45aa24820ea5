"""A file of questions, and beside it what was found in it."""

from __future__ import annotations

import hashlib

import streamlit as st

from chunking.evaluation import Imported, read_questions
from chunking.store import Workspace
from components.evaluate.questions.question_review import review
from components.session.page.page_frame import sentences

__all__ = ["importing"]

_READ, _TURN = "importing", "importing.turn"
_FORMS = (
    (
        "CSV, one question per row",
        "question,doc,answer\nHow long is the warranty?,faq.txt,Two years from the day of purchase.",
    ),
    (
        "JSONL, one question per line",
        (
            '{"question": "How long is the warranty?", "doc": "faq.txt", "answers": [{"text": "Two years from '
            'the day of purchase."}]}'
        ),
    ),
    (
        "CSV of the Chroma benchmark",
        (
            'question,references,corpus_id\nHow long …?,"[{""content"": ""Two years …"", ""start_index"": 985, '
            '""end_index"": 1064}]",faq'
        ),
    ),
    (
        "RAGAS",
        '{"user_input": "How long is the warranty?", "reference_contexts": ["Two years from the day of purchase."]}',
    ),
    (
        "SQuAD, nested or one question per row",
        '{"data": [{"title": "faq", "paragraphs": [{"context": "Two years …", "qas": [{"question": "How long '
        '…?", "answers": [{"text": '
        '"Two years", "answer_start": 0}]}]}]}]}',
    ),
    (
        "BEIR, a ZIP archive",
        'queries.jsonl  {"_id": "1", "text": "How long …?"}\nqrels/test.tsv  query-id  corpus-id  score',
    ),
)


def importing(target: Workspace) -> None:
    """The drop zone, and beside it what came of the file."""
    given, found = st.columns([1, 1.5], gap="large")
    with given:
        turn = st.session_state.setdefault(_TURN, 0)
        file = st.file_uploader(
            "File with questions and gold answers",
            type=["csv", "tsv", "jsonl", "ndjson", "json", "parquet", "zip"],
            key=f"importing.file.{turn}",
            help="CSV, JSON, JSON lines or Parquet, including RAGAS and SQuAD; BEIR as a ZIP archive of queries, "
            "qrels and corpus. A gold answer is exact text from a document. Its position is looked up; offsets are "
            "not needed.",
        )
        with st.popover("File format"):
            for name, example in _FORMS:
                st.markdown(f"**{name}**")
                st.code(example, language=None, wrap_lines=True)
            st.caption(
                "`doc` is a document's path or id, and optional. A question with several answers takes several rows."
            )
    with found, sentences():
        if file is None:
            st.session_state.pop(_READ, None)
        elif review(target, _read(target, file.name, file.getvalue()), key=_READ):
            st.session_state[_TURN] = turn + 1  # the field lets go of the file
            st.rerun()


def _read(target: Workspace, name: str, data: bytes) -> Imported:
    """What is in the file, with the offers that were taken until now; read once."""
    key = hashlib.sha256(data).hexdigest(), name, target.version()
    kept = st.session_state.get(_READ)
    if kept is None or kept[0] != key:
        with st.spinner("Finding the answers in the documents …"):
            documents = list(target.read_documents([row.doc_id for row in target.documents()]))
            kept = st.session_state[_READ] = (key, read_questions(data, name, documents))
    read: Imported = kept[1]
    return read
