"""The real thing: the packaged model, a real store, English and Chinese questions."""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.config import Config, SearchConfig
from chunking.embedding import load_embedder
from chunking.retrieval import search
from chunking.store import Workspace
from tests.support.shelf import SHELF, SMALL, fill

pytestmark = pytest.mark.model


@pytest.fixture(scope="module")
def shelf(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """The three documents, embedded by all-MiniLM-L6-v2."""
    workspace = Workspace.open(tmp_path_factory.mktemp("real") / "workspace")
    embedder = load_embedder(SMALL.embedding)
    embedder.prepare()
    fill(workspace, SHELF, embedder, SMALL)
    return workspace


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How can I get my data back after a crash?", "stop the service, copy the archive back"),
        ("At what time is data saved?", "every night at two"),
        ("What do I do when I lost my passphrase?", "forgotten password"),
        ("滤芯多久换一次？", "每六个月更换一次"),
        ("保修期有多长？", "保修期限为两年"),
        ("人为损坏保修吗", "人为损坏不在保修范围"),
    ],
)
def test_questions_find_their_answers(shelf: Workspace, question: str, answer: str) -> None:
    """Other words than the text's, in English; Chinese by its words: the answer is among the first two hits."""
    result = search(shelf, question, SearchConfig(retrieval="chunk", vector_weight=0.5, k=2))
    assert any(answer in hit.chunk.content for hit in result.results)
    assert result.storage_calls <= 3


def test_by_meaning_a_question_needs_no_shared_word(shelf: Workspace) -> None:
    """Vectors alone find what full text cannot."""
    question = "recovering lost information"
    assert not search(shelf, question, SearchConfig(mode="text")).results
    hit = search(shelf, question, SearchConfig(mode="vector", k=1)).results[0]
    assert "restore" in hit.chunk.content.lower()
    assert hit.matched_fields == ()


def test_the_vector_leg_would_harm_chinese_and_is_off(shelf: Workspace) -> None:
    """The query is mostly [UNK] for this model; the note says the share."""
    result = search(shelf, "整机的保修期限", SearchConfig())
    assert result.weights == {"text": 1.0}
    assert "all-MiniLM-L6-v2 cannot read" in result.notes[0]
    assert search(shelf, "整机的保修期限", SearchConfig(mode="vector")).notes


@pytest.mark.parametrize("question", ["restore a backup", "how to restore 🙂 – backups?!"])
def test_english_keeps_its_weight(shelf: Workspace, question: str) -> None:
    """Neither one Chinese document of three nor an emoji takes the vectors from an English question."""
    result = search(shelf, question, SearchConfig(retrieval="chunk", vector_weight=0.6))
    assert result.weights == {"vector": 0.6, "text": pytest.approx(0.4)}
    assert result.notes == ()


def test_the_index_knows_its_model(tmp_path: Path) -> None:
    """Nothing but the workspace is needed: the model comes from the index's configuration."""
    config = Config.from_settings({"size": "48", "search.k": "1"})
    workspace = Workspace.open(tmp_path)
    embedder = load_embedder(config.embedding)
    embedder.prepare()
    fill(workspace, SHELF, embedder, config)
    assert len(search(workspace, "who creates accounts?").results) == 1
