"""Documents as rows."""

from __future__ import annotations

from dataclasses import asdict

from chunking.parsing import parse
from chunking.store.documents.document_rows import document_row
from chunking.store.engine.filters import packed


def test_sections_are_packed_with_all_their_fields() -> None:
    """In their order: stamps of stored documents are made of them."""
    document = parse(b"intro\n\n# A\n\n## B\n\ntext\n", "a.md")
    assert document_row(document, ())["sections"] == packed([asdict(section) for section in document.sections])
