"""Question sets on disk: a file, or a folder of BEIR files."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from chunking.errors import QuestionError
from chunking.evaluation.document_sample import MOST_CHARACTERS
from chunking.evaluation.questions.files.document_lookup import DocumentNames
from chunking.evaluation.questions.files.import_problems import Imported
from chunking.evaluation.questions.files.question_file import read_questions, unplaced_texts
from chunking.evaluation.questions.files.question_rows import read_file
from chunking.evaluation.questions.files.row_values import QuestionFileRow
from chunking.paths import AnyPath
from chunking.store import DocumentRow, Workspace

__all__ = ["QuestionFiles", "import_questions", "load_questions", "question_files"]

_TABLES = ("*.jsonl", "*.tsv", "*.csv", "*.json", "*.parquet")
_MOST = 50
"""Most files of a folder."""


class QuestionFiles(NamedTuple):
    """A question file in bytes and the files that belong to it, for `read_questions`."""

    data: bytes
    name: str
    other_files: dict[str, bytes]
    """Other files that belong to it, by name."""


def load_questions(workspace: Workspace, path: AnyPath) -> Imported:
    """Read questions from disk and locate their answers in a workspace's documents; saves nothing.

    Args:
        path: a file (CSV, JSON, JSON lines, Parquet, ZIP), or a folder with queries and judgements (BEIR).
    Returns:
        The set in `questions`, and in `problems` the faults of the rows left out, line by line.
    Raises:
        QuestionError: nothing there can be read as questions, or there is no document.
    """
    return import_questions(workspace, *question_files(path))


def import_questions(
    workspace: Workspace, data: bytes, name: str, other_files: Mapping[str, bytes] | None = None
) -> Imported:
    """Read a question file with the workspace's documents that it may be about; saves nothing.

    In a workspace of over 20 million characters these are the documents that the file names, and those with a text
    whose document it does not name; quotes that are lost are then looked for in these only.

    Raises:
        QuestionError: as `read_questions`.
    """
    rows = workspace.documents()
    ids = [row.doc_id for row in rows]
    if sum(row.characters for row in rows) > MOST_CHARACTERS:
        ids = _meant(workspace, rows, read_file(data, name, other_files).rows)
    return read_questions(data, name, list(workspace.read_documents(ids)), other_files)


def _meant(workspace: Workspace, rows: Sequence[DocumentRow], questions: Sequence[QuestionFileRow]) -> list[str]:
    """Return the ids of the documents that rows of a file name, or whose text has what they quote without a name."""
    names = DocumentNames(rows)
    said = {name for row in questions for name in (row.doc, row.title, *(quote.doc for quote in row.quotes)) if name}
    meant = {row.doc_id for name in said for row in names.matches(name)}
    meant |= {row.doc_id for row in rows[:2]}  # of a single document every question would be
    unplaced = {text.strip() for text in unplaced_texts(questions, len(rows)) if text.strip()}
    for doc_id, text in workspace.document_texts(rows) if unplaced else ():
        if any(quote in text for quote in unplaced):
            meant.add(doc_id)
    return [row.doc_id for row in rows if row.doc_id in meant]


def question_files(path: AnyPath) -> QuestionFiles:
    """Load a question file, or a folder with queries, judgements (`qrels`) and documents, as bytes.

    With a file named `queries`, the `qrels` and `corpus` files next to it are loaded, too. Of a folder, up to 50 tables
    are loaded; the main file is `queries`, else the first.

    Raises:
        QuestionError: a file cannot be read, or the folder has none.
    """
    path = Path(path)
    if not os.path.isdir(path):  # also says no to what is too long for a name
        judgements = _judgements(path.parent) if path.stem == "queries" else ()
        return QuestionFiles(
            _bytes(path), path.name, {_name(one, path.parent): _bytes(one) for one in judgements if one != path}
        )
    tables = [*_tables(path), *_tables(path / "qrels")][:_MOST]
    first = next((one for one in tables if one.stem == "queries"), tables[0] if tables else None)
    if first is None:
        raise QuestionError(
            f"The folder {path} has no file of questions; give queries.jsonl with qrels, or a file.", where=str(path)
        )
    return QuestionFiles(_bytes(first), first.name, {_name(one, path): _bytes(one) for one in tables if one != first})


def _judgements(folder: Path) -> list[Path]:
    """Return the qrels and corpus files of a folder; empty without qrels."""
    qrels = [*_tables(folder / "qrels"), *(one for one in _tables(folder) if one.stem.startswith("qrels"))]
    return [*qrels, *(one for one in _tables(folder) if one.stem == "corpus")][:_MOST] if qrels else []


def _tables(folder: Path) -> Iterator[Path]:
    for pattern in _TABLES:
        yield from sorted(folder.glob(pattern))


def _name(path: Path, folder: Path) -> str:
    return path.relative_to(folder).as_posix()


def _bytes(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = getattr(error, "strerror", None) or str(error)
        raise QuestionError(
            f"The questions {path} cannot be read ({reason}); check the name.", where=str(path)
        ) from error
