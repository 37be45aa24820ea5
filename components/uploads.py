"""Uploaded files into the workspace: the good ones are kept, each bad one gets its sentence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from chunking.errors import ChunkscopeError, ParseError
from chunking.parsing import clean_source, make_doc_id, parse
from chunking.store import Workspace
from components.words import count, plain
from components.workspace import writing

__all__ = ["ENCODINGS", "Outcome", "add", "show"]

ENCODINGS: dict[str, str] = {
    "utf-8": "UTF-8",
    "utf-16": "UTF-16",
    "gb18030": "GB18030 (Chinese)",
    "big5": "Big5 (Chinese)",
    "shift_jis": "Shift JIS (Japanese)",
    "euc_jp": "EUC-JP (Japanese)",
    "euc_kr": "EUC-KR (Korean)",
    "cp1252": "Windows-1252 (Western)",
    "cp1250": "Windows-1250 (Central European)",
    "cp1251": "Windows-1251 (Cyrillic)",
    "koi8_r": "KOI8-R (Cyrillic)",
}
"""What a reader may know a file to be in, where the guess is wrong."""

_LINES = 12
"""Most files that are named one by one."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one file."""

    sentence: str
    doc_id: str | None
    """Of the document it is now; None where it is none."""


def add(target: Workspace, files: Sequence[UploadedFile], encoding: str | None = None) -> list[Outcome]:
    """Parse and store the files one by one, with a progress line.

    A file whose path is in the workspace already is its new version; the same name twice in one batch are two documents.

    Args:
        encoding: of all files; None: found out for each.
    """
    batch: set[str] = set()
    outcomes: list[Outcome] = []
    bar = st.progress(0.0)
    for number, file in enumerate(files):
        source = clean_source(file.name)
        bar.progress(number / len(files), text=f"Reading {plain(source)} ({number + 1:,} of {len(files):,})")
        try:
            outcomes.append(_add_one(target, file, source, batch, encoding))
        except ParseError as error:
            outcomes.append(Outcome(str(error), None))
        except ChunkscopeError as error:  # of the workspace: the files after this one would fare no better
            outcomes += [Outcome(f"{clean_source(left.name)} was not added. {error}", None) for left in files[number:]]
            break
    bar.empty()
    return outcomes


def _add_one(target: Workspace, file: UploadedFile, source: str, batch: set[str], encoding: str | None) -> Outcome:
    with writing(target):  # from the choice of the id on, so that no other session chooses the same
        known = {row.source: row.doc_id for row in target.documents()}
        name = _numbered(source, batch)
        doc_id = known.get(name) or make_doc_id(name, set(known.values()))
        document = parse(file.getvalue(), name, doc_id=doc_id, encoding=encoding)
        target.put_document(document)
    batch.add(name)
    found = f"{count(len(document.sections), 'section')}, {count(len(document.text), 'character')}"
    what = "New version" if name in known else "Added"
    return Outcome(" ".join([f"{name}: {what}: {found}.", *document.warnings]), doc_id)


def _numbered(source: str, batch: set[str]) -> str:
    """`notes.md` a second time in one batch becomes `notes (2).md`."""
    name, number = source, 1
    stem, dot, ending = source.rpartition(".")
    while name in batch:
        number += 1
        name = clean_source(f"{stem} ({number}){dot}{ending}" if dot else f"{source} ({number})")
    return name


def show(outcomes: Iterable[Outcome]) -> None:
    """A line a file; the bad ones stand apart, and say what to do."""
    told = list(outcomes)
    good = [outcome.sentence for outcome in told if outcome.doc_id is not None]
    bad = [outcome.sentence for outcome in told if outcome.doc_id is None]
    if good:
        st.success(_lines(good), icon=":material/check_circle:")
    if bad:
        st.error(_lines(bad), icon=":material/error:")


def _lines(sentences: Sequence[str]) -> str:
    """Each on a line of its own, up to a number that can be read."""
    shown = [plain(sentence) for sentence in sentences[:_LINES]]
    left = len(sentences) - len(shown)
    return "  \n".join([*shown, *([f"… and {count(left, 'more file')}"] if left else [])])
