"""`configurations`, and its names after `--config`."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.config import Config
from chunking.store import Author, Workspace, save_configuration
from tests.cli.command import Run, check

ONE = {"name": str, "author": str | None, "saved": str, "settings": dict}


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A workspace with a configuration of Ann's."""
    save_configuration(
        Workspace.open(tmp_path / "w"), "Contracts", Config.from_settings({"size": "90"}), Author("a" * 24, "Ann")
    )
    return tmp_path / "w"


def test_they_are_listed_saved_renamed_and_deleted(run: Run, place: Path, tmp_path: Path) -> None:
    """Each time those that are there then."""
    (tmp_path / "f.yaml").write_text("chunk: {size: 70}")
    (listed,) = run("configurations", "--workspace", place).row["configurations"]
    check(listed, ONE)
    assert (listed["name"], listed["author"], listed["settings"]) == ("Contracts", "Ann", {"size": "90"})
    saved = run(
        "configurations", "--workspace", place, "--save", "Mine", "--config", tmp_path / "f.yaml", "--set", "search.k=9"
    ).row
    assert (saved["configurations"][0]["author"], saved["configurations"][0]["settings"]) == (
        None,
        {"size": "70", "search.k": "9"},
    )
    moved = run("configurations", "--workspace", place, "--rename", "Mine", "Ours").row["configurations"]
    assert [one["name"] for one in moved] == ["Ours", "Contracts"]
    left = run("configurations", "--workspace", place, "--delete", "Ours").row["configurations"]
    assert left == [listed]


def test_nothing_is_replaced_unless_asked(run: Run, place: Path) -> None:
    """Who saved what is there is told."""
    words = ("configurations", "--workspace", place, "--save", "Contracts", "--set", "size=70")
    refused = run(*words)
    assert refused.code == 1
    assert "Ann" in refused.complaint
    (kept,) = run(*words, "--replace").row["configurations"]
    assert (kept["author"], kept["settings"]) == (None, {"size": "70"})


@pytest.mark.parametrize(
    ("words", "named"),
    [
        (("--save", "a", "--delete", "b"), "--delete"),
        (("--set", "size=9"), "--save"),
        (("--save", "a\u202eb"), "invisible"),
        (("--delete", "None such"), "Contracts"),
        (("--rename", "None such", "b"), "Contracts"),
        (("--save", "a", "--config", "no.yaml"), "no.yaml"),
    ],
)
def test_what_is_wrong_is_reported_in_a_sentence(run: Run, place: Path, words: tuple[str, ...], named: str) -> None:
    """And changes nothing."""
    refused = run("configurations", "--workspace", place, *words)
    assert refused.code in (1, 2)
    assert named in refused.complaint
    assert len(run("configurations", "--workspace", place).row["configurations"]) == 1


def test_a_saved_name_stands_for_its_settings(
    run: Run, place: Path, guide: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where there is no file of that name."""
    monkeypatch.chdir(tmp_path)
    assert run("index", guide, "--workspace", place, "--config", "Contracts", "--set", "overlap=0").code == 0
    assert Workspace.open(place).index().config.chunk.size == 90
    (tmp_path / "Contracts").write_text("chunk: {size: 70}")
    assert run("index", guide, "--workspace", place, "--config", "Contracts").code == 0
    assert Workspace.open(place).index().config.chunk.size == 70
