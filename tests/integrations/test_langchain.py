"""LangChain's splitter and retriever: the app's chunks and results, by LangChain's own interfaces."""

from __future__ import annotations

import pickle
from pathlib import Path

import pytest
from langchain_core.documents import Document
from langchain_core.runnables import RunnableLambda

from chunking.config import Config
from chunking.errors import ConfigError, ParseError, QueryError
from chunking.export import as_langchain
from chunking.integrations import ChunkscopeRetriever, ChunkscopeTextSplitter
from chunking.retrieval import search
from tests.integrations.sample_index import PDF, QUESTION, TEXTS, SampleIndex
from tests.support.event_loop import run_in_thread


def documents_of(sample: SampleIndex) -> list[Document]:
    """The texts of the samples as a loader gives them: with their paths on this machine."""
    return [
        Document(sample.text(source), metadata={"source": str(sample.docs / source), "team": "field"})
        for source in TEXTS
    ]


def test_documents_are_split_as_the_app_splits_them(sample: SampleIndex) -> None:
    """Text, id, span, prefix and all metadata, those of the loader besides; settings of categories count."""
    splitter = ChunkscopeTextSplitter(sample.config, root=sample.docs)
    split = splitter.split_documents(documents_of(sample))
    shown = as_langchain(sample.chunks(*TEXTS))
    assert [(one.id, one.page_content) for one in split] == [(one.id, one.page_content) for one in shown]
    paths = {source: str(sample.docs / source) for source in TEXTS}
    expected_metadata = [{**one.metadata, "source": paths[one.metadata["source"]], "team": "field"} for one in shown]
    assert [one.metadata for one in split] == expected_metadata
    texts = {path: sample.text(source) for source, path in paths.items()}
    for one in split:
        start, end = one.metadata["start_index"], one.metadata["end_index"]
        assert texts[one.metadata["source"]][start:end] == one.page_content


def test_files_are_split_as_the_app_splits_them(sample: SampleIndex) -> None:
    """Of every format: a PDF has its pages; equal to the export to the last key."""
    split = ChunkscopeTextSplitter(sample.config).split_files([sample.docs])
    shown = as_langchain(sample.index.by_level("chunk"))
    assert sorted(split, key=lambda one: str(one.id)) == sorted(shown, key=lambda one: str(one.id))
    pages = [one.metadata.get("pages") for one in split if one.metadata["source"] == PDF]
    assert pages
    assert all(pages)


def test_the_embedded_text_can_be_the_content(sample: SampleIndex) -> None:
    """Prefix and content."""
    split = ChunkscopeTextSplitter(sample.config, text="embedded", root=str(sample.docs)).split_documents(
        documents_of(sample)
    )
    assert [one.page_content for one in split] == [chunk.embedding_content for chunk in sample.chunks(*TEXTS)]


def test_texts_without_a_name(sample: SampleIndex) -> None:
    """Ids are made of the text: equal in every run, different for different texts; equal texts are numbered."""
    splitter = ChunkscopeTextSplitter(Config())
    first, second, again = splitter.create_documents(["# One\n\nA text.", "# Two\n\nA text.", "# One\n\nA text."])
    assert len({first.id, second.id, again.id}) == 3
    assert [one.id for one in splitter.create_documents(["# One\n\nA text."])] == [first.id]
    assert splitter.split_text("# One\n\nA text.") == [first.page_content]
    assert splitter.split_text(" \n") == []


@pytest.mark.parametrize(
    "text", ["\ufeff# Head\n\nOne word.", "# Head\r\n\r\nA \x00 and \ud800 half.\r\n", "# 头\n\n😀 emoji.\n"]
)
def test_offsets_are_those_of_the_given_text(text: str) -> None:
    """With a byte order mark, line ends of Windows, characters that cannot be kept."""
    (document,) = ChunkscopeTextSplitter().create_documents([text])
    own = text[document.metadata["start_index"] : document.metadata["end_index"]]
    assert len(own) == len(document.page_content)
    assert all(one == other or other == "\ufffd" for one, other in zip(own, document.page_content, strict=True))


def test_plain_text_is_read_as_such() -> None:
    """By its name, or where it has none as asked."""
    text = "# not a heading but a comment\nvalue = 1\n"
    as_text = ChunkscopeTextSplitter(text_format="text").create_documents([text])
    named = ChunkscopeTextSplitter().create_documents([text], [{"source": "notes.txt"}])
    as_markdown = ChunkscopeTextSplitter().create_documents([text])
    assert [one.metadata.get("title_path") for one in (*as_text, *named)] == [None, None]
    assert as_markdown[0].metadata["title_path"]


def test_what_is_wrong_is_a_sentence(sample: SampleIndex, later_version: Path, tmp_path: Path) -> None:
    """Settings of a later version, unknown choices, a file that cannot be read."""
    for wrong in (
        lambda: ChunkscopeTextSplitter(later_version),
        lambda: ChunkscopeTextSplitter(text="beauty"),
        lambda: ChunkscopeTextSplitter(text_format="pdf"),
        lambda: ChunkscopeRetriever(sample.place, config=later_version),
        lambda: ChunkscopeRetriever(sample.place, k=0),
    ):
        with pytest.raises(ConfigError):
            wrong()
    (tmp_path / "broken.pdf").write_bytes(b"%PDF-1.7 nothing")
    with pytest.raises(ParseError):
        ChunkscopeTextSplitter().split_files([tmp_path / "broken.pdf"])


def test_the_retriever_finds_what_the_search_page_shows(sample: SampleIndex) -> None:
    """The same chunks with the same scores, as the index's settings say."""
    shown = search(sample.workspace, QUESTION).results
    results = ChunkscopeRetriever(sample.place).invoke(QUESTION)
    assert len(results) == 4
    assert [(one.id, one.metadata["score"], one.metadata["citation"]) for one in results] == [
        (result.chunk.chunk_id, float(result.score), result.citation) for result in shown
    ]
    (plain,) = as_langchain([shown[0].chunk])
    assert plain.metadata.items() <= results[0].metadata.items()


def test_the_retriever_takes_its_settings_from_the_configuration(sample: SampleIndex) -> None:
    """Of its part search; filters; a name of an index."""
    words = Config.from_settings({"search.mode": "text", "search.k": "2"})
    shown = search(sample.workspace, QUESTION, words.search).results
    results = ChunkscopeRetriever(sample.place, config=words, index="main").invoke(QUESTION)
    assert [one.id for one in results] == [result.chunk.chunk_id for result in shown]
    faq = ChunkscopeRetriever(sample.place, where={"category": "faq"}).invoke("password")
    assert {one.metadata["category"] for one in faq} == {"faq"}


def test_the_contract_of_a_retriever(sample: SampleIndex) -> None:
    """langchain-tests: k at construction and at the call, Documents, synchronous and asynchronous."""
    retriever = ChunkscopeRetriever(workspace=sample.place, k=1)
    assert len(retriever.invoke(QUESTION)) == 1
    results = retriever.invoke(QUESTION, k=3)
    assert len(results) == 3
    assert all(isinstance(one, Document) for one in results)
    assert run_in_thread(lambda: retriever.ainvoke(QUESTION, k=3)) == results
    assert [len(some) for some in retriever.batch([QUESTION, "password"])] == [1, 1]
    assert (retriever | RunnableLambda(len)).invoke(QUESTION) == 1
    with pytest.raises(QueryError):
        retriever.invoke(" ")


def test_the_retriever_is_saved_and_loaded(sample: SampleIndex) -> None:
    """As plain values, and by another process, also once it has searched."""
    retriever = ChunkscopeRetriever(sample.place, config=sample.config, k=2)
    results = retriever.invoke(QUESTION)
    assert ChunkscopeRetriever(**retriever.model_dump()).invoke(QUESTION) == results
    assert pickle.loads(pickle.dumps(retriever)).invoke(QUESTION) == results
