"""Second looks: what each does to the order, and that scores still add up."""

from __future__ import annotations

import statistics
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.config import Config, SearchConfig
from chunking.config.choices import Rerank
from chunking.embedding import load_embedder
from chunking.embedding.rerankers import load_cross_encoder
from chunking.errors import ModelError
from chunking.retrieval import SearchResult, search
from chunking.retrieval.query.query_parts import understand
from chunking.retrieval.query.query_terms import search_terms
from chunking.retrieval.ranking.fused_hits import fuse
from chunking.retrieval.ranking.reranking import RERANKERS, most_diverse, title_share
from chunking.store import Workspace
from tests.retrieval.cut_texts import make_chunks
from tests.support.facts import tells
from tests.support.shelf import SHELF, SMALL, fill
from tests.support.tiny_model import save_tiny_cross_encoder
from tests.support.word_embedder import WordEmbedder

VECTORS = st.lists(st.lists(st.integers(-3, 3), min_size=3, max_size=3).filter(any), min_size=1, max_size=8)


def ask(workspace: Workspace, embedder: WordEmbedder, query: str, **settings: object) -> SearchResult:
    return search(workspace, query, SearchConfig.model_validate({"retrieval": "chunk", **settings}), embedder=embedder)


def ids(results: SearchResult) -> list[str]:
    return [result.chunk.chunk_id for result in results.results]


@pytest.mark.parametrize(("query", "title"), [("hour of the schedule", "Schedule"), ("保修期限", "保修")])
def test_headings_that_hold_the_querys_words_rise(
    shelf: Workspace, embedder: WordEmbedder, query: str, title: str
) -> None:
    """With enough weight the chunks under that heading come first; each says what its headings gave."""
    results = ask(shelf, embedder, query, rerank="title", title_boost=5.0, k=10)
    plain = ask(shelf, embedder, query, k=10)
    assert results.results[0].chunk.title_path[-1] == title
    added = {result.chunk.chunk_id: result.score for result in results.results}
    for result in plain.results:
        if result.chunk.chunk_id in added:
            assert added[result.chunk.chunk_id] >= result.score
    step = results.results[0].steps[-1]
    assert step.name == "title"
    assert step.amount > 0
    assert "The headings contain" in step.explanation


def test_the_share_of_a_title() -> None:
    """Telling words by stem, pairs of Chinese characters; nothing where nothing is asked."""
    chunk = make_chunks("ab", [(0, 1)], ["Restoring backups"])[0]
    assert title_share(chunk, search_terms(understand("how to restore a backup"))) == 1.0
    assert title_share(chunk, search_terms(understand("restore users"))) == 0.5
    assert title_share(make_chunks("ab", [(0, 1)], ["保修"])[0], search_terms(understand("保修期"))) == 0.5
    assert title_share(chunk, search_terms(understand("🙂"))) == 0.0


@given(rows=VECTORS, weight=st.sampled_from([0.1, 0.3, 0.7, 1.0]))
def test_diversity_is_maximal_marginal_relevance(rows: list[list[int]], weight: float) -> None:
    """Against the formula of the paper, place by place; values fall with the rank, and steps add up."""
    vectors = {f"c{n}": np.array(row, np.float32) / np.float32(np.linalg.norm(row)) for n, row in enumerate(rows)}
    hits = fuse({"text": {name: float(len(rows) - n) for n, name in enumerate(vectors)}}, {"text": 1.0})
    output = most_diverse(hits, vectors, weight)
    scores = {hit.chunk_id: hit.score for hit in hits}
    least, spread = min(scores.values()), (max(scores.values()) - min(scores.values())) or 1.0
    parents: list[str] = []
    for hit in output:
        values = {
            name: (1 - weight) * (scores[name] - least) / spread
            - weight * max((0.0, *(float(vectors[name] @ vectors[other]) for other in parents)))
            for name in scores
            if name not in parents
        }
        assert values[hit.chunk_id] == pytest.approx(max(values.values()), abs=1e-5)
        assert hit.score == pytest.approx(scores[hit.chunk_id] + hit.added[-1].amount)
        parents.append(hit.chunk_id)
    assert [hit.score for hit in output] == sorted((hit.score for hit in output), reverse=True)


def test_repeats_sink_with_diversity(shelf: Workspace, embedder: WordEmbedder) -> None:
    """The same paragraph of two documents: the second copy leaves the first places to others."""
    query = "To restore a backup, stop the service, copy the archive back"
    plain = ask(shelf, embedder, query, deduplicate=False, k=3)
    diverse = ask(shelf, embedder, query, deduplicate=False, k=3, rerank="diversity", diversity=0.7)
    copies = [
        sum("copy the archive back" in result.chunk.content for result in results.results)
        for results in (plain, diverse)
    ]
    assert copies[0] == 2
    assert copies[1] == 1
    assert diverse.storage_calls == plain.storage_calls + 1
    assert [result.score for result in diverse.results] == sorted(
        (result.score for result in diverse.results), reverse=True
    )


def test_only_the_first_candidates_are_looked_at(shelf: Workspace, embedder: WordEmbedder) -> None:
    """As deep as the setting says, and as far as results are shown."""
    for depth, k, looked in ((5, 2, 5), (2, 6, 6)):
        results = ask(shelf, embedder, "backup service account", rerank="title", rerank_depth=depth, k=k)
        assert [stage.count for stage in results.stages if stage.phase == "rerank"] == [looked]
        assert len(results.candidates) > looked
        assert all(result.steps[-1].name == "title" for result in results.results)


def test_late_interaction_needs_a_model_of_this_machine(shelf: Workspace, embedder: WordEmbedder) -> None:
    """Another embedder has no token states: the order stays, and that is said."""
    result = ask(shelf, embedder, "restore a backup", rerank="late_interaction")
    assert ids(result) == ids(ask(shelf, embedder, "restore a backup"))
    assert tells(result.notes, "late interaction all-MiniLM-L6-v2 none skipped")


def test_the_table_has_a_row_a_look() -> None:
    """In the order of the setting's values."""
    assert list(RERANKERS) == list(Rerank)


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """The three documents, embedded by all-MiniLM-L6-v2."""
    workspace, embedder = Workspace.open(tmp_path_factory.mktemp("reranked")), load_embedder(SMALL.embedding)
    fill(workspace, SHELF, embedder, SMALL)
    return workspace


@pytest.mark.model
def test_late_interaction_reads_token_by_token(real: Workspace) -> None:
    """Each result's step says how near; the second time nothing is encoded; Chinese, which the model cannot read, is
    left alone.
    """
    question = "How can I get my data back after a crash?"
    results = search(
        real, question, SearchConfig.model_validate({"mode": "vector", "rerank": "late_interaction", "k": 3})
    )
    assert "restore" in results.results[0].chunk.content.lower()
    for result in results.results:
        assert [step.name for step in result.steps] == ["vector", "late_interaction"]
        assert sum(step.amount for step in result.steps) == pytest.approx(result.score)
    plain = search(real, question, SearchConfig.model_validate({"mode": "vector", "k": 17, "deduplicate": False}))
    every = SearchConfig.model_validate({"mode": "vector", "rerank": "late_interaction", "k": 17, "deduplicate": False})
    assert ids(search(real, question, every)) != ids(plain)
    chinese = search(real, "滤芯多久换一次", SearchConfig.model_validate({"rerank": "late_interaction"}))
    assert "每六个月更换一次" in chinese.results[0].chunk.content
    assert tells(chinese.notes[-1:], "late interaction skipped")


@pytest.mark.model
def test_a_cross_encoder_that_is_not_at_hand_is_one_sentence(real: Workspace, tmp_path: Path) -> None:
    """Its name is in it; nothing is downloaded unasked."""
    config = SearchConfig.model_validate({"rerank": "cross_encoder", "rerank_model": str(tmp_path / "none")})
    with pytest.raises(ModelError, match="none"):
        search(real, "restore a backup", config)


@pytest.mark.model
def test_a_cross_encoder_reads_query_and_text_together(real: Workspace, tmp_path: Path) -> None:
    """A tiny random model from a folder: its standardised scores are added at the scale of those before."""
    folder = save_tiny_cross_encoder(tmp_path / "tiny")
    settings = {"k": 17, "deduplicate": False, "rerank_model": str(folder)}
    plain = search(real, "restore a backup", SearchConfig.model_validate(settings))
    results = search(real, "restore a backup", SearchConfig.model_validate({**settings, "rerank": "cross_encoder"}))
    before = {result.chunk.chunk_id: result.score for result in plain.results}
    model = load_cross_encoder(str(folder))
    scores = model.scores("restore a backup", [result.chunk.embedding_content for result in plain.results])
    scale, z = statistics.pstdev(before.values()), (scores - scores.mean()) / scores.std()
    expected = {result.chunk.chunk_id: float(one) * scale for result, one in zip(plain.results, z, strict=True)}
    for result in results.results:
        assert result.steps[-1].name == "cross_encoder"
        assert result.steps[-1].amount == pytest.approx(expected[result.chunk.chunk_id], abs=0.05)
        assert result.score == pytest.approx(before[result.chunk.chunk_id] + result.steps[-1].amount)


def test_rerank_settings_are_read_from_text() -> None:
    """A link or the command line names them with commas; the order of the setting does not matter."""
    config = Config.from_settings({"search.rerank": "diversity,title"})
    assert set(config.search.rerank) == {Rerank.TITLE, Rerank.DIVERSITY}
