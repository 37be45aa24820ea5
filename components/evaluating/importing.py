"""A file of questions: what was found in it, what is wrong with it, and what may have been meant, before anything is saved."""

from __future__ import annotations

import hashlib
from pathlib import PurePath

import streamlit as st

from chunking.errors import QuestionError
from chunking.evaluation import Answer, Imported, Problem, accept, read_questions
from chunking.store import Workspace
from components.evaluating.keeping import keep, name_field
from components.frame import sentences
from components.words import count, plain

__all__ = ["importing"]

_READ, _TURN = "importing.read", "importing.turn"
_MOST = 30
"""Problems that are listed one by one."""
_HIGH = 420
_QUOTE = 90
"""Characters of an offer on its button."""
_FORMS = (
    ("CSV, a question a row", "question,doc,answer\nHow long is the warranty?,faq.txt,Two years from the day of purchase."),
    (
        "JSONL, a question a line",
        '{"question": "How long is the warranty?", "doc": "faq.txt", "answers": [{"text": "Two years from the day of purchase."}]}',
    ),
    (
        "CSV of the Chroma benchmark",
        'question,references,corpus_id\nHow long …?,"[{""content"": ""Two years …"", ""start_index"": 985, ""end_index"": 1064}]",faq',
    ),
)


def importing(target: Workspace) -> None:
    """The drop zone, and beside it what came of the file."""
    given, found = st.columns([1, 1.5], gap="large")
    with given:
        turn = st.session_state.setdefault(_TURN, 0)
        file = st.file_uploader(
            "File with questions and answers (CSV or JSONL)",
            type=["csv", "tsv", "jsonl", "ndjson", "json"],
            key=f"importing.file.{turn}",
            help="An answer is the exact text of a document. Where it stands is looked up; offsets are not needed.",
        )
        with st.popover("What the file looks like"):
            for name, example in _FORMS:
                st.markdown(f"**{name}**")
                st.code(example, language=None, wrap_lines=True)
            st.caption("`doc` is a document's path or id; it may be left out. A question with several answers takes several rows.")
    with found, sentences():
        if file is None:
            st.session_state.pop(_READ, None)
            return
        read = _read(target, file.name, file.getvalue())
        _found(target, file.name, read)


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


def _found(target: Workspace, file: str, read: Imported) -> None:
    ready = len(read.questions)
    waiting = read.left_out
    sentence = f"**{count(ready, 'question')}** found with {'its answer' if ready == 1 else 'every answer'} in the documents"
    st.markdown(f"{sentence}{f', **{waiting:,}** left out' if waiting else ''}.")
    for note in read.notes:
        st.caption(plain(note))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = name_field(PurePath(file).stem, key=f"importing.name.{file}")
        if st.button(f"Save {count(ready, 'question')}", type="primary", disabled=not ready or not name, key="importing.save"):
            keep(target, name, read.questions)
            st.session_state[_TURN] += 1  # the field lets go of the file
            st.session_state.pop(_READ, None)
            st.rerun()
    _problems(read)


def _problems(read: Imported) -> None:
    """What is wrong, a line each; those with something to choose first."""
    if not read.problems:
        return
    ordered = sorted(read.problems, key=lambda one: (one.kept, not one.offers))
    with st.container(height=_HIGH if len(ordered) > 3 else "content", border=False, gap="small", key="importing.problems"):
        for number, problem in enumerate(ordered[:_MOST]):
            _problem(problem, number)
        if len(ordered) > _MOST:
            st.caption(f"… and {count(len(ordered) - _MOST, 'more note')} of the kind.")


def _problem(problem: Problem, number: int) -> None:
    icon = ":material/info:" if problem.kept else ":red[:material/error:]"
    asked = f"**{plain(problem.question)}** · " if problem.question else ""
    with st.container(border=True, gap="xsmall"):
        st.markdown(f"{icon} {asked}line {problem.line:,}")
        st.caption(plain(problem.sentence))
        for place, offer in enumerate(problem.offers):
            st.button(
                f"Use “{_shortened(offer.text)}”",
                key=f"importing.offer.{problem.line}.{number}.{place}",
                help=f"Stands in {plain(offer.doc_id)}, characters {offer.start:,} to {offer.end:,}.",
                on_click=_take,
                args=(problem, offer),
            )


def _take(problem: Problem, offer: Answer) -> None:
    kept = st.session_state.get(_READ)
    if kept is not None:
        try:
            st.session_state[_READ] = (kept[0], accept(kept[1], problem, offer))
        except QuestionError:
            return  # a second click on a button that was on its way out


def _shortened(text: str) -> str:
    line = " ".join(text.split())
    return plain(line if len(line) <= _QUOTE else f"{line[: _QUOTE - 1]}…")
