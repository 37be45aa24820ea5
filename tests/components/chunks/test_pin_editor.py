"""What people do to pins: noted at once, saved after the text is drawn, taken back, and told where it cannot be."""

from __future__ import annotations

from dataclasses import replace

import pytest
import streamlit as st

from chunking.model import Document, PinKind
from chunking.parsing import parse
from chunking.splitting.pins.stored_pins import PINS
from chunking.store import Workspace
from components.chunks import pin_editor as pin_editor_module
from components.chunks.pin_editor import PinEditor, pin_editor

TEXT = (
    "# Pump\n\nClose the valve before you start. Then open the lid.\n\n## Parts\n\nAll parts can be ordered in town.\n"
)


@pytest.fixture
def of() -> Document:
    return parse(TEXT.encode(), "pump.md")


@pytest.fixture
def target(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch, of: Document) -> Workspace:
    """A workspace with one document, as the pages see it, and a session of its own."""
    workspace = Workspace.open(tmp_path_factory.mktemp("pins") / "w")
    workspace.put_document(of)
    monkeypatch.setattr(pin_editor_module, "workspace", lambda: workspace)
    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.setattr(st, "rerun", lambda **_: None)
    monkeypatch.setattr(st, "toast", lambda *_, **__: None)
    return workspace


def at(words: str) -> int:
    return TEXT.index(words)


def kinds(editor: PinEditor) -> list[PinKind]:
    return [one.stored.kind for one in editor.entries]


def test_a_pin_is_drawn_before_it_is_saved(target: Workspace, of: Document) -> None:
    """The next run has it; then the workspace, whose document bears it; undo and redo go the same way."""
    pin_editor(of).set("split", [(at("Then"), at("Then"))])
    editor = pin_editor(of)
    assert kinds(editor) == [PinKind.SPLIT]
    assert editor.marks(None)[0][:3] == (PinKind.SPLIT, at("Then"), at("Then"))
    assert not target.document(of.doc_id).pins
    editor.save()
    assert target.document(of.doc_id).pins == editor.pins
    now = target.document(of.doc_id)
    editor = pin_editor(now)
    assert editor.parsed.pins == ()
    editor.undo(False)
    assert not pin_editor(now).pins
    pin_editor(now).save()
    assert not target.document(of.doc_id).pins
    pin_editor(of).undo(False)  # there is nothing to take back
    pin_editor(of).undo(True)
    pin_editor(of).save()
    assert target.document(of.doc_id).pins == editor.pins


def test_the_same_key_takes_a_pin_away(target: Workspace, of: Document) -> None:
    """As does another one that contradicts it at the same place; spans and boundaries at one place stay apart."""
    for kind, left in (
        ("split", [PinKind.SPLIT]),
        ("merge", [PinKind.MERGE]),
        ("merge", []),
        ("keep", [PinKind.KEEP]),
        ("leave_out", [PinKind.LEAVE_OUT]),
    ):
        place = (at("Then"), at("Then") if kind in ("split", "merge") else at("lid"))
        pin_editor(of).set(kind, [place])
        editor = pin_editor(of)
        editor.save()
        assert kinds(editor) == left
    assert len(target.changes.log(of.doc_id, PINS).steps) == 5


def test_an_impossible_pin_is_not_saved(target: Workspace, of: Document) -> None:
    """Nothing is saved: no word, no such kind, a browser that lies."""
    editor = pin_editor(of)
    editor.set("keep", [(6, 8)])
    editor.set("glue", [(0, 5)])
    editor.set("keep", [(5, 10**9)])
    editor.save()
    assert target.changes.log(of.doc_id, PINS).revision == 0


def test_a_lost_pin_is_listed(target: Workspace, of: Document) -> None:
    """It is drawn nowhere, and says why."""
    pin_editor(of).set("keep", [(at("All parts"), len(TEXT) - 1)])
    pin_editor(of).save()
    newer = replace(parse(TEXT[: at("## Parts")].encode(), "pump.md"), doc_id=of.doc_id)
    editor = pin_editor(newer)
    assert kinds(editor) == [PinKind.KEEP]
    assert editor.marks(None) == []
    assert editor.states(None)[0]
