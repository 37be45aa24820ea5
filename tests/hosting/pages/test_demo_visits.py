"""Demo mode on the pages: a copy for each visitor, which ends when nobody clicks."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from chunking.parsing import parse
from chunking.store import Workspace
from chunking.store.workspace_file.saving import save_workspace
from hosting.people import identity
from tests.hosting.pages.team import documents
from tests.pages.app_session import ROOT, go_to, run_app


def test_visitors_of_a_demo_have_copies_of_their_own(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """With the index of the samples; what one deletes the other still has."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", "demo")
    monkeypatch.setattr(identity, "_cookie", lambda: "")  # each session is a visitor's then
    first, second = documents(), documents()
    assert not first.error
    folders = sorted((home / "visits").glob("*/workspace"))
    assert len(folders) == 2
    ours, theirs = (Workspace.open(folder) for folder in folders)
    assert len(ours.indexes()) == 2
    ours.delete_documents([ours.documents()[0].doc_id])
    assert len(theirs.documents()) == len(ours.documents()) + 1
    assert not run_app(first).error
    assert not run_app(second).error
    assert len(list((home / "visits").iterdir())) == 2


def look_at_jobs() -> None:
    """What the header does every second by itself while a job runs, and nothing else."""
    from components.session.jobs.job_chip import _draw

    _draw("documents")


def test_looking_is_no_click(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The idle time of a visitor goes on in a tab that is left open."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", "demo")
    monkeypatch.setattr(identity, "_cookie", lambda: "v" * 43)
    assert not documents().error
    (mark,) = home.glob("visits/*/clicked")
    os.utime(mark, (1e9, 1e9 + 1))
    run_app(AppTest.from_function(look_at_jobs, default_timeout=60))
    assert mark.stat().st_mtime == 1e9 + 1


def test_a_file_is_the_base_of_a_demo(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its documents are the visitor's, and the samples are not there."""
    there = Workspace.open(tmp_path / "there")
    there.put_document(parse(b"# Pump\n\nSwitch the pump off.", "pump.md"))
    with (tmp_path / "demo.chunkscope").open("wb") as sink:
        save_workspace(there, sink)
    monkeypatch.setenv("CHUNKSCOPE_MODE", "demo")
    monkeypatch.setenv("CHUNKSCOPE_DEMO_BASE", str(tmp_path / "demo.chunkscope"))
    monkeypatch.setattr(identity, "_cookie", lambda: "")
    app = documents()
    assert not app.error
    (folder,) = (home / "visits").glob("*/workspace")
    assert [row.source for row in Workspace.open(folder).documents()] == ["pump.md"]


def test_own_documents_begin_in_the_visitors_own_copy(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The front page's button empties it and leads to the drop zone; others keep theirs, and the samples come back."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", "demo")
    monkeypatch.setattr(identity, "_cookie", lambda: "")
    other, app = documents(), front_page()
    assert not app.error
    app.button(key="home.own").click()
    run_app(app)
    assert not app.error
    assert app.title[0].value == "Documents"
    assert len(app.get("file_uploader")) == 1
    kept = [bool(Workspace.open(folder).documents()) for folder in home.glob("visits/*/workspace")]
    assert sorted(kept) == [False, True]
    go_to(app, "home")
    assert "home.own" not in {str(button.key) for button in app.button}
    assert not run_app(other).error


def front_page() -> AppTest:
    """The page that a visitor sees first, in a new session."""
    return run_app(AppTest.from_file(str(ROOT / "app.py"), default_timeout=120))
