"""Sources of questions: samples, a file, generation by rule or model, labelling, selection by hand."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import NamedTuple

import streamlit as st

from chunking.evaluation import Imported, Made, generate
from chunking.evaluation.document_sample import document_sample
from chunking.evaluation.questions.question_folder import import_questions
from chunking.store import Workspace
from components.evaluate.labelling import labelling
from components.evaluate.questions.question_review import keep_questions, name_field, review, saved_questions
from components.evaluate.questions.questions_by_model import model_form, sample_note
from components.kit.button import button
from components.kit.wording import quantity
from components.session.current_workspace import editing
from components.session.endpoint_status import server_name
from components.session.page.page_frame import sentences
from components.session.questions.question_state import SAMPLE_SET, sample_set_button, set_names

__all__ = ["question_sources", "start_page"]

_READ, _TURN = "importing", "importing.turn"
_FILE_FORMS = (
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
        "LegalBench-RAG",
        '{"tests": [{"query": "How long …?", "snippets": [{"file_path": "faq.txt", "span": [985, 1064]}]}]}',
    ),
    (
        "BEIR, a ZIP archive",
        'queries.jsonl  {"_id": "1", "text": "How long …?"}\nqrels/test.tsv  query-id  corpus-id  score',
    ),
)


def import_form(target: Workspace) -> None:
    """Draw the upload of a question file, and next to it the review that saves its questions."""
    left, right = st.columns([1, 1.5], gap="large")
    with left:
        turn = st.session_state.setdefault(_TURN, 0)
        file = st.file_uploader(
            "File with questions and gold answers",
            type=["csv", "tsv", "jsonl", "ndjson", "json", "parquet", "zip"],
            key=f"importing.file.{turn}",
            help=(
                "CSV, JSON, JSON lines or Parquet, including RAGAS and SQuAD; BEIR as a ZIP archive of queries, "
                "qrels and corpus. A gold answer is exact text from a document. Its position is looked up; "
                "offsets are not needed."
            ),
        )
        with st.popover("File format"):
            for name, example in _FILE_FORMS:
                st.markdown(f"**{name}**")
                st.code(example, language=None, wrap_lines=True)
            st.caption(
                "`doc` is a document's path or id, and optional. A question with several answers takes several rows."
            )
    with right, sentences():
        if file is None:
            st.session_state.pop(_READ, None)
        elif review(target, _read(target, file.name, file.getvalue()), key=_READ):
            st.session_state[_TURN] = turn + 1  # the field lets go of the file
            st.rerun()


def _read(target: Workspace, name: str, data: bytes) -> Imported:
    """Parse a file into questions, once per file and workspace version."""
    key = hashlib.sha256(data).hexdigest(), name, target.version()
    kept = st.session_state.get(_READ)
    if kept is None or kept[0] != key:
        with st.spinner("Finding the answers in the documents …"):
            kept = st.session_state[_READ] = (key, import_questions(target, data, name))
    read: Imported = kept[1]
    return read


_RULE, _MODEL = "By rule, on this machine", "By a language model"
_OPEN = "evaluate.way"
"""Session key of the source whose form is open."""


class QuestionSource(NamedTuple):
    """A card that offers a source of questions, such as a file or the sample questions."""

    key: str
    icon: str
    title: str
    what: str
    button: str
    """Label of the button that opens the form; empty if the card has no form."""


_WAYS = (
    QuestionSource(
        "samples",
        "science",
        "The sample questions",
        "227 questions on the sample documents, in English and Chinese, and ten across the languages. One click.",
        "",
    ),
    QuestionSource(
        "file",
        "upload_file",
        "A file",
        "CSV or JSONL with questions and the exact text of their gold answers.",
        "Import a file",
    ),
    QuestionSource(
        "make",
        "auto_awesome",
        "Generated from your documents",
        "From headings and key phrases, or by a language model.",
        "Make questions",
    ),
    QuestionSource(
        "label",
        "fact_check",
        "Real queries, labelled by you",
        "A list of queries, or the searches made here. Mark the answers in the results, by keyboard.",
        "Label queries",
    ),
    QuestionSource(
        "write",
        "edit_note",
        "Written by you",
        "Select the answer in the text on the Chunks page, and type the question.",
        "",
    ),
)


def start_page(target: Workspace) -> None:
    """Draw what a question set is, and the cards of question sources."""
    st.markdown(
        "**Which settings find the answers in your documents?** Provide a question set: questions whose "
        "answers are passages of the text. Chunkscope searches for each question and compares the "
        "results with its gold answer, character by character."
    )
    question_sources(target)


def question_sources(target: Workspace) -> None:
    """Draw a card per source of questions, and the form of the opened one.

    The card of the sample questions is left out once they are added.
    """
    there = SAMPLE_SET in set_names()
    shown = [row for row in _WAYS if row.key != "samples" or not there]
    for column, row in zip(st.columns(len(shown), gap="small"), shown, strict=True):
        with column, st.container(border=True, height="stretch", key=f"evaluate.way.{row.key}"):
            st.markdown(f":material/{row.icon}: **{row.title}**")
            st.caption(row.what)
            _go(row, primary=not there)
    chosen: str = st.session_state.get(_OPEN, "")
    if chosen in _FORMS:
        with st.container(border=True, key="evaluate.ways"):
            _FORMS[chosen](target)


def _go(row: QuestionSource, *, primary: bool) -> None:
    """Draw the button or link of a card."""
    if row.key == "samples":
        if sample_set_button(primary=primary):
            st.rerun()
    elif row.key == "write":
        st.page_link("pages/chunks.py", label="Go to Chunks", icon=":material/arrow_forward:", width="content")
    else:
        st.button(row.button, key=f"evaluate.way.{row.key}.open", on_click=_open, args=(row.key,), **editing())


def _open(key: str) -> None:
    st.session_state[_OPEN] = key


def _make(target: Workspace) -> None:
    """Draw the form that generates questions, by rule or by a language model."""
    missing = "" if server_name("llm") else " (none is configured)"
    by = st.segmented_control(
        "Made by",
        (_RULE, _MODEL),
        default=_RULE,
        required=True,
        label_visibility="collapsed",
        key="evaluate.make",
        format_func=lambda one: f"{one}{missing}" if one == _MODEL else one,
    )
    generate_form(target) if by == _RULE else model_form(target)


_FORMS: Mapping[str, Callable[[Workspace], None]] = {"file": import_form, "make": _make, "label": labelling}


class QuestionRule(NamedTuple):
    """A rule that generates questions: their origin, its label and its explanation."""

    origin: Made
    label: str
    how: str


_KINDS = (
    QuestionRule(
        Made.HEADING,
        "Headings",
        (
            "The heading is the question, the first sentences below it are the gold answer. A prefix with titles "
            "makes these easy."
        ),
    ),
    QuestionRule(
        Made.PHRASE,
        "Key phrases",
        "Asks for a phrase typical of a document; the answer is the sentence that explains it.",
    ),
)
_NAME = "Generated questions"
_MOST = 50


def generate_form(target: Workspace) -> None:
    """Draw the form that generates questions by rule; its button adds them to the named set."""
    st.caption(
        "Generated questions use the words of the text, so any search finds them more easily than real "
        "questions: use them to compare settings, not to judge how good your search is."
    )
    kinds = []
    for kind in _KINDS:
        with st.container(gap=None):
            if st.checkbox(f"**{kind.label}**", value=True, key=f"generating.{kind.origin}"):
                kinds.append(kind.origin)
            st.caption(kind.how)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        most = int(st.number_input("Questions, at most", 1, 1_000, _MOST, 10, key="generating.most", width=150))
        name = name_field(_NAME, key="generating.name")
        pressed = button(
            "Generate questions", type="primary", key="generating.go", **editing(disabled=not kinds or not name)
        )
    sample_note(target)
    if pressed:
        with sentences():
            sample = target.derived(document_sample)
            with st.spinner(f"Reading {quantity(len(sample.doc_ids), 'document')} …"):
                documents = list(target.read_documents(sample.doc_ids))
                generated = generate(documents, kinds, most=most, existing=saved_questions(target, name))
            keep_questions(target, name, generated)
            st.rerun()
