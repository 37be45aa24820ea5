"""What changes a fingerprint, and what does not."""

from __future__ import annotations

from dataclasses import replace

from chunking.config import Config
from chunking.parsing import parse
from chunking.store.index.build_record import chunk_fingerprint, index_fingerprint

DOCUMENT = parse(b"# A\n\nText.", "a.md", updated_at="2026-01-01T00:00:00+00:00")


def test_what_decides_the_chunks_counts() -> None:
    """Settings, model, text, blocks, title."""
    prints = {
        chunk_fingerprint(Config(), DOCUMENT),
        chunk_fingerprint(Config.from_settings({"size": 300}), DOCUMENT),
        chunk_fingerprint(Config.from_settings({"embedding.model": "another"}), DOCUMENT),
        chunk_fingerprint(Config(), parse(b"# A\n\nText!", "a.md")),
        chunk_fingerprint(Config(), replace(DOCUMENT, blocks=DOCUMENT.blocks[:1])),
        chunk_fingerprint(Config(), replace(DOCUMENT, title="Another")),
    }
    assert len(prints) == 6
    assert all(len(one) == 16 for one in prints)


def test_what_does_not_decide_them_does_not() -> None:
    """How it is searched, how fast it is embedded, when the file was saved."""
    same = Config.from_settings({"search.k": 9, "embedding.batch_tokens": 1024})
    assert chunk_fingerprint(same, DOCUMENT) == chunk_fingerprint(Config(), DOCUMENT)
    assert chunk_fingerprint(Config(), replace(DOCUMENT, updated_at="2027")) == chunk_fingerprint(Config(), DOCUMENT)


def test_the_vector_index_decides_no_row() -> None:
    """Rows of all its settings are alike, and trials of a sweep are not; the tokenizer's words stand in the rows."""
    names = {"vector_index": "ivf_pq", "vector_index_rows": 1000, "partitions": 9, "m": 8, "ef_construction": 40}
    others = [Config.from_settings({f"index.{name}": value}) for name, value in names.items()]
    assert {chunk_fingerprint(one, DOCUMENT) for one in others} == {chunk_fingerprint(Config(), DOCUMENT)}
    assert {one.rows_fingerprint() for one in others} == {Config().fingerprint()}
    assert len({one.fingerprint() for one in others}) == len(others)
    ngram = Config.from_settings({"index.tokenizer": "ngram"})
    assert chunk_fingerprint(ngram, DOCUMENT) != chunk_fingerprint(Config(), DOCUMENT)


def test_an_index_is_its_documents() -> None:
    """In any order."""
    assert index_fingerprint(["a", "b"]) == index_fingerprint(["b", "a"]) != index_fingerprint(["a"])
