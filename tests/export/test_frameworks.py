"""LangChain Documents and LlamaIndex nodes, held to the real packages."""

from __future__ import annotations

import io
import json

import pytest

from chunking.errors import ChunkscopeError
from chunking.export import PageContent, as_langchain, as_llama_index, find_export
from chunking.store import Workspace
from tests.support.stored_runs import material_of


def lines(workspace: Workspace, name: str, **changes: object) -> list[str]:
    """The lines of an export."""
    sink = io.BytesIO()
    find_export(name).write(material_of(workspace, **changes), sink)
    return sink.getvalue().decode().splitlines()


@pytest.mark.parametrize("place", ["shelf", "hostile"])
def test_langchain_loads_its_documents(place: str, request: pytest.FixtureRequest) -> None:
    """Each line is a Document, equal to the object made of the chunk, and dumped as it was read; metadata is flat."""
    from langchain_core.documents import Document

    workspace: Workspace = request.getfixturevalue(place)
    chunks = workspace.index().by_level("chunk")
    objects = as_langchain(chunks)
    read = [Document(**json.loads(line)) for line in lines(workspace, "langchain")]
    assert read == objects == [Document.model_validate_json(line) for line in lines(workspace, "langchain")]
    assert [json.loads(one.model_dump_json()) for one in read] == [
        json.loads(line) for line in lines(workspace, "langchain")
    ]
    assert [(one.id, one.page_content, one.metadata["start_index"]) for one in objects] == [
        (c.chunk_id, c.content, c.start) for c in chunks
    ]
    assert all(isinstance(value, str | int) for one in objects for value in one.metadata.values())


def test_langchain_may_hold_what_is_embedded(shelf: Workspace) -> None:
    """Title path first, cleaned."""
    chunks = shelf.index().by_level("chunk")
    rows = [json.loads(line) for line in lines(shelf, "langchain", text=PageContent.EMBEDDED)]
    assert [row["page_content"] for row in rows] == [chunk.embedding_content for chunk in chunks]


@pytest.mark.parametrize("place", ["shelf", "hostile"])
def test_llama_index_loads_its_nodes(place: str, request: pytest.FixtureRequest) -> None:
    """Each line is a TextNode, equal to the object made of the chunk; what it embeds is prefix and content."""
    from llama_index.core.schema import MetadataMode, TextNode

    workspace: Workspace = request.getfixturevalue(place)
    chunks = workspace.index().by_level("chunk")
    objects = as_llama_index(chunks)
    read = [TextNode.from_json(line) for line in lines(workspace, "llama-index")]
    assert read == objects
    assert [json.loads(one.to_json()) for one in read] == [json.loads(line) for line in lines(workspace, "llama-index")]
    assert [one.get_content(MetadataMode.EMBED) for one in objects] == [chunk.counted_text.strip() for chunk in chunks]
    assert [one.get_content(MetadataMode.NONE) for one in objects] == [chunk.content for chunk in chunks]
    assert [(one.start_char_idx, one.end_char_idx) for one in objects] == [(chunk.start, chunk.end) for chunk in chunks]


def test_llama_index_relations_lead_to_nodes_that_are_there(shelf: Workspace) -> None:
    """Neighbours always; parents and children only where both are written."""
    index = shelf.index()
    nodes = as_llama_index([*index.by_level("chunk"), *index.by_level("parent")])
    ids = {node.node_id for node in nodes}
    for node in nodes:
        related = [node.prev_node, node.next_node, node.parent_node, *(node.child_nodes or ())]
        assert {one.node_id for one in related if one} <= ids
        assert node.source_node is not None
        assert node.source_node.node_id == node.metadata["doc_id"]
    assert any(node.parent_node for node in nodes)
    assert any(node.child_nodes for node in nodes)
    assert not any(node.parent_node for node in as_llama_index(index.by_level("chunk")))


@pytest.mark.parametrize(
    ("package", "make"), [("langchain_core.documents", as_langchain), ("llama_index.core.schema", as_llama_index)]
)
def test_a_package_that_is_not_there_is_a_sentence(package: str, make: object, monkeypatch: pytest.MonkeyPatch) -> None:
    """What to install, and what can be done without."""
    import sys

    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(ChunkscopeError, match="run pip install"):
        make([])  # type: ignore[operator]
