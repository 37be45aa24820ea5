"""Nothing that leaves tells where things lie on this machine, or which servers it asks."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path

import pytest

from chunking.config import Config
from chunking.export import EXPORTS, gather, scrubbed, shared_config, shared_run
from chunking.export.configuration import _PLACE
from chunking.store import Workspace
from tests.support.stored_runs import questions_about, run_of

FOLDER = "/srv/models/house-model"
SECRETS = ("/srv/models", "10.1.2.3", "secret.example", "sk-hidden")


@pytest.mark.parametrize(
    ("model", "shown"),
    [
        (FOLDER, "house-model"),
        ("C:\\Users\\me\\models\\mine", "mine"),
        ("~/models/mine/", "mine"),
        ("intfloat/multilingual-e5-small", "intfloat/multilingual-e5-small"),
        ("all-MiniLM-L6-v2", "all-MiniLM-L6-v2"),
        ("remote:text-embedding-3-small", "remote:text-embedding-3-small"),
    ],
)
def test_a_folder_becomes_its_name(model: str, shown: str) -> None:
    """Names of models stay."""
    config = Config.from_settings({"embedding.model": model, "search.rerank_model": model})
    shared = shared_config(config)
    assert (shared.embedding.model, shared.search.rerank_model) == (shown, shown)
    assert Config.from_yaml(shared.to_yaml()) == shared


@pytest.mark.parametrize(
    ("sentence", "left"),
    [
        ("The server at https://secret.example:8443/v1 did not answer.", "The server at [a server] did not answer."),
        ("Cannot reach 10.1.2.3:8080; try again.", "Cannot reach [a server]; try again."),
        ("'C:\\Users\\me\\x.bin' breaks.", f"'{_PLACE}' breaks."),
        (
            "handbook/a.md: GET /v1/readings/{id} is split; 1.5.2.1 is a version.",
            "handbook/a.md: GET /v1/readings/{id} is split; 1.5.2.1 is a version.",
        ),
        ("Size 200/400, 3/4 of them.", "Size 200/400, 3/4 of them."),
    ],
)
def test_sentences_are_scrubbed_and_stay_sentences(sentence: str, left: str) -> None:
    """Documents and routes of an interface are no folders of this machine."""
    assert scrubbed(sentence) == left


def test_what_is_known_to_be_a_folder_goes_too(tmp_path: Path) -> None:
    """Wherever it lies."""
    assert scrubbed(f"Nothing in {tmp_path}/w; import it.", [str(tmp_path)]) == f"Nothing in {_PLACE}; import it."


def test_no_export_tells_of_this_machine(measured: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every row of the table, with a model in a folder, runs whose notes name servers and folders, and endpoints with
    keys.
    """
    monkeypatch.setenv("CHUNKSCOPE_LLM_URL", "https://secret.example/v1")
    monkeypatch.setenv("CHUNKSCOPE_LLM_KEY", "sk-hidden")
    config = Config.from_settings({"embedding.model": FOLDER, "search.rerank_model": FOLDER})
    questions = questions_about([measured.document(row.doc_id) for row in measured.documents()], 40)
    run = run_of(
        questions, [1], key="c" * 16, label=f"model {FOLDER}", config=config, why=f"No vector: {FOLDER} is gone."
    )
    run = replace(run, notes=(f"https://secret.example/v1 failed; {measured.uri} was left.",))
    measured.runs.put(
        {
            run.key: run.to_json(),
            "d" * 16: replace(run, key="d" * 16, error="10.1.2.3:80 failed.", answered=()).to_json(),
        }
    )
    index = measured.index()
    index.row = replace(index.row, config=config)
    material = replace(gather(measured, run_keys=["c" * 16, "d" * 16]), index=index, config=config)
    for row in EXPORTS:
        if row.name == "cluster-job":  # splits with the model, which is not there (test_cluster_job.py)
            continue
        sink = io.BytesIO()
        row.write(material, sink)
        for secret in (*SECRETS, measured.uri, str(Path.home()), str(Path.cwd())):
            assert secret.encode() not in sink.getvalue(), (row.name, secret)


def test_a_run_keeps_its_numbers(measured: Workspace) -> None:
    """Only sentences and settings change."""
    (run, *_) = gather(measured).runs
    assert shared_run(run) == run
