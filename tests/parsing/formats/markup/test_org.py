"""Org: headlines with states, tags and drawers, blocks, tables, lists; comments left out."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chunking.model import BlockType
from chunking.parsing import parse
from chunking.parsing.formats.markup.inline_markup import plain_org
from tests.parsing.formats.markup.markup_files import block_of, embedded, kinds, outline, read, texts
from tests.support.laws_chunks import check_cutting
from tests.support.laws_documents import check
from tests.support.shared_data import shared_data


def test_a_real_org_manual_is_read() -> None:
    """The file of the wild ones: its title is that of the keyword, its labels have neither state nor tags."""
    document = parse(shared_data("wild/rst_adoc/doc.org").read_bytes(), "doc.org")
    check(document)
    assert (document.format, document.title, document.warnings) == ("org", "Widget Manual", ())
    assert outline(document) == [(1, "Introduction"), (2, "Install"), (3, "Linux")]
    assert block_of(document, "import widget").meta["language"] == "python"
    text = embedded(document)
    assert "Name foo, Size 1." in text
    assert "#+" not in text


@pytest.mark.parametrize(
    ("headline", "label"),
    [
        ("* TODO Reeds", "Reeds"),
        ("* DONE [#A] Reeds [2/3] :a:b@c:", "Reeds"),
        ("* WAIT Reeds", "Reeds"),
        ("* Reeds *and* =rushes=", "Reeds and rushes"),
        ("* [[https://a.example][Reeds]] grow", "Reeds grow"),
        ("* 芦苇  :标签:", "芦苇"),
        ("* TODOS are no state", "TODOS are no state"),
        ("* TODO", "TODO"),
    ],
)
def test_states_and_tags_are_no_part_of_an_org_heading(headline: str, label: str) -> None:
    """States (the file's own too), priorities, cookies, tags and markup are no part of a section's name."""
    document = read(f"#+TODO: TODO WAIT(w) | DONE\n\n{headline}\ntext\n", "org")
    assert outline(document) == [(1, label)]


def test_drawers_and_planning() -> None:
    """Are metadata, as keywords are; a line in bold is no headline."""
    document = read(
        (
            "* T\nSCHEDULED: <2026-05-04 Mon>\n:PROPERTIES:\n:ID: 7\n:END:\n*bold* text\n\n:LOGBOOK:\nCLOCK: "
            "[2026]\n:END:\nMore.\n"
        ),
        "org",
    )
    assert kinds(document) == [
        BlockType.HEADING,
        *[BlockType.METADATA] * 2,
        BlockType.PARAGRAPH,
        BlockType.METADATA,
        BlockType.PARAGRAPH,
    ]


def test_org_blocks_are_read() -> None:
    """Code, examples, quotes with code in them, fixed width, equations, results."""
    document = read(
        "#+CAPTION: The query\n#+begin_src sql :results table\nSELECT 1\n* no headline\n"
        "#+end_src\n\n#+RESULTS:\n: 1\n\n#+BEGIN_EXAMPLE\nplain\n#+END_EXAMPLE\n\n"
        "#+BEGIN_QUOTE\nSaid.\n\n#+BEGIN_SRC py\nx = 1\n#+END_SRC\n\nAnd more.\n"
        "#+END_QUOTE\n\n\\begin{align}\nx\n\\end{align}\n\n-----\n\n[[file:reed.png]]\n",
        "org",
    )
    query = block_of(document, "SELECT")
    assert (query.meta["language"], query.meta["caption"]) == ("sql", "The query")
    assert [block.meta["language"] for block in document.blocks if block.type is BlockType.CODE] == [
        "sql",
        "",
        "",
        "py",
    ]
    assert block_of(document, "Said").type is block_of(document, "And more").type is BlockType.QUOTE
    assert block_of(document, "align").type is BlockType.EQUATION
    assert block_of(document, "reed.png").meta["path"] == "reed.png"
    assert outline(document) == []


def test_comments_are_left_out() -> None:
    """Lines, blocks and whole trees."""
    document = read(
        (
            "# remark\nText.\n\n#+BEGIN_COMMENT\nLonger.\n#+END_COMMENT\n\n* COMMENT Hidden\nsecret\n** "
            "deeper\n* Shown\nx\n"
        ),
        "org",
    )
    assert [document.text[span.start : span.end] for span in document.left_out] == [
        "# remark",
        "#+BEGIN_COMMENT\nLonger.\n#+END_COMMENT",
        "* COMMENT Hidden\nsecret\n** deeper",
    ]
    assert outline(document) == [(1, "Shown")]


def test_tables_and_lists() -> None:
    """A header is what stands above a rule; formulas are metadata; items hold code."""
    document = read(
        "* Plants\n#+CAPTION: Plants\n|------+------|\n| Name | Size |\n|------+------|\n"
        "| Reed | 3 m |\n|------+------|\n| Rush | 1 m |\n#+TBLFM: $2=3\n\n"
        "| a | b |\n| c | d |\n\n- one\n  - deeper\n  #+BEGIN_SRC sh\n  make\n  #+END_SRC\n"
        "- [X] term :: its text\n\n  more\n\n\nA paragraph.\n",
        "org",
    )
    assert "Name Reed, Size 3 m.\nName Rush, Size 1 m." in embedded(document)
    first, second = (block for block in document.blocks if block.type is BlockType.TABLE)
    assert (first.meta["rows"], first.meta["caption"], second.meta["rows"], "header_end" in second.meta) == (
        2,
        "Plants",
        2,
        False,
    )
    assert texts(document, BlockType.CODE) == ["#+BEGIN_SRC sh\n  make\n  #+END_SRC"]
    assert block_of(document, "more").type is BlockType.LIST
    assert block_of(document, "A paragraph").type is BlockType.PARAGRAPH


@pytest.mark.parametrize(
    ("text", "plain"),
    [
        ("[[https://a.example][the site]] or [[https://a.example]]", "the site or https://a.example"),
        ("*b* /i/ _u_ +s+ =c *d*= ~e_f~", "b i u s c *d* e_f"),
        ("a/b/c, 2*3*4, snake_case_x, 1+2+3", "a/b/c, 2*3*4, snake_case_x, 1+2+3"),
        ("text[fn:1] and[fn:: a note] <<target>>", "text and a note "),
        ("https://a.example/b/c/", "https://a.example/b/c/"),
    ],
)
def test_org_inline_markup_is_removed(text: str, plain: str) -> None:
    """What is markup, and what only looks like it."""
    assert plain_org(text) == plain


_LINES = st.sampled_from(
    [
        "",
        "",
        "* T",
        "** TODO T :a:",
        "* COMMENT x",
        "#+TITLE: t",
        "#+BEGIN_SRC py",
        "#+END_SRC",
        "#+BEGIN_QUOTE",
        "#+END_QUOTE",
        "#+CAPTION: c",
        "# c",
        ":PROPERTIES:",
        ":END:",
        ":a: b",
        ": fixed",
        "| a | b |",
        "|---+---|",
        "- item",
        "  - deeper",
        "1. item",
        "  text",
        "text",
        "SCHEDULED: <x>",
        "\\begin{x}",
        "\\end{x}",
        "$$",
        "[[file:a.png]]",
        "-----",
        "[fn:1] n",
        "#+BEGIN_COMMENT",
        "#+END_COMMENT",
        "Q: why?",
        "A: so.",
        "中文",
    ]
)


@given(st.lists(_LINES, max_size=25), st.sampled_from(["\n", "\r\n", "\r"]))
def test_any_lines_make_a_lawful_document(lines: list[str], end: str) -> None:
    """Whatever follows whatever."""
    document = parse((end.join(lines) + "word").encode(), "a.org")
    check(document)
    check_cutting(document)


@pytest.mark.parametrize(
    "piece", ["*", "* ", "/", "=", "[[a", "|", "#+", ":a", "-", " ", "[fn:", "<<", "+", "\\[", "~ "]
)
def test_hostile_org_lines_take_no_time(piece: str) -> None:
    """A line of a hundred thousand of anything, and lists that stand ever deeper."""
    check(parse((piece * 100_000 + "x").encode(), "a.org"))
    deep = "".join(f"{' ' * n}- {piece}\n" for n in range(600))
    check(parse(f"{deep}x".encode(), "a.org"))
    assert len(plain_org(piece * 30_000)) <= len(piece) * 30_000
