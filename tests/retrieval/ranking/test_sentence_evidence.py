"""Evidence of sentences: words by their rarity, similarity, and either alone."""

from __future__ import annotations

import numpy as np
import pytest

from chunking.retrieval.query.query_parts import understand
from chunking.retrieval.query.query_terms import query_words
from chunking.retrieval.ranking.sentence_evidence import (
    EvidenceBasis,
    LanguageText,
    basis_of,
    evidence,
    rarity,
    scaled_similarity,
    word_shares,
)


@pytest.mark.parametrize(
    ("query", "common", "rare", "neither"),
    [
        ("restore the backups", "A backup.", "Restoring it.", "Accounts."),
        ("怎么恢复备份", "备份在夜里。", "恢复的步骤。", "保修期两年。"),
        ("復元の手順", "手順です。", "復元できます。", "天気です。"),
    ],
)
def test_a_rare_word_says_more_than_a_common_one(query: str, common: str, rare: str, neither: str) -> None:
    """Rarity is counted among the candidates; a sentence with all words has share 1."""
    words = query_words(understand(query))
    weights = rarity(words, map(LanguageText, (common, common, common, rare, neither)))
    shares = word_shares(words, weights, map(LanguageText, (common, rare, neither, common + rare)))
    assert shares[2] == 0 < shares[0] < shares[1] < 1
    assert shares[3] == pytest.approx(1)


def test_either_half_counts_alone() -> None:
    """Without vectors words, without telling words similarity; a negative similarity is none."""
    half = np.array([0.5, 1], np.float32)
    assert evidence(half, None).tolist() == evidence(None, half).tolist() == [0.5, 1]
    assert evidence(half, np.array([-1, 0], np.float32)).tolist() == [0.25, 0.5]
    assert basis_of(words=True, vectors=True) is EvidenceBasis.BOTH
    assert basis_of(words=True, vectors=False) is EvidenceBasis.WORDS
    assert basis_of(words=False, vectors=True) is EvidenceBasis.SIMILARITY
    assert basis_of(words=False, vectors=False) is None


def test_similarity_is_scaled_from_the_lowest_candidate() -> None:
    """A model that gives unrelated texts 0.8 tells sentences apart as one that gives them 0."""
    wide, narrow = np.array([0.9, 0.5, 0.0, -0.2], np.float32), np.array([0.98, 0.9, 0.8, 0.7], np.float32)
    assert scaled_similarity(wide, 0.0) == pytest.approx([0.9, 0.5, 0, 0])
    assert scaled_similarity(narrow, 0.8) == pytest.approx([0.9, 0.5, 0, 0], abs=1e-5)
    assert scaled_similarity(narrow, np.array([0.8, 0.8, 0.8, 0.4])) == pytest.approx([0.9, 0.5, 0, 0.5], abs=1e-5)
    assert scaled_similarity(wide, -0.5) == pytest.approx([0.9, 0.5, 0, 0])
    assert np.isfinite(scaled_similarity(wide, 1.0)).all()
