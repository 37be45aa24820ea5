"""Results cut and trimmed by evidence, through real searches: every mode, script, and what others make of them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from chunking.config import Config, Retrieval, SearchConfig
from chunking.embedding import load_embedder
from chunking.retrieval import SearchResult, explained, search, to_tool_json
from chunking.retrieval.ranking.sentence_evidence import EvidenceBasis
from chunking.store import Workspace
from tests.support.shelf import LEVELS, SHELF, fill
from tests.support.tiny_model import save_tiny_cross_encoder
from tests.support.word_embedder import WordEmbedder

QUESTION = "How is a backup restored from the archive?"
LONG = Config.from_settings({"size": "200", "min_size": "0", "granularities": "none"})
Find = Callable[..., SearchResult]


@pytest.fixture
def find(tiers: Workspace, embedder: WordEmbedder) -> Find:
    """`find(query, cut=..., trim=...)` on the documents in all their levels."""

    def run(query: str, **settings: object) -> SearchResult:
        return search(tiers, query, SearchConfig.model_validate({"k": 6, **settings}), embedder=embedder)

    return run


@pytest.mark.parametrize("retrieval", Retrieval)
@pytest.mark.parametrize("rerank", [(), ("title",), ("diversity",)])
@pytest.mark.parametrize("mode", ["hybrid", "text", "vector"])
def test_every_mode_is_cut_and_trimmed(
    find: Find, tiers: Workspace, retrieval: Retrieval, rerank: tuple[str, ...], mode: str
) -> None:
    """At least one result stays, with an exact span around its best sentence; the others are told with why."""
    own = {"retrieval": retrieval, "rerank": rerank, "mode": mode}
    before, result = find(QUESTION, **own), find(QUESTION, cut=0.6, trim=0.9, **own)
    assert before.evidence is None
    assert result.evidence is not None
    assert 1 <= len(result.results) == result.evidence.enough <= result.evidence.judged == len(before.results)
    ranks = [one.rank for one in result.left_out]
    assert len(ranks) == result.evidence.judged - result.evidence.enough
    assert ranks == sorted(ranks)
    assert [one.rank for one in result.results] == list(range(1, len(result.results) + 1))
    ids = {one.chunk.chunk_id for one in (*result.results, *result.left_out)}
    assert ids == {one.chunk.chunk_id for one in before.results}
    assert result.storage_calls == before.storage_calls
    for one in result.results:
        part, judged = one.part, one.evidence
        assert judged is not None
        assert judged.sentence is not None
        assert judged.score >= judged.threshold - 1e-6
        if part.content:
            assert tiers.document(part.doc_id).text[part.start : part.end] == part.content
            assert part.start <= judged.sentence.span.start < judged.sentence.span.end <= part.end
            assert one.chunk.start <= part.start < part.end <= one.chunk.end
    for one in result.left_out:
        assert one.evidence is not None
        assert one.evidence.score < one.evidence.threshold
        assert one.trimmed is None


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """The documents in all their levels, embedded by the default model."""
    workspace = Workspace.open(tmp_path_factory.mktemp("reranked") / "workspace")
    fill(workspace, SHELF, load_embedder(LEVELS.embedding), LEVELS)
    return workspace


@pytest.mark.parametrize("retrieval", Retrieval)
@pytest.mark.parametrize("k", [1, 6])
def test_adaptive_neighbours_go_with_every_mode_cut_and_trim(find: Find, retrieval: Retrieval, k: int) -> None:
    """Neighbours are some of the fixed ones, on sides where nothing was trimmed; parents have none."""
    own = {"retrieval": retrieval, "cut": 0.5, "trim": 0.9, "k": k}
    fixed, auto = find(QUESTION, **own), find(QUESTION, **own, before="auto", after="auto")
    assert auto.storage_calls == fixed.storage_calls
    assert [one.part for one in auto.results] == [one.part for one in fixed.results]
    for one, other in zip(auto.results, fixed.results, strict=True):
        assert all(chunk in other.neighbours for chunk in one.neighbours)
        assert all(one.neighbour_reasons[chunk.chunk_id] for chunk in one.neighbours)
    assert auto.context.tokens <= fixed.context.tokens


@pytest.mark.model
@pytest.mark.parametrize("rerank", ["late_interaction", "cross_encoder", "late_interaction,cross_encoder,diversity"])
def test_reranked_results_are_cut_and_trimmed(real: Workspace, rerank: str, tmp_path: Path) -> None:
    """By the scores after reranking, in every mode and with one result, which stays; no result is added or moved."""
    folder = save_tiny_cross_encoder(tmp_path / "tiny")
    for retrieval in Retrieval:
        for k in (1, 4):
            own = {"retrieval": retrieval, "rerank": rerank, "rerank_model": str(folder), "k": k, "before": "auto"}
            plain = search(real, QUESTION, SearchConfig.model_validate(own))
            result = search(real, QUESTION, SearchConfig.model_validate({**own, "cut": 0.6, "trim": 0.9}))
            assert result.evidence is not None
            assert 1 <= len(result.results) <= k
            order = [one.chunk.chunk_id for one in plain.results]
            assert [one.chunk.chunk_id for one in (*result.results, *result.left_out)] == order
            best = result.results[0]
            assert best.evidence is not None
            assert best.evidence.score == 1
            assert best.score == plain.results[0].score
            for one in result.results:
                assert one.chunk.content[one.part.start - one.chunk.start :].startswith(one.part.content)


def test_a_cut_asks_no_model(tiers: Workspace) -> None:
    """It compares scores: on the scale from the lowest candidate to the best result."""
    embedder = WordEmbedder()
    query = "When is the nightly run of the archive?"
    before = search(tiers, query, SearchConfig(k=6, retrieval=Retrieval.CHUNK), embedder=embedder)
    calls = embedder.calls
    result = search(tiers, query, SearchConfig(k=6, retrieval=Retrieval.CHUNK, cut=0.5), embedder=embedder)
    assert embedder.calls == calls
    scores, lowest = [one.score for one in before.results], min(one.score for one in before.candidates)
    expected = [score for score in scores if score >= lowest + 0.5 * (scores[0] - lowest)]
    assert [one.score for one in result.results] == expected
    assert 1 <= len(expected) < len(scores)
    assert next(one.evidence.score for one in result.results if one.evidence) == 1


def test_few_candidates_are_not_cut(find: Find) -> None:
    """Among hardly more than are shown the lowest says nothing; a note tells."""
    result = find(QUESTION, k=50, cut=0.9)
    assert result.evidence is not None
    assert not result.left_out
    assert not result.evidence.threshold
    assert result.notes


def test_full_text_is_judged_by_words_alone(find: Find) -> None:
    """And says so; the model is not asked."""
    result = find(QUESTION, mode="text", trim=0.9, retrieval="parent")
    assert result.evidence is not None
    assert result.evidence.basis is EvidenceBasis.WORDS
    assert result.evidence.trimmed
    assert str(EvidenceBasis.WORDS) in result.evidence.sentence
    for one in result.results:
        assert one.evidence is not None
        assert one.evidence.sentence is not None
        assert one.evidence.sentence.similarity is None


def test_all_sentences_are_embedded_in_one_call_and_once(tiers: Workspace) -> None:
    """However many hits there are; the second search embeds nothing, not even with other values."""
    embedder = WordEmbedder()
    query = "Which password does an administrator reset by mail?"
    search(tiers, query, SearchConfig(k=8), embedder=embedder)
    calls = embedder.calls
    search(tiers, query, SearchConfig(k=8, trim=0.3), embedder=embedder)
    assert embedder.calls <= calls + 1
    calls = embedder.calls
    search(tiers, query, SearchConfig(k=6, cut=0.6, trim=0.4), embedder=embedder)
    assert embedder.calls == calls


def test_a_single_result_stays(find: Find) -> None:
    """Whatever the cut: it is the best of all."""
    assert len(find(QUESTION, k=1, cut=1.0, trim=1.0).results) == 1


@pytest.mark.parametrize("query", ["滤芯更换前请先关闭什么", "保修期多长"])
def test_chinese_sentences_are_kept_complete(find: Find, query: str) -> None:
    """A trimmed hit begins and ends with a sentence."""
    result = find(query, cut=0.3, trim=0.9, retrieval="parent")
    assert any(one.trimmed for one in result.results)
    for one in result.results:
        if one.trimmed and one.part.content:
            assert one.part.content[-1] in "。！？" or one.part.content == one.part.content.strip()


def test_what_cannot_be_judged_stays(find: Find) -> None:
    """A search by characters, and a query without telling words and vectors."""
    exact = find("`", cut=0.9, trim=0.9, mode="text")
    assert exact.results
    assert exact.evidence is None
    assert exact.notes
    assert not exact.left_out


def test_context_cost_and_tools_get_what_is_left(tmp_path: Path, embedder: WordEmbedder) -> None:
    """Fewer tokens; the tool's JSON has the trimmed text and exact highlights, and `explained` why."""
    workspace = Workspace.open(tmp_path / "workspace")
    fill(workspace, SHELF, embedder, Config.from_settings({"size": "60", "min_size": "0", "granularities": "none"}))

    def ask(**settings: object) -> SearchResult:
        config = SearchConfig.model_validate({"retrieval": "chunk", "k": 5, **settings})
        return search(workspace, QUESTION, config, embedder=embedder)

    before, result = ask(), ask(cut=0.3, trim=0.9)
    assert result.cost.hits < before.cost.hits
    assert result.cost.context < before.cost.context
    tree = explained(result)
    assert len(tree["evidence"]["left_out"]) == len(result.left_out)
    for hit, row in zip(result.results, tree["results"], strict=True):
        assert row["content"] == (hit.part.content or hit.part.summary)
        assert (row["start"], row["end"]) == (hit.part.start, hit.part.end)
        assert all(
            row["content"][mark["start"] - row["start"] :].startswith(mark["text"]) for mark in row["highlights"]
        )
        assert row["explain"]["evidence"]["explanation"]
    trimmed = [hit for hit in result.results if hit.trimmed]
    assert trimmed
    for hit in trimmed:
        assert not any(one.end <= hit.chunk.start for one in hit.neighbours) or hit.part.start == hit.chunk.start
        assert not any(one.start >= hit.chunk.end for one in hit.neighbours) or hit.part.end == hit.chunk.end
        assert f"{hit.part.start}–{hit.part.end}" in hit.citation
    assert "evidence" not in to_tool_json(before)
    spans = {(source.doc_id, source.start, source.end) for source in result.context.sources}
    assert all(
        any(doc == hit.part.doc_id and low <= hit.part.start and hit.part.end <= high for doc, low, high in spans)
        for hit in result.results
        if hit.part.content
    )


def test_a_long_sentence_a_table_and_code_stay_complete(tmp_path: Path, embedder: WordEmbedder) -> None:
    """A sentence of 5,000 characters is never cut; a row comes with its header; code is one."""
    rows = "\n".join(f"| service{number} | {8000 + number} |" for number in range(6))
    files = {
        "long.md": "# Long\n\n" + "word " * 1_000 + "restore end.\n",
        "ports.md": f"# Ports\n\nWhat is open. Nothing else matters here.\n\n| name | port |\n|---|---|\n{rows}\n",
        "code.md": "# Code\n\nIt runs daily. See this.\n\n```py\nrestore(a). Then\nb = archive()\n```\n",
    }
    workspace = Workspace.open(tmp_path / "workspace")
    fill(workspace, files, embedder, LONG)

    def ask(query: str, **more: object) -> SearchResult:
        own = SearchConfig.model_validate({"retrieval": "chunk", "k": 5, "trim": 1.0, **more})
        return search(workspace, query, own, embedder=embedder)

    table = ask("port of service3").results[0].part
    assert table.content.startswith("| name | port |")
    assert table.content.endswith("| service3 | 8003 |")
    code = ask("restore archive b").results[0].part
    assert code.content == "```py\nrestore(a). Then\nb = archive()\n```"
    long = ask("restore end word", retrieval="parent").results[0]
    assert long.part.content.endswith("end.") or long.trimmed is None


def test_without_an_index_words_judge(tmp_path: Path) -> None:
    """Whole documents by their best chunks."""
    from chunking import add_files

    workspace = Workspace.open(tmp_path / "workspace")
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n\nTo restore a backup, stop the service. Then have tea. Then sleep.\n")
    (folder / "b.md").write_text("# B\n\nA service is a thing that runs. It can be many things.\n")
    add_files(workspace, [folder])
    result = search(workspace, "restore a backup service", SearchConfig(trim=0.8))
    assert result.evidence is not None
    assert result.evidence.basis is EvidenceBasis.WORDS
    assert result.results[0].chunk.doc_id == "a"
    assert result.results[0].part.content.endswith("stop the service.")
