"""The project's own files of every format: all that was written into each is read out of it again, lawfully."""

from __future__ import annotations

import re
from collections import Counter

import pytest

from chunking.model import Document
from chunking.parsing import FORMATS, parse_all
from tests.support.laws_chunks import check_cutting
from tests.support.laws_documents import check
from tests.support.own_files import OWN_FILES, ROOT, OwnFile

MOST_BYTES = 50_000


@pytest.fixture(scope="module", params=OWN_FILES, ids=lambda own: own.name)
def own(request: pytest.FixtureRequest) -> OwnFile:
    """Each file in turn."""
    sample: OwnFile = request.param
    return sample


@pytest.fixture(scope="module")
def documents(own: OwnFile) -> tuple[Document, ...]:
    """The file and those in it, read once."""
    return parse_all((ROOT / own.name).read_bytes(), own.name)


def words(*texts: str) -> Counter[str]:
    """How often each word, and each Chinese character, stands in these texts."""
    return Counter(re.findall(r"[\u3400-\u9fff]|[A-Za-z]+|\d+", "\n".join(texts)))


def test_every_format_has_a_file() -> None:
    """A format that is added brings one; the folder holds no file that is not read here, and none is large."""
    there = {path.name: path.stat().st_size for path in ROOT.iterdir() if path.is_file() and path.name != "README.md"}
    assert {own.format for own in OWN_FILES} == {row.name for row in FORMATS}
    assert set(there) == {own.name for own in OWN_FILES}
    assert max(there.values()) <= MOST_BYTES
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [name for name in there if f"`{name}`" not in readme] == []


def test_format_and_sections(own: OwnFile, documents: tuple[Document, ...]) -> None:
    """Nothing is odd about any of the files, and their headings are the sections."""
    document = documents[0]
    assert (document.format, [one.warnings for one in documents]) == (own.format, [()] * len(documents))
    assert (
        tuple((section.level, section.title) for section in document.sections if not section.title_made) == own.sections
    )


def test_sentences_and_cells(own: OwnFile, documents: tuple[Document, ...]) -> None:
    """Every sentence in one piece, every row of a table with its cells in order, and furniture left out."""
    document = documents[0]
    assert [sentence for sentence in own.sentences if sentence not in document.text] == []
    lines = [line for one in documents for line in one.text.splitlines()]
    for row in own.rows:
        if own.separator:
            assert any(own.separator.join(row) in line for line in lines), row
        else:
            assert any(re.fullmatch(r"\s{2,}".join(map(re.escape, row)), line) for line in lines), row
    left_out = [document.text[span.start : span.end] for span in document.left_out]
    assert [text for text in own.furniture if text not in left_out] == []


def test_no_word_is_lost(own: OwnFile, documents: tuple[Document, ...]) -> None:
    """Of all that was written into the file, each word as often as it was written."""
    expected = words(*(title for _, title in own.sections), *own.sentences, *(cell for row in own.rows for cell in row))
    assert expected - words(*(document.text for document in documents)) == Counter()


def test_the_laws_hold(documents: tuple[Document, ...]) -> None:
    """Of each document, and of its chunks."""
    for document in documents:
        check(document)
        check_cutting(document)
