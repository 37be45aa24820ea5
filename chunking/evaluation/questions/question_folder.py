"""Question sets on disk: a file, or a folder of BEIR files."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from chunking.errors import QuestionError
from chunking.evaluation.questions.files.import_problems import Imported
from chunking.evaluation.questions.files.question_file import read_questions
from chunking.paths import AnyPath
from chunking.store import Workspace

__all__ = ["QuestionFiles", "load_questions", "question_files"]

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
    files = question_files(path)
    documents = list(workspace.read_documents([row.doc_id for row in workspace.documents()]))
    return read_questions(files.data, files.name, documents, files.other_files)


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
