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
    ("arguments", "created"),
    [("", {"ocr", "unstructured"}), ("none", set()), ("unstructured", {"unstructured"}), ("ocr,none", {"ocr"})],
)
def test_the_operator_names_engines(tmp_path: Path, arguments: str, created: set[str]) -> None:
    """Both where nothing is said; one that there is not is told at the start."""
    shared = {"CHUNKSCOPE_HOME": str(tmp_path), "CHUNKSCOPE_MODE": "demo"}
    assert (
        HostedDeployment(operator_settings({**shared, "CHUNKSCOPE_ALLOW_ENGINES": arguments})).allowed.engines
        == created
    )
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
    message = io.StringIO()
    assert worker.main(io.StringIO(json.dumps(task) + "\n"), message) == worker.EXIT_CODES["failed"]
    assert json.loads(message.getvalue().splitlines()[-1])["kind"] == "ModelError"


def test_the_operators_list_does_not_collide_with_what_it_lists(tmp_path: Path) -> None:
    """`CHUNKSCOPE_SPLITTERS` and `CHUNKSCOPE_MODELS` say where splitters and models are, in every mode."""
    arguments = {"CHUNKSCOPE_HOME": str(tmp_path), "CHUNKSCOPE_SPLITTERS": "mine=a.b:c", "CHUNKSCOPE_MODELS": os.sep}
    shared = {
        **arguments,
        "CHUNKSCOPE_MODE": "team",
        "CHUNKSCOPE_ALLOW_MODELS": "small, remote:large",
        "CHUNKSCOPE_ALLOW_SPLITTERS": "true",
    }
    assert open_deployment(operator_settings(arguments)).allowed.everything
    created = HostedDeployment(operator_settings(shared)).allowed
    assert (created.everything, created.models, created.splitters, created.endpoints) == (
        False,
        {"small", "remote:large"},
        True,
        False,
    )
