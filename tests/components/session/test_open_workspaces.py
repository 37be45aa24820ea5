"""What the server keeps of the workspaces that people work in, and lets go when they have left."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace
from unittest.mock import Mock

import pytest

from chunking.model import Document
from chunking.parsing import parse
from components.documents import document_details
from components.session import measured_documents, workspace

MANY = 100
"""People with a workspace each."""


@pytest.fixture
def open_one(monkeypatch: pytest.MonkeyPatch) -> Iterator[Mock]:
    """Counts what is opened, without opening it."""
    opening = Mock(side_effect=lambda address: SimpleNamespace(uri=address, untouched=False))
    monkeypatch.setattr(workspace, "Workspace", SimpleNamespace(open=opening))
    workspace.open_workspace.clear()
    yield opening
    workspace.open_workspace.clear()


def test_each_of_many_workspaces_is_opened_once(open_one: Mock) -> None:
    """However often their pages run in turns."""
    for _ in range(3):
        for number in range(MANY):
            workspace.open_workspace(f"visits/{number}")
    assert open_one.call_count == MANY


def test_a_workspace_that_nobody_is_in_is_closed(open_one: Mock, monkeypatch: pytest.MonkeyPatch) -> None:
    """One that a session is connected to stays open; one that is asked for again is opened again."""
    here = {"first": {"gone", "here"}, "second": {"gone"}}
    monkeypatch.setattr(workspace, "_sessions", here)
    monkeypatch.setattr(workspace, "get_instance", lambda: SimpleNamespace(is_active_session=lambda id: id == "here"))
    kept = {uri: workspace.open_workspace(uri) for uri in here}
    assert workspace.close_unused() == 1
    assert workspace.is_anybody_here()
    assert workspace.open_workspace("first") is kept["first"]
    assert workspace.open_workspace("second") is not kept["second"]
    assert workspace.close_unused() == 0


@pytest.fixture
def twice() -> tuple[Document, Document]:
    """A document as it stands in two workspaces."""
    first, second = (parse(b"# Pump\n\nSwitch the pump off.", "pump.md") for _ in range(2))
    return first, second


def test_what_is_kept_by_identity_keeps_its_document(
    twice: tuple[Document, Document], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Else the next document that happens to get its id would be taken for it."""
    measured_documents._without_pins.clear()
    measured_documents._plain.clear()  # another test may have left an equal document in it
    first, second = twice
    assert measured_documents._without_pins(second)[0] is second
    requests, plain = measured_documents._without_pins(first)
    assert (requests is first, plain is second) == (True, True)
    measured_documents._without_pins.clear()
    monkeypatch.setattr(document_details, "token_counter", lambda path: None)
    monkeypatch.setattr(document_details, "block_tokens", lambda of, counter: [len(of.blocks)])
    assert document_details._counted(first, "tokenizer", "")[0] is first
    document_details._counted.clear()
