"""Chunks as JSONL, CSV and Parquet: exact, in one order, and harmless whatever stands in them."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.errors import ConfigError, NotFoundError
from chunking.export import find_export, write_parquet
from chunking.export.chunk_exports import cell, csv_lines, json_line
from chunking.indexing import build_index
from chunking.parsing import parse
from chunking.store import Workspace, stream_chunks
from chunking.store.index.chunk_arrow import chunks_schema
from tests.support.store_rows import FakeEmbedder
from tests.support.stored_runs import material_of


def written(workspace: Workspace, name: str, **changes: object) -> bytes:
    """The bytes of an export."""
    sink = io.BytesIO()
    find_export(name).write(material_of(workspace, **changes), sink)
    return sink.getvalue()


@pytest.mark.parametrize("place", ["shelf", "hostile"])
def test_every_chunk_of_every_level_is_a_line(place: str, request: pytest.FixtureRequest) -> None:
    """Line by line what the index holds; contents are slices of the documents' texts."""
    workspace: Workspace = request.getfixturevalue(place)
    index = workspace.index()
    data = written(workspace, "chunks-jsonl")
    rows = [json.loads(line) for line in data.decode().splitlines()]
    assert len(rows) == sum(index.levels.values()) > index.count()
    texts = {row.doc_id: workspace.document(row.doc_id).text for row in workspace.documents()}
    assert all(texts[row["doc_id"]][row["start"] : row["end"]] == row["content"] for row in rows)
    assert {row["level"] for row in rows} == {"chunk", "x2", "parent"}
    ids = {row["chunk_id"] for row in rows}
    assert all(ids >= {*row["children"], *row["larger_ids"]} for row in rows)
    assert data == written(workspace, "chunks-jsonl")


def test_an_index_is_read_a_few_documents_at_a_time(shelf: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """One query a group and one that counts, no document in two; any group size gives the same order."""
    index = shelf.index()
    before = shelf.calls
    expected = list(stream_chunks(index, ("chunk", "parent")))
    assert shelf.calls - before == 2
    before = shelf.calls
    assert list(stream_chunks(index, ("chunk", "parent"), at_once=1)) == expected
    assert shelf.calls - before == 1 + len(shelf.documents())


def test_chosen_levels_alone(shelf: Workspace) -> None:
    """A level that is not there is a sentence that names those that are."""
    rows = [json.loads(line) for line in written(shelf, "chunks-jsonl", levels=("parent",)).decode().splitlines()]
    assert {row["level"] for row in rows} == {"parent"}
    with pytest.raises(ConfigError, match=r"no level 'x9'; its levels are chunk, x2, parent"):
        written(shelf, "chunks-jsonl", levels=("x9",))


@pytest.mark.parametrize("name", ["chunks-jsonl", "chunks-csv", "chunks-parquet", "langchain", "llama-index"])
def test_chosen_documents_alone(shelf: Workspace, name: str) -> None:
    """The rows that the complete file has of them, however many others there are; and their number."""
    sources = [row.source for row in shelf.documents()][1:3]
    complete, some = written(shelf, name), written(shelf, name, only=tuple(sources))
    assert 0 < len(some) < len(complete)
    if name.endswith("jsonl") or name.startswith("l"):
        lines, others = some.splitlines(), complete.splitlines()
        assert [line for line in others if line in set(lines)] == lines
    material = material_of(shelf, only=tuple(sources))
    expected, before = material.chunk_count(every=True), shelf.calls
    assert len(list(material.chunks(every=True))) == expected
    assert shelf.calls - before == 1
    assert {chunk.doc_id for chunk in material.chunks(every=False)} == {
        row.doc_id for row in shelf.documents() if row.source in sources
    }
    with pytest.raises(NotFoundError, match=r"no\.md"):
        written(shelf, name, only=("no.md",))


def test_documents_of_one_path_are_chosen_together(tmp_path: Path) -> None:
    """Two files of one name have two ids; neither is left out, and naming the path twice writes no chunk twice."""
    workspace = Workspace.open(tmp_path)
    for doc_id in ("guide", "guide_2"):
        workspace.put_document(replace(parse(f"# {doc_id}\n\nCheck the oil.".encode(), "guide.md"), doc_id=doc_id))
    build_index(workspace, embedder=FakeEmbedder())
    chunks = [chunk.doc_id for chunk in material_of(workspace, only=("guide.md", "guide.md")).chunks(every=False)]
    assert chunks == ["guide", "guide_2"]


def test_parquet_holds_the_same_and_the_vectors(shelf: Workspace) -> None:
    """Row by row the JSON lines; a parent has no vector."""
    index = shelf.index()
    table = pq.read_table(io.BytesIO(written(shelf, "chunks-parquet", vectors=True))).to_pylist()
    lines = [json.loads(line) for line in written(shelf, "chunks-jsonl").decode().splitlines()]
    same = ("chunk_id", "content", "start", "end", "title_path", "level", "children")
    assert [[row[name] for name in same] for row in table] == [[row[name] for name in same] for row in lines]
    assert json.loads(table[0]["metadata"]) == lines[0]["metadata"]
    vectors = index.vectors_by_id([row["chunk_id"] for row in table])
    assert all(
        (row["vector"] == vectors[row["chunk_id"]].tolist()) if row["level"] != "parent" else row["vector"] is None
        for row in table
    )
    plain = pq.read_schema(io.BytesIO(written(shelf, "chunks-parquet")))
    assert "vector" not in plain.names
    stored = chunks_schema(3)
    shared = set(plain.names) & set(stored.names)
    assert shared >= {"title_path", "pages", "start", "level", "children"}
    assert [plain.field(name).type for name in sorted(shared)] == [stored.field(name).type for name in sorted(shared)]


def test_parquet_is_written_in_groups(shelf: Workspace, monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors are asked for a group at a time."""
    monkeypatch.setattr("chunking.export.chunk_exports._GROUP", 4)
    index, batches, sink = shelf.index(), [], io.BytesIO()

    def vectors_of(ids: list[str]) -> dict[str, object]:
        batches.append(len(ids))
        return dict(index.vectors_by_id(ids))

    write_parquet(sink, stream_chunks(index), dimension=index.dimension, vectors_of=vectors_of)  # type: ignore[arg-type]
    assert max(batches) == 4
    assert sum(batches) == index.count() == pq.ParquetFile(io.BytesIO(sink.getvalue())).metadata.num_rows


def test_no_cell_of_a_table_is_a_formula(hostile: Workspace) -> None:
    """What a spreadsheet would run begins with an apostrophe; every row has its columns; numbers stay numbers."""
    rows = list(csv.DictReader(io.StringIO(written(hostile, "chunks-csv").decode("utf-8-sig"))))
    assert len(rows) == hostile.index().count()
    cells = [one for row in rows for one in row.values()]
    assert not [
        one for one in cells if one.lstrip()[:1] and one.lstrip()[0] in "=+-@|%" and not one.lstrip("-").isdigit()
    ]
    assert any(one.startswith("'=HYPERLINK") or "'=1+1" in one for one in cells)
    assert all(row["start"].isdigit() and None not in row for row in rows)


@given(st.text())
def test_any_text_is_one_cell(text: str) -> None:
    """Read back as one field, with at most an apostrophe before it; never a formula, never another row."""
    (_, row) = (
        csv.reader(
            io.StringIO(
                "".join(
                    csv_lines(
                        ["a"],
                        [
                            {"a": text},
                        ],
                    )
                )[1:],
                newline="",
            )
        )
        if text
        else ([], [""])
    )
    assert len(row) <= 1
    shown = row[0] if row else ""
    assert shown in (str(cell(text)), str(cell(text)).removeprefix("'"))
    assert not shown.lstrip().startswith(("=", "+", "-", "@"))


@given(st.text())
def test_any_text_is_one_line_of_json(text: str) -> None:
    """Whatever a reader takes for the end of a line; a lone surrogate becomes U+FFFD."""
    line = json_line({"text": text})
    assert len(line.splitlines()) == 1
    assert json.loads(line.encode())["text"] == "".join(
        "\ufffd" if "\ud800" <= letter <= "\udfff" else letter for letter in text
    )


def test_exported_chunks_can_be_loaded_again(shelf: Workspace) -> None:
    """As chunks made elsewhere, span by span."""
    from chunking.evaluation import read_chunks

    documents = [shelf.document(row.doc_id) for row in shelf.documents()]
    for name in ("chunks-jsonl", "langchain"):
        loaded = read_chunks(written(shelf, name, levels=("chunk",)), f"{name}.jsonl", documents)
        assert sum(loaded.documents.values()) == shelf.index().count()
