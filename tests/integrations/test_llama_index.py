"""LlamaIndex' node parser and retriever: the app's chunks and results, by LlamaIndex' own interfaces."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from llama_index.core.ingestion import IngestionPipeline
from llama_index.core.schema import Document, MetadataMode, NodeRelationship, QueryBundle, TextNode

from chunking.errors import ConfigError
from chunking.export import as_llama_index
from chunking.integrations import ChunkscopeNodeParser, ChunkscopeNodeRetriever
from chunking.retrieval import search
from tests.integrations.sample_index import PDF, QUESTION, TEXTS, SampleIndex
from tests.support.event_loop import run_in_thread


def documents_of(sample: SampleIndex) -> list[Document]:
    """The texts of the samples as a reader gives them: with their paths on this machine, and a property that no model
    is shown.
    """
    return [
        Document(
            text=sample.text(source),
            id_=f"file-{number}",
            metadata={"file_path": str(sample.docs / source), "size": 9},
            excluded_llm_metadata_keys=["size"],
        )
        for number, source in enumerate(TEXTS)
    ]


@pytest.fixture
def parser(sample: SampleIndex) -> ChunkscopeNodeParser:
    """With the exported settings."""
    return ChunkscopeNodeParser(sample.config, root=str(sample.docs))


def test_documents_become_the_chunks_of_the_app(sample: SampleIndex, parser: ChunkscopeNodeParser) -> None:
    """Text, id, span and prefix; what is embedded is prefix and content; the Document is the source."""
    documents = documents_of(sample)
    nodes = parser.get_nodes_from_documents(documents)
    chunks = sample.chunks(*TEXTS)
    assert [(one.node_id, one.get_content()) for one in nodes] == [(chunk.chunk_id, chunk.content) for chunk in chunks]
    assert [(one.start_char_idx, one.end_char_idx) for one in _texts(nodes)] == [
        (chunk.start, chunk.end) for chunk in chunks
    ]
    assert [one.get_content(MetadataMode.EMBED) for one in nodes] == [chunk.counted_text.strip() for chunk in chunks]
    ids = {str(sample.docs / source): document.id_ for source, document in zip(TEXTS, documents, strict=True)}
    assert [one.ref_doc_id for one in nodes] == [ids[one.metadata["file_path"]] for one in nodes]
    assert all("9" not in one.get_metadata_str(MetadataMode.LLM).splitlines() for one in nodes)
    for one, shown in zip(nodes, as_llama_index(chunks), strict=True):
        assert shown.metadata.items() <= one.metadata.items()


def test_neighbours_are_related_within_a_document(sample: SampleIndex, parser: ChunkscopeNodeParser) -> None:
    """Both ways, and not where the interface's own setting says no."""
    nodes = parser.get_nodes_from_documents(documents_of(sample))
    for before, after in pairwise(nodes):
        same = before.ref_doc_id == after.ref_doc_id
        assert (before.next_node.node_id if before.next_node else None) == (after.node_id if same else None)
        assert (after.prev_node.node_id if after.prev_node else None) == (before.node_id if same else None)
    alone = ChunkscopeNodeParser(sample.config, include_prev_next_rel=False).get_nodes_from_documents(
        documents_of(sample)
    )
    assert {*(key for one in alone for key in one.relationships)} == {NodeRelationship.SOURCE}


def test_parents_and_children_are_related(sample: SampleIndex) -> None:
    """Where both levels are asked for; without metadata of the Document where the interface's own setting says so."""
    parser = ChunkscopeNodeParser(
        sample.config, root=str(sample.docs), levels=["chunk", "parent"], include_metadata=False
    )
    by_id = {one.node_id: one for one in parser.get_nodes_from_documents(documents_of(sample))}
    parents = {chunk.chunk_id for chunk in sample.chunks(*TEXTS, level="parent")}
    assert parents < by_id.keys()
    children = [one for one in by_id.values() if one.node_id not in parents]
    assert all(one.parent_node is not None and one.parent_node.node_id in parents for one in children)
    assert {child.node_id for key in parents for child in by_id[key].child_nodes or ()} == {
        one.node_id for one in children
    }
    assert not any("size" in one.metadata for one in by_id.values())


def test_files_become_the_nodes_of_the_export(sample: SampleIndex, parser: ChunkscopeNodeParser) -> None:
    """Of every format, a PDF among them; equal to the last key."""
    by_id = {one.node_id: one for one in parser.get_nodes_from_files([sample.docs])}
    shown = {one.node_id: one for one in as_llama_index(sample.index.by_level("chunk"))}
    assert by_id == shown
    assert any(one.metadata["source"] == PDF for one in by_id.values())


def test_a_pipeline_runs_and_saves_it(sample: SampleIndex, parser: ChunkscopeNodeParser) -> None:
    """As a transformation, also one that was loaded from JSON; a second run takes its cache."""
    loaded = ChunkscopeNodeParser.from_json(parser.to_json())
    assert loaded.to_dict() == parser.to_dict()
    pipeline = IngestionPipeline(transformations=[loaded])
    first = pipeline.run(documents=documents_of(sample))
    assert [one.node_id for one in first] == [chunk.chunk_id for chunk in sample.chunks(*TEXTS)]
    assert [one.node_id for one in pipeline.run(documents=documents_of(sample))] == [one.node_id for one in first]
    assert run_in_thread(lambda: parser.aget_nodes_from_documents(documents_of(sample))) == first


def test_empty_documents_and_wrong_settings(sample: SampleIndex, later_version: Path) -> None:
    """A Document without a word has no nodes; a level that there is not is a sentence."""
    assert ChunkscopeNodeParser().get_nodes_from_documents([Document(text=" ")]) == []
    with pytest.raises(ConfigError):
        ChunkscopeNodeParser(later_version)
    with pytest.raises(ConfigError):
        ChunkscopeNodeParser(levels=["x9"])


def test_the_retriever_finds_what_the_search_page_shows(sample: SampleIndex) -> None:
    """The same chunks with the same scores, now and later, by text and by bundle."""
    shown = search(sample.workspace, QUESTION).results
    retriever = ChunkscopeNodeRetriever(sample.place)
    results = retriever.retrieve(QUESTION)
    assert [(one.node.node_id, one.score) for one in results] == [
        (result.chunk.chunk_id, float(result.score)) for result in shown
    ]
    assert [one.node for one in results] == as_llama_index([result.chunk for result in shown])
    assert run_in_thread(lambda: retriever.aretrieve(QueryBundle(QUESTION))) == results
    few = ChunkscopeNodeRetriever(sample.place, config=sample.config, similarity_top_k=2, where={"category": "faq"})
    assert [one.node.metadata["category"] for one in few.retrieve("password")] == ["faq", "faq"]


def _texts(nodes: list[TextNode] | list[object]) -> list[TextNode]:
    return [node for node in nodes if isinstance(node, TextNode)]
