"""Chunks from a file over the text of one document: what is found has its exact place, the rest is counted."""

from __future__ import annotations

import json
from typing import Any

import pytest

from chunking.config import Config
from chunking.errors import QuestionError
from chunking.evaluation import LocatedChunks, locate_chunks
from chunking.evaluation.runs import located_chunks
from chunking.export.chunk_exports import chunks_jsonl
from chunking.parsing import parse
from chunking.splitting import chunk_document, split_document

TEXT = "# One\n\nFirst text here.  Second text 😀 here.\n\n第三句话。第四句话。\n"
DOCUMENT = parse(TEXT.encode(), "guide/a.md")


def located(*records: dict[str, Any] | str) -> LocatedChunks:
    lines = (record if isinstance(record, str) else json.dumps(record) for record in records)
    return locate_chunks("\n".join(lines).encode(), "theirs.jsonl", DOCUMENT)


def texts(of: LocatedChunks) -> list[str]:
    return [TEXT[start:end] for start, end in zip(of.starts.tolist(), of.ends.tolist(), strict=True)]


def test_by_text_as_it_is_or_but_for_white_space() -> None:
    """In any order; overlaps are kept."""
    chunks = located(
        {"text": "第三句话。第四句话。"},
        {"content": "# One\nFirst text here."},
        {"page_content": "here. Second text 😀 here."},
    )
    assert texts(chunks) == ["# One\n\nFirst text here.", "here.  Second text 😀 here.", "第三句话。第四句话。"]
    assert (chunks.not_found, chunks.elsewhere, chunks.inside) == (0, 0, 0)


def test_the_text_decides_over_offsets() -> None:
    """Offsets of an earlier version of the document do not; those without a text are taken, less the white space
    around.
    """
    at = TEXT.index("Second")
    chunks = located(
        {"start": 0, "end": 8, "text": "Second text"},
        {"start": at - 2, "end": at + 6},
        {"start_index": 7, "text": "First"},
    )
    assert texts(chunks) == ["First", "Second text"]
    assert chunks.inside == 1


def test_chunks_that_cannot_be_located_are_counted() -> None:
    """With chunks of other documents, and those inside another one."""
    chunks = located(
        *({"text": "First text here."}, {"text": "First text"}, {"text": "First text here."}),
        *({"text": "Never said."}, {"text": "  "}, {"start": 5, "end": 900}, {}),
        *({"doc": "guide/b.md", "text": "Second"}, {"metadata": {"source": "/home/them/a.md"}, "text": "第四句话。"}),
    )
    assert texts(chunks) == ["First text here.", "第四句话。"]
    assert (chunks.not_found, chunks.elsewhere, chunks.inside) == (4, 1, 2)


def test_our_own_export_comes_back() -> None:
    """Of all levels, the chunks."""
    config = Config.from_settings({"size": 16, "granularities": "2", "prefix": "title_path"})
    levels = split_document(DOCUMENT, config)
    data = "".join(chunks_jsonl([*levels.parents, *levels.chunks, *next(iter(levels.larger.values()))]))
    chunks = locate_chunks(data.encode(), "chunks.jsonl", DOCUMENT)
    assert [(one.start, one.end) for one in chunk_document(DOCUMENT, config)] == list(
        zip(chunks.starts.tolist(), chunks.ends.tolist(), strict=True)
    )
    assert (chunks.not_found, chunks.elsewhere, chunks.inside) == (0, 0, 0)


@pytest.mark.parametrize(
    "record",
    [
        *("", "not JSON", "[1]", "[" * 100_000, '{"text": "Never said."}', '{"doc": "b.md", "text": "First text"}'),
        *(
            '{"start": true, "end": 9}',
            '{"start": -1, "end": 1e999}',
            f'{{"start": 1{"0" * 9_000}, "end": 9}}',
            '{"text": "\\ud800"}',
        ),
    ],
)
def test_what_cannot_be_used_is_reported_in_a_sentence(record: str) -> None:
    with pytest.raises(QuestionError, match=r"theirs\.jsonl"):
        located(record)


def test_bytes_and_searching_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of a gigabyte, or a million lines of something else, costs no minutes."""
    with pytest.raises(QuestionError, match="UTF-8"):
        locate_chunks(b"\xff", "theirs.jsonl", DOCUMENT)
    monkeypatch.setattr(located_chunks, "_MOST_SEARCHED", 10 * len(TEXT))
    lines = [{"text": "First text here."}, *({"text": f"Never said {n}."} for n in range(9))]
    with pytest.raises(QuestionError, match="line 4"):
        located(*lines)
    monkeypatch.setattr(located_chunks, "MOST_BYTES", 10)
    with pytest.raises(QuestionError, match="10"):
        located({"text": "First text here."})
