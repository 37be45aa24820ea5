"""The sign that the documents probably do not hold what was asked: when it is given, what it says, and that it changes
nothing.
"""

from __future__ import annotations

from dataclasses import replace

import pytest

from chunking.config import ENGLISH_MODEL, MULTILINGUAL_MODEL, SearchConfig
from chunking.retrieval import explained, search, to_tool_json
from chunking.retrieval.answers.absence import BY_SIMILARITY, BY_WORDS, Absence, Calibration
from chunking.store import Workspace
from tests.support.word_embedder import WordEmbedder

ANSWERED = "Where is the nightly hour of backups set?"
ELSEWHERE = "Which volcano erupted in Iceland, and how many tourists watched?"


def test_a_question_on_another_subject_gets_the_sign(shelf: Workspace, embedder: WordEmbedder) -> None:
    """With the words that no hit holds; the hits are those of the search, and agents get it in front of them."""
    result = search(shelf, ELSEWHERE, SearchConfig(k=3), embedder=embedder)
    assert result.absence is not None
    assert result.absence.probable
    assert {"volcano", "Iceland", "tourists"} <= set(result.absence.missing)
    assert "“volcano”" in result.absence.evidence
    assert len(result.results) == 3
    output = to_tool_json(result)
    assert list(output) == ["query", "mode", "fingerprint", "probably_absent", "results", "documents"]
    assert output["probably_absent"]["evidence"] == result.absence.evidence
    assert explained(result)["absence"]["calibration"] == "words"


def test_a_question_with_an_answer_gets_none(shelf: Workspace, embedder: WordEmbedder) -> None:
    """Though it is judged, which an explained search shows."""
    result = search(shelf, ANSWERED, SearchConfig(k=3), embedder=embedder)
    assert result.absence is not None
    assert not result.absence.probable
    assert "probably_absent" not in to_tool_json(result)
    assert explained(result)["absence"]["probable"] is False


def test_chinese_is_judged_by_its_words(shelf: Workspace) -> None:
    """Of a question in Chinese, in full-text search."""
    result = search(shelf, "怎样申请日本旅游签证需要哪些材料？滤芯", SearchConfig(mode="text"))
    assert result.absence is not None
    assert {"签证", "日本"} <= set(result.absence.missing)


def test_a_question_in_another_script_is_not_judged(shelf: Workspace, embedder: WordEmbedder) -> None:
    """No hit could have its words, whatever it says."""
    chinese = "备份在晚上几点进行？怎样恢复数据？"
    assert search(shelf, chinese, SearchConfig(mode="vector"), embedder=embedder).absence is None


@pytest.mark.parametrize("query", ["volcano", "volcano Iceland", "how is it?", "->"])
def test_of_too_few_words_nothing_is_reported(shelf: Workspace, embedder: WordEmbedder, query: str) -> None:
    """It was calibrated on questions."""
    assert search(shelf, query, embedder=embedder).absence is None


def test_another_models_similarities_have_no_say(shelf: Workspace, embedder: WordEmbedder) -> None:
    """They were calibrated for the default model only, and the hover says so."""
    result = search(shelf, ELSEWHERE, embedder=embedder).absence
    assert result is not None
    assert (result.similarity, result.calibration) == (None, BY_WORDS)
    assert "only the words" in result.reliability
    assert "similarity" not in result.evidence
    neighbours = replace(result, similarity=0.21, calibration=BY_SIMILARITY[ENGLISH_MODEL])
    assert "0.21" in neighbours.evidence
    assert "only the words" not in neighbours.reliability


@pytest.mark.parametrize(
    ("calibration", "similarity", "coverage", "values"),
    [
        (BY_SIMILARITY[ENGLISH_MODEL], 0.70, 0.70, False),  # medians of answerable questions, and on another subject
        (BY_SIMILARITY[ENGLISH_MODEL], 0.17, 0.13, True),
        (BY_SIMILARITY[MULTILINGUAL_MODEL], 0.88, 0.70, False),
        (BY_SIMILARITY[MULTILINGUAL_MODEL], 0.81, 0.13, True),
        (BY_WORDS, 0.0, 0.70, False),
        (BY_WORDS, 0.0, 0.05, True),
    ],
)
def test_the_measured_medians_are_on_their_sides(
    calibration: Calibration, similarity: float, coverage: float, values: bool
) -> None:
    """More words and a nearer vector always speak for an answer."""
    sign = Absence(calibration.probability(similarity, coverage), calibration, (), coverage, similarity)
    assert sign.probable is values
    assert calibration.probability(similarity, coverage + 0.1) < sign.probability
