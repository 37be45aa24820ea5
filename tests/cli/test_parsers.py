"""`--parser`: who reads the files, wherever files are read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from chunking.cli.arguments.argument_table import COMMANDS
from chunking.evaluation.questions.question import AnswerSpan, Question, QuestionSet
from chunking.evaluation.questions.set_editing import save_set
from chunking.store import Workspace
from tests.cli.command import Run
from tests.support.toy_parsers import installed_parsers

NOTES = "# Owls\n\nThe owls fly by night.\n\nThe secret of the owls is their wing.\n"


@pytest.fixture(autouse=True)
def _toys(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with installed_parsers(tmp_path / "packages", monkeypatch):
        yield


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    path = tmp_path / "owls.md"
    path.write_text(NOTES)
    return path


def test_every_command_that_reads_files_takes_a_parser() -> None:
    """The others do not."""
    named = {one.name: {name for names, _ in one.table for name in names} for one in COMMANDS}
    assert {name for name, words in named.items() if "--parser" in words} == {
        name for name, words in named.items() if "--encoding" in words
    }


def test_files_are_printed_as_the_parser_reads_them(run: Run, notes: Path) -> None:
    """The built-in one is named only where it is chosen; a parser that does not read the format leaves it to that."""
    assert "parser" not in run("parse", notes).row
    read = run("parse", notes, "--parser", "lines").row
    assert (read["parser"], read["text"]) == ("lines", "Owls\n\nThe owls fly by night.")
    assert [one["content"] for one in run("chunk", notes, "--parser", "lines").rows] == [read["text"]]
    page = notes.with_name("page.html")
    page.write_text("<h1>Bats</h1><p>They hang.</p>")
    other = run("parse", page, "--parser", "lines")
    assert "parser" not in other.row
    assert "Lines" in other.err


@pytest.mark.parametrize(("name", "words"), [("gone", "built-in"), ("missing", "install"), ("fails", "KeyError")])
def test_a_parser_that_cannot_read_is_one_sentence(run: Run, notes: Path, name: str, words: str) -> None:
    """An unknown one and one that is not installed are wrong usage."""
    done = run("parse", notes, "--parser", name)
    assert done.code == (1 if name == "fails" else 2)
    assert words in done.err
    assert done.out == ""


def test_a_workspace_records_the_parser_and_says_what_is_lost(run: Run, notes: Path, tmp_path: Path) -> None:
    """A new version keeps it; `built-in` takes it back."""
    place = tmp_path / "workspace"
    assert run("index", notes, "--workspace", place).code == 0
    start = NOTES.index("secret")
    answer = AnswerSpan("owls", start, start + 6, "secret")
    save_set(Workspace.open(place), QuestionSet("owls", (Question("q", "How?", (answer,)),)))
    done = run("index", notes, "--workspace", place, "--parser", "lines")
    assert done.code == 0
    assert "“secret”" in done.err
    notes.write_text(NOTES + "\nThe owls hear well.\n")
    for words, parser in (((), "lines"), (("--parser", "built-in"), "built-in")):
        assert run("index", notes, "--workspace", place, *words).code == 0
        [document] = run("documents", "--workspace", place).row["documents"]
        assert document["parser"] == parser


def test_parsers_are_swept_beside_settings(run: Run, notes: Path, tmp_path: Path) -> None:
    """Each line names its parser; the lost answers are listed."""
    questions = tmp_path / "questions.csv"
    questions.write_text("question,answer\nWhen do the owls fly?,by night\nWhat is the secret?,is their wing\n")
    grid = ("--grid", "parser=built-in,lines", "--grid", "size=64,90", "--set", "search.mode=text")
    done = run("sweep", notes, "--questions", questions, *grid)
    assert {line.get("parser", "") for line in done.row["lines"]} == {"", "lines"}
    assert len(done.row["lines"]) == 4
    assert [one["parser"] for one in done.row["parsers"]] == ["lines"]
    assert [quote for _, quote in done.row["parsers"][0]["lost"]] == ["is their wing"]
    assert "“is their wing”" in done.err
