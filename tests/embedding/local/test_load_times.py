"""What is remembered of a machine: how long its models took to load."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.embedding.local.load_times import GUESSED_LOADING, expected_loading, record_loading


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine that has loaded nothing yet."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_the_last_time_is_expected_again() -> None:
    """Of each model on its own; before the first, a guess."""
    assert expected_loading("small") == GUESSED_LOADING
    record_loading("small", 21.0)
    record_loading("large", 40.0)
    record_loading("small", 18.004)
    assert (expected_loading("small"), expected_loading("large")) == (18.0, 40.0)


@pytest.mark.parametrize("text", ["", "[]", '{"small": "long"}', '{"small": -1}'])
def test_a_file_that_cannot_be_read_is_guessed_for(cache: Path, text: str) -> None:
    """It is only an estimate: nobody is told, and the next load replaces it."""
    record_loading("other", 3.0)
    (file,) = (path for path in cache.rglob("*") if path.is_file())
    file.write_text(text)
    assert expected_loading("small") == GUESSED_LOADING
    record_loading("small", 5.0)
    assert expected_loading("small") == 5.0


def test_a_folder_that_cannot_be_written_stops_nothing(cache: Path) -> None:
    """As in a container whose disk is read-only."""
    cache.write_text("a file in its place")
    record_loading("small", 5.0)
    assert expected_loading("small") == GUESSED_LOADING
