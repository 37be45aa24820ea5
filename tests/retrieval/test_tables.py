"""Tables in an index: found by their sentences, and with their text in the tool's JSON."""

from __future__ import annotations

from dataclasses import replace

import pytest

from chunking.config import Config, SearchConfig
from chunking.model import Chunk
from chunking.parsing import parse
from chunking.retrieval import search, to_tool_json
from chunking.splitting import chunk_document
from chunking.store import Workspace
from tests.support.shelf import fill
from tests.support.word_embedder import WordEmbedder

ROWS = "\n".join(f"| service{number} | {8000 + number} |" for number in range(25))
TEXT = f"# Ports\n\nWhat is open in the wall.\n\n| name | port |\n|---|---|\n{ROWS}\n\nNothing else gets through.\n"
CONFIG = Config.from_settings({"size": "120", "min_size": "0"})


@pytest.fixture(scope="module")
def ports(tmp_path_factory: pytest.TempPathFactory, embedder: WordEmbedder) -> Workspace:
    """A document with a large table in an index."""
    workspace = Workspace.open(tmp_path_factory.mktemp("ports"))
    fill(workspace, {"guide/ports.md": TEXT}, embedder, CONFIG)
    return workspace


def stored(chunk: Chunk) -> Chunk:
    """A chunk as it comes back, but for what the store adds."""
    metadata = {key: value for key, value in chunk.metadata.items() if key not in ("title", "gap")}
    return replace(
        chunk, metadata={key: tuple(value) if isinstance(value, list) else value for key, value in metadata.items()}
    )


def test_descriptions_and_relations_come_back(ports: Workspace) -> None:
    """Every field of every chunk."""
    output = chunk_document(parse(TEXT.encode(), "guide/ports.md"), CONFIG)
    expected = [
        replace(chunk, metadata={key: value for key, value in chunk.metadata.items() if key != "doc_toc"})
        for chunk in output
    ]
    assert [stored(chunk) for chunk in ports.index().chunks_of("guide_ports")] == expected
    assert any(chunk.description for chunk in output)


def test_full_text_reads_a_tables_sentences(ports: Workspace) -> None:
    """What it lists, a phrase that stands in no content; the word for a table in the text around it is not searched."""
    results = search(ports, '"lists name, port in 25 rows"', SearchConfig(mode="text")).results
    assert {result.chunk.content_type for result in results} == {"table"}
    assert not search(ports, '"Ports, 25 rows"', SearchConfig(mode="text")).results


def test_the_tool_names_related_chunks(ports: Workspace) -> None:
    """Of a large table its text, of the text the table; nothing where there is none."""
    hits = {
        hit["chunk_id"]: hit
        for hit in to_tool_json(search(ports, "wall ports", SearchConfig(mode="text", k=20)))["results"]
    }
    text = hits["guide_ports_chunk0"]
    related = text["metadata"]["related_chunk_ids"]
    assert text["content"].endswith("What is open in the wall.")
    assert related
    for chunk_id in related:
        assert "guide_ports_chunk0" in hits[chunk_id]["metadata"]["related_chunk_ids"]
