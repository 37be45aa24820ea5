"""Saved configurations: shared by name, with author and time; never overwritten unseen."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from chunking.config import Config
from chunking.errors import ConfigError, NotFoundError, StoreError, WorkspaceFileError
from chunking.store import (
    Author,
    SavedConfiguration,
    Workspace,
    delete_configuration,
    rename_configuration,
    save_configuration,
    saved_configuration,
    saved_configurations,
)
from chunking.store.copies.linked_copy import linked_copy
from chunking.store.named_configurations import MOST_CONFIGURATION_NAME, configuration_name, forget_authors
from chunking.store.workspace_file.opening import open_workspace_file
from chunking.store.workspace_file.saving import save_workspace

ANN, BOB = Author("a" * 24, "Ann"), Author("b" * 24, "Bob")
SMALL, LARGE = (
    Config.from_settings({"size": size, "category.api.size": "70", "search.k": "9"}) for size in ("90", "900")
)


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    """With one of Ann's."""
    there = Workspace.open(tmp_path / "there")
    save_configuration(there, " For   contracts ", SMALL, ANN)
    return there


def only(workspace: Workspace) -> SavedConfiguration:
    (result,) = saved_configurations(workspace)
    return result


def in_a_file(workspace: Workspace, folder: Path) -> Path:
    """Where the workspace was saved to."""
    place = folder / "saved.chunkscope"
    with place.open("wb") as sink:
        save_workspace(workspace, sink)
    return place


def test_it_is_kept_with_author_and_date(workspace: Workspace) -> None:
    """All settings of it, categories among them; a second one stands before the first."""
    kept = only(Workspace.open(workspace.uri))
    assert (kept.name, kept.config(), kept.author) == ("For contracts", SMALL, ANN)
    assert kept.saved.endswith("+00:00")
    save_configuration(workspace, "Letters", LARGE)
    assert [(one.name, one.author) for one in saved_configurations(workspace)] == [
        ("Letters", Author()),
        ("For contracts", ANN),
    ]
    record = saved_configuration(workspace, "For contracts").as_record()
    assert (record["author"], record["settings"]) == ("Ann", SMALL.changed())
    with pytest.raises(NotFoundError, match="Nothing"):
        saved_configuration(workspace, "Nothing")


def test_settings_that_were_renamed_since_are_read(workspace: Workspace) -> None:
    """And one that cannot be read is listed, with its sentence."""
    earlier = SavedConfiguration("Earlier", "chunk: {larger_sizes: 3}\n", ANN, "2026-01-01T00:00:00+00:00")
    later = SavedConfiguration("Later", "chunk: {flavour: 3}\n", ANN, "2026-01-01T00:00:00+00:00")
    workspace.configurations.put({one.name: one.to_json() for one in (earlier, later)})
    assert saved_configuration(workspace, "Earlier").config() == Config.from_settings({"granularities": "3"})
    with pytest.raises(ConfigError, match="flavour"):
        saved_configuration(workspace, "Later").config()
    assert "flavour" in str(saved_configuration(workspace, "Later").as_record()["settings"])
    assert len(saved_configurations(workspace)) == 3


def test_nothing_is_overwritten_unseen(workspace: Workspace) -> None:
    """Who saves is told of the one that is there, by whom it is and from when; also where it has changed since they
    looked.
    """
    calls = only(workspace)
    with pytest.raises(StoreError, match="Ann"):
        save_configuration(workspace, "For contracts", LARGE, BOB)
    save_configuration(workspace, "For contracts", LARGE, ANN, replacing=calls)
    with pytest.raises(StoreError, match="Ann"):
        save_configuration(workspace, "For contracts", Config(), BOB, replacing=calls)
    with pytest.raises(StoreError, match="Ann"):
        delete_configuration(workspace, calls)
    with pytest.raises(StoreError, match="Ann"):
        rename_configuration(workspace, calls, "Mine")
    assert only(workspace).config() == LARGE


def test_of_two_at_the_same_time_one_is_reported(workspace: Workspace) -> None:
    """Each through a workspace of its own."""
    calls, places = only(workspace), [Workspace.open(workspace.uri) for _ in range(2)]

    def save(place: int) -> bool:
        try:
            save_configuration(places[place], calls.name, (SMALL, LARGE)[place], (ANN, BOB)[place], replacing=calls)
        except StoreError:
            return False
        return True

    with ThreadPoolExecutor(2) as both:
        did = list(both.map(save, range(2)))
    assert sorted(did) == [False, True]
    assert only(workspace).author == (ANN, BOB)[did.index(True)]


def test_another_name_leaves_author_and_date(workspace: Workspace) -> None:
    """In one commit; a name that another one has is not taken."""
    calls, other = only(workspace), save_configuration(workspace, "Letters", LARGE, BOB)
    with pytest.raises(StoreError, match="Bob"):
        rename_configuration(workspace, calls, "Letters")
    with pytest.raises(ConfigError):
        rename_configuration(workspace, calls, "\u202e")
    before = workspace.configurations._tables.version("kept")
    moved = rename_configuration(workspace, calls, "Contracts")
    assert workspace.configurations._tables.version("kept") == before + 1
    assert (moved.yaml, moved.author, moved.saved) == (calls.yaml, ANN, calls.saved)
    assert {one.name for one in saved_configurations(workspace)} == {"Contracts", "Letters"}
    with pytest.raises(NotFoundError):
        rename_configuration(workspace, calls, "Again")
    delete_configuration(workspace, moved)
    delete_configuration(workspace, moved)
    assert only(workspace) == other


@pytest.mark.parametrize(
    "name", ["", "  \n", "w" * (MOST_CONFIGURATION_NAME + 1), "a\u202eb", "a\u200bb", "a\x07b", "a\ud800b", "a\0b"]
)
def test_a_name_that_cannot_be_used_is_refused_with_a_sentence(workspace: Workspace, name: str) -> None:
    """Empty, too long, invisible characters, marks that turn the direction."""
    with pytest.raises(ConfigError) as message:
        save_configuration(workspace, name, LARGE)
    assert str(message.value).endswith(".")
    assert only(workspace).name == "For contracts"


@pytest.mark.parametrize(
    "name", ["<b>x</b>", "[a](javascript:1)", "'; DROP TABLE kept; --", "../../etc", "中文 שלום 🙂"]
)
def test_any_text_can_be_a_name(workspace: Workspace, name: str) -> None:
    """Whatever they look like; letters that are written by several codes are one name."""
    assert save_configuration(workspace, name, LARGE).name == name
    assert saved_configuration(workspace, name).config() == LARGE
    assert configuration_name("Cafe\u0301") == configuration_name("Caf\u00e9")


def test_it_goes_along_in_copies_and_files(workspace: Workspace, tmp_path: Path) -> None:
    """A linked copy, a file; authors are forgotten where it is asked for."""
    copied = Workspace.open(linked_copy(workspace, tmp_path / "copy").folder)
    open_workspace_file(in_a_file(workspace, tmp_path), tmp_path / "opened")
    reopened = Workspace.open(tmp_path / "opened")
    assert only(copied) == only(reopened) == only(workspace)
    forget_authors(copied)
    assert (only(copied).author, only(copied).yaml, only(copied).saved) == (
        Author(),
        only(workspace).yaml,
        only(workspace).saved,
    )
    assert only(workspace).author == ANN


BROKEN = [
    "{}",
    '{"yaml": 1, "author": {"id": "", "name": ""}, "saved": "2026-01-01T00:00:00+00:00"}',
    '{"yaml": "", "author": {"id": "", "name": ""}, "saved": "yesterday"}',
    '{"yaml": "a: &a [*a]", "author": {"id": "", "name": ""}, "saved": "2026-01-01T00:00:00+00:00"}',
    '{"yaml": "", "author": {"id": "", "name": "' + "w" * 10_000 + '"}, "saved": "2026-01-01T00:00:00+00:00"}',
]


@pytest.mark.parametrize(("name", "text"), [*(("Mine", text) for text in BROKEN), ("a\u202eb", BROKEN[0])])
def test_a_file_with_a_forged_one_is_refused(workspace: Workspace, tmp_path: Path, name: str, text: str) -> None:
    """Whole, with a sentence."""
    workspace.configurations.put({name: text})
    file = in_a_file(workspace, tmp_path)
    with pytest.raises(WorkspaceFileError) as message:
        open_workspace_file(file, tmp_path / "opened")
    assert str(message.value).endswith(".")
