"""The parser of documents and workspaces: chosen, recorded, kept for new versions, and taken back."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from chunking.errors import Cancelled, NotFoundError, ParseError
from chunking.evaluation.questions.question import AnswerSpan, Question, QuestionSet
from chunking.evaluation.questions.set_editing import load_set, save_set
from chunking.indexing import (
    DocumentInputs,
    add_files,
    build_index,
    choose_parser,
    choose_workspace_parser,
    original_file,
    staleness,
    workspace_parser,
)
from chunking.model import BUILT_IN
from chunking.parsing import parse
from chunking.store import DocumentRow, Workspace
from tests.support.mails import mail_with
from tests.support.store_rows import FakeEmbedder
from tests.support.toy_parsers import installed_parsers

NOTES = "# Owls\n\nThey fly by night.\n\nThe secret is their wing.\n"
RTF = rb"{\rtf1 Owls fly by night.\par The secret is their wing.}"


@pytest.fixture(autouse=True)
def _toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with installed_parsers(tmp_path / "packages", monkeypatch):
        yield


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return Workspace.open(tmp_path / "workspace")


def add(workspace: Workspace, folder: Path, files: dict[str, str | bytes], parser: str | None = None) -> None:
    folder.mkdir(exist_ok=True)
    for name, content in files.items():
        (folder / name).write_bytes(content.encode() if isinstance(content, str) else content)
    _, failed = add_files(workspace, [folder / name for name in files], parser=parser)
    assert failed == []


def row(workspace: Workspace, source: str) -> DocumentRow:
    return next(row for row in workspace.documents() if row.source == source)


def parsers(workspace: Workspace) -> dict[str, str]:
    return {row.source: row.parser for row in workspace.documents()}


def test_a_choice_reads_the_kept_file_again_and_can_be_taken_back(workspace: Workspace, tmp_path: Path) -> None:
    """Of a text, which is its own file: its bytes are kept from then on. The document stays the same one."""
    add(workspace, tmp_path / "files", {"owls.md": NOTES, "mice.md": "# Mice\n\nThey run.\n"})
    before = workspace.document("owls")
    read = choose_parser(workspace, "lines", ["owls"])
    assert [one.source for one in read.documents] == ["owls.md"]
    after = workspace.document("owls")
    assert (after.text, after.hash, after.updated_at) == ("Owls\n\nThey fly by night.", before.hash, before.updated_at)
    assert parsers(workspace) == {"owls.md": "lines", "mice.md": BUILT_IN}
    assert row(workspace, "owls.md").versions == ()
    assert workspace.file(before.hash) == NOTES.encode()
    choose_parser(workspace, BUILT_IN, ["owls"])
    assert workspace.document("owls") == before


def test_an_index_is_out_of_date_after_a_choice(workspace: Workspace, tmp_path: Path) -> None:
    """And current again when the choice is taken back."""
    add(workspace, tmp_path / "files", {"owls.md": NOTES})
    build_index(workspace, embedder=FakeEmbedder())
    assert not staleness(workspace, workspace.index().row)
    choose_parser(workspace, "lines")
    assert staleness(workspace, workspace.index().row)
    choose_parser(workspace, BUILT_IN)
    assert not staleness(workspace, workspace.index().row)


def test_a_choice_for_the_workspace_holds_for_later_documents(workspace: Workspace, tmp_path: Path) -> None:
    """Formats that the parser does not read stay with the built-in one, and are no failures."""
    page = b"<h1>Owls</h1><p>They fly.</p>"
    add(workspace, tmp_path / "files", {"owls.md": NOTES, "page.html": page})
    assert choose_parser(workspace, "lines").failed == []
    add(workspace, tmp_path / "files", {"mice.md": "# Mice\n\nThey run.\n", "later.html": page})
    expected = {"owls.md": "lines", "mice.md": "lines", "page.html": BUILT_IN, "later.html": BUILT_IN}
    assert parsers(workspace) == expected
    assert workspace_parser(workspace) == "lines"
    choose_workspace_parser(workspace, BUILT_IN)
    add(workspace, tmp_path / "files", {"voles.md": "# Voles\n\nThey dig.\n"})
    assert parsers(workspace) == {**expected, "voles.md": BUILT_IN}


def test_a_new_version_keeps_the_parser_of_its_document(workspace: Workspace, tmp_path: Path) -> None:
    """Unless another is named, for all files or for some."""
    add(workspace, tmp_path / "files", {"owls.md": NOTES}, parser="lines")
    add(workspace, tmp_path / "files", {"owls.md": NOTES + "\nThey hear well.\n"})
    assert parsers(workspace) == {"owls.md": "lines"}
    assert DocumentInputs.of(workspace).parsers == {"owls.md": "lines"}
    add(workspace, tmp_path / "files", {"owls.md": NOTES}, parser=BUILT_IN)
    assert parsers(workspace) == {"owls.md": BUILT_IN}
    inputs = DocumentInputs.from_record({"parsers": {"owls.md": "lines"}})
    add_files(workspace, [tmp_path / "files"], parsers=inputs.parsers)
    assert parsers(workspace) == {"owls.md": "lines"}


def test_what_cannot_be_read_again_stays_as_it_is(workspace: Workspace, tmp_path: Path) -> None:
    """A file that is gone, a parser that fails, a document inside another: a sentence each."""
    workspace.put_document(parse(RTF, "old.rtf"))
    add(workspace, tmp_path / "files", {"owls.md": NOTES, "mail.eml": mail_with({"owl.txt": "The owl sleeps."})})
    before = list(workspace.read_documents([one.doc_id for one in workspace.documents()]))
    for parser, doc_id, words in (
        ("lines", "old", "not in the workspace"),
        ("fails", "owls", "KeyError"),
        ("nothing", "owls", "no text"),
        ("lines", "mail_eml_owl", "inside another file"),
    ):
        read = choose_parser(workspace, parser, [doc_id])
        assert (read.documents, len(read.failed)) == ([], 1)
        assert words in read.failed[0].error
    assert list(workspace.read_documents([one.doc_id for one in workspace.documents()])) == before
    with pytest.raises(ParseError, match="gone"):
        choose_parser(workspace, "gone")
    with pytest.raises(NotFoundError, match="nobody"):
        choose_parser(workspace, "lines", ["nobody"])
    with pytest.raises(ParseError, match=r"old\.rtf"):
        original_file(workspace, row(workspace, "old.rtf"))


def test_files_that_a_package_can_read_are_kept_from_then_on(workspace: Workspace, tmp_path: Path) -> None:
    """RTF is read by no other parser of the library, so its files were not kept before."""
    add(workspace, tmp_path / "files", {"owls.rtf": RTF})
    assert original_file(workspace, row(workspace, "owls.rtf")) == RTF


def test_files_inside_a_file_stay_and_cancelling_saves_nothing(workspace: Workspace, tmp_path: Path) -> None:
    """A mail that is read again has the same attachments, under the same ids."""
    add(workspace, tmp_path / "files", {"mail.eml": mail_with({"owl.txt": "The owl sleeps."})})
    before = parsers(workspace)
    with pytest.raises(Cancelled):
        choose_parser(workspace, "lines", cancelled=lambda: True)
    assert parsers(workspace) == before
    assert workspace_parser(workspace) == BUILT_IN
    progress = []
    choose_parser(workspace, "lines", on_progress=progress.append)
    assert parsers(workspace) == {"mail.eml": "lines", "mail.eml/owl.txt": BUILT_IN}
    assert [(one.done, one.total) for one in progress] == [(1, 1)]


def test_the_options_of_a_document_are_kept_for_reading_it_again(workspace: Workspace, tmp_path: Path) -> None:
    """Its encoding and category too."""
    text = "第一章\n\n保修期是两年。\n".encode("gb18030")
    workspace.put_document(parse(text, "a.txt", encoding="gb18030", category="law", comments=True))
    before = workspace.document("a")
    choose_parser(workspace, "lines", ["a"])
    choose_parser(workspace, BUILT_IN, ["a"])
    assert workspace.document("a") == before
    assert before.read_options == ("comments",)


def test_gold_answers_are_found_by_their_quotes_in_the_new_text(workspace: Workspace, tmp_path: Path) -> None:
    """And at their old places once the choice is taken back."""
    add(workspace, tmp_path / "files", {"owls.md": NOTES})
    answers = {}
    for name, quote in {"when": "by night", "how": "secret is their wing"}.items():
        start = NOTES.index(quote)
        answers[name] = AnswerSpan("owls", start, start + len(quote), quote)
    save_set(workspace, QuestionSet("owls", tuple(Question(name, name, (one,)) for name, one in answers.items())))
    choose_parser(workspace, "lines")
    moved = load_set(workspace, "owls")
    assert [name for name, _ in moved.lost] == ["how"]
    [question] = moved.questions.questions
    assert workspace.document("owls").text[question.answers[0].start :].startswith("by night")
    choose_parser(workspace, BUILT_IN)
    assert load_set(workspace, "owls").questions.questions == load_set(workspace, "owls").as_saved.questions  # type: ignore[union-attr]
