"""reStructuredText: sections by the order of their adornments, directives, tables, lists; comments left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking import chunk_document
from chunking.config import ChunkConfig, Config
from chunking.model import BlockType
from chunking.parsing import parse
from chunking.parsing.formats.markup.inline_markup import plain_rst
from tests.parsing.formats.markup.markup_files import block_of, embedded, kinds, outline, read, texts
from tests.support.laws_chunks import check_cutting
from tests.support.laws_documents import check
from tests.support.shared_data import shared_data


def test_a_real_rst_manual_is_read() -> None:
    """The file of the wild ones: title, sections, code with a comment that is no heading, a note and two tables."""
    document = parse(shared_data("wild/rst_adoc/doc.rst").read_bytes(), "doc.rst")
    check(document)
    assert (document.format, document.title, document.warnings) == ("rst", "Widget Manual", ())
    assert outline(document) == [(1, "Widget Manual"), (2, "Introduction"), (3, "Install"), (4, "Linux")]
    assert block_of(document, "import widget").meta["language"] == "python"
    assert block_of(document, "Keep it dry").type is BlockType.QUOTE
    text = embedded(document)
    assert "A 1, B 2." in text
    assert "Name foo, Size 1." in text
    assert "``" not in text
    assert "====" not in text


@pytest.mark.parametrize(
    ("signs", "levels"),
    [
        (["==", "=", "-"], [1, 2, 3]),
        (["#", "*", "="], [1, 2, 3]),
        (["-", "=", "~"], [1, 2, 3]),
        (["=", "-", "="], [1, 2, 1]),
        (["^^", '"', "'", "."], [1, 2, 3, 4]),
        (["=", "-", "~", "^", '"', "+", "`"], [1, 2, 3, 4, 5, 6, 6]),
    ],
)
def test_levels_are_the_order_of_adornments(signs: list[str], levels: list[int]) -> None:
    """Whatever the signs are; a line over a title is another style than none."""
    parts = []
    for number, sign in enumerate(signs):
        title = f"Title {number}"
        over = f"{sign[0] * 9}\n" if len(sign) > 1 else ""
        parts.append(f"{over}{title}\n{sign[0] * 9}\n\nText {number}.\n")
    document = read("\n".join(parts), "rst")
    assert outline(document) == [(level, f"Title {number}") for number, level in enumerate(levels)]


@pytest.mark.parametrize(
    ("text", "titles"),
    [
        ("芦苇荡\n======\n\n文\n", ["芦苇荡"]),
        ("芦苇荡\n===\n\n文\n", []),
        ("A long title\n====\n\nx\n", ["A long title"]),
        ("Run ``x_y`` *now*\n=================\n\nx\n", ["Run x_y now"]),
        ("=======\n Inset\n=======\n\nx\n", ["Inset"]),
        ("=====\nInset\n=====\n\nx\n", ["Inset"]),
        ("Two lines\nof text\n-------\n", []),
        ("Text.\n\n----------\n\nMore.\n", []),
        ("x\r\n====\r\n\r\ny\r\n", ["x"]),
    ],
)
def test_an_rst_title_is_recognised_by_its_underline(text: str, titles: list[str]) -> None:
    """By its line, whose length is counted as on a screen; a rule between paragraphs is none."""
    assert [title for _, title in outline(read(text, "rst"))] == titles


def test_rst_directives_are_read() -> None:
    """Each kind of directive: code, equations, pictures, notes with code in them, settings."""
    document = read(
        "Start.\n\n.. code:: sql\n   :name: q\n   :caption: The query\n\n   SELECT 1;\n\n     -- indented\n\nAfter.\n\n"
        ".. math:: a^2\n\n.. image:: img/reed.png\n   :alt: A reed\n\n.. figure:: x.svg\n\n   The caption of it.\n\n"
        ".. warning:: Mind the *bog*.\n   It is deep::\n\n       bog = 1\n\n   And wide.\n\n"
        ".. toctree::\n   :maxdepth: 2\n\n   one\n   two\n\n"
        ".. py:function:: walk(path)\n\n   Walk along a path.\n",
        "rst",
    )
    code = block_of(document, "SELECT 1")
    assert (code.type, code.meta["language"], code.meta["caption"]) == (BlockType.CODE, "sql", "The query")
    assert "-- indented" in document.text[code.start : code.end]
    assert block_of(document, "a^2").type is BlockType.EQUATION
    assert block_of(document, "reed.png").meta == {"path": "img/reed.png", "alt": "A reed"}
    assert block_of(document, "The caption").type is BlockType.PARAGRAPH
    assert block_of(document, "Mind the").type is block_of(document, "And wide").type is BlockType.QUOTE
    assert block_of(document, "bog = 1").type is BlockType.CODE
    assert block_of(document, "maxdepth").type is BlockType.METADATA
    assert block_of(document, "Walk along").type is BlockType.QUOTE
    text = embedded(document)
    assert ":caption:" not in text
    assert "Mind the bog." in text


def test_literal_blocks_keep_their_lines() -> None:
    """After `::`, alone or at the end of a line, indented or quoted, in a list too."""
    document = read(
        "Run this::\n\n    make *all*\n\n    make test\n\nThen::\n\n> quoted\n> lines\n\n"
        "::\n\n  alone\n\n- An item::\n\n      in it\n\n  and on.\n",
        "rst",
    )
    assert texts(document, BlockType.CODE) == [
        "    make *all*\n\n    make test",
        "> quoted\n> lines",
        "  alone",
        "      in it",
    ]
    assert block_of(document, "An item").type is block_of(document, "and on").type is BlockType.LIST
    assert "make *all*" in embedded(document)


def test_comments_are_left_out() -> None:
    """With a reason; targets, footnotes and substitutions are no comments."""
    document = read(
        "Text. [1]_\n\n.. A remark\n   of two lines.\n\n..\n   Another,\n\n   longer one.\n\n"
        ".. _here:\n\n.. [1] The footnote.\n\n.. |reed| replace:: Phragmites\n\n"
        "End.\n",
        "rst",
    )
    left_out = [document.text[span.start : span.end] for span in document.left_out if span.reason == "comment"]
    assert left_out == [".. A remark\n   of two lines.", "..\n   Another,\n\n   longer one."]
    assert [span.reason for span in document.left_out] == ["comment", "comment", "link target"]
    text = embedded(document)
    assert "The footnote." in text
    assert "remark" not in text
    assert "_here" not in text


_TABLES = {
    "grid": "+------+------+\n| Name | Size |\n+======+======+\n| Reed | 3 m  |\n|      | high |\n"
    "+------+------+\n| Rush | 1 m  |\n+------+------+\n",
    "simple": "====  =========\nName  Size\n====  =========\nReed  3 m\n      high\nRush  1 m\n====  =========\n",
    "list": ".. list-table:: Plants\n   :header-rows: 1\n   :widths: 1 2\n\n   * - Name\n"
    "     - Size\n   * - Reed\n     - 3 m\n       high\n   * - Rush\n     - 1 m\n",
    "csv": '.. csv-table:: Plants\n   :header-rows: 1\n\n   Name, Size\n   Reed, "3 m high"\n   Rush, 1 m\n',
    "nested": (
        "- Plants:\n\n  ====  =========\n  Name  Size\n  ====  =========\n  Reed  3 m high\n  Rush  1 m\n  ====  "
        "=========\n"
    ),
    "titled": ".. table:: Plants\n\n   +------+----------+\n   | Name | Size     |\n   +======+==========+\n"
    "   | Reed | 3 m high |\n   +------+----------+\n   | Rush | 1 m      |\n"
    "   +------+----------+\n",
}


@pytest.mark.parametrize("kind", _TABLES)
def test_every_kind_of_rst_table_is_read(kind: str) -> None:
    """Each way to write a table: header, rows and cells of several lines."""
    document = read(f"Plants\n------\n\n{_TABLES[kind]}\nEnd.\n", "rst")
    (table,) = (block for block in document.blocks if block.type is BlockType.TABLE)
    assert table.meta["rows"] == 2
    text = embedded(document)
    assert 'The table "Plants" lists Name, Size in 2 rows.' in text
    assert "Name Reed, Size 3 m high.\nName Rush, Size 1 m." in text
    assert block_of(document, "End.").type is BlockType.PARAGRAPH


def test_columns_that_a_header_spans() -> None:
    """A rule of dashes under the cells of a simple table says which columns they span."""
    table = (
        "=====  =====  ======\n   Inputs     Output\n------------  ------\n  A      B    A or B\n"
        "=====  =====  ======\nFalse  True   True\n=====  =====  ======\n"
    )
    assert "Inputs A False, B True, Output A or B True." in embedded(read(table, "rst"))


def test_a_title_stays_with_its_lines() -> None:
    """A chunk never begins with the line under a title, however little room there is."""
    document = read("\n".join(f"=========\nChapter {n}\n=========\n\n{'word ' * 30}\n" for n in range(5)), "rst")
    chunks = chunk_document(document, Config(chunk=ChunkConfig(size=40, overlap=0)))
    assert not any(chunk.content.lstrip().startswith("=========\n\n") for chunk in chunks)


def test_a_simple_table_in_chinese() -> None:
    """Columns are those of a screen, on which a character takes two."""
    document = read("======  ====\n名称    大小\n======  ====\n芦苇    三米\n灯心草  一米\n======  ====\n", "rst")
    assert "名称 灯心草" in embedded(document)


def test_rst_lists_are_read() -> None:
    """Bullets, numbers, terms with definitions, fields, options; what only looks like an item is a paragraph."""
    document = read(
        "* one\n* two\n\n  more of two\n\n#. first\n#. second\n\nterm\n    Its definition.\n\n"
        "other : kind\n    Another.\n\n"
        ":param x: the *x*\n:returns: y\n\n-v, --verbose  Say more.\n-q             Say less.\n\n"
        "A. Smith wrote\nthis line.\n",
        "rst",
    )
    assert kinds(document) == [*[BlockType.LIST] * 5, BlockType.PARAGRAPH]
    assert document.blocks[0].meta["items"] == 2


def test_docinfo_is_metadata() -> None:
    """Fields above the first text."""
    document = read("Reeds\n=====\n\n:Author: Ann\n:Version: 2\n\nText.\n\n:field: here\n", "rst")
    assert kinds(document) == [BlockType.HEADING, BlockType.METADATA, BlockType.PARAGRAPH, BlockType.LIST]


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        (":py:func:`~os.path.join` and :doc:`Guide </guide>`", "os.path.join and Guide"),
        ("`Python <https://python.org>`__ or Reeds_ or `two words`_", "Python or Reeds or two words"),
        ("``a *b* `c` ``", "a *b* `c` "),
        ("snake_case, 2*3*4, a * b * c, **kwargs", "snake_case, 2*3*4, a * b * c, **kwargs"),
        ("a|b, |reed| and \\*star\\*", "a|b, reed and *star*"),
        ("*over\ntwo lines*", "over\ntwo lines"),
        ("no [1]_ mark [#n]_ but [Ann2020]_", "no mark but Ann2020"),
    ],
)
def test_rst_inline_markup_is_removed(text: str, plain: str) -> None:
    """What is markup, and what only looks like it."""
    assert plain_rst(text) == plain


_LINES = st.sampled_from(
    [
        "",
        "",
        "Title",
        "=====",
        "-----",
        "  indented",
        "    more",
        "- item",
        "1. item",
        "text::",
        ".. note::",
        "   :opt: x",
        ".. comment",
        "..",
        ">>> x",
        "+--+--+",
        "|a |b |",
        "+==+==+",
        "==  ==",
        "a   b",
        ".. code:: py",
        ".. list-table::",
        "   * - a",
        "     - b",
        ".. csv-table::",
        "   a,b",
        ".. figure:: x",
        ":a: b",
        "term",
        ".. [1] note",
        ".. _t:",
        "| line",
        "Q: why?",
        "A: so.",
        "\t tab",
        "中文",
        "__ x",
        ".. table:: T",
    ]
)


@given(st.lists(_LINES, max_size=25), st.sampled_from(["\n", "\r\n", "\r"]))
def test_any_lines_make_a_lawful_document(lines: list[str], end: str) -> None:
    """Whatever follows whatever."""
    document = parse((end.join(lines) + "word").encode(), "a.rst")
    check(document)
    check_cutting(document)


@pytest.mark.parametrize(
    "piece", ["*", "`", "|", ":a", "_a", "a_", "\\", "``", "**a ", ":a:`", " ", "- ", "+-", "= ", ".. ", "[1", "   "]
)
def test_hostile_rst_lines_take_no_time(piece: str) -> None:
    """A line of a hundred thousand of anything, and as many lines that stand ever deeper."""
    check(parse((piece * 100_000 + "x").encode(), "a.rst"))
    deep = "".join(f"{' ' * n}- {piece}\n\n" for n in range(600))
    check(parse(f"{deep}x".encode(), "a.rst"))
    assert len(plain_rst(piece * 30_000)) <= len(piece) * 30_000
