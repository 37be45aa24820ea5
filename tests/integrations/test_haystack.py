"""Haystack's splitter and retriever: the app's chunks and results, as components of pipelines that are saved and
loaded.
"""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("haystack", reason="haystack-ai is not installed")

from haystack import Document, Pipeline
from haystack.components.writers import DocumentWriter
from haystack.dataclasses import ByteStream
from haystack.document_stores.in_memory import InMemoryDocumentStore

from chunking.errors import ConfigError
from chunking.export import as_langchain
from chunking.integrations import ChunkscopeDocumentRetriever, ChunkscopeDocumentSplitter
from chunking.retrieval import search
from tests.integrations.sample_index import PDF, QUESTION, TEXTS, SampleIndex


def documents_of(sample: SampleIndex) -> list[Document]:
    """The texts of the samples as a converter gives them."""
    return [
        Document(content=sample.text(source), meta={"file_path": str(sample.docs / source), "team": "field"})
        for source in TEXTS
    ]


def test_documents_are_split_as_the_app_splits_them(sample: SampleIndex) -> None:
    """Text, id and metadata; the ids and places that Haystack's own splitters give."""
    documents = documents_of(sample)
    split = ChunkscopeDocumentSplitter(sample.config, root=str(sample.docs)).run(documents=documents)["documents"]
    chunks = sample.chunks(*TEXTS)
    assert [(one.id, one.content) for one in split] == [(chunk.chunk_id, chunk.content) for chunk in chunks]
    assert [(one.meta["split_id"], one.meta["split_idx_start"]) for one in split] == [
        (chunk.chunk_index, chunk.start) for chunk in chunks
    ]
    ids = {document.meta["file_path"]: document.id for document in documents}
    assert [one.meta["source_id"] for one in split] == [ids[one.meta["file_path"]] for one in split]
    assert {one.meta["team"] for one in split} == {"field"}
    for one, shown in zip(split, as_langchain(chunks), strict=True):
        assert shown.metadata.items() <= one.meta.items()


def test_pages_are_counted(sample: SampleIndex) -> None:
    """By the form feeds of Haystack's converters; those of a file are its own."""
    text = "# One\n\nFirst.\n\f\n# Two\n\nSecond.\n\f\n# Three\n\nThird.\n"
    split = ChunkscopeDocumentSplitter("chunk:\n  size: 16\n").run(documents=[Document(content=text)])["documents"]
    assert [one.meta["page_number"] for one in split] == [1, 2, 3]
    pdf = ChunkscopeDocumentSplitter(sample.config).run(sources=[sample.docs / PDF])["documents"]
    assert [str(one.meta["page_number"]) for one in pdf] == [one.meta["pages"].split(",")[0] for one in pdf]


def test_files_are_split_as_the_app_splits_them(sample: SampleIndex) -> None:
    """From a folder, and from memory."""
    splitter = ChunkscopeDocumentSplitter(sample.config)
    shown = sorted((chunk.chunk_id, chunk.content) for chunk in sample.index.by_level("chunk"))
    split_streams = splitter.run(sources=[sample.docs])["documents"]
    assert sorted((one.id, one.content) for one in split_streams) == shown
    streams = [ByteStream.from_file_path(sample.docs / source, meta={"file_path": source}) for source in (*TEXTS, PDF)]
    split_streams = splitter.run(sources=streams)["documents"]
    assert sorted((one.id, one.content) for one in split_streams) == shown


def test_a_pipeline_runs_saves_and_loads_them(sample: SampleIndex) -> None:
    """The YAML of the pipeline holds the settings themselves."""
    indexing = Pipeline()
    indexing.add_component("splitter", ChunkscopeDocumentSplitter(sample.config, root=str(sample.docs)))
    store = InMemoryDocumentStore()
    indexing.add_component("writer", DocumentWriter(store))
    indexing.connect("splitter.documents", "writer.documents")
    chunks = sample.chunks(*TEXTS)
    assert indexing.run({"splitter": {"documents": documents_of(sample)}})["writer"]["documents_written"] == len(chunks)
    assert {one.id for one in store.filter_documents()} == {chunk.chunk_id for chunk in chunks}

    asking = Pipeline()
    asking.add_component("splitter", ChunkscopeDocumentSplitter(sample.config, text="embedded", root=str(sample.docs)))
    asking.add_component("retriever", ChunkscopeDocumentRetriever(str(sample.place), config=sample.config, top_k=2))
    loaded = Pipeline.loads(asking.dumps(), allowed_modules=["chunking.integrations.haystack"])
    data = {"splitter": {"documents": documents_of(sample)}, "retriever": {"query": QUESTION}}
    first, second = asking.run(data), loaded.run(data)
    assert first == second
    assert [one.content for one in second["splitter"]["documents"]] == [chunk.embedding_content for chunk in chunks]
    assert len(second["retriever"]["documents"]) == 2


def test_the_retriever_finds_what_the_search_page_shows(sample: SampleIndex) -> None:
    """The same chunks with the same scores; another number of results for one question."""
    shown = search(sample.workspace, QUESTION).results
    retriever = ChunkscopeDocumentRetriever(str(sample.place))
    results = retriever.run(query=QUESTION)["documents"]
    assert [(one.id, one.score, one.meta["citation"]) for one in results] == [
        (result.chunk.chunk_id, float(result.score), result.citation) for result in shown
    ]
    assert len(retriever.run(query=QUESTION, top_k=1)["documents"]) == 1
    assert ChunkscopeDocumentRetriever.from_dict(retriever.to_dict()).run(query=QUESTION)["documents"] == results


def test_what_is_wrong_is_a_sentence(sample: SampleIndex, later_version: Path) -> None:
    """Settings of a later version; a choice that there is not. A Document without a word is left out."""
    for wrong in (
        lambda: ChunkscopeDocumentSplitter(later_version),
        lambda: ChunkscopeDocumentSplitter(text="beauty"),
        lambda: ChunkscopeDocumentRetriever(str(sample.place), config=later_version),
        lambda: ChunkscopeDocumentRetriever(str(sample.place), top_k=0),
    ):
        with pytest.raises(ConfigError):
            wrong()
    assert ChunkscopeDocumentSplitter().run(documents=[Document(content=None), Document(content=" ")]) == {
        "documents": []
    }
