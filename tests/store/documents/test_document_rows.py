"""Documents as rows."""

from __future__ import annotations

from dataclasses import asdict

from chunking.parsing import parse
from chunking.store import Workspace
from chunking.store.documents.document_rows import document_row
from chunking.store.engine.filters import packed
from tests.support.store_rows import document


def test_sections_are_packed_with_all_their_fields() -> None:
    """In their order: stamps of stored documents are made of them."""
    document = parse(b"intro\n\n# A\n\n## B\n\ntext\n", "a.md")
    assert document_row(document, ())["sections"] == packed([asdict(section) for section in document.sections])


def test_the_next_documents_are_read_beside_the_callers_work() -> None:
    """One query ahead; documents come in the order of ids, and deleted ones are left out."""
    workspace = Workspace.open("memory://")
    names = [f"d{n:02}" for n in range(40)]
    workspace.put_documents([document(name, f"text of {name}") for name in names])
    workspace.delete_documents(["d20"])
    ids = [*reversed(names), "nobody"]
    before = workspace.calls
    reading = workspace.read_documents(ids)
    assert next(reading).doc_id == "d39"
    assert workspace.calls - before == 2
    assert [one.doc_id for one in reading] == [name for name in ids[1:] if name not in ("d20", "nobody")]
    assert workspace.calls - before == 3
    assert list(workspace.read_documents([])) == []
    assert list(Workspace.open("memory://").read_documents(["a"])) == []
