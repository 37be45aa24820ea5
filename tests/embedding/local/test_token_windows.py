"""Texts over the model's limit: nothing is cut off, and windows are cached like any text."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from chunking.config import EmbeddingConfig, Precision
from chunking.embedding import CachedEmbedder, LocalEmbedder, embed_chunks, window_texts
from chunking.embedding.model_folder import find_model
from tests.embedding.counting import CountingEmbedder, MemoryCache

SAMPLES = Path(__file__).parents[3] / "sample_data"


@pytest.fixture(scope="module")
def exact() -> LocalEmbedder:
    return LocalEmbedder(find_model("all-MiniLM-L6-v2"), EmbeddingConfig(precision=Precision.FP32))


@pytest.fixture(scope="module")
def texts() -> list[str]:
    """English, Chinese, code without spaces, one endless word; each far over the limit."""
    english = (SAMPLES / "handbook/operations-handbook.md").read_text(encoding="utf-8")[:4000]
    chinese = (SAMPLES / "manual-zh/产品使用手册.md").read_text(encoding="utf-8")[:900]
    return [english, chinese, "a=b;c(d)," * 200, "x" * 3000 + " " + "pump " * 600]


@pytest.mark.model
def test_windows_are_the_whole_text_and_fit_the_model(exact: LocalEmbedder, texts: list[str]) -> None:
    """Joined they are the text; none is cut off by the model, and none is a scrap."""
    before = exact.truncated
    for text, windows in zip(texts, window_texts(exact, texts), strict=True):
        assert "".join(windows) == text
        assert len(windows) > 1
        counts = [len(exact.pieces(window)) for window in windows]
        assert max(counts) <= 254
        assert len(windows) <= -(-sum(counts) // 254) + 2
        exact.embed(windows)
    assert exact.truncated == before


@pytest.mark.model
def test_windows_end_with_a_sentence(exact: LocalEmbedder) -> None:
    """A sentence in two halves says less."""
    text = "The pump of the second line has to be switched off by hand before its filter is changed. " * 40
    windows = window_texts(exact, [text])[0]
    assert all(window.rstrip().endswith(".") for window in windows)


@pytest.mark.model
def test_a_text_that_fits_is_embedded_as_ever(exact: LocalEmbedder, texts: list[str]) -> None:
    """The same vector, no flag; also at exactly the limit."""
    short = ["a pump", "", " ".join(["pump"] * 254), " ".join(["pump"] * 255)]
    result = embed_chunks(exact, short)
    assert result.windowed.tolist() == [False, False, False, True]
    assert np.allclose(result.vectors[:3], exact.embed(short[:3]), atol=1e-6)


@pytest.mark.model
def test_the_end_of_a_long_text_counts(exact: LocalEmbedder) -> None:
    """Ordinary embedding reads the beginning only."""
    filler = "The pump is switched off before the filter is changed. " * 60
    text = filler + "Apples and pears are sold on the market. " * 60
    expected = exact.embed(["apples on the market"])[0]
    result = embed_chunks(exact, [text, filler])
    assert result.windowed.tolist() == [True, True]
    assert np.allclose(np.linalg.norm(result.vectors, axis=1), 1.0, atol=1e-5)
    assert result.vectors[0] @ expected > exact.embed([text])[0] @ expected + 0.2


@pytest.mark.model
def test_windows_are_embedded_once(exact: LocalEmbedder, texts: list[str]) -> None:
    """Law 7 holds for them too, through the cache; a plan can ask for what is missing."""
    cached = CachedEmbedder(exact, MemoryCache())
    flat = [window for windows in window_texts(cached, texts) for window in windows]
    assert len(cached.missing(flat)) == len(set(flat))
    first = embed_chunks(cached, texts).vectors
    before = exact.texts_encoded
    assert np.array_equal(embed_chunks(cached, texts).vectors, first)
    assert (exact.texts_encoded, cached.missing(flat)) == (before, [])


def test_a_model_elsewhere_is_given_parts_by_their_tokens() -> None:
    """Where no tokenizer is at hand the number of tokens decides, with room for error; parts end with a word."""
    model = CountingEmbedder()  # reads 256 tokens
    texts = ["short", "word " * 500]
    windows = window_texts(model, texts, [1, 500])
    assert [len(some) for some in windows] == [1, 3]
    assert "".join(windows[1]) == texts[1]
    assert all(part.endswith(" ") for part in windows[1])
    result = embed_chunks(model, texts, [1, 500])
    assert result.windowed.tolist() == [False, True]
    each = model.embed(windows[1])
    mean = np.array([len(part) for part in windows[1]]) @ each
    assert np.allclose(result.vectors[1], mean / np.linalg.norm(mean), atol=1e-6)


def test_nothing_to_embed_and_progress() -> None:
    """No texts, no call; progress ends with the number of texts, not of windows."""
    model, calls = CountingEmbedder(), list[int]()
    assert embed_chunks(model, ["a", "word " * 500], [1, 500], on_progress=calls.append).vectors.shape == (2, 8)
    assert calls == sorted(calls)
    assert calls[-1] == 2
