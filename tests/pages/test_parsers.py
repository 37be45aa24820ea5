"""The parser of a document or a workspace, chosen on the Documents page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from chunking.evaluation.questions.question import AnswerSpan, Question, QuestionSet
from chunking.evaluation.questions.set_editing import save_set
from chunking.indexing import add_files, workspace_parser
from chunking.model import BUILT_IN
from chunking.parsing import parse
from chunking.store import Workspace
from components.documents.adding import add_files as store_files
from components.documents.parser_dialog import ALL, ONE
from tests.pages.app_session import open_page, page_text, run_app
from tests.pages.uploading import drop_files, press_add, queue_of, wait_for_reading
from tests.support.toy_parsers import installed_parsers

pytestmark = pytest.mark.usefixtures("dialogs")

NOTES = "# Owls\n\nThey fly by night.\n\nThe secret is their wing.\n"


@pytest.fixture(autouse=True)
def _toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with installed_parsers(tmp_path / "packages", monkeypatch):
        yield


@pytest.fixture
def owls(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """The app's workspace has two documents."""
    monkeypatch.setenv("CHUNKSCOPE_WORKSPACE", str(tmp_path / "workspace"))
    workspace = Workspace.open(tmp_path / "workspace")
    (tmp_path / "files").mkdir()
    (tmp_path / "files/mice.md").write_text("# Mice\n\nThey run.\n")
    (tmp_path / "files/owls.md").write_text(NOTES)
    add_files(workspace, [tmp_path / "files"])
    return workspace


def choose(app: AppTest, name: str, scope: str = ONE) -> AppTest:
    """Open the dialog, choose a parser and its documents, and have them read again."""
    app.button(key="documents.parser").click()
    run_app(app)
    app.button(key="documents.parser").click()
    app.radio(key="documents.parser.name").set_value(name)
    run_app(app)
    app.button(key="documents.parser").click()
    app.radio(key="documents.parser.scope.2").set_value(scope)
    run_app(app)
    app.button(key="documents.parser").click()
    app.button(key="documents.parser.read").click()
    return wait_for_reading(run_app(app))


def takes_back(app: AppTest) -> bool:
    """True if the page offers to take back the workspace's parser."""
    return any(one.key == "documents.parser.back" for one in app.button)


def parsers(workspace: Workspace) -> dict[str, str]:
    return {row.source: row.parser for row in workspace.documents()}


def test_a_document_is_read_by_another_parser_after_a_review(owls: Workspace) -> None:
    """The review says what the new text lacks; nothing changes before it is added. The table says who read what."""
    start = NOTES.index("secret")
    save_set(owls, QuestionSet("owls", (Question("q", "How?", (AnswerSpan("owls", start, start + 6, "secret"),)),)))
    app = choose(open_page("documents", doc="owls"), "lines")
    assert parsers(owls)["owls.md"] == BUILT_IN
    text = page_text(app)
    assert "read by Lines instead of built-in" in text
    assert "“secret”" in text
    press_add(app)
    assert parsers(owls) == {"owls.md": "lines", "mice.md": BUILT_IN}
    assert list(app.dataframe[0].value["Parser"]) == ["", "Lines"]
    assert "by Lines" in page_text(app)
    press_add(choose(app, BUILT_IN))
    assert owls.document("owls").text == NOTES
    assert "Parser" not in app.dataframe[0].value


def test_all_documents_and_later_ones(owls: Workspace) -> None:
    """The page says who reads new documents, and takes it back."""
    app = choose(open_page("documents", doc="owls"), "lines", ALL)
    press_add(app)
    assert parsers(owls) == {"owls.md": "lines", "mice.md": "lines"}
    press_add(drop_files(app, [("voles.md", b"# Voles\n\nThey dig.\n")]))
    assert parsers(owls)["voles.md"] == "lines"
    assert takes_back(app)
    app.button(key="documents.parser.back").click()
    run_app(app)
    assert workspace_parser(owls) == BUILT_IN
    assert not takes_back(app)
    assert parsers(owls)["owls.md"] == "lines"


def test_a_parser_that_fails_or_a_file_that_is_gone_changes_nothing(owls: Workspace) -> None:
    """A sentence says why, and there is nothing to add."""
    app = choose(open_page("documents", doc="owls"), "fails")
    assert "KeyError" in page_text(app)
    assert not [one for one in app.button if one.key == "uploads.add"]
    app.button(key="uploads.discard").click()
    run_app(app)
    owls.put_document(parse(rb"{\rtf1 Owls fly.}", "old.rtf"))
    assert "not in the workspace" in page_text(choose(open_page("documents", doc="old"), "lines"))
    assert parsers(owls) == {"owls.md": BUILT_IN, "mice.md": BUILT_IN, "old.rtf": BUILT_IN}


def test_two_tabs_do_not_undo_each_other(owls: Workspace, tmp_path: Path) -> None:
    """What was deleted, or has a new version, since the file was read is not brought back."""
    one, other = (choose(open_page("documents", doc=name), "lines") for name in ("owls", "mice"))
    newer = NOTES + "\nThey hear well.\n"
    (tmp_path / "files/owls.md").write_text(newer)
    add_files(owls, [tmp_path / "files/owls.md"])
    owls.delete_documents(["mice"])
    for app in (one, other):
        app.button(key="uploads.add").click()
        assert "since it was read" in page_text(run_app(app))
        [outcome] = store_files(owls, queue_of(app).files)  # as where it happens just before the lock is held
        assert (outcome.doc_id, "not changed" in outcome.sentence) == ("", True)
    assert parsers(owls) == {"owls.md": BUILT_IN}
    assert owls.document("owls").text == newer
