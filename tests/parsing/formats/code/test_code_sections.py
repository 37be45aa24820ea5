"""Source code: classes and functions are sections with exact spans, in every language."""

from __future__ import annotations

import pytest

from chunking.model import BlockType, Document
from chunking.parsing import parse
from tests.parsing.formats.code.small_sources import SOURCES, Source
from tests.parsing.formats.markup.markup_files import block_of, outline
from tests.support.laws_chunks import check_cutting
from tests.support.laws_documents import check


def read(text: str, name: str) -> Document:
    """A lawful document whose text is its source."""
    document = parse(text.encode(), name)
    check(document)
    assert (document.format, document.text, document.title) == ("code", text, name)
    return document


@pytest.mark.parametrize("source", SOURCES, ids=lambda source: source.name)
def test_languages(source: Source) -> None:
    """Each finds its classes and functions, by their names and in one another."""
    document = read(source.text, source.name)
    assert document.warnings == ()
    assert tuple(outline(document)) == source.sections
    assert {block.meta["language"] for block in document.blocks if block.type is BlockType.CODE} == {source.language}
    check_cutting(document)
