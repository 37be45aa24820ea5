"""Summaries of the cluster tree, and its nodes as rows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from chunking.config import EmbeddingConfig
from chunking.embedding import load_embedder
from chunking.enrichment import cluster_texts, tree_nodes
from chunking.enrichment.raptor import build_tree
from chunking.llm import Client
from chunking.model import CLUSTER, Flag
from chunking.splitting import TokenCounter
from tests.enrichment.pumps import Make, cut, sample, settings
from tests.support.llm_server import LLMServer

CONFIG = settings(enrich_raptor="true", enrich_raptor_reduction="pca")
GROUPS = [
    ["The gateway keeps thirty days of readings. It has one button.", "Readings are sent to the gateway by radio."],
    ["水泵把井里的水送到水箱里。", "水泵每天夜里工作，因为电价便宜。"],
    ["| a | b |\n|---|---|", "print('x')"],
]


def embed(texts: Sequence[str]) -> NDArray[np.float32]:
    rows = np.ones((len(texts), 8), np.float32)
    rows[np.arange(len(texts)), np.arange(len(texts)) % 8] += 1
    return rows / np.linalg.norm(rows, axis=1, keepdims=True)


def test_by_rule_a_group_has_its_own_sentences(make: Make) -> None:
    """Of code and tables, which have none, the first lines; all groups are embedded with one call."""
    calls: list[int] = []
    summaries = make(CONFIG).cluster_summaries(lambda texts: (calls.append(len(texts)), embed(texts))[1])(GROUPS)
    assert len(calls) == 1
    assert "The gateway keeps thirty days of readings." in summaries[0]
    assert "水泵把井里的水送到水箱里。" in summaries[1]
    assert summaries[2] == "| a | b | · print('x')"


def test_by_a_server_and_by_rule_where_nothing_of_an_answer_is_left(make: Make, llm_server: LLMServer) -> None:
    """Each group is one request."""
    llm_server.answer = lambda system, user: "<br>" if "水泵" in user else "About gateways."
    config = settings(enrich_raptor="true", enrich_writer="llm")
    summaries = make(config, Client(llm_server.endpoint())).cluster_summaries(embed)(GROUPS)
    assert len(llm_server.chat_requests) == 3
    assert summaries[0] == summaries[2] == "About gateways."
    assert summaries[1].startswith("水泵")


@pytest.mark.model
def test_a_tree_over_real_chunks(make: Make, counter: TokenCounter) -> None:
    """English and Chinese documents, real model: one root, all chunks below it, documents separate."""
    embedder = load_embedder(EmbeddingConfig())
    chunks = [
        chunk
        for name in ("faq/faq.txt", "manual-zh/产品使用手册.md")
        for chunk in cut(sample(name), CONFIG).chunks[:40]
    ]
    texts = cluster_texts(chunks)
    tree = build_tree(
        [chunk.chunk_id for chunk in chunks],
        texts,
        embedder.embed([chunk.embedding_content for chunk in chunks]),
        embed=embedder.embed,
        summarise=make(CONFIG).cluster_summaries(embedder.embed),
        count=counter.count,
        config=CONFIG.enrich,
    )
    nodes = tree_nodes(tree, count=counter.count)
    by_id = {node.chunk_id: node for node in nodes}
    assert len(by_id) == len(nodes) == len(tree)
    assert nodes[-1].parent_id == ""
    assert {node.level for node in nodes} == {CLUSTER}
    assert {child for node in nodes for child in node.children} == {chunk.chunk_id for chunk in chunks} | set(by_id) - {
        nodes[-1].chunk_id
    }
    bottom = [node for node in nodes if node.metadata["tree_level"] == 1]
    apart = [node for node in bottom if len({child.rpartition("_chunk")[0] for child in node.children}) == 1]
    assert len(apart) >= 0.8 * len(bottom)
    for node in nodes:
        assert node.summary
        assert counter.count(node.summary) <= CONFIG.enrich.summary_size
        assert (node.doc_id, node.start, node.end, node.content) == ("", 0, 0, "")
        assert not node.parent_id or node.chunk_id in by_id[node.parent_id].children
        assert Flag.GENERATED not in node.flags
    generated = tree_nodes(tree, count=counter.count, by_llm=True, by_rule={nodes[0].summary})
    assert [Flag.GENERATED in node.flags for node in generated] == [node.summary != nodes[0].summary for node in nodes]


def test_texts_of_a_tree_are_contents() -> None:
    """The titles of one document would draw its chunks together, and markup is no word of theirs."""
    chunks = cut(sample("handbook/operations-handbook.md"), CONFIG).chunks
    texts = cluster_texts(chunks)
    assert any(" > " in chunk.prefix for chunk in chunks)
    assert not any(
        text.startswith(chunk.prefix) for chunk, text in zip(chunks, texts, strict=True) if " > " in chunk.prefix
    )
    assert not any(text.startswith("#") for text in texts)
