"""Made documents: the same in every run, ten chunks each, none twice; their vectors lie in clusters."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.growth.clustered_vectors import ClusteredEmbedder
from benchmarks.growth.corpus import (
    CHUNKS_A_DOCUMENT,
    document_path,
    document_text,
    document_title,
    queries,
    sentences,
    write_documents,
)
from chunking import Config, chunk_document, parse
from chunking.splitting import split_document


def test_a_document_is_the_same_in_every_run() -> None:
    assert document_text(7) == document_text(7)
    assert len({document_text(number) for number in range(50)}) == 50


def test_sentences_are_those_of_the_samples() -> None:
    """Real words; only the titles and the numbers of records are made."""
    text = document_text(3)
    assert len(sentences()) > 300
    assert sum(text.count(one) for one in sentences()) >= 3 * CHUNKS_A_DOCUMENT


def test_a_document_has_ten_chunks_of_the_default_size() -> None:
    for number in range(4):
        document = parse(document_text(number).encode(), document_path(number))
        chunks = chunk_document(document, Config())
        assert len(chunks) == CHUNKS_A_DOCUMENT
        assert document.title == document_title(number)
    assert len(split_document(document, Config.from_settings({"granularities": "none"})).chunks) == CHUNKS_A_DOCUMENT


def test_another_version_differs_in_one_section() -> None:
    pairs = zip(document_text(9).split("\n## "), document_text(9, 1).split("\n## "), strict=True)
    assert sum(one != other for one, other in pairs) == 1


def test_documents_are_written_where_their_paths_say(tmp_path: Path) -> None:
    paths = write_documents(tmp_path, [1, 2001])
    assert [path.relative_to(tmp_path).as_posix() for path in paths] == [document_path(1), document_path(2001)]
    assert paths[1].read_text(encoding="utf-8") == document_text(2001)


def test_queries_are_four_words_each() -> None:
    assert queries(5) == queries(5)
    assert {len(query.split()) for query in queries(20)} == {4}


def test_vectors_are_unit_and_the_same_in_every_process() -> None:
    texts = [f"text {number}" for number in range(100)]
    vectors = ClusteredEmbedder(8).embed(texts)
    assert vectors.shape == (100, 384)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)
    assert np.array_equal(vectors, ClusteredEmbedder(8).embed(texts))


def test_vectors_lie_in_as_many_clusters_as_are_asked_for() -> None:
    """Two of one cluster have a cosine of 1 ÷ (1 + 0.9²), two of different ones of 0, give or take 0.2."""
    vectors = ClusteredEmbedder(4).embed([f"text {number}" for number in range(200)])
    alike = vectors @ vectors.T > 0.3
    assert len({tuple(row) for row in alike.tolist()}) == 4
    assert (vectors @ vectors.T)[alike].mean() == pytest.approx(1 / (1 + 0.9**2), abs=0.03)


def test_the_key_names_what_vectors_depend_on() -> None:
    """Another number of clusters gives other vectors, so a cache must not mix them up."""
    few, many = ClusteredEmbedder(4), ClusteredEmbedder(8)
    assert few.key != many.key
    assert few.cache_key("a") != many.cache_key("a")
    assert few.cache_key("a", "query") != few.cache_key("a", "passage")
