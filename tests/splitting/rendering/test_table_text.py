"""Tables in sentences: Markdown, built and delimited ones, in the language they are in."""

from __future__ import annotations

import pytest

from chunking.model import Block, BlockType, Document
from chunking.parsing import parse
from chunking.parsing.builder.text_builder import Writer
from chunking.splitting.rendering.markup_cleaning import clean_for_embedding
from chunking.splitting.rendering.table_text import (
    WORDINGS,
    TableCells,
    describe_rows,
    describe_table,
    placeholder,
    split_row,
    wording_of,
)
from tests.support.documents import document_of

MARKDOWN = (
    "# Ports\n\n| Name | `Port` | What *it* is |\n|:---|---:|---|\n| web \\| tls | 443 | |\n| ssh | 22 | [the "
    "shell](x.md) |\n"
)
CHINESE = "# 参数\n\n| 名称 | 默认值 |\n|---|---|\n| port | 80 |\n| 主机 | localhost |\n"


def plain(cell: str) -> str:
    """No markup to take out."""
    return cell


def table_of(document: Document) -> tuple[Block, TableCells]:
    """The first table of a document."""
    block = next(block for block in document.blocks if block.type is BlockType.TABLE)
    clean = clean_for_embedding if document.format == "markdown" else plain
    return block, TableCells(document.text, block, clean)


def described(document: Document, caption: str = "") -> list[str]:
    """The whole of a document's first table, a sentence a line."""
    block, table = table_of(document)
    rows = range(len(table.starts))
    wording = wording_of(document.text, block)
    return [describe_table(table, rows, wording, caption=caption), *describe_rows(table, rows, wording)]


def test_a_markdown_table() -> None:
    """Markup is gone, escaped bars are bars, empty cells are left out."""
    assert described(parse(MARKDOWN.encode(), "a.md"), "Ports") == [
        'The table "Ports" lists Name, Port, What it is in 2 rows.',
        "Name web | tls, Port 443.",
        "Name ssh, Port 22, What it is the shell.",
    ]


def test_a_chinese_table_is_described_in_chinese() -> None:
    """Because it is written so, whatever the document around it is."""
    text = "This is an English text about a table. " * 9 + "\n\n" + CHINESE
    assert described(parse(text.encode(), "a.md"), "参数") == [
        "表格“参数”列出名称，默认值，共2行。",
        "名称 port，默认值 80。",
        "名称 主机，默认值 localhost。",
    ]


@pytest.mark.parametrize(
    ("header", "row", "language"),
    [
        ("参数 id", "user_id, a string of letters", "zh"),
        ("id", "用户的编号，字符串", "zh"),
        ("Name", "Peking 北京", "en"),
        ("名称", "127.0.0.1", "zh"),
        ("名前はこちら", "東京", "en"),
        ("1", "2", "en"),
        ("端口 port", "默认值 http", "zh"),
    ],
)
def test_the_language_of_a_table_is_that_of_its_script(header: str, row: str, language: str) -> None:
    """Chinese where its header is, or most of it; names of things may be English."""
    document = parse(f"| {header} |\n|---|\n| {row} |\n".encode(), "a.md")
    assert wording_of(document.text, table_of(document)[0]) is WORDINGS[language]


def test_a_built_table() -> None:
    """Pipe rows without a rule; the names of two header rows stand together; a short row has fewer clauses."""
    writer = Writer("a.pdf")
    writer.table(
        [["Year", "2023", "2023"], ["", "Sales", "Profit"], ["Asia", "5", "1"], ["Africa", "7"]], header_rows=2
    )
    assert described(document_of(writer.finish()))[1:] == [
        "Year Asia, 2023 Sales 5, 2023 Profit 1.",
        "Year Africa, 2023 Sales 7.",
    ]


def test_a_table_without_a_header() -> None:
    """The values by themselves."""
    writer = Writer("a.pdf")
    writer.table([["ssh", "22"], ["web", "443"]], header_rows=0)
    assert described(document_of(writer.finish())) == ["This table has 2 columns in 2 rows.", "ssh, 22.", "web, 443."]


def test_a_label_with_a_colon_needs_no_comma() -> None:
    """As in the boxes of an encyclopedia."""
    writer = Writer("a.html")
    writer.table([["Class:", "Aves"], ["Order:", "Anseriformes"]], header_rows=0)
    assert described(document_of(writer.finish()))[1:] == ["Class: Aves.", "Order: Anseriformes."]


def test_a_delimited_table() -> None:
    """Quotes, delimiters and line ends inside of fields; more fields than columns."""
    text = 'Name;Notes;Size\nfinch;"small; ""red""\nand quick";3\nswift;black;17;fast\n'
    assert described(parse(text.encode(), "a.csv"), "birds")[1:] == [
        'Name finch, Notes small; "red" and quick, Size 3.',
        "Name swift, Notes black, Size 17 fast.",
    ]


def test_rows_of_a_part() -> None:
    """Only rows that are there as a whole; the sentence says which of how many."""
    document = parse(MARKDOWN.encode(), "a.md")
    block, table = table_of(document)
    assert table.rows_in(block.start, block.end) == range(2)
    assert table.rows_in(block.start, block.end - 1) == range(1)
    assert table.rows_in(table.starts[0] + 1, block.end) == range(1, 2)
    assert table.rows_in(table.starts[1], len(document.text)) == range(1, 2)
    assert table.rows_in(block.start, table.body) == range(0)
    assert (
        describe_table(table, range(1, 2), WORDINGS["en"])
        == "This table lists Name, Port, What it is in 2 rows, here row 2."
    )
    assert describe_table(table, range(1, 2), WORDINGS["zh"]).endswith("，共2行，以下是第2行。")


@pytest.mark.parametrize(
    ("row", "cells"),
    [
        ("| a | b |", ["a", "b"]),
        ("a | b", ["a", "b"]),
        ("> > | a | |", ["a", ""]),
        ("|a", ["a"]),
        (r"| a \| b | c \\| d |", ["a | b", "c \\| d"]),
        ("", [""]),
    ],
)
def test_a_pipe_row_is_split_at_its_bars(row: str, cells: list[str]) -> None:
    """Outer ones or none, in a quote or not."""
    assert split_row(row) == cells


def test_the_names_end_before_the_rule() -> None:
    """What a column's name costs is not what the rule under it does."""
    for text in (MARKDOWN, MARKDOWN.replace("\n", "\r\n"), "> | a | b |\n> |---|---|\n> | 1 | 2 |\n"):
        document = parse(text.encode(), "a.md")
        block, table = table_of(document)
        assert document.text[table.names_end :].lstrip("> ").startswith("|") or document.text[
            table.names_end :
        ].startswith("|:")
        assert "-" not in document.text[block.start : table.names_end]


def test_a_placeholder_speaks_the_language_of_its_document() -> None:
    """In the language of the document; one row is one row."""
    assert placeholder(120, "Parameters", "en-GB") == "[Table: Parameters, 120 rows]"
    assert placeholder(1, "", "und") == "[Table: 1 row]"
    assert placeholder(120, "参数", "zh-Hans") == "[表格：参数，共120行]"


@pytest.mark.parametrize("gap", [" ", "> ", "|", ":"])
def test_a_rule_is_read_once(gap: str) -> None:
    """A second header line that is no rule, however much it looks like one."""
    text = f"a|b\n>{gap * 100_000}x\nc|d\n"
    rows = text.index("c|d")
    block = Block(BlockType.TABLE, 0, len(text), meta={"header_end": rows, "row_starts": (rows,), "columns": 2})
    assert TableCells(text, block, plain).names_end == rows
