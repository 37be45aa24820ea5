"""What the operator's list names and is not there, `chunkscope doctor` tells its operator, with what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.config import DEFAULT_MODEL, Config
from chunking.deployment import operator_settings
from chunking.embedding.model_folder import find_model
from chunking.indexing import build_index
from chunking.parsing import parse
from chunking.store import Workspace
from hosting.health.allow_list_faults import allow_list_faults
from hosting.hosted_deployment import HostedDeployment
from tests.support.word_embedder import WordEmbedder


def faults(home: Path, mode: str = "team", **given: str) -> list[str]:
    """With some settings."""
    settings = {
        "CHUNKSCOPE_MODE": mode,
        "CHUNKSCOPE_HOME": str(home),
        **{f"CHUNKSCOPE_{name}": value for name, value in given.items()},
    }
    return list(allow_list_faults(HostedDeployment(operator_settings(settings))))


def test_an_empty_list_has_no_fault(tmp_path: Path) -> None:
    """Nor has any on a machine of one's own, which asks no list."""
    assert faults(tmp_path) == []
    assert faults(tmp_path, "local", ALLOW_MODELS=str(tmp_path / "none")) == []


@pytest.mark.parametrize(
    ("name", "value"), [("ALLOW_MODELS", "/none/such"), ("ALLOW_FOLDERS", "/none/such"), ("ALLOW_ENDPOINTS", "true")]
)
def test_a_missing_variable_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    """One sentence each, with the variable."""
    for kind in ("LLM", "EMBEDDING"):
        monkeypatch.delenv(f"CHUNKSCOPE_{kind}_URL", raising=False)
    (fault,) = faults(tmp_path, **{name: value})
    assert f"CHUNKSCOPE_{name}" in fault
    assert value == "true" or value in fault


def test_a_model_that_may_be_fetched_need_not_be_there(tmp_path: Path) -> None:
    """It will be."""
    assert faults(tmp_path, ALLOW_MODELS="org/none", ALLOW_DOWNLOADS="true") == []


def test_the_base_of_demos_needs_its_models_on_the_list(tmp_path: Path) -> None:
    """Else nobody can search it."""
    (tmp_path / "ours").symlink_to(find_model(DEFAULT_MODEL).path)
    base = Workspace.open(tmp_path / "base")
    with base.writer():
        base.put_documents([parse(b"# Pumps\n\nPumps move water.\n", "a.md")])
    with base.writer():
        build_index(base, Config(), embedder=WordEmbedder())
    assert faults(tmp_path, "demo", DEMO_BASE=str(tmp_path / "base")) == []
    with base.writer():
        build_index(
            base,
            Config.from_settings({"embedding.model": str(tmp_path / "ours")}),
            name="other",
            embedder=WordEmbedder(),
        )
    (fault,) = faults(tmp_path, "demo", DEMO_BASE=str(tmp_path / "base"))
    assert str(tmp_path / "ours") in fault
