"""Models at hand: where they are looked for, what is said of each, and what is left out."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from chunking.config import ENGLISH_MODEL
from chunking.embedding import model_list
from chunking.embedding.model_folder import find_model
from chunking.embedding.model_list import ENVIRONMENT, AvailableModel, available_models
from chunking.llm import endpoints

COMMIT = "0123456789abcdef0123456789abcdef01234567"


def model(path: Path, card: str = "") -> Path:
    """A folder with the small files of a model, and weights that nobody reads."""
    path.mkdir(parents=True)
    files = {"modules": [], "tokenizer": {}, "config": {"hidden_size": 32, "max_position_embeddings": 128}}
    for name, content in files.items():
        (path / f"{name}.json").write_text(json.dumps(content))
    (path / "model.safetensors").write_bytes(b"x" * 3_000_000)
    if card:
        (path / "README.md").write_text(f"---\nlanguage: {card}\n---\n")
    return path


@pytest.fixture
def empty_caches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """No folder is named, no endpoint or other package there, and the hub's cache is the one returned: empty."""
    for name in (ENVIRONMENT, "SENTENCE_TRANSFORMERS_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(model_list, "endpoint", lambda kind: None)
    monkeypatch.setattr(model_list, "e5_is_available", lambda: False)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path / "hub"))
    return tmp_path / "hub"


@pytest.mark.usefixtures("empty_caches")
def test_the_packaged_model_is_always_there() -> None:
    """With the facts that loading it would give."""
    (packaged,) = available_models()
    folder = find_model(ENGLISH_MODEL)
    assert (packaged.value, packaged.place, packaged.reads_chinese) == (ENGLISH_MODEL, "packaged", False)
    assert (packaged.dimension, packaged.max_tokens, packaged.languages) == (
        folder.dimension,
        folder.max_tokens,
        folder.languages,
    )
    assert packaged.size == (folder.path / "model.safetensors").stat().st_size


def test_caches_and_folders_are_looked_through(
    empty_caches: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Snapshots go by their published name, folders by path; other models are left out."""
    repository = empty_caches / "models--org--many" / "snapshots"
    model(repository / COMMIT, "[en, zh]")
    os.utime(model(repository / COMMIT[::-1]), (1, 1))
    mine = model(tmp_path / "mine" / "small")
    model(tmp_path / "mine" / "without weights").joinpath("model.safetensors").unlink()
    model(tmp_path / "mine" / "reranker").joinpath("modules.json").unlink()
    model(tmp_path / "mine" / "broken").joinpath("config.json").write_text("{")
    monkeypatch.setenv(ENVIRONMENT, os.pathsep.join([str(tmp_path / "mine"), str(tmp_path / "nowhere")]))
    _, many, small = available_models()
    assert many == AvailableModel("org/many", "org/many", "cache", 32, 128, ("en", "zh"), 3_000_000)
    assert small == AvailableModel(str(mine), "small", "folder", 32, 128, (), 3_000_000)
    assert (many.reads_chinese, small.reads_chinese) == (True, None)


@pytest.mark.usefixtures("empty_caches")
def test_the_model_of_the_endpoint_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where it names one; asked for nothing."""
    monkeypatch.setattr(model_list, "endpoint", endpoints.endpoint)
    monkeypatch.setenv("CHUNKSCOPE_EMBEDDING_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("CHUNKSCOPE_EMBEDDING_MODEL", "large")
    assert [(one.value, one.place) for one in available_models()][1] == ("remote:large", "endpoint")
