"""The settings that a session begins with: those of a link, else those that the app was started with."""

from __future__ import annotations

from pathlib import Path

import pytest

from components.session.share import _begin_with

START = "chunk: {size: 64}\nenrich: {context_prompt: 'Say where this is: {chunk}'}\n"


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Settings that the app was started with; a home folder of its own."""
    monkeypatch.setenv("CHUNKSCOPE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CHUNKSCOPE_CONFIG", str(tmp_path / "own.yaml"))
    (tmp_path / "own.yaml").write_text(START, encoding="utf-8")
    return tmp_path / "own.yaml"


def test_an_address_without_settings_has_those_of_the_start(file: Path) -> None:
    """All of them."""
    config, faults = _begin_with({})
    assert (config.chunk.size, faults) == (64, [])
    assert config.enrich.context_prompt.startswith("Say where")


def test_a_link_has_its_own_but_for_what_no_link_carries(file: Path) -> None:
    """A reload of the page keeps both."""
    config, faults = _begin_with({"overlap": "8"})
    assert (config.chunk.size == 64, config.chunk.overlap_amount, faults) == (False, 8, [])
    assert config.enrich.context_prompt.startswith("Say where")


def test_a_file_that_has_gone_since_is_reported(file: Path) -> None:
    """The link is used all the same."""
    file.unlink()
    config, faults = _begin_with({"size": "300"})
    assert (config.chunk.size, len(faults)) == (300, 1)
    assert "own.yaml" in faults[0]
