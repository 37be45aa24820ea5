"""The default model, as it is packaged, on real text."""

from __future__ import annotations

import gc
import random
import re
import socket
import weakref
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from chunking.config import EmbeddingConfig, Precision
from chunking.embedding import LocalEmbedder, load_embedder
from chunking.embedding.local.local_embedder import LEAST_AGREEMENT, _transformer
from chunking.embedding.local.torch_engine import TorchTransformer
from chunking.embedding.model_folder import find_model
from chunking.errors import Cancelled
from tests.support.facts import tells

HANDBOOK = Path(__file__).parents[3] / "sample_data" / "handbook" / "operations-handbook.md"


@pytest.fixture(scope="module")
def texts() -> list[str]:
    """40 pieces of the sample handbook, 20 to 900 characters."""
    text, chance, start, pieces = HANDBOOK.read_text(encoding="utf-8"), random.Random(3), 0, []
    while len(pieces) < 40:
        end = start + chance.choice([20, 150, 400, 900])
        pieces.append(text[start:end])
        start = end
    return pieces


@pytest.fixture(scope="module")
def exact() -> LocalEmbedder:
    return LocalEmbedder(find_model("all-MiniLM-L6-v2"), EmbeddingConfig(precision=Precision.FP32))


@pytest.fixture(scope="module")
def reference(texts: list[str]) -> np.ndarray:
    """What sentence-transformers makes of them, (40, 384) float32."""
    from sentence_transformers import SentenceTransformer

    folder = find_model("all-MiniLM-L6-v2")
    return SentenceTransformer(str(folder.path), device="cpu", local_files_only=True).encode(
        texts, normalize_embeddings=True
    )


@pytest.mark.model
@pytest.mark.parametrize("precision", list(Precision))
def test_vectors_are_sentence_transformers_own(texts: list[str], reference: np.ndarray, precision: Precision) -> None:
    """The reference is `SentenceTransformer.encode`: cosine 0.997 in int8, 0.999 in bf16, 0.999999 in fp32."""
    vectors = LocalEmbedder(find_model("all-MiniLM-L6-v2"), EmbeddingConfig(precision=precision)).embed(texts)
    cosines = (vectors * reference).sum(axis=1)
    assert vectors.dtype == np.float32
    assert vectors.shape == (40, 384)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    least = {Precision.FP32: 0.999999, Precision.INT8: 0.997}.get(precision, 0.999)
    assert cosines.min() >= least


@pytest.mark.model
def test_order_and_company_do_not_matter(texts: list[str]) -> None:
    """The same set in another order gives the same bits; alone or among others, the same but for rounding."""
    embedder = load_embedder()
    vectors, backwards = embedder.embed(texts), embedder.embed(texts[::-1])
    assert np.array_equal(vectors, backwards[::-1])
    alone = np.concatenate([embedder.embed([text]) for text in texts[:8]])
    assert (alone * vectors[:8]).sum(axis=1).min() > 0.9999


@pytest.mark.model
def test_repeats_are_encoded_once(exact: LocalEmbedder) -> None:
    """Duplicates inside a call cost nothing and get the same vector; progress still ends at the number of texts."""
    before, calls = exact.texts_encoded, []
    vectors = exact.embed(["a pump", "a valve", "a pump", "a pump"], on_progress=calls.append)
    assert exact.texts_encoded == before + 2
    assert np.array_equal(vectors[0], vectors[3])
    assert not np.array_equal(vectors[0], vectors[1])
    assert calls[-1] == 4


@pytest.mark.model
def test_long_texts_are_cut_at_the_limit_and_counted(exact: LocalEmbedder) -> None:
    """256 tokens with the two special ones: the 255th word is not read any more."""
    before = exact.truncated
    vectors = exact.embed([" ".join(["pump"] * 254), " ".join(["pump"] * 254 + ["valve"] * 90)])
    assert exact.truncated == before + 1
    assert np.allclose(vectors[0], vectors[1], atol=1e-6)


@pytest.mark.model
def test_awkward_texts_have_unit_vectors(exact: LocalEmbedder) -> None:
    """Empty, blank, a lone surrogate, NUL, one word of 5,000 letters, emoji."""
    vectors = exact.embed(["", " \n", "\ud800", "a\0b", "x" * 5000, "🦆" * 300])
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert exact.embed([]).shape == (0, 384)


@pytest.mark.model
def test_progress_can_stop_the_run(texts: list[str], exact: LocalEmbedder) -> None:
    """An error raised by `on_progress` comes out as it is."""

    def cancel(done: int) -> None:
        raise Cancelled(f"Stopped after {done}.")

    with pytest.raises(Cancelled, match="Stopped after"):
        exact.embed(texts, on_progress=cancel)


@pytest.mark.model
def test_threads_may_share_an_embedder(texts: list[str], exact: LocalEmbedder) -> None:
    """Several sessions of the app search at the same time."""
    before, alone = exact.texts_encoded, exact.embed(texts[:6])
    with ThreadPoolExecutor(6) as pool:
        rows = list(pool.map(lambda text: exact.embed([text])[0], texts[:6]))
    assert np.allclose(np.stack(rows), alone, atol=1e-5)
    assert exact.texts_encoded == before + 12


@pytest.mark.model
def test_loading_and_embedding_use_no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every connection and name look-up is refused here."""

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("something wanted the network")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    monkeypatch.setattr(socket, "getaddrinfo", refuse)
    transformer = TorchTransformer(find_model("all-MiniLM-L6-v2"))
    ids, cut = transformer.tokenize(["a pump"])
    assert (len(ids[0]), cut) == (4, 0)
    assert transformer.encode(ids, precision=Precision.FP32, batch_tokens=512).shape == (1, 384)


@pytest.mark.model
def test_auto_goes_back_to_fp32_where_bf16_differs(monkeypatch: pytest.MonkeyPatch) -> None:
    """The choice, its key and its sentence change together, before anything is embedded."""
    monkeypatch.setattr("chunking.embedding.local.local_embedder.has_bf16", lambda: True)
    monkeypatch.setattr("chunking.embedding.local.local_embedder.LEAST_AGREEMENT", {Precision.BF16: 1.5})
    embedder = LocalEmbedder(find_model("all-MiniLM-L6-v2"))
    assert (embedder.precision, embedder.loaded) == ("bf16", False)
    embedder.prepare()
    assert (embedder.precision, embedder.key.endswith("+fp32"), embedder.loaded) == ("fp32", True, True)
    assert tells(embedder.precision_note, "bf16 cosine")
    assert re.search(r"0\.99|1\.0000", embedder.precision_note)  # the same numbers on a processor without bf16


@pytest.mark.model
def test_bf16_agrees_with_fp32_on_the_default_model() -> None:
    """What `auto` relies on where the processor has bf16; emulated elsewhere, with the same rounding."""
    transformer = load_embedder(EmbeddingConfig(precision=Precision.FP32))._loaded()
    assert transformer.agreement(Precision.BF16) > LEAST_AGREEMENT[Precision.BF16]


def test_embedders_of_many_models_keep_two_in_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """Eight configurations may be kept, but not the weights of eight models."""
    alive: weakref.WeakSet[object] = weakref.WeakSet()

    class Weights:
        def __init__(self, folder: object) -> None:
            alive.add(self)

        def agreement(self, precision: Precision) -> float:
            return 1.0

    monkeypatch.setattr("chunking.embedding.local.local_embedder.open_transformer", Weights)
    folder = find_model("all-MiniLM-L6-v2")
    embedders = [LocalEmbedder(replace(folder, name=f"model {n}")) for n in range(5)]
    _transformer.cache_clear()
    for embedder in embedders:
        embedder.prepare()
    gc.collect()
    assert len(alive) == 2
    _transformer.cache_clear()


def test_embedders_are_kept_by_configuration() -> None:
    """One embedder a configuration and process, so that its model is loaded once."""
    assert load_embedder(EmbeddingConfig()) is load_embedder(EmbeddingConfig())
    assert load_embedder(EmbeddingConfig(batch_tokens=1024)) is not load_embedder(EmbeddingConfig())


def test_the_cache_key_holds_everything_that_decides_the_vector() -> None:
    """Text, prefix of the role, precision: change one and the key changes; the batch size is not among them."""
    folder = find_model("all-MiniLM-L6-v2")
    base = LocalEmbedder(folder, EmbeddingConfig(precision=Precision.FP32))
    others = [
        LocalEmbedder(folder, EmbeddingConfig(precision=Precision.BF16)).cache_key("a"),
        LocalEmbedder(folder, EmbeddingConfig(precision=Precision.FP32, passage_prefix="passage: ")).cache_key("a"),
        base.cache_key("a "),
        base.cache_key("A"),
    ]
    assert len({base.cache_key("a"), *others}) == 5
    assert base.cache_key("a", "query") == base.cache_key("a", "passage")
    assert LocalEmbedder(folder, EmbeddingConfig(precision=Precision.FP32, batch_tokens=64)).cache_key(
        "a"
    ) == base.cache_key("a")
