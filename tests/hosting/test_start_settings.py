"""The settings that a session of a shared server begins with."""

from __future__ import annotations

from pathlib import Path

import pytest

from components.session.share import _begin_with


def test_a_server_that_others_use_begins_with_the_defaults(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The operator's own environment is not for visitors."""
    file = tmp_path / "own.yaml"
    file.write_text("chunk: {size: 64}\n", encoding="utf-8")
    monkeypatch.setenv("CHUNKSCOPE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("CHUNKSCOPE_CONFIG", str(file))
    monkeypatch.setenv("CHUNKSCOPE_MODE", "demo")
    config, faults = _begin_with({})
    assert (config.changed(), faults) == ({}, [])
