"""Saved configurations on the pages: what one person saves the other sees, with who and when; nothing is overwritten
unseen.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from chunking.config import Config
from chunking.deployment import Person
from chunking.store import Role, Workspace, save_configuration, saved_configurations
from components.session.settings import saved_configurations as dialog
from components.session.settings import settings_row
from tests.hosting.pages.team import ANN, BOB, CAY, signed_in, team_of
from tests.pages.app_session import go_to, open_link, open_page, page_text, run_app, state

LARGE = {"size": "900", "search.k": "9"}
SAVED = "chunks.settings.saved"


@pytest.fixture(autouse=True)
def _whole_page(monkeypatch: pytest.MonkeyPatch, dialogs: None) -> None:
    """A dialog that is drawn in the page begins again with all of it, and is opened again for each of its runs."""
    again: Callable[[], None] = st.rerun
    monkeypatch.setattr(st, "rerun", lambda **_: again())
    monkeypatch.setattr(settings_row, "open_configurations", dialog.configurations_dialog)


class Shared:
    """A workspace of Ann's, in which Bob is an editor and Cay a viewer."""

    def __init__(self, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.here = team_of(home)
        for person in (ANN, BOB, CAY):
            self.here.people.record_visit(person)
        self.id = self.here.workspaces.create("Ours", ANN.id)
        self.here.workspaces.share(self.id, BOB.id, Role.EDITOR, ANN.id)
        self.here.workspaces.share(self.id, CAY.id, Role.VIEWER, ANN.id)
        self._monkeypatch = monkeypatch

    @property
    def workspace(self) -> Workspace:
        """As the server has it."""
        return Workspace.open(self.here.workspaces.place(self.id))

    def signed_in(self, person: Person) -> None:
        """The next run is this person's."""
        signed_in(self._monkeypatch, person)

    def page(self, person: Person, **settings: str) -> AppTest:
        """The Chunks page in a session of theirs."""
        self.signed_in(person)
        return go_to(open_link(workspace=self.id, **settings), "chunks")


@pytest.fixture
def shared(home: Path, monkeypatch: pytest.MonkeyPatch) -> Shared:
    """A team's deployment."""
    return Shared(home, monkeypatch)


def looked(app: AppTest, *clicks: str, name: str | None = None) -> AppTest:
    """The dialog once more, from the drawer; then with a name typed, and a button pressed."""
    app.session_state["settings.advanced"] = True
    run_app(app)
    app.button(key=SAVED).click()
    run_app(app)
    if name is not None or clicks:
        app.button(key=SAVED).click()
        if name is not None:
            next(field for field in app.text_input if str(field.key).startswith("configurations.name")).set_value(name)
        for label in clicks:
            next(
                button
                for button in app.button
                if button.label == label and str(button.key).startswith("configurations")
            ).click()
        run_app(app)
        app.button(key=SAVED).click()
        run_app(app)
    return app


def test_alone_one_saves_applies_renames_and_deletes(indexed: Workspace) -> None:
    """No author is kept where nobody signs in."""
    app = open_page("chunks", settings=LARGE)
    looked(app, "Save", name="  Large   chunks ")
    (kept,) = saved_configurations(indexed)
    assert (kept.name, kept.author.name, kept.config()) == ("Large chunks", "", Config.from_settings(LARGE))
    assert not [button for button in app.button if button.label == "Apply" and not button.disabled]
    other = open_page("chunks")
    looked(other)
    assert any("| Size |" in text.value for text in other.markdown)
    assert ["Size" in one.label for one in other.expander if "differ" in one.label] == [True]
    looked(other, "Apply")
    assert state(other, "share.config") == Config.from_settings(LARGE)
    next(field for field in looked(other).text_input if str(field.key).endswith(".name")).set_value("Long")
    other.button(key=SAVED).click()
    next(button for button in other.button if button.label == "Rename").click()
    run_app(other)
    assert [one.name for one in saved_configurations(indexed)] == ["Long"]
    looked(other, "Delete")
    assert saved_configurations(indexed) == []


def test_what_one_saves_the_other_sees(shared: Shared) -> None:
    """In the tab that is open: the header says it, and the dialog shows it with author and date; it stands beside the
    indexes in B.
    """
    theirs = shared.page(BOB)
    looked(shared.page(ANN, **LARGE), "Save", name="Contracts")
    shared.signed_in(BOB)
    chip = next(line for line in shared.here.activity.of(shared.id) if line.person == ANN.id)
    assert ("configuration" in chip.what, chip.name) == (True, "Contracts")
    text = page_text(looked(theirs))
    (kept,) = saved_configurations(shared.workspace)
    assert "Contracts" in text
    assert f"Ann · {kept.saved[8:10]}" in text
    assert (kept.author.id, kept.author.name) == (ANN.id, "Ann")
    assert any("Contracts" in option for option in theirs.selectbox(key="chunks.compare.pick").options)
    looked(theirs, "Apply")
    assert state(theirs, "share.config") == Config.from_settings(LARGE)


def test_a_stale_overwrite_is_reported(shared: Shared) -> None:
    """By whom the other one is; what was there stays until the person has been told, and is told anew where it changes
    meanwhile.
    """
    target = shared.workspace
    first = save_configuration(target, "Contracts", Config(), dialog.Author(ANN.id, "Ann"))
    theirs = shared.page(BOB, **LARGE)
    looked(theirs, "Save", name="Contracts")
    assert "Ann" in theirs.error[0].value
    again = save_configuration(
        target, "Contracts", Config.from_settings({"size": "77"}), dialog.Author(CAY.id, "Cay"), replacing=first
    )
    looked(theirs, "Replace it")
    assert "Cay" in theirs.error[0].value
    assert saved_configurations(target) == [again]
    looked(theirs, "Replace it")
    (kept,) = saved_configurations(target)
    assert (kept.author.name, kept.config()) == ("Bob", Config.from_settings(LARGE))
    assert not theirs.error


def test_nothing_that_was_changed_meanwhile_is_deleted(shared: Shared) -> None:
    """Its new state is not the one that the click was about."""
    target = shared.workspace
    first = save_configuration(target, "Contracts", Config(), dialog.Author(ANN.id, "Ann"))
    theirs = looked(shared.page(BOB))
    save_configuration(target, "Contracts", Config.from_settings(LARGE), dialog.Author(ANN.id, "Ann"), replacing=first)
    theirs.button(key=SAVED).click()
    next(button for button in theirs.button if button.label == "Delete").click()
    run_app(theirs)
    assert len(saved_configurations(target)) == 1


def test_a_viewer_applies_and_changes_nothing(shared: Shared) -> None:
    """The field and the buttons are disabled, with the reason; the store refuses it anyhow (the matrix of rights)."""
    save_configuration(shared.workspace, "Contracts", Config.from_settings(LARGE), dialog.Author(ANN.id, "Ann"))
    app = looked(shared.page(CAY))
    result: dict[str, Any] = {
        button.label: button for button in app.button if str(button.key).startswith("configurations")
    }
    assert {label for label, button in result.items() if button.disabled} == {"Save", "Rename", "Delete"}
    assert "Ann" in result["Save"].help
    looked(app, "Apply")
    assert state(app, "share.config") == Config.from_settings(LARGE)


def test_what_may_not_be_named_here_is_not_applied(shared: Shared) -> None:
    """The same sentence as for a file of settings; it can still be deleted."""
    save_configuration(shared.workspace, "Elsewhere", Config.from_settings({"embedding.model": "/etc/passwd"}))
    app = looked(shared.page(BOB))
    assert [button.disabled for button in app.button if button.label == "Apply"] == [True]
    with pytest.raises(ValueError, match="passwd") as message:
        dialog.usable(saved_configurations(shared.workspace)[0])
    assert str(message.value)[:40] in page_text(app)
    looked(app, "Delete")
    assert saved_configurations(shared.workspace) == []


def test_a_hostile_name_is_shown_as_text(indexed: Workspace) -> None:
    """Markup in it is none; one that turns the direction is refused with a sentence."""
    app = open_page("chunks")
    looked(app, "Save", name="**[a](javascript:1)** :red[b] <b>")
    assert len(saved_configurations(indexed)) == 1
    shown = [text.value for text in looked(app).markdown if "javascript" in text.value]
    assert shown
    assert all("](javascript" not in text and ":red[" not in text for text in shown)
    looked(app, "Save", name="gnp\u202eexe")
    assert len(app.error) == 1
    assert len(saved_configurations(indexed)) == 1
