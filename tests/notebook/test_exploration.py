"""What a notebook looks at: which documents, under which settings, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from chunking.config import Config
from chunking.errors import ChunkscopeError, ConfigError, QuestionError
from chunking.evaluation import QuestionSet, save_set
from chunking.notebook import exploration as module
from chunking.notebook.documents import measured_chunker
from chunking.notebook.exploration import DOCUMENT, SETTINGS, Exploration
from chunking.splitting import chunk_document
from chunking.store import Workspace
from tests.notebook.notebook_documents import guide, questions_about, second_guide
from tests.support.stand_in_model import stand_in_model


def control(shown: Exploration, key: str) -> dict[str, Any]:
    """The control of a setting as the browser gets it."""
    return next(row for row in shown.form() if row["key"] == key)


def test_the_chunks_are_those_of_the_library() -> None:
    """Span for span, before and after a change."""
    shown, document = Exploration.of(guide()), guide()
    for size in (150, 40):
        shown.change("size", size)
        expected = chunk_document(document, Config.from_settings({"size": size}))
        assert [(one.start, one.end) for one in shown.chunks] == [(one.start, one.end) for one in expected]
        assert shown.bands.starts.tolist() == [one.start for one in expected]


def test_a_control_for_each_setting() -> None:
    """One also for the document if there are several; options of a language model only if one is chosen."""
    assert [row["key"] for row in Exploration.of(guide()).form()] == list(SETTINGS)
    shown = Exploration.of([guide(), second_guide()])
    assert shown.form()[0]["key"] == DOCUMENT
    assert "context" not in [value for value, _ in control(shown, "prefix")["options"]]
    shown.configure(Config.from_settings({"prefix": "context"}))
    assert "context" in [value for value, _ in control(shown, "prefix")["options"]]


def test_what_is_typed_stays_where_it_is_out_of_range() -> None:
    """The settings stay, and the control says why; a cell that sets a value updates the control."""
    shown = Exploration.of(guide())
    turn = control(shown, "size")["turn"]
    shown.enter("size", "3")
    field = control(shown, "size")
    assert (shown.config.chunk.size, field["text"], field["turn"]) == (Config().chunk.size, "3", turn)
    assert field["error"]
    shown.enter("size", "40")
    assert (shown.config.chunk.size, control(shown, "size")["error"], control(shown, "size")["turn"]) == (40, "", turn)
    shown.change("size", 60)
    assert (control(shown, "size")["text"], control(shown, "size")["turn"]) == ("60", turn + 1)
    with pytest.raises(ConfigError):
        shown.change("size", -1)
    assert shown.config.chunk.size == 60


def test_the_selected_chunk_stays_at_its_place() -> None:
    """Boundaries move, numbers change, the character stays; a selection from Python scrolls once."""
    shown = Exploration.of(guide())
    shown.change("size", 40)
    shown.select(9)
    at = shown.at
    goto = shown.view(300)["goto"]
    assert goto == shown.view(300)["goto"]
    shown.change("size", 80)
    assert shown.at == at
    number = shown.selected
    assert number is not None
    assert number < 9
    assert shown.chunk == shown.chunks[number]
    with pytest.raises(ConfigError):
        shown.select(10_000)
    for wrong in ("3", True, -1, 10**9):
        shown.pick(wrong)
    assert shown.at == at
    shown.pick(None)
    assert shown.selected is None


def test_another_document_starts_without_a_selection() -> None:
    """Nothing is selected in it; an id that is none is refused and nothing changes."""
    shown = Exploration.of([guide(), second_guide()])
    shown.select(1)
    shown.open("valves")
    assert (shown.document.doc_id, shown.selected) == ("valves", None)
    with pytest.raises(ConfigError):
        shown.open("nowhere")
    shown.enter(DOCUMENT, "nowhere")
    assert control(shown, DOCUMENT)["error"]
    assert shown.document.doc_id == "valves"


@pytest.mark.parametrize(
    "what", [[], 7, ["guide.md"], [guide(2), guide(2)]], ids=["nothing", "a number", "names", "twice"]
)
def test_what_cannot_be_shown_is_refused(what: Any) -> None:
    with pytest.raises(ConfigError):
        Exploration.of(what)


def test_a_file_and_a_workspace(tmp_path: Path) -> None:
    """A path is read; a workspace shows its documents, and refuses to be empty."""
    file = tmp_path / "valves.md"
    file.write_text(second_guide().text, encoding="utf-8")
    assert Exploration.of(file).document.doc_id == Exploration.of(str(file)).document.doc_id == "valves"
    workspace = Workspace.open(tmp_path / "workspace")
    with pytest.raises(ConfigError):
        Exploration.of(workspace)
    with workspace.writer():
        workspace.put_documents([guide(), second_guide()])
    shown = Exploration.of(workspace)
    assert set(shown.doc_ids) == {"guide", "valves"}
    shown.open("valves")
    assert shown.document == workspace.document("valves")


def test_a_workspace_that_somebody_writes_is_shown(tmp_path: Path) -> None:
    """Whoever looks at it waits for nobody, though what was encoded is saved in it."""
    folder, document = tmp_path / "workspace", guide()
    writing = Workspace.open(folder)
    with stand_in_model(), writing.writer():
        writing.put_documents([document])
        shown = Exploration.of(Workspace.open(folder), questions_about(document))
        shown.change("size", 40)
        assert shown.estimate()["trace"]


def test_a_document_that_is_too_long_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """Before it is measured."""
    monkeypatch.setattr(module, "MOST_CHARACTERS", 100)
    monkeypatch.setattr(module, "measured_chunker", lambda *_: pytest.fail("measured_chunker"))
    with pytest.raises(ConfigError):
        Exploration.of(guide())


def test_an_equal_document_is_measured_once() -> None:
    """A cell that is run again parses its text anew, at another time."""
    embedding = Config().embedding
    first = measured_chunker(guide(), embedding)
    assert measured_chunker(replace(guide(), updated_at="2026-01-01T00:00:00+00:00"), embedding) is first
    assert measured_chunker(guide(3), embedding) is not first


def test_recall_follows_the_settings(tmp_path: Path) -> None:
    """With the set, or its name in a workspace; other models and headings need a new call."""
    document = guide()
    questions = questions_about(document)
    with stand_in_model():
        shown = Exploration.of(document, questions)
        first = shown.estimate()
        assert len(first["trace"]) == 1
        shown.change("size", 40)
        assert len(shown.estimate()["trace"]) == 2
        assert shown.scores is not None
        assert shown.view(300)["answers"]["fates"] == "ii"
        with pytest.raises(ConfigError):
            shown.configure(Config.from_settings({"headings_from": "1: ^Valve"}))
        workspace = Workspace.open(tmp_path / "workspace")
        with workspace.writer():
            workspace.put_documents([document])
            save_set(workspace, questions)
        assert Exploration.of(workspace, "pumps").estimate()["trace"]


@pytest.mark.parametrize(
    "questions", ["pumps", QuestionSet("none", ()), questions_about(guide())], ids=["a name", "empty", "of others"]
)
def test_questions_that_cannot_be_asked_are_refused(questions: Any) -> None:
    """A name without a workspace, no question, none about this document."""
    with pytest.raises(QuestionError):
        Exploration.of(second_guide(), questions)


def test_a_message_of_a_step_holds_no_text() -> None:
    """Offsets only, however long the text is."""
    shown = Exploration.of(guide(400))
    shown.change("size", 60)
    assert len(str(shown.view(300))) < len(shown.document.text) / 10


def test_any_text_of_a_control_leaves_settings_that_hold() -> None:
    """What a browser sends may be anything."""
    shown = Exploration.of(guide(2))
    for key in SETTINGS:
        for text in ("", "nan", "-0", "1e9", "\ud800", "15%", "120%", "{}", "0x10", "none"):
            shown.enter(key, text)
            try:
                Config.from_yaml(shown.config.to_yaml())
            except ChunkscopeError:
                pytest.fail(f"{key} took {text!r}")
