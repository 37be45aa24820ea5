"""Parses of all test data: each file gives a document that obeys the laws, or one clear sentence."""

from __future__ import annotations

from collections import Counter, defaultdict
from itertools import pairwise
from pathlib import Path

from benchmarks.report import Row, Table
from chunking.errors import ParseError
from chunking.model import BlockType, Document
from chunking.parsing import find_files
from chunking.parsing.sandbox import parse_guarded
from chunking.splitting import chunk_document
from tests.support.laws_documents import check

TESTDATA = Path(__file__).parent.parent.parent / "shared" / "testdata"
_LIST = "{name:55} {what}"


def run() -> Table:
    """Read, check and split each file in the guarded process."""
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for path, root in find_files([TESTDATA]) if TESTDATA.exists() else []:
        folder = path.parent.name
        what = _read(path, root, counts[folder])
        print(_LIST.format(name=path.relative_to(root).as_posix(), what=what), flush=True)
    rows = [_row(folder, count) for folder, count in sorted(counts.items())]
    return Table("Every file of the test data", rows, [] if rows else ["The test data are not here."])


def _read(path: Path, root: Path, count: Counter[str]) -> str:
    """Read a file and return its outcome as one line."""
    try:
        document = parse_guarded(path.read_bytes(), path.relative_to(root).as_posix())
    except ParseError as error:
        count["sentences"] += 1
        return str(error)
    chunks = _checked(document, count)
    tables = sum(block.type is BlockType.TABLE for block in document.blocks)
    count.update(
        documents=1, blocks=len(document.blocks), sections=len(document.sections), tables=tables, chunks=chunks
    )
    facts = (
        f"{document.format}, {len(document.text):,} characters, {len(document.blocks):,} blocks, "
        f"{len(document.sections):,} sections"
    )
    pages = f", {document.page_count} pages" if document.page_count else ""
    left = f", {len(document.left_out)} left out" if document.left_out else ""
    return " ".join([f"{facts}, {tables} tables{pages}{left}, {chunks:,} chunks.", *document.warnings])


def _checked(document: Document, count: Counter[str]) -> int:
    """Assert the laws of a document, and laws 1 to 3 of its chunks; return the number of chunks."""
    try:
        check(document)
        chunks = chunk_document(document)
        edges = [span for one in [*chunks, *document.left_out] for span in (one.start, one.end)]
        assert all(document.text[one.start : one.end] == one.content for one in chunks), "law 1"
        assert not _uncovered(document.text, sorted(zip(edges[::2], edges[1::2], strict=True))), "law 2"
        assert all(a.start < b.start and a.end < b.end for a, b in pairwise(chunks)), "law 3"
    except AssertionError as error:
        count["broken"] += 1
        print(f"  BROKEN: {document.source}: {error}")
        return 0
    return len(chunks)


def _uncovered(text: str, spans: list[tuple[int, int]]) -> str:
    """Return the text outside all spans."""
    done, rest = 0, []
    for start, end in spans:
        rest.append(text[done:start])
        done = max(done, end)
    return "".join([*rest, text[done:]]).strip()


def _row(folder: str, count: Counter[str]) -> Row:
    parts = ", ".join(f"{count[name]:,} {name}" for name in ("blocks", "sections", "tables", "chunks"))
    documents_line = f"{count['documents']} documents: {parts}"
    sentences_line = f"{count['sentences']} told in a sentence"
    return Row(folder, documents_line, sentences_line, f"{count['broken']} break a law", "0", not count["broken"])


if __name__ == "__main__":
    print(run().markdown())
