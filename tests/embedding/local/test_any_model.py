"""Any sentence-transformers model by name or folder, with the role prefixes it asks for."""

from __future__ import annotations

import shutil
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from chunking.config import EmbeddingConfig, Precision
from chunking.embedding import LocalEmbedder, Role, load_embedder
from chunking.embedding.model_folder import find_model
from chunking.errors import ModelError
from tests.support.tiny_model import DIMENSION, save_tiny_model

pytestmark = pytest.mark.model
PROMPTS = {"query": "query: ", "passage": "passage: "}
TEXTS = ["the pump is red", "blue filter", "the " * 60, ""]


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return save_tiny_model(tmp_path_factory.mktemp("models") / "tiny", prompts=PROMPTS)


def fp32(folder: Path, **settings: str) -> LocalEmbedder:
    return load_embedder(EmbeddingConfig(model=str(folder), precision=Precision.FP32, **settings))


def reference(folder: Path, texts: list[str], prompt: str) -> np.ndarray:
    from sentence_transformers import SentenceTransformer

    model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
    return np.asarray(model.encode(texts, prompt=prompt, normalize_embeddings=True))


@pytest.mark.parametrize("role", ["query", "passage"])
def test_a_folder_with_prompts(tiny: Path, role: Role) -> None:
    """Two poolings, a dense layer and the model's own role prefix: as sentence-transformers computes it."""
    vectors = fp32(tiny).embed(TEXTS, role=role)
    assert vectors.shape == (4, DIMENSION)
    assert np.allclose(vectors, reference(tiny, TEXTS, PROMPTS[role]), atol=1e-5)


def test_roles_differ_and_have_keys_of_their_own(tiny: Path) -> None:
    """A text that asks is not the same as one that is searched."""
    embedder = fp32(tiny)
    assert not np.allclose(embedder.embed(["red"], role="query"), embedder.embed(["red"], role="passage"), atol=1e-3)
    assert embedder.cache_key("red", "query") != embedder.cache_key("red", "passage")


def test_a_setting_overrides_the_models_prompt(tiny: Path) -> None:
    """An empty text is a setting too: no prefix."""
    embedder = fp32(tiny, query_prefix="", passage_prefix="the ")
    assert (embedder.prefix("query"), embedder.prefix("passage")) == ("", "the ")
    assert np.allclose(embedder.embed(["red"], role="passage"), reference(tiny, ["the red"], ""), atol=1e-5)


def test_a_prompt_that_is_not_pooled(tmp_path: Path) -> None:
    """Instructor-like models read the prompt but leave it out of the mean."""
    folder = save_tiny_model(tmp_path / "instructor", prompts=PROMPTS, include_prompt=False)
    assert np.allclose(fp32(folder).embed(TEXTS[:2], role="query"), reference(folder, TEXTS[:2], "query: "), atol=1e-5)


def test_padding_on_the_left(tmp_path: Path) -> None:
    """Decoder-like models pad before the text."""
    folder = save_tiny_model(tmp_path / "left", padding_side="left")
    assert np.allclose(fp32(folder).embed(TEXTS), reference(folder, TEXTS, ""), atol=1e-5)


def test_a_name_in_the_local_hugging_face_cache(tiny: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By the name it was published under, at the commit that was fetched; without network."""
    commit = "0123456789abcdef0123456789abcdef01234567"
    repository = tmp_path / "models--acme--tiny"
    shutil.copytree(tiny, repository / "snapshots" / commit)
    (repository / "refs").mkdir()
    (repository / "refs" / "main").write_text(commit)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub._snapshot_download.constants.HF_HUB_CACHE", str(tmp_path))
    folder = find_model("acme/tiny")
    assert (folder.name, folder.revision) == ("acme/tiny", commit)
    assert np.allclose(
        LocalEmbedder(folder, EmbeddingConfig(precision=Precision.FP32)).embed(TEXTS),
        fp32(tiny).embed(TEXTS),
        atol=1e-6,
    )


def test_broken_weights_are_one_sentence(tiny: Path, tmp_path: Path) -> None:
    """Not a stack of someone else's errors."""
    folder = shutil.copytree(tiny, tmp_path / "broken")
    (folder / "model.safetensors").write_bytes(b"not weights at all")
    with pytest.raises(ModelError, match="The model 'broken' cannot be loaded"):
        fp32(folder).embed(["red"])


def test_files_that_state_another_size_are_refused(tiny: Path) -> None:
    """Before a vector of the wrong size reaches the store."""
    folder = replace(find_model(str(tiny)), dimension=DIMENSION + 1)
    with pytest.raises(ModelError, match=r"\b16 numbers .*\b17\b"):
        LocalEmbedder(folder, EmbeddingConfig(precision=Precision.FP32)).embed(["red"])
