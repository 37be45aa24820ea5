"""Documents as unstructured's elements: exact spans, and the same document when they are read again."""

from __future__ import annotations

import io
import json
from pathlib import Path
from zipfile import ZipFile

import pytest

from chunking.export import element_rows, find_export, gather
from chunking.model import Document
from chunking.parsing import parse
from chunking.store import Workspace
from tests.parsing.formats.office.deck_files import one_of_each

SAMPLES = Path(__file__).parents[2] / "sample_data"
LIST = "1. barn owl\n   flies low\n   - by night\n2. eagle owl\n\n"
SMALL = f"# Owls *here*\n\n{LIST}| a | b |\n|---|---|\n| 1 < 2 | x\\|y |\n\n![An owl](owl.jpg)\n"


def again(document: Document) -> Document:
    """Read from its elements."""
    return parse(json.dumps(element_rows(document)).encode(), "x.json")


def test_an_element_has_its_type_span_depth_and_cells() -> None:
    """Types, spans, depths, the title above, cells of tables."""
    document = parse(SMALL.encode(), "birds/owls.md")
    rows = element_rows(document)
    assert [(row["type"], row["text"], row["metadata"].get("category_depth")) for row in rows] == [
        ("Title", "Owls here", 0),
        ("ListItem", "barn owl\n   flies low", 0),
        ("ListItem", "by night", 1),
        ("ListItem", "eagle owl", 0),
        ("Table", "| a | b |\n|---|---|\n| 1 < 2 | x\\|y |", None),
        ("Image", "![An owl](owl.jpg)", None),
    ]
    assert all(document.text[row["metadata"]["start"] : row["metadata"]["end"]] == row["text"] for row in rows[1:])
    assert {row["metadata"]["parent_id"] for row in rows[1:]} == {rows[0]["element_id"]}
    assert len({row["element_id"] for row in rows}) == len(rows)
    head, body = "<thead><tr><th>a</th><th>b</th></tr></thead>", "<tbody><tr><td>1 &lt; 2</td><td>x|y</td></tr></tbody>"
    assert rows[4]["metadata"]["text_as_html"] == f"<table>{head}{body}</table>"
    assert rows[5]["metadata"]["image_path"] == "owl.jpg"
    assert {"filename": "owls.md", "file_directory": "birds"}.items() <= rows[0]["metadata"].items()


@pytest.mark.parametrize(
    "name", ["handbook/operations-handbook.md", "manual-zh/产品使用手册.md", "datasheets/heron-g4-datasheet.pdf"]
)
def test_read_again_it_is_the_same_document(name: str) -> None:
    """Its sections, tables, pages with their boxes, and what is left out; questions with answers become paragraphs."""
    path = next(SAMPLES.rglob(Path(name).name))
    document = parse(path.read_bytes(), name)
    other = again(document)

    def outline(one: Document) -> list[tuple[int, str, tuple[str, ...]]]:
        return [(section.level, section.title, section.title_path) for section in one.sections]

    def tables(one: Document) -> list[tuple[int, int]]:
        return [(block.meta["rows"], block.meta["columns"]) for block in one.blocks if block.type == "table"]

    def boxes(one: Document) -> list[tuple[int, ...]]:
        return [(block.page or 0, *(round(1_000 * side) for side in block.bbox or ())) for block in one.blocks]

    assert outline(other) == outline(document)
    assert tables(other) == tables(document)
    assert len(other.blocks) == len(document.blocks)
    assert len(other.left_out) == len(document.left_out)
    if document.page_count:
        assert boxes(other) == boxes(document)


def test_a_zip_holds_a_file_a_document(shelf: Workspace) -> None:
    """No index is needed; the same documents are the same bytes."""
    files = [io.BytesIO(), io.BytesIO()]
    for sink in files:
        find_export("elements").write(gather(shelf, wants_index=False, wants_runs=False), sink)
    assert files[0].getvalue() == files[1].getvalue()
    with ZipFile(files[0]) as pack:
        assert sorted(pack.namelist()) == sorted(f"{row.source}.json" for row in shelf.documents())
        assert all(json.loads(pack.read(name))[0]["type"] for name in pack.namelist())


def test_slides_have_their_numbers() -> None:
    """And the notes and tables that stand on them."""
    rows = element_rows(parse(one_of_each(), "deck.pptx"))
    assert all(row["metadata"]["page_number"] >= 1 for row in rows)
    assert any("text_as_html" in row["metadata"] for row in rows)
