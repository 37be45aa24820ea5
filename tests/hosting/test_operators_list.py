"""The list of what may be named, as an operator sets it: the deployment and its workers have it."""

from __future__ import annotations

import io
import json
import os
from pathlib import Path

import pytest

from chunking import worker
from chunking.deployment import Person, open_deployment, operator_settings
from chunking.errors import ConfigError
from chunking.store import Workspace
from hosting.hosted_deployment import HostedDeployment


@pytest.mark.parametrize(
    ("given", "made"),
    [("", {"ocr", "unstructured"}), ("none", set()), ("unstructured", {"unstructured"}), ("ocr,none", {"ocr"})],
)
def test_the_operator_names_engines(tmp_path: Path, given: str, made: set[str]) -> None:
    """Both where nothing is said; one that there is not is told at the start."""
    shared = {"CHUNKSCOPE_HOME": str(tmp_path), "CHUNKSCOPE_MODE": "demo"}
    assert HostedDeployment(operator_settings({**shared, "CHUNKSCOPE_ALLOW_ENGINES": given})).allowed.engines == made
    with pytest.raises(ConfigError) as error:
        operator_settings({**shared, "CHUNKSCOPE_ALLOW_ENGINES": "tesseract"})
    assert error.value.where == "CHUNKSCOPE_ALLOW_ENGINES"
    assert "ocr" in str(error.value)


def test_the_worker_of_a_job_has_the_servers_list(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A job that was queued with another list, or written into the record by hand."""
    monkeypatch.setenv("CHUNKSCOPE_MODE", "team")
    monkeypatch.setenv("CHUNKSCOPE_HOME", str(tmp_path))
    here = HostedDeployment(operator_settings())
    here.people.record_visit(Person("a"))
    id = here.workspaces.create("Ours", "a")
    Workspace.open(here.workspaces.place(id))
    task = {"workspace": str(here.workspaces.place(id)), "person": "a", "config": {"embedding.model": "/etc/passwd"}}
    told = io.StringIO()
    assert worker.main(io.StringIO(json.dumps(task) + "\n"), told) == worker.EXIT_CODES["failed"]
    assert json.loads(told.getvalue().splitlines()[-1])["kind"] == "ModelError"


def test_the_operators_list_does_not_collide_with_what_it_lists(tmp_path: Path) -> None:
    """`CHUNKSCOPE_SPLITTERS` and `CHUNKSCOPE_MODELS` say where splitters and models are, in every mode."""
    given = {"CHUNKSCOPE_HOME": str(tmp_path), "CHUNKSCOPE_SPLITTERS": "mine=a.b:c", "CHUNKSCOPE_MODELS": os.sep}
    shared = {
        **given,
        "CHUNKSCOPE_MODE": "team",
        "CHUNKSCOPE_ALLOW_MODELS": "small, remote:large",
        "CHUNKSCOPE_ALLOW_SPLITTERS": "true",
    }
    assert open_deployment(operator_settings(given)).allowed.everything
    made = HostedDeployment(operator_settings(shared)).allowed
    assert (made.everything, made.models, made.splitters, made.endpoints) == (
        False,
        {"small", "remote:large"},
        True,
        False,
    )
