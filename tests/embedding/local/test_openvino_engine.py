"""OpenVINO runs BERT models as sentence-transformers does, and says which it cannot run."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from chunking.config import EmbeddingConfig, Precision
from chunking.embedding.local import engine_table
from chunking.embedding.local.engine_table import ENGINES, ENVIRONMENT, engine_of
from chunking.embedding.local.local_embedder import LEAST_AGREEMENT, LocalEmbedder
from chunking.embedding.local.openvino_engine import OpenVinoTransformer, openvino_refusal
from chunking.embedding.local.torch_engine import TorchTransformer
from chunking.embedding.local.transformer import Transformer
from chunking.embedding.model_folder import ModelFolder, find_model
from chunking.errors import ConfigError, ModelError
from tests.support.facts import tells
from tests.support.tiny_model import edit_json, save_tiny_model

SAMPLES = Path(__file__).parents[3] / "sample_data"
OTHERS = (
    "",
    " \n",
    "?",
    "a",
    "😀 🎉👍🏽 done",
    "x" * 5000,
    "naïve Ⅷ ﬁ \u200b\ud800",
    "[SEP] and [MASK]",
    "the pump " * 400,
    "滤芯" * 300,
)
LEAST_COSINE = 0.9999


@pytest.fixture(scope="module")
def folder() -> ModelFolder:
    return find_model("all-MiniLM-L6-v2")


@pytest.fixture(scope="module")
def ours(folder: ModelFolder) -> Transformer:
    return OpenVinoTransformer(folder)


@pytest.fixture(scope="module")
def theirs(folder: ModelFolder) -> Transformer:
    return TorchTransformer(folder)


@pytest.fixture(scope="module")
def texts() -> list[str]:
    """English and Chinese lines of the samples, and what is awkward."""
    lines = [
        line for name in ("handbook/operations-handbook.md", "faq/*.md", "manual-zh/*.md") for line in _lines(name)
    ]
    return [*lines[:: max(len(lines) // 60, 1)], *OTHERS]


def _lines(pattern: str) -> list[str]:
    return [
        line
        for path in sorted(SAMPLES.glob(pattern))
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.strip()
    ]


def vectors(model: Transformer, texts: list[str], precision: Precision) -> np.ndarray:
    return model.encode(model.tokenize(texts)[0], precision=precision, batch_tokens=512)


@pytest.mark.model
def test_vectors_states_and_tokens_are_torchs(ours: Transformer, theirs: Transformer, texts: list[str]) -> None:
    """What differs is rounding: less in either precision than a cosine of 0.9999 allows, so that caches are shared."""
    assert len(texts) > 60
    assert ours.tokenize(texts) == theirs.tokenize(texts)
    exact = vectors(theirs, texts, Precision.FP32)
    for precision, least in ((Precision.FP32, 0.999999), (Precision.BF16, LEAST_COSINE)):
        result = vectors(ours, texts, precision)
        assert result.dtype == np.float32
        assert np.allclose(np.linalg.norm(result, axis=1), 1, atol=1e-5)
        assert (result * exact).sum(axis=1).min() >= least
    rows = ours.tokenize(texts[:6])[0]
    (mine, reference) = (
        dict(model.states(rows, precision=Precision.FP32, batch_tokens=64)) for model in (ours, theirs)
    )
    for number, row in enumerate(rows):
        assert mine[number].shape == (len(row), 384)
        assert np.allclose(mine[number], reference[number], atol=1e-4)


@pytest.mark.model
def test_eight_bits_change_vectors_little_and_do_not_see_their_neighbours(ours: Transformer, texts: list[str]) -> None:
    """Each token is rounded by its own numbers: a text alone has the vector that it has beside others."""
    exact, result = (vectors(ours, texts, precision) for precision in (Precision.FP32, Precision.INT8))
    cosines = (exact * result).sum(axis=1)
    assert np.median(cosines) >= 0.999
    assert cosines.min() >= 0.99
    alone = np.vstack([vectors(ours, [text], Precision.INT8) for text in texts[:8]])
    assert (alone * result[:8]).sum(axis=1).min() >= 0.9995


@pytest.mark.model
def test_what_late_vectors_ask_of_a_model_is_the_same(ours: Transformer, theirs: Transformer) -> None:
    """Special tokens, places of tokens, punctuation, what becomes of means."""
    means = np.random.default_rng(3).normal(size=(5, 384)).astype(np.float32)
    assert np.allclose(ours.head(means), theirs.head(means), atol=1e-6)
    assert ours.framing("query: ") == theirs.framing("query: ")
    assert (ours.punctuation == theirs.punctuation).all()
    for precision in (Precision.BF16, Precision.INT8):
        assert ours.agreement(precision) > LEAST_AGREEMENT[precision]


@pytest.mark.model
@pytest.mark.parametrize("pooling", ["cls", "mean"])
def test_another_bert_model_is_run_too(pooling: str, tmp_path: Path) -> None:
    """Of other sizes, with its prompts, pooled by the mean or by its first token."""
    path = save_tiny_model(tmp_path / "tiny", pooling=(pooling,), dense=False, prompts={"query": "query: "})
    model = find_model(str(path))
    assert openvino_refusal(model) == ""
    texts = ["the pump is red", "blue filter", "the " * 60, ""]
    result, exact = (
        vectors(engine(model), texts, Precision.FP32) for engine in (OpenVinoTransformer, TorchTransformer)
    )
    assert result.shape == (4, 32)
    assert np.allclose(result, exact, atol=1e-5)


@pytest.mark.parametrize(
    ("file", "changes", "fact"),
    [
        ("config.json", {"model_type": "mpnet"}, "mpnet"),
        ("config.json", {"hidden_act": "relu"}, "relu"),
        ("config.json", {"position_embedding_type": "relative_key"}, "relative_key"),
        ("config.json", {"is_decoder": True}, "decoder"),
        ("1_Pooling/config.json", {"pooling_mode_mean_tokens": False, "pooling_mode_max_tokens": True}, "max"),
        ("1_Pooling/config.json", {"include_prompt": False}, "prompt"),
        ("sentence_bert_config.json", {"do_lower_case": True}, "tokenizer"),
    ],
)
def test_models_that_it_cannot_run(
    file: str,
    changes: dict[str, object],
    fact: str,
    folder: ModelFolder,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each has its reason, in a sentence that says what to install."""
    copy = shutil.copytree(folder.path, tmp_path / "other", ignore=shutil.ignore_patterns("*.safetensors"))
    (copy / "model.safetensors").write_bytes(b"not read")
    edit_json(copy / file, **changes)
    other = find_model(str(copy))
    assert tells(openvino_refusal(other), fact)
    _only(monkeypatch, "openvino")
    with pytest.raises(ModelError) as raised:
        engine_of(other)
    assert tells(str(raised.value), f"other {fact} pip requirements.txt")


def _only(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """As if only these engines were installed."""
    monkeypatch.setattr(
        engine_table,
        "find_spec",
        lambda package: object() if any(package in ENGINES[name].packages for name in names) else None,
    )


def test_the_engine_is_what_is_installed_unless_it_is_named(
    folder: ModelFolder, monkeypatch: pytest.MonkeyPatch
) -> None:
    """OpenVINO is faster, so it is first; an operator may name another order, or one engine alone."""
    monkeypatch.delenv(ENVIRONMENT, raising=False)
    assert engine_of(folder).name == "openvino"
    monkeypatch.setenv(ENVIRONMENT, "Torch, openvino")
    assert engine_of(folder).name == "torch"
    assert engine_of(folder, "openvino").name == "openvino"
    with pytest.raises(ConfigError, match="'onnx'") as raised:
        engine_of(folder, "openvino,onnx")
    assert tells(str(raised.value), "CHUNKSCOPE_ENGINES torch openvino")
    monkeypatch.delenv(ENVIRONMENT)
    _only(monkeypatch, "openvino")
    assert engine_of(folder).name == "openvino"
    _only(monkeypatch)
    with pytest.raises(ModelError, match=r"all-MiniLM-L6-v2.*requirements\.txt"):
        engine_of(folder)


def test_a_model_that_the_named_engine_cannot_run_is_not_run_by_another(folder: ModelFolder, tmp_path: Path) -> None:
    """Who named an engine is told to name the second one."""
    copy = shutil.copytree(folder.path, tmp_path / "other", ignore=shutil.ignore_patterns("*.safetensors"))
    (copy / "pytorch_model.bin").write_bytes(b"not read")
    other = find_model(str(copy))
    with pytest.raises(ModelError) as raised:
        engine_of(other, "openvino")
    assert tells(str(raised.value), "openvino other model.safetensors torch CHUNKSCOPE_ENGINES")
    assert engine_of(other, "openvino,torch").name == "torch"


def test_keys_of_vectors_do_not_tell_engines_apart(folder: ModelFolder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Their vectors differ by less than those of two runs in one precision may."""
    keys = []
    for names in ("torch", "openvino"):
        monkeypatch.setenv(ENVIRONMENT, names)
        keys.append(LocalEmbedder(folder, EmbeddingConfig(precision=Precision.FP32)).cache_key("a pump"))
    assert keys[0] == keys[1]


def test_broken_weights_are_one_sentence(tmp_path: Path, folder: ModelFolder) -> None:
    """A file that lacks what the layers are made of."""
    copy = shutil.copytree(folder.path, tmp_path / "broken", ignore=shutil.ignore_patterns("*.safetensors"))
    header = json.dumps({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]}}).encode()
    (copy / "model.safetensors").write_bytes(len(header).to_bytes(8, "little") + header + bytes(4))
    with pytest.raises(ModelError, match="'broken'"):
        OpenVinoTransformer(find_model(str(copy)))
