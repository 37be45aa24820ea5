"""The server as `chunkscope app` starts it: which script, which options."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from streamlit import config

from chunking.paths import PROJECT
from components.server import launch


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    """Scripts and options that Streamlit was asked to run."""
    calls: list[tuple[str, dict[str, Any]]] = []
    monkeypatch.setattr(launch.main_run, "callback", lambda script, words, **options: calls.append((script, options)))
    return calls


def test_the_server_of_the_repository_is_started(started: list[tuple[str, dict[str, Any]]]) -> None:
    """With its own options, found beside it; every one that is given is one of Streamlit's."""
    launch.serve("127.0.0.1", 8600)
    ((script, options),) = started
    assert Path(script) == PROJECT / "serve.py"
    assert (options["server_address"], options["server_port"]) == ("127.0.0.1", 8600)
    assert {name.replace("_", ".") for name in options} <= config.get_config_options().keys()
    assert "secrets_files" not in options


def test_an_installed_program_has_its_secrets_where_its_data_are(
    started: list[tuple[str, dict[str, Any]]], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """And in the current folder, whose win; never among its files, which an update replaces."""
    monkeypatch.setattr(launch, "INSTALLED", True)
    monkeypatch.setattr(launch, "SECRETS", tmp_path / "data")
    monkeypatch.chdir(tmp_path)
    launch.serve("127.0.0.1", 8600)
    ((_, options),) = started
    assert options["secrets_files"][1:] == tuple(
        str(folder / ".streamlit/secrets.toml") for folder in (tmp_path / "data", tmp_path)
    )
    assert "secrets.files" in config.get_config_options()
