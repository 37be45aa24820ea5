"""Pools of several configurations: what they found, joined, blind, and in sentences; and the queue that they are
labelled from.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from chunking.config import Config, SearchMode
from chunking.errors import NotFoundError, QuestionError
from chunking.evaluation import (
    AnswerSpan,
    Judged,
    LoggedQuery,
    Pool,
    PooledPassage,
    PoolSource,
    QueryLabel,
    QuestionSet,
    Queue,
    add_label,
    delete_queue,
    load_queue,
    pool_results,
    queue_names,
    queue_progress,
    save_queue,
    sentence_spans,
    skip_query,
)
from chunking.evaluation.labelling.pooling import merged_spans
from chunking.indexing import build_index
from chunking.parsing import parse
from chunking.retrieval import search
from chunking.store import Workspace
from tests.support.plants import WORDS, filled, text_of
from tests.support.store_rows import FakeEmbedder

SMALL, LARGE = PoolSource("small", SearchMode.TEXT), PoolSource("large", SearchMode.TEXT)
QUERY = "Which number has the pump of north?"


@pytest.fixture(scope="module")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """Two indexes over the same documents, of small and of large chunks."""
    target = filled(tmp_path_factory.mktemp("pools") / "workspace")
    for source, size in ((SMALL, "40"), (LARGE, "120")):
        build_index(target, Config.from_settings({"size": size}, WORDS), name=source.index, embedder=FakeEmbedder())
    return target


def test_a_pool_holds_what_each_configuration_finds(indexed: Workspace) -> None:
    """Each result stands in a passage; what overlaps by half is one passage, and the pool says how deep it is."""
    pooled = pool_results(indexed, QUERY, (SMALL, LARGE, SMALL), 4, indexed.document)
    assert pooled.pool == Pool(4, 2, len(pooled.passages))
    for source in (SMALL, LARGE):
        config = indexed.index(source.index).config.search.model_copy(update={"k": 4})
        for result in search(indexed, QUERY, config, index=source.index).results:
            chunk = result.chunk
            assert any(
                one.doc_id == chunk.doc_id and one.start <= chunk.start and chunk.end <= one.end
                for one in pooled.passages
            )
    assert len(set(pooled.passages)) == len(pooled.passages) < 8


def test_the_order_tells_nothing(indexed: Workspace) -> None:
    """The order depends on the query alone, not on ranks or the order of configurations."""
    one = pool_results(indexed, QUERY, (SMALL, LARGE), 8, indexed.document).passages
    assert pool_results(indexed, QUERY, (LARGE, SMALL), 8, indexed.document).passages == one
    config = indexed.index("small").config.search.model_copy(update={"k": 8})
    ranked = [(hit.chunk.doc_id, hit.chunk.start) for hit in search(indexed, QUERY, config, index="small").results]
    alone = pool_results(indexed, QUERY, (SMALL,), 8, indexed.document).passages
    assert [(each.doc_id, each.start) for each in alone] != ranked
    assert [(each.doc_id, each.start) for each in alone] != sorted((each.doc_id, each.start) for each in alone)


def test_results_that_do_not_stand_any_more_are_reported(tmp_path: Path) -> None:
    """A document that has changed since the index was built shows nothing wrong."""
    target = filled(tmp_path / "workspace")
    build_index(target, WORDS, name="small", embedder=FakeEmbedder())
    target.put_document(parse(("A preface.\n\n" + text_of("north", "part")).encode(), "north.md"))
    pooled = pool_results(target, QUERY, (SMALL,), 5, target.document)
    assert all(one.doc_id != "north" for one in pooled.passages)
    assert len(pooled.notes) == 1
    with pytest.raises(NotFoundError, match="small"):
        pool_results(target, QUERY, (LARGE,), 5, target.document)


@pytest.mark.parametrize(("sources", "depth"), [((), 5), ((SMALL,), 0), ((SMALL,), 51)])
def test_pools_that_cannot_be(indexed: Workspace, sources: tuple[PoolSource, ...], depth: int) -> None:
    """A sentence."""
    with pytest.raises(QuestionError):
        pool_results(indexed, QUERY, sources, depth, indexed.document)


def test_joined_spans_stay_short_and_cover_all() -> None:
    """A chain of overlapping spans does not become the whole document."""
    chain = [PooledPassage("a", start, start + 1_000) for start in range(0, 20_000, 500)]
    joined = merged_spans(chain)
    assert max(one.end - one.start for one in joined) <= 4_000
    assert all(any(big.start <= one.start and one.end <= big.end for big in joined) for one in chain)
    assert merged_spans([PooledPassage("a", 0, 10), PooledPassage("b", 0, 10)]) == [
        PooledPassage("a", 0, 10),
        PooledPassage("b", 0, 10),
    ]


def test_sentences_of_a_passage() -> None:
    """Sentences of running text over line ends, rows of tables and lines of code by themselves; together all that holds
    a letter.
    """
    text = (
        "# Pump\n\nIt is blue. It moves\nninety litres.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```\nx = 1\ny = 2\n```\n"
    )
    of = parse(text.encode(), "pump.md")
    pooled = [of.text[one.start : one.end] for one in sentence_spans(of, 0, len(of.text))]
    assert "It is blue." in pooled
    assert "It moves\nninety litres." in pooled
    assert "| 1 | 2 |" in pooled
    assert "y = 2" in pooled
    assert [one for one in "".join(pooled) if one.isalnum()] == [one for one in of.text if one.isalnum()]
    assert not any(set(one) <= set("|-`") for one in pooled)
    inside = sentence_spans(of, of.text.index("is blue"), of.text.index("ninety"))
    assert [of.text[one.start : one.end] for one in inside] == ["is blue.", "It moves"]


def queue(*texts: str) -> Queue:
    return Queue("real", tuple(LoggedQuery(text) for text in texts), (SMALL,))


def test_a_queue_is_kept_and_its_progress_follows_the_set(indexed: Workspace) -> None:
    """Labelled and skipped queries are done, also those that the set had before; a skipped one can come back."""
    kept = save_queue(indexed, skip_query(queue("one", "two", "three", "four"), "Two?"))
    assert queue_names(indexed) == ["real"]
    assert load_queue(indexed, "real") == kept
    answers = (AnswerSpan("north", 0, 5, "north"),)
    labels = add_label(QuestionSet("real", ()), "ONE", QueryLabel(answers))
    labels = add_label(labels, "three", QueryLabel(unanswerable=True))
    labels = add_label(labels, "four", QueryLabel(judged=(Judged("north", 0, 5, "north", False),)))
    now = queue_progress(kept, labels)
    assert (now.answered, now.unanswerable, now.skipped, now.done) == (1, 1, 1, 3)
    assert [one.text for one in now.left] == ["four"]
    assert [one.text for one in queue_progress(skip_query(kept, "two", back=True), labels).left] == ["two", "four"]
    delete_queue(indexed, "real")
    with pytest.raises(NotFoundError, match="real"):
        load_queue(indexed, "real")


@pytest.mark.parametrize(
    "wrong",
    [
        Queue(" ", (LoggedQuery("a"),), (SMALL,)),
        Queue("real", (), (SMALL,)),
        Queue("real", (LoggedQuery("a"),), ()),
        Queue("real", (LoggedQuery("a"),), (SMALL,), 99),
    ],
)
def test_queues_that_cannot_be_kept(indexed: Workspace, wrong: Queue) -> None:
    """A sentence."""
    with pytest.raises(QuestionError):
        save_queue(indexed, wrong)


@pytest.mark.parametrize(
    "text", ["", "[]", '{"name": "x", "depth": 1, "sources": [["a", "nothing"]], "queries": [], "skipped": []}']
)
def test_an_invalid_labelling_queue_is_one_sentence(text: str) -> None:
    """A sentence."""
    with pytest.raises(QuestionError, match="labelling queue"):
        Queue.from_json(text)
