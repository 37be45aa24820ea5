"""Misspelt variables: named by the doctor where something like them is read, and the list of what is read is whole."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from chunking.deployment import operator_settings
from hosting.health.checks import examine
from hosting.health.settings_faults import misspelt_variables
from hosting.hosted_deployment import HostedDeployment
from tests.support.wording import literals, product_sources


@pytest.mark.parametrize(
    ("given", "meant"),
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
def test_a_misspelt_variable_is_named_with_what_was_meant(given: str, meant: str) -> None:
    """Never its value, which can be a key."""
    (told,) = misspelt_variables({f"CHUNKSCOPE_{given}": "sk-secret", "CHUNKSCOPE_MODE": "team", "OPERATORS": "x"})
    assert re.findall(r"CHUNKSCOPE_\w+", told) == [f"CHUNKSCOPE_{given}", f"CHUNKSCOPE_{meant}"]
    assert "sk-secret" not in told


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
    found = [one for one in examine(HostedDeployment(operator_settings())) if "CHUNKSCOPE_OPERATOR;" in one.what]
    assert [one.well for one in found] == [False]
