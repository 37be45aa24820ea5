"""The files of a question set on disk: one, or those of BEIR that lie together."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from chunking.errors import QuestionError

__all__ = ["QuestionFiles", "question_files"]

_TABLES = ("*.jsonl", "*.tsv", "*.csv", "*.json", "*.parquet")
_MOST = 50
"""Files of a folder."""


class QuestionFiles(NamedTuple):
    """What `read_questions` is given."""

    data: bytes
    name: str
    beside: dict[str, bytes]
    """Other files that belong to it, by name."""


def question_files(path: Path) -> QuestionFiles:
    """A file; or a folder with queries, judgements (`qrels`) and documents, which also come with `queries.jsonl` where they lie beside it.

    Raises:
        QuestionError: a file cannot be read, or the folder has none.
    """
    if not os.path.isdir(path):  # also says no to what is too long for a name
        beside = _judgements(path.parent) if path.stem == "queries" else ()
        return QuestionFiles(_bytes(path), path.name, {_name(one, path.parent): _bytes(one) for one in beside if one != path})
    tables = [*_tables(path), *_tables(path / "qrels")][:_MOST]
    first = next((one for one in tables if one.stem == "queries"), tables[0] if tables else None)
    if first is None:
        raise QuestionError(f"The folder {path} has no file of questions; give queries.jsonl with qrels, or a file.", where=str(path))
    return QuestionFiles(_bytes(first), first.name, {_name(one, path): _bytes(one) for one in tables if one != first})


def _judgements(folder: Path) -> list[Path]:
    """What belongs to queries: nothing where nobody has judged."""
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
    except OSError as error:
        raise QuestionError(f"The questions {path} cannot be read ({error.strerror}); check the name.", where=str(path)) from error
