"""Collect and delete: what an agent may change, and what no path or name gets it to."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from chunking.agents import CallControl, IndexBuilt, Toolbox
from chunking.errors import AccessError, Cancelled, ChunkscopeError, ConfigError, NotFoundError
from chunking.store import Role, RoleAccess, Workspace

_TEXT = "# Pumps\n\nThe seal of a pump is changed once a year."


@pytest.fixture
def files(own_shelf: Toolbox) -> Path:
    """The folder that may be read, with two files."""
    (folder,) = own_shelf.files
    (folder / "pumps").mkdir()
    (folder / "pumps" / "seals.md").write_text(_TEXT, encoding="utf-8")
    (folder / "readme.txt").write_text("Read the pump guide.", encoding="utf-8")
    return folder


def test_a_text_is_found_after_it_was_collected(own_shelf: Toolbox) -> None:
    """Under a folder of its own, and the same again changes nothing."""
    first = own_shelf.collect(text=_TEXT, name="pumps.md")
    assert first.added == ["agents_pumps"]
    assert first.embedded > 0
    assert own_shelf.search("seal of a pump", mode="text").results[0].id.startswith("agents_pumps")
    again = own_shelf.collect(text=_TEXT, name="pumps.md")
    assert (again.added, again.embedded, again.chunks) == (first.added, 0, first.chunks)


def test_files_have_the_same_ids_however_they_are_named(own_shelf: Toolbox, files: Path) -> None:
    """Relative to the named folder: the folder itself, a file in it, an absolute path."""
    assert own_shelf.collect(path=".").added == ["pumps_seals", "readme"]
    assert own_shelf.collect(path="pumps/seals.md").added == ["pumps_seals"]
    assert own_shelf.collect(path=str(files / "pumps")).added == ["pumps_seals"]
    assert {row.source for row in own_shelf.open_workspace().documents()} >= {"pumps/seals.md", "readme.txt"}


@pytest.mark.parametrize(
    "path",
    [
        "..",
        "../own",
        "/etc/passwd",
        "pumps/../../own",
        "~/x",
        "/",
        "\x00",
        "a\ud800",
        ".hidden",
        "pumps/.git/config",
        "leads_out",
        "loop",
    ],
)
def test_a_path_out_of_the_folder_is_refused(own_shelf: Toolbox, files: Path, path: str) -> None:
    """Whether there is such a file or not, and through links too."""
    (files / "leads_out").symlink_to(files.parent)
    (files / "loop").symlink_to(files / "loop")
    (files / ".hidden").write_text("secret", encoding="utf-8")
    with pytest.raises(ChunkscopeError) as raised:
        own_shelf.collect(path=path)
    assert "\n" not in str(raised.value)
    assert len(own_shelf.open_workspace().documents()) == 3


def test_a_link_out_of_the_folder_is_not_read(own_shelf: Toolbox, files: Path) -> None:
    """The files beside it are."""
    secret = files.parent / "secret.md"
    secret.write_text("# Secret", encoding="utf-8")
    (files / "pumps" / "link.md").symlink_to(secret)
    collected = own_shelf.collect(path="pumps")
    assert collected.added == ["pumps_seals"]
    (sentence,) = collected.failed
    assert "pumps/link.md" in sentence


def test_a_file_that_cannot_be_read_is_a_sentence(own_shelf: Toolbox, files: Path) -> None:
    """The others are collected."""
    (files / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    collected = own_shelf.collect(path=".")
    assert collected.added == ["pumps_seals", "readme"]
    (sentence,) = collected.failed
    assert "broken.pdf" in sentence


def test_without_a_folder_no_file_is_read(shelf_place: Path, own_shelf: Toolbox) -> None:
    """Not even one of the workspace."""
    with pytest.raises(ConfigError):
        Toolbox(own_shelf.open_workspace).collect(path=str(shelf_place))


@pytest.mark.parametrize(
    "refused",
    [
        {},
        {"path": ".", "text": "x", "name": "x.md"},
        {"text": "x"},
        {"text": "x", "name": "../x.md"},
        {"text": "x", "name": "a/b.md"},
        {"text": "x", "name": ".md"},
        {"text": "x", "name": "x.py"},
        {"text": "x", "name": "x\x00.md"},
        {"text": "x", "name": "x\ud800.md"},
    ],
)
def test_what_cannot_be_collected_is_refused(own_shelf: Toolbox, refused: dict[str, str]) -> None:
    """Neither or both, and names that are none of a text file."""
    with pytest.raises(ConfigError):
        own_shelf.collect(**refused)  # type: ignore[arg-type]


def test_half_a_surrogate_pair_in_a_text_becomes_a_letter(own_shelf: Toolbox) -> None:
    """And NUL does no harm."""
    assert own_shelf.collect(text="# A\ud800 \x00 B", name="odd.md").added == ["agents_odd"]
    assert "\ufffd" in own_shelf.fetch("agents_odd").text


def test_a_viewer_changes_nothing(shelf: Toolbox) -> None:
    """The store says so, before anything is read."""
    with pytest.raises(AccessError):
        shelf.collect(text=_TEXT, name="pumps.md")
    with pytest.raises(AccessError):
        shelf.delete(["manuals_manual"])


def test_a_role_that_is_taken_away_ends_the_next_call(own_shelf: Toolbox) -> None:
    """The workspace is opened for each call, so each asks anew."""
    workspace, roles = own_shelf.open_workspace(), [Role.EDITOR, Role.VIEWER]
    box = Toolbox(lambda: workspace.seen_by(RoleAccess(roles.pop(0))))
    assert box.collect(text=_TEXT, name="pumps.md").added
    with pytest.raises(AccessError):
        box.collect(text=_TEXT, name="pumps.md")


def test_a_cancelled_collect_frees_the_workspace(own_shelf: Toolbox) -> None:
    """The next one goes on from there."""
    with pytest.raises(Cancelled):
        own_shelf.collect(text=_TEXT, name="pumps.md", control=CallControl(cancelled=lambda: True))
    assert own_shelf.collect(text=_TEXT, name="pumps.md").added == ["agents_pumps"]


def test_a_first_index_is_built(empty: Toolbox) -> None:
    """With the default settings."""
    collected = empty.collect(text=_TEXT, name="pumps.md")
    assert collected.index == "main"
    assert empty.search("seal of a pump", mode="text").results


def test_whoever_has_a_queue_builds_the_index(own_shelf: Toolbox) -> None:
    """With the settings and the name of the newest index."""
    calls = []

    def build(
        workspace: Workspace, config: object, name: str | None, doc_ids: object, control: CallControl
    ) -> IndexBuilt:
        calls.append((config, name, doc_ids))
        return IndexBuilt("main", 7, 1, 6)

    index = own_shelf.open_workspace().index()
    box = Toolbox(own_shelf.open_workspace, files=own_shelf.files, build=build)  # type: ignore[arg-type]
    assert box.collect(text=_TEXT, name="pumps.md").chunks == 7
    assert calls == [(index.config, "main", None)]


def test_deleted_documents_are_gone_from_the_search(own_shelf: Toolbox) -> None:
    """With their chunks; an unknown one deletes nothing."""
    with pytest.raises(NotFoundError):
        own_shelf.delete(["manuals_manual", "nope"])
    deleted = own_shelf.delete(["manuals_manual", "manuals_manual"])
    assert deleted.deleted == ["manuals_manual"]
    assert deleted.chunks > 0
    assert not own_shelf.search("保修", mode="text", filters={"language": "zh"}).results


def test_nothing_of_a_text_stays_on_disk(own_shelf: Toolbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its file is gone after the call."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    before = set(os.listdir(tmp_path))
    own_shelf.collect(text=_TEXT, name="pumps.md")
    assert set(os.listdir(tmp_path)) == before
