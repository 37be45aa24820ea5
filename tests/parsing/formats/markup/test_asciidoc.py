"""AsciiDoc: titles, delimited blocks, lists with what is attached to them, tables; comments left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.model import BlockType
from chunking.parsing import parse
from chunking.parsing.formats.markup.inline_markup import plain_asciidoc
from tests.parsing.formats.markup.markup_files import block_of, embedded, kinds, outline, read, texts
from tests.support.laws_chunks import check_cutting
from tests.support.laws_documents import check
from tests.support.shared_data import shared_data


def test_a_real_asciidoc_manual_is_read() -> None:
    """The file of the wild ones."""
    document = parse(shared_data("wild/rst_adoc/doc.adoc").read_bytes(), "doc.adoc")
    check(document)
    assert (document.format, document.title, document.warnings) == ("asciidoc", "Widget Manual", ())
    assert outline(document) == [(1, "Widget Manual"), (2, "Introduction"), (3, "Linux")]
    assert block_of(document, "import widget").meta["language"] == "python"
    assert "== not a heading" in texts(document, BlockType.CODE)[0]
    assert block_of(document, "Keep dry").type is BlockType.QUOTE
    text = embedded(document)
    assert "Name foo, Size 1." in text
    assert "----" not in text
    assert "|===" not in text


def test_asciidoc_titles_open_sections() -> None:
    """With signs on both sides, with attributes in them, with a line under them; signs of Markdown too."""
    document = read(
        ":product: Reeder\n\n= The {product} *book*\n\n== One ==\n\nx\n\nTwo\n---\n\n"
        "y\n\nThree\n~~~~~\n\nz\n\n## Four\n\n[[five]]\n[discrete]\n=== Five\n\n"
        "w\n",
        "adoc",
    )
    assert outline(document) == [(1, "The Reeder book"), (2, "One"), (2, "Two"), (3, "Three"), (2, "Four"), (3, "Five")]


def test_delimited_asciidoc_blocks_are_read() -> None:
    """Listings, literals, fences and passthroughs; examples, sidebars, quotes and open blocks hold blocks."""
    document = read(
        "= T\n\n.Query\n[source,sql]\n----\nSELECT 1; // ....\n----\n\n....\nplain\n"
        "....\n\n```ruby\nputs 1\n```\n\n[stem]\n++++\nx^2\n++++\n\n++++\n<b>raw</b>\n"
        "++++\n\n"
        "[WARNING]\n====\nMind the bog.\n\n[source,py]\n----\nbog = 1\n----\n\n* an item\n"
        "====\n\n****\nAside.\n****\n\n[quote, Ann]\n____\nSaid.\n____\n\n--\nOpen.\n"
        "--\n\n indented\n",
        "adoc",
    )
    code = {
        document.text[block.start : block.end].split("\n")[-2]: block.meta
        for block in document.blocks
        if block.type is BlockType.CODE
        if block.meta["fenced"]
    }
    assert [meta["language"] for meta in code.values()] == ["sql", "", "ruby", "py"]
    assert block_of(document, "SELECT").meta["caption"] == "Query"
    assert block_of(document, "x^2").type is BlockType.EQUATION
    assert block_of(document, "raw").type is BlockType.HTML
    for words in ("Mind the bog", "an item", "Aside", "Said", "Open"):
        assert block_of(document, words).type is BlockType.QUOTE, words
    assert block_of(document, "indented").meta["fenced"] is False
    text = embedded(document)
    assert not any(line.startswith(("====", "[WARNING", "****", "____", "....")) for line in text.split("\n"))


def test_asciidoc_lists_nest_and_attach() -> None:
    """Nested items, terms, callouts, what `+` attaches; a list ends where something else begins."""
    document = read(
        "* one\n** deeper\n* two\n+\n[source,sh]\n----\nmake\n----\n+\nMore of two.\n\n"
        ". first\n. second\n\nTerm:: Its definition.\nOther::\n  Another.\n\n"
        "* [x] done\n\nA paragraph.\n",
        "adoc",
    )
    assert block_of(document, "make").type is BlockType.CODE
    assert block_of(document, "More of two").type is block_of(document, "Another").type is BlockType.LIST
    assert block_of(document, "A paragraph").type is BlockType.PARAGRAPH
    assert "* " not in embedded(document)


_TABLES = {
    "implicit header": "|===\n|Name |Size\n\n|Reed |3 m\n|Rush |1 m\n|===\n",
    "a cell a line": '[cols="1,2", options="header"]\n|===\n|Name\n|Size\n\n|Reed\n|3 m\n\n|Rush\n|1 m\n|===\n',
    "percent header": "[%header,cols=2*]\n|===\n|Name |Size\n|Reed |3 m\n|Rush\n|1 m\n|===\n",
    "styles": '[%header,cols="1h,1a"]\n|===\n|Name |Size\nh|Reed a|3 m\n|Rush >|1 m\n|===\n',
    "comma separated": "[%header,format=csv]\n|===\nName,Size\nReed,3 m\nRush,1 m\n|===\n",
    "short csv": "[%header]\n,===\nName,Size\nReed,3 m\nRush,1 m\n,===\n",
}


@pytest.mark.parametrize("kind", _TABLES)
def test_every_kind_of_asciidoc_table_is_read(kind: str) -> None:
    """Each way to write a table: its header, and rows of as many cells as it has columns."""
    document = read(f"== Plants\n\n{_TABLES[kind]}\nEnd.\n", "adoc")
    (table,) = (block for block in document.blocks if block.type is BlockType.TABLE)
    assert (table.meta["rows"], table.meta["columns"]) == (2, 2)
    text = embedded(document)
    assert 'The table "Plants" lists Name, Size in 2 rows.' in text
    assert "Name Reed, Size 3 m.\nName Rush, Size 1 m." in text
    assert "===" not in text


def test_a_table_without_header() -> None:
    """Its title is its caption; cells that span two columns count twice."""
    document = read(".Plants\n[cols=2*]\n|===\n|Reed |3 m\n2+|Both\n|Rush |1 m\n|===\n", "adoc")
    (table,) = (block for block in document.blocks if block.type is BlockType.TABLE)
    assert (table.meta["rows"], table.meta["caption"], "header_end" in table.meta) == (3, "Plants", False)


def test_comments_and_settings() -> None:
    """Comments are left out; attributes, conditions and includes are metadata; a picture is one."""
    document = read(
        "= T\nAnn <a@b.org>\nv1.0\n:toc:\n\n// a remark\nText.\n\n////\nA longer\n\n"
        "remark.\n////\n\n:name: value\n\ninclude::other.adoc[]\n\nifdef::x[]\n\n"
        "image::reed.png[A reed,200]\n",
        "adoc",
    )
    assert [document.text[span.start : span.end] for span in document.left_out] == [
        "// a remark",
        "////\nA longer\n\nremark.\n////",
    ]
    assert (
        block_of(document, "v1.0").type
        is block_of(document, ":name:").type
        is block_of(document, "other.adoc").type
        is BlockType.METADATA
    )
    assert block_of(document, "reed.png").meta == {"path": "reed.png", "alt": "A reed"}


def test_a_block_that_is_never_closed() -> None:
    """Is told, and read to the end."""
    document = read("== T\n\n----\ncode\n", "adoc")
    assert len(document.warnings) == 1
    assert kinds(document)[-1] is BlockType.CODE


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (
            "https://a.example[the site], link:x.html[page,window=_blank] and xref:y.adoc#z[there]",
            "the site, page and there",
        ),
        ("<<id>> or <<id,here>> [[anchor]]now", "id or here now"),
        ("*bold* _italic_ `code` **b**old #marked# [.red]#text#", "bold italic code bold marked text"),
        ("10^6^ and H~2~O", "10^6 and H2O"),
        ("snake_case_name, 2*3*4 and a_b", "snake_case_name, 2*3*4 and a_b"),
        ("kbd:[Ctrl] menu:File[Save] x.footnote:[Note.]", " Ctrl File Save x. Note."),
        ("{product} {empty}x \\{y}", "product  x {y}"),
        ("`+*as is*+` +++<u>+++", "*as is* <u>"),
    ],
)
def test_asciidoc_inline_markup_is_removed(text: str, plain: str) -> None:
    """What is markup, and what only looks like it."""
    assert plain_asciidoc(text).strip() == plain.strip()


_LINES = st.sampled_from(
    [
        "",
        "",
        "= T",
        "== T",
        "=== T ===",
        "Title",
        "-----",
        "----",
        "....",
        "====",
        "****",
        "____",
        "--",
        "++++",
        "////",
        "|===",
        ",===",
        "|a |b",
        "a,b",
        "* item",
        ". item",
        "Term:: x",
        "+",
        "[source,py]",
        "[NOTE]",
        ".Title",
        ":a: b",
        "// c",
        " indented",
        "include::x[]",
        "NOTE: x",
        "[[i]]",
        "```",
        "image::x.png[]",
        "'''",
        "<1> call",
        "Q: why?",
        "A: so.",
        "中文",
        "2+|x",
        "[cols=3*]",
        "~~~~",
        "text +",
    ]
)


@given(st.lists(_LINES, max_size=25), st.sampled_from(["\n", "\r\n", "\r"]))
def test_any_lines_make_a_lawful_document(lines: list[str], end: str) -> None:
    """Whatever follows whatever."""
    document = parse((end.join(lines) + "word").encode(), "a.adoc")
    check(document)
    check_cutting(document)


@pytest.mark.parametrize(
    "piece",
    [
        "*",
        "_",
        "`",
        "#",
        "|",
        "[",
        "((",
        "<<a",
        "link:",
        "https://",
        "{a",
        "^",
        "= ",
        " ",
        "::",
        "a:: ",
        "1+|",
        "\\",
        "++",
    ],
)
def test_hostile_asciidoc_lines_take_no_time(piece: str) -> None:
    """A line of a hundred thousand of anything, and containers in containers."""
    check(parse((piece * 100_000 + "x").encode(), "a.adoc"))
    deep = "".join(f"{'=' * (n + 4)}\n{piece}\n" for n in range(400))
    check(parse(f"{deep}x".encode(), "a.adoc"))
    assert len(plain_asciidoc(piece * 30_000)) <= len(piece) * 30_000
