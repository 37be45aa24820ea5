"""Reader of chunk files made elsewhere: JSON lines with offsets, text, or both.

The keys are those of `chunkscope chunk`, of the exports, and of the Documents of LangChain and LlamaIndex.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from chunking.errors import QuestionError
from chunking.model import Document

__all__ = ["ChunkLine", "chunk_lines", "document_named", "documents_by_name"]

_DOCUMENT_KEYS = ("doc", "doc_id", "source", "document", "file_path", "relative_path", "file_name")
_TEXT_KEYS = ("content", "text", "page_content", "chunk")
_START_KEYS, _END_KEYS = ("start", "start_index", "start_char_idx"), ("end", "end_index", "end_char_idx")
_MOST = 1_000_000
"""Most chunks of a file."""


class ChunkLine(NamedTuple):
    """A chunk as a line of the file describes it; None for a missing value."""

    number: int
    """Line number, from 1."""
    document: str | None
    """Path or id of its document."""
    start: int | None
    """In characters; not validated."""
    end: int | None
    text: str | None
    level: str | None
    """Level in an export: `chunk`, or a larger one."""


def chunk_lines(data: bytes, name: str) -> Iterator[ChunkLine]:
    """Yield the chunks of a file; blank lines are skipped.

    Args:
        name: of the file, for the sentences.
    Raises:
        QuestionError: it is not UTF-8, a line is no JSON object, or there are too many.
    """
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise QuestionError(f"{name} is not UTF-8 (byte {error.start:,}); save it as UTF-8.", where=name) from error
    count = 0
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            continue
        count += 1
        if count > _MOST:
            raise QuestionError(f"{name} holds more than {_MOST:,} chunks; load them in parts.", where=name)
        try:
            record = json.loads(line)
        except (ValueError, RecursionError) as error:
            raise QuestionError(
                f"Line {number:,} of {name} is not JSON; write one object per line.", where=name
            ) from error
        if not isinstance(record, dict):
            raise QuestionError(f"Line {number:,} of {name} is not an object; write one object per line.", where=name)
        inner = [record[key] for key in ("metadata", "kwargs") if isinstance(record.get(key), dict)]
        yield _line(number, {key: value for some in reversed([record, *inner]) for key, value in some.items()})


def _line(number: int, record: Mapping[str, object]) -> ChunkLine:
    return ChunkLine(
        number,
        document=_text(record, _DOCUMENT_KEYS),
        start=_whole_number(record, _START_KEYS),
        end=_whole_number(record, _END_KEYS),
        text=_text(record, _TEXT_KEYS),
        level=_text(record, ("level",)),
    )


def _text(record: Mapping[str, object], keys: Sequence[str]) -> str | None:
    return next((value for key in keys if isinstance(value := record.get(key), str)), None)


def _whole_number(record: Mapping[str, object], keys: Sequence[str]) -> int | None:
    return next(
        (value for key in keys if isinstance(value := record.get(key), int) and not isinstance(value, bool)), None
    )


def documents_by_name(documents: Sequence[Document]) -> dict[str, Document | None]:
    """Index documents by id, source and file name; None for an ambiguous name."""
    by_name: dict[str, Document | None] = {}
    for document in documents:
        for key in dict.fromkeys((document.source.rpartition("/")[2], document.source, document.doc_id)):
            by_name[key] = None if key in by_name and by_name[key] is not document else document
    return by_name


def document_named(name: str, by_name: Mapping[str, Document | None]) -> Document | None:
    """Return the document with a path, id or file name; None if unknown or ambiguous."""
    return by_name.get(name) or by_name.get(name.replace("\\", "/").rpartition("/")[2])
