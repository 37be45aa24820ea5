"""What the operator's list names and is not there, `chunkscope doctor` tells its operator, with what to do."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from chunking.config import ENGLISH_MODEL, Config
from chunking.deployment import operator_settings
from chunking.embedding.model_folder import find_model
from chunking.indexing import build_index
from chunking.parsing import parse
from chunking.store import Workspace
from hosting.health.checks import examine
from hosting.health.settings_faults import allow_list_faults, misspelt_variables
from hosting.hosted_deployment import HostedDeployment
from tests.support.word_embedder import WordEmbedder
from tests.support.wording import literals, product_sources


def faults(home: Path, mode: str = "team", **arguments: str) -> list[str]:
    """With some settings."""
    settings = {
        "CHUNKSCOPE_MODE": mode,
        "CHUNKSCOPE_HOME": str(home),
        **{f"CHUNKSCOPE_{name}": value for name, value in arguments.items()},
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
    (tmp_path / "ours").symlink_to(find_model(ENGLISH_MODEL).path)
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


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        ("OPERATOR", "OPERATORS"),
        ("SIGNIN", "SIGN_IN"),
        ("MODLE", "MODE"),
        ("LLM_API_KEY", "LLM_KEY"),
        ("EMBEDDINGS_URL", "EMBEDDING_URL"),
        ("ALLOWED_MODELS", "ALLOW_MODELS"),
        ("WORKSPACE_DIR", "WORKSPACE"),
    ],
)
def test_a_misspelt_variable_is_named_with_what_was_meant(arguments: str, meant: str) -> None:
    """Never its value, which can be a key."""
    (message,) = misspelt_variables(
        {f"CHUNKSCOPE_{arguments}": "sk-secret", "CHUNKSCOPE_MODE": "team", "OPERATORS": "x"}
    )
    assert re.findall(r"CHUNKSCOPE_\w+", message) == [f"CHUNKSCOPE_{arguments}", f"CHUNKSCOPE_{meant}"]
    assert "sk-secret" not in message


def test_what_a_cluster_sets_for_its_services_is_no_mistake() -> None:
    """Kubernetes does so for a service that is called chunkscope."""
    address = "PORT_80_TCP"
    names = ["PORT", "SERVICE_HOST", "SERVICE_PORT", "SERVICE_PORT_HTTP", address]
    names += [f"{address}_{part}" for part in ("ADDR", "PORT", "PROTO")]
    assert list(misspelt_variables({f"CHUNKSCOPE_{name}": "10.0.0.1" for name in names})) == []


def test_whatever_the_product_reads_is_known() -> None:
    """Each variable that stands in its sources."""
    named = {text for path in product_sources() for text, _ in literals(path.read_text(encoding="utf-8"))}
    read = {text: "x" for text in named if re.fullmatch(r"CHUNKSCOPE_[A-Z_]+[A-Z]", text)}
    assert {"CHUNKSCOPE_WORKSPACE", "CHUNKSCOPE_TRACEBACKS"} <= read.keys()
    assert list(misspelt_variables(read)) == []


def test_the_doctor_says_it(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """As a fault, which ends it with 1."""
    monkeypatch.setenv("CHUNKSCOPE_OPERATOR", "ann@example.com")
    monkeypatch.setenv("CHUNKSCOPE_HOME", str(tmp_path))
    result = [one for one in examine(HostedDeployment(operator_settings())) if "CHUNKSCOPE_OPERATOR;" in one.what]
    assert [one.well for one in result] == [False]
