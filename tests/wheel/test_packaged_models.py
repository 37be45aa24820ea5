"""The models in the wheel, where neither of their packages is installed."""

from __future__ import annotations

import json

import pytest

from chunking.config import MULTILINGUAL_MODEL
from tests.support.packaged_e5 import needs_e5
from tests.wheel.building import Venv

pytestmark = [pytest.mark.model, needs_e5]


@pytest.mark.parametrize("model", ["all-MiniLM-L6-v2", MULTILINGUAL_MODEL])
def test_an_index_is_built_and_searched_with_each(venv: Venv, model: str) -> None:
    """By the installed command; the multilingual one is unpacked into the user's cache."""
    (venv.home / "docs").mkdir(exist_ok=True)
    (venv.home / "docs" / "pump.md").write_text("# Pump\n\nThe pump is primed with glycol.\n", encoding="utf-8")
    workspace = ("--workspace", model)
    built = venv.run("index", "docs", *workspace, "--set", f"embedding.model={model}")
    assert built.returncode == 0, built.stderr
    hits = venv.run("search", "What is the pump primed with?", *workspace, "--mode", "vector", "--json")
    assert hits.returncode == 0, hits.stderr
    assert "glycol" in json.dumps(json.loads(hits.stdout))
