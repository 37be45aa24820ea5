"""Indexes whose vectors are the real model's; what else stands in them is tested without it (see
test_indexing_levels.py).
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from chunking.config import Config
from chunking.embedding import Encoding, LateEncoder, LocalEmbedder, load_embedder
from chunking.indexing import WorkspaceSnapshot, build_index, make_plan
from chunking.model import CHUNK, PARENT
from chunking.splitting import split_document
from chunking.store import Workspace
from tests.support.all_levels import EXACT, LATE, RULES, config, of_two_languages
from tests.support.tiny_model import save_tiny_model

pytestmark = pytest.mark.model

SNAPSHOT = Path(__file__).parents[2] / "sample_data" / "snapshot.npz"


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    return of_two_languages(tmp_path / "workspace", share=0.5)


@pytest.fixture
def embedder() -> LocalEmbedder:
    embedder = load_embedder(Config.from_settings(EXACT).embedding)
    assert isinstance(embedder, LocalEmbedder)
    return embedder


def test_what_is_searched_has_a_vector_and_parents_have_none(workspace: Workspace) -> None:
    """Unit vectors on every level but parents, which are returned only."""
    build_index(workspace, config(RULES))
    index = workspace.index()
    for level in index.levels:
        vectors = index.vectors_of(level).vectors
        if level == PARENT:
            assert not np.any(vectors)
        else:
            assert np.allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-3)
            assert len(vectors) == index.levels[level]
    result = index.vector_search(index.vectors_of("x4").vectors[0], 3, levels=("x4",))
    assert result[0].chunk.level == "x4"


def test_late_vectors_are_those_of_the_encoder(workspace: Workspace, embedder: LocalEmbedder) -> None:
    """And others than those of the chunks by themselves."""
    settings = config(LATE, granularities="")
    build_index(workspace, settings)
    ids, doc_ids, vectors = workspace.index().vectors_of(CHUNK)
    document = workspace.document("english")
    chunks = workspace.index().chunks_of("english")
    own = vectors[[row for row, doc_id in enumerate(doc_ids) if doc_id == "english"]]
    assert [name for name, doc_id in zip(ids, doc_ids, strict=True) if doc_id == "english"] == [
        chunk.chunk_id for chunk in chunks
    ]
    assert np.allclose(own, LateEncoder(embedder, 128).vectors(document, chunks), atol=1e-3)
    alone = embedder.embed([chunk.embedding_content for chunk in chunks])
    assert np.mean(np.sum(own * alone, axis=1)) < 0.99


def test_late_mode_of_a_model_that_pools_otherwise_is_said_before_the_run(workspace: Workspace, tmp_path: Path) -> None:
    """Its vectors are others than the model was trained for; by itself it pools as it wants."""
    settings = {"embedding.model": str(save_tiny_model(tmp_path / "tiny")), "size": "24", "granularities": "none"}
    assert any(
        "pools by cls+mean" in warning
        for warning in make_plan(workspace, config(settings | {"embedding.mode": "late"})).warnings
    )
    assert not any("pools by" in warning for warning in make_plan(workspace, config(settings)).warnings)


def test_the_samples_snapshot_holds_what_the_model_makes() -> None:
    """Of the shortest document and some passages, to within what a precision and 8 bits change."""
    snapshot, embedder = WorkspaceSnapshot.read(SNAPSHOT), load_embedder()
    assert isinstance(embedder, LocalEmbedder)
    short = min(snapshot.documents, key=lambda one: len(one.text))
    encoder = LateEncoder(embedder, Config().embedding.late_window)
    kept = snapshot.encodings.encodings(snapshot.documents, encoder)[encoder.encoding_key(short)]
    one, other = Encoding.from_bytes(kept).means.astype(np.float32), encoder.encode(short).means.astype(np.float32)
    cosines = (one * other).sum(axis=1) / np.linalg.norm(one, axis=1) / np.linalg.norm(other, axis=1)
    assert cosines.min() > 0.999
    reference = snapshot.passages.keyed(embedder)
    texts = [chunk.embedding_content for chunk in split_document(short, Config()).chunks]
    texts = [text for text in texts if embedder.cache_key(text) in reference][:8]
    assert len(texts) >= 4
    assert (embedder.embed(texts) * np.stack([reference[embedder.cache_key(text)] for text in texts])).sum(
        axis=1
    ).min() > 0.999
