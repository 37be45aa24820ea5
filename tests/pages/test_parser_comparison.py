"""Parsers compared on the Tune page: chosen beside settings, and what each of them loses."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from chunking.config import Config
from chunking.evaluation import QuestionSet, Sweep, Trials, run_sweep, save_set
from chunking.evaluation.questions.question import AnswerSpan, Question
from chunking.indexing import add_files
from chunking.model import BUILT_IN
from chunking.store import Workspace
from tests.pages.app_session import message_at, open_page, page_text, run_app
from tests.support.store_rows import FakeEmbedder
from tests.support.toy_parsers import installed_parsers

NOTES = "# Owls\n\nThe owls fly by night.\n\nThe secret of the owls is their wing.\n"


@pytest.fixture
def compared(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workspace]:
    """The app's workspace, in which two parsers were measured with the default settings but for the search."""
    with installed_parsers(tmp_path / "packages", monkeypatch):
        monkeypatch.setenv("CHUNKSCOPE_WORKSPACE", str(tmp_path / "workspace"))
        workspace = Workspace.open(tmp_path / "workspace")
        (tmp_path / "owls.md").write_text(NOTES)
        add_files(workspace, [tmp_path / "owls.md"])
        rows = []
        for text, quote in {"When do the owls fly?": "by night", "What is the secret?": "is their wing"}.items():
            start = NOTES.index(quote)
            rows.append(Question(quote, text, (AnswerSpan("owls", start, start + len(quote), quote),)))
        questions = save_set(workspace, QuestionSet("owls", tuple(rows)))
        base = Config.from_settings({"search.mode": "text"})
        grid = {"parser": (BUILT_IN, "lines"), "size": ("64", "90")}
        with Trials(workspace, embedder=FakeEmbedder()) as trials:
            run_sweep(workspace, Sweep("parsers", "owls", base, grid), questions, trials=trials)
        yield workspace


def test_the_leaderboard_names_the_parser_and_the_answers_that_it_loses(compared: Workspace) -> None:
    """A run over another text takes its settings over, and says that the parser is chosen elsewhere."""
    app = open_page("tune", {"search.mode": "text"})
    app.session_state["decision.why"] = True
    run_app(app)
    board = str([message_at(app, number) for number in range(len(app.get("bidi_component")))])
    assert "Lines" in board
    lost = next(one.value for one in app.dataframe if "Gold answer" in one.value.columns)
    assert lost.values.tolist() == [["Lines", "What is the secret?", "is their wing"]]
    run = next(one for one in compared.runs.all().values() if '"parser": "lines"' in one)
    key = run.split('"key": "')[1].split('"')[0]
    app = open_page("tune", {"search.mode": "text"}, run=key)
    app.session_state["decision.why"] = True
    assert "Documents page" in page_text(run_app(app))


def test_parsers_are_chosen_beside_settings(compared: Workspace) -> None:
    """Each with every combination of their values; the present settings stay among them."""
    app = open_page("tune", {"search.mode": "text"})
    app.session_state["tune.try"] = True
    app.session_state["tune.grid"] = {"size": ("70", "80")}
    run_app(app)
    field = app.multiselect(key="tune.parsers.field")
    assert [name for name in field.options if name in (BUILT_IN, "Lines")] == [BUILT_IN, "Lines"]
    field.set_value([BUILT_IN, "lines"])
    run_app(app)
    assert "6 " in app.button(key="tune.start").label
