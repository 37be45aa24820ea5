"""Uploaded files into the workspace: the good ones are kept, each bad one gets its sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from chunking.errors import ChunkscopeError
from chunking.parsing import clean_source, make_doc_id, parse
from chunking.store import Workspace
from components.words import count, plain

__all__ = ["Outcome", "add", "show"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file."""

    name: str
    good: bool
    sentence: str


def add(target: Workspace, files: Sequence[UploadedFile]) -> list[Outcome]:
    """Parse and store the files one by one, with a progress line.

    A file whose path is in the workspace already is its new version; the same name twice in one batch are two documents.
    """
    known = {row.source: row.doc_id for row in target.documents()}
    batch: set[str] = set()
    outcomes = []
    bar = st.progress(0.0, text="Reading …")
    for number, file in enumerate(files):
        bar.progress(number / len(files), text=f"Reading {file.name} ({number + 1} of {len(files)})")
        outcomes.append(_add_one(target, file, known, batch))
    bar.empty()
    return outcomes


def _add_one(target: Workspace, file: UploadedFile, known: dict[str, str], batch: set[str]) -> Outcome:
    source = clean_source(file.name)
    again = known.get(source) if source not in batch else None
    doc_id = again or make_doc_id(source, set(known.values()))
    try:
        document = parse(file.getvalue(), _numbered(source, batch), doc_id=doc_id)
        with target.writer():
            target.put_document(document)
    except ChunkscopeError as error:
        return Outcome(source, False, str(error))
    batch.add(document.source)
    known[document.source] = doc_id
    found = f"{count(len(document.sections), 'section')}, {count(len(document.text), 'character')}"
    notes = " ".join(document.warnings)
    return Outcome(source, True, f"{'New version' if again else 'Added'}: {found}. {notes}".strip())


def _numbered(source: str, batch: set[str]) -> str:
    """`notes.md` a second time in one batch becomes `notes (2).md`."""
    name, number = source, 1
    stem, dot, ending = source.rpartition(".")
    while name in batch:
        number += 1
        name = f"{stem} ({number}){dot}{ending}" if dot else f"{source} ({number})"
    return name


def show(outcomes: Iterable[Outcome]) -> None:
    """A line a file; the bad ones stand out, and say what to do."""
    for outcome in outcomes:
        (st.success if outcome.good else st.error)(
            plain(f"{outcome.name}: {outcome.sentence}"), icon=":material/check_circle:" if outcome.good else "⛔"
        )
