"""Samples of Lance tables: the same each time, whole documents, nothing written there, and bad input in a sentence."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import lancedb
import pyarrow as pa
import pytest

from chunking.allowed import Allowed, allow
from chunking.errors import Cancelled, ChunkscopeError, ConfigError, NotFoundError, ParseError, StoreError
from chunking.indexing import TableSample, add_table_sample, suggest_columns, table_samples
from chunking.model import BlockType
from chunking.parsing import parse
from chunking.store import Workspace
from chunking.store.source_tables import open_source_table, source_tables
from tests.support.facts import tells

ROWS, PER_DOCUMENT = 60, 3
EMPTY_EVERY, WITHOUT_ID = 7, (58, 59)


def _text(row: int) -> str:
    return f"# Part {row}\n\nPart {row} has a text."


@pytest.fixture(scope="module")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of two tables: articles in several fragments with deleted rows, and numbers. For reading only."""
    folder = tmp_path_factory.mktemp("tables") / "lake"
    database = lancedb.connect(folder)

    def rows(first: int, after: int) -> pa.Table:
        numbers = range(first, after)
        return pa.table(
            {
                "views": list(numbers),
                "Doc_ID": [None if row in WITHOUT_ID else f"help/{row // PER_DOCUMENT}" for row in numbers],
                "Title": pa.array([f"Article {row}" for row in numbers]).dictionary_encode(),
                "the body": [None if row % EMPTY_EVERY == 0 else _text(row) for row in numbers],
            }
        )

    articles = database.create_table("articles", rows(0, 40))
    articles.add(rows(40, ROWS + 6))
    articles.delete(f"views >= {ROWS}")
    database.create_table("numbers", pa.table({"id": [1, 2]}))
    database.create_table("blank", pa.table({"text": ["", None, " "]}))
    return folder


@pytest.fixture(scope="module")
def other(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    """A workspace of Chunkscope, with a mail in a mail; for reading only."""
    workspace = Workspace.open(tmp_path_factory.mktemp("other") / "workspace")
    workspace.put_documents(
        [parse(f"<h1>Page {n}</h1><p>It has a text.</p>".encode(), f"site/{n}.html") for n in range(9)]
    )
    return workspace


def files(folder: Path) -> dict[str, tuple[int, int]]:
    """Every file below a folder, with its time and size."""
    paths = (path for path in folder.rglob("*"))
    return {str(path): (path.stat().st_mtime_ns, path.stat().st_size) for path in paths}


def test_rows_become_documents_the_same_for_the_same_seed(lake: Path) -> None:
    """Read as Markdown, at a pinned version, and nothing is written where the table is."""
    before, workspace = files(lake.parent), Workspace.open("memory://")
    added = add_table_sample(workspace, str(lake), "articles", title="Title", documents=20, seed=3)
    documents = list(added.documents)
    numbers = [int(document.title.removeprefix("Article ")) for document in documents]
    assert [document.text for document in documents] == [_text(row) for row in numbers]
    assert all(document.blocks[0].type is BlockType.HEADING for document in documents)
    assert [document.source for document in documents] == [f"articles/{row}.md" for row in numbers]
    sample = added.sample
    assert (len(numbers) + sample.without_text, sample.rows, sample.of_rows) == (20, 20, ROWS)
    assert sample.without_text > 0
    again = add_table_sample(Workspace.open("memory://"), f"{lake}/articles.lance", documents=20, seed=3)
    assert again.documents.doc_ids == added.documents.doc_ids
    third = add_table_sample(workspace, str(lake), "articles", documents=20, seed=4)
    assert third.documents.doc_ids != added.documents.doc_ids
    assert files(lake.parent) == before


def test_rows_of_an_id_are_one_document_in_their_order(lake: Path) -> None:
    """Each id is equally likely, and rows without one are counted."""
    every = add_table_sample(Workspace.open("memory://"), str(lake), "articles", id="Doc_ID", documents=999)
    texts = {document.source: document.text for document in every.documents}
    assert texts == {
        f"articles/help/{key}.md": "\n\n".join(
            _text(row)
            for row in range(PER_DOCUMENT * key, PER_DOCUMENT * key + PER_DOCUMENT)
            if row % EMPTY_EVERY and row not in WITHOUT_ID
        )
        for key in range(ROWS // PER_DOCUMENT)
    }
    assert (every.sample.without_id, every.sample.rows) == (len(WITHOUT_ID), ROWS - len(WITHOUT_ID))
    few = add_table_sample(Workspace.open("memory://"), str(lake), "articles", id="Doc_ID", documents=5, seed=1)
    assert len(few.documents) == 5
    assert {document.source: document.text for document in few.documents}.items() <= texts.items()
    chosen = {
        key
        for seed in range(25)
        for key in open_source_table(str(lake), "articles").sample_groups("Doc_ID", 5, seed).rows
    }
    assert len(chosen) == ROWS // PER_DOCUMENT


def test_documents_of_a_workspace_are_taken_whole(other: Workspace) -> None:
    """With their blocks, not read again; its other tables are not offered."""
    before, workspace = files(Path(other.uri)), Workspace.open("memory://")
    assert source_tables(other.uri) == ["documents"]
    added = add_table_sample(workspace, other.uri, documents=4, seed=2)
    assert len(added.documents) == 4
    assert list(added.documents) == [other.document(doc_id) for doc_id in added.documents.doc_ids]
    assert tells(table_samples(workspace)[0].sentence, "4 9 documents version")
    assert files(Path(other.uri)) == before


def test_the_origin_stays_with_the_documents(lake: Path, tmp_path: Path) -> None:
    """The same sample again replaces it; it goes with the last of its documents, and what is no record is left out."""
    workspace = Workspace.open(tmp_path)
    for _ in range(2):
        added = add_table_sample(workspace, str(lake), "articles", id="Doc_ID", documents=3)
    assert table_samples(Workspace.open(tmp_path)) == [
        TableSample.from_json(json.dumps(added.sample.as_record())),
    ]
    assert len(workspace.documents()) == 3
    assert tells(added.sample.sentence, f"3 {added.sample.rows} {ROWS} rows articles version")
    workspace.table_samples.put({"later": "{}"})
    assert len(table_samples(workspace)) == 1
    workspace.delete_documents(added.documents.doc_ids)
    assert table_samples(workspace) == []


def test_a_table_that_changes_meanwhile(tmp_path: Path) -> None:
    """The version that was opened is read."""
    table = lancedb.connect(tmp_path).create_table("notes", pa.table({"text": ["# One", "# Two"]}))
    source = open_source_table(str(tmp_path))
    table.add(pa.table({"text": ["# Three"]}))
    table.delete("text = '# One'")
    added = add_table_sample(Workspace.open("memory://"), source)
    assert [document.text for document in added.documents] == ["# One", "# Two"]
    newest = add_table_sample(Workspace.open("memory://"), str(tmp_path))
    assert [document.text for document in newest.documents] == ["# Two", "# Three"]
    assert newest.sample.version > added.sample.version


def test_a_huge_text_is_refused_alone(lake: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As an upload is; the others are added. A document of too many rows, too."""
    monkeypatch.setattr("chunking.parsing.document.MAX_BYTES", 40)
    monkeypatch.setattr("chunking.parsing.document.FORMATS", ())
    joined = add_table_sample(Workspace.open("memory://"), str(lake), "articles", id="Doc_ID", documents=999)
    assert len(joined.documents) + len(joined.failed) == ROWS // PER_DOCUMENT
    assert len(joined.documents) > 0
    assert all(tells(failure.error, "MB limit") for failure in joined.failed)
    monkeypatch.setattr("chunking.indexing.adding.table_sample._MOST_ROWS", 2)
    rows = add_table_sample(Workspace.open("memory://"), str(lake), "articles", id="Doc_ID", documents=999)
    assert sum(tells(failure.error, "3 rows limit 2") for failure in rows.failed) == len(rows.failed) > 0


def test_what_was_read_before_a_stop_is_saved(lake: Path) -> None:
    """With its origin."""
    workspace, ids = Workspace.open("memory://"), list[str]()

    def full(document: Any) -> None:
        ids.append(document.doc_id)
        if len(ids) == 3:
            raise StoreError("No room.")

    with pytest.raises(StoreError, match=r"No room\."):
        add_table_sample(workspace, str(lake), "articles", on_document=full)
    assert sorted(row.doc_id for row in workspace.documents()) == sorted(ids[:2])
    assert table_samples(workspace)[0].doc_ids == tuple(ids[:2])
    with pytest.raises(Cancelled):
        add_table_sample(workspace, str(lake), "articles", cancelled=lambda: True)
    with pytest.raises(Cancelled):
        add_table_sample(workspace, str(lake), "articles", id="Doc_ID", cancelled=lambda: True)


BAD: dict[str, tuple[Callable[[Workspace, str], object], type[ChunkscopeError], str]] = {
    "no place": (lambda w, lake: add_table_sample(w, " "), NotFoundError, "place"),
    "no folder": (lambda w, lake: add_table_sample(w, f"{lake}/none"), NotFoundError, "folder none"),
    "no database": (lambda w, lake: add_table_sample(w, f"{lake}/numbers.lance/data"), NotFoundError, "table"),
    "home": (lambda w, lake: add_table_sample(w, "~/lake"), NotFoundError, "full path"),
    "web": (lambda w, lake: add_table_sample(w, "https://127.0.0.1:9/x"), NotFoundError, "s3 gs az"),
    "which table": (lambda w, lake: add_table_sample(w, lake), StoreError, "3 tables articles numbers"),
    "no table": (lambda w, lake: add_table_sample(w, lake, "none"), NotFoundError, "none articles numbers"),
    "no version": (lambda w, lake: add_table_sample(w, lake, "blank", version=99), StoreError, "version 99"),
    "no text column": (lambda w, lake: add_table_sample(w, lake, "numbers"), ConfigError, "numbers no column"),
    "no such column": (lambda w, lake: add_table_sample(w, lake, "articles", text="x"), ConfigError, "x exist body"),
    "wrong type": (lambda w, lake: add_table_sample(w, lake, "articles", text="views"), ConfigError, "int64 body"),
    "no title": (lambda w, lake: add_table_sample(w, lake, "articles", title="views"), ConfigError, "int64 title"),
    "no text": (lambda w, lake: add_table_sample(w, lake, "blank"), ParseError, "blank no text"),
    "none": (lambda w, lake: add_table_sample(w, lake, "articles", documents=0), ConfigError, "0 1"),
}


@pytest.mark.parametrize("case", BAD)
def test_bad_input_is_one_sentence(lake: Path, case: str) -> None:
    """That says which place, table or column; nothing is saved or made."""
    call, error, facts = BAD[case]
    before, workspace = files(lake.parent), Workspace.open("memory://")
    with pytest.raises(error) as raised:
        call(workspace, str(lake))
    assert tells(str(raised.value), facts)
    assert workspace.documents() == []
    assert workspace.table_samples.names() == []
    assert files(lake.parent) == before


def test_columns_of_a_workspace_cannot_be_chosen(other: Workspace) -> None:
    with pytest.raises(ConfigError):
        add_table_sample(Workspace.open("memory://"), other.uri, text="text")


def test_a_preview_holds_the_beginning_of_a_text(lake: Path) -> None:
    """Of any type, in the order asked for."""
    table = open_source_table(str(lake), "articles")
    rows = [50, 0, 8]
    cut = list(table.preview(rows, ["the body", "Title", "views"], 4))
    assert [row["Title"] for row in cut] == ["Arti"] * 3
    assert [row["views"] for row in cut] == [str(row["views"]) for row in table.read(rows, ["views"])]
    assert [row["the body"] for row in cut] == ["# Pa", None, "# Pa"]


def test_likely_columns_go_by_name_and_type(lake: Path) -> None:
    assert tuple(suggest_columns(open_source_table(str(lake), "articles"))) == ("the body", "Doc_ID", "Title")
    assert tuple(suggest_columns(open_source_table(str(lake), "numbers"))) == ("", "id", "")


def test_on_a_shared_server_only_its_folders_are_read(lake: Path, tmp_path: Path) -> None:
    """An address, another folder, a link out of an allowed one and what is not there are refused alike."""
    allow(Allowed(everything=False, folders=(lake, tmp_path)))
    assert add_table_sample(Workspace.open("memory://"), str(lake), "articles", documents=2).documents
    (tmp_path / "copy").symlink_to(lake.parent)
    lancedb.connect(tmp_path / "in").create_table("numbers", pa.table({"id": [1]}))
    allow(Allowed(everything=False, folders=(tmp_path,)))
    (tmp_path / "in" / "articles.lance").symlink_to(lake / "articles.lance")
    places = (str(lake), f"{tmp_path}/copy/lake", f"{tmp_path}/none", "s3://127.0.0.1:9/lake", f"{lake}/articles.lance")
    refusals = set[str]()
    for place in (*places, f"{tmp_path}/in"):
        with pytest.raises(ParseError) as raised:
            add_table_sample(Workspace.open("memory://"), place, "articles")
        refusals.add(str(raised.value))
    assert len(refusals) == 1
