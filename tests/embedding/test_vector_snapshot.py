"""The vectors that come with the samples: complete for the default settings, and used with the model that made them only."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from chunking.config import Config, EmbeddingConfig
from chunking.embedding import LocalEmbedder, VectorSnapshot, load_embedder
from chunking.indexing import add_files, build_index
from chunking.store import Workspace
from tests.support.stand_in_model import stand_in_model

SAMPLES = Path(__file__).parents[2] / "sample_data"
SNAPSHOT = SAMPLES / "vectors.npz"


def embedder_of(config: EmbeddingConfig) -> LocalEmbedder:
    made = load_embedder(config)
    assert isinstance(made, LocalEmbedder)
    return made


def test_an_index_of_the_samples_needs_no_model(tmp_path: Path) -> None:
    """With the default settings, it equals an index that was built from the beginning. Else run `make samples`."""
    with stand_in_model():
        fresh, filled = Workspace.open(tmp_path / "fresh"), Workspace.open(tmp_path / "filled", create=True)
        for workspace in (fresh, filled):
            add_files(workspace, [SAMPLES])
        embedder = embedder_of(Config().embedding)
        assert VectorSnapshot.read(SNAPSHOT).put_into(filled.vectors, embedder)
        made = build_index(fresh, Config())
        encoded = embedder.texts_encoded
        taken = build_index(filled, Config())
        assert (taken.embedded, embedder.texts_encoded) == (0, encoded), "run make samples"
        assert (taken.fingerprint, taken.chunks, taken.levels) == (made.fingerprint, made.chunks, made.levels)


class _Memory(dict[str, np.ndarray]):
    """A cache in memory."""

    def put(self, rows: dict[str, np.ndarray]) -> None:
        self.update(rows)


@pytest.mark.parametrize("precision", ["fp32", "bf16"])
def test_what_was_written_is_found_again_in_either_precision(precision: str, tmp_path: Path) -> None:
    """To 16 bits, of unit length, and the same vectors make the same file."""
    made = np.random.default_rng(1).normal(size=(2, 384)).astype(np.float32)
    made /= np.linalg.norm(made, axis=1, keepdims=True)
    embedder, other = (embedder_of(EmbeddingConfig(precision=name)) for name in ("fp32", precision))
    vectors = dict(zip(("one", "zwei \ud83d"), made, strict=True))
    files = [tmp_path / "one.npz", tmp_path / "two.npz"]
    for path, order in zip(files, (vectors, dict(reversed(vectors.items()))), strict=True):
        VectorSnapshot.of(order, embedder).write(path)
    assert files[0].read_bytes() == files[1].read_bytes()
    cache = _Memory()
    assert VectorSnapshot.read(files[0]).put_into(cache, other)
    for text, vector in vectors.items():
        found = cache[other.cache_key(text)]
        assert found @ vector > 0.999999
        assert np.linalg.norm(found) == pytest.approx(1, abs=1e-6)


def test_another_models_vectors_are_not_used() -> None:
    """Nor where something is put before the passages."""
    kept, cache = VectorSnapshot.read(SNAPSHOT), _Memory()
    assert not replace(kept, model="another@1").put_into(cache, embedder_of(EmbeddingConfig()))
    assert not kept.put_into(cache, embedder_of(EmbeddingConfig(passage_prefix="passage: ")))
    assert not cache


def test_the_file_is_small_and_names_no_machine() -> None:
    """Digests, vectors and the model's name and revision, no path."""
    kept = VectorSnapshot.read(SNAPSHOT)
    assert SNAPSHOT.stat().st_size < 600_000
    assert kept.model.startswith("all-MiniLM-L6-v2@")
    assert "/" not in kept.model
    assert len(kept.digests) == len(kept.vectors) == len({digest.tobytes() for digest in kept.digests})


@pytest.mark.model
def test_the_vectors_are_those_of_the_model() -> None:
    """Of the shortest passages of a sample, to within what a precision changes."""
    embedder, cache = embedder_of(EmbeddingConfig()), _Memory()
    VectorSnapshot.read(SNAPSHOT).put_into(cache, embedder)
    from chunking.parsing import parse_file
    from chunking.splitting import split_document

    chunks = split_document(parse_file(SAMPLES / "faq" / "faq.txt", root=SAMPLES), Config()).chunks
    texts = sorted((chunk.embedding_content for chunk in chunks), key=len)[:8]
    texts = [text for text in texts if embedder.cache_key(text) in cache]
    assert len(texts) >= 4
    agree = (embedder.embed(texts) * np.stack([cache[embedder.cache_key(text)] for text in texts])).sum(axis=1)
    assert agree.min() > 0.999
