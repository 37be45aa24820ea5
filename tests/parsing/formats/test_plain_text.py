"""Plain text to blocks: paragraphs, lists, and only those headings that say they are."""

from __future__ import annotations

import pytest

from chunking.model import Document
from chunking.parsing import parse
from chunking.parsing.builder.reader_types import CONTENTS
from tests.support.laws_documents import check


def _read(text: str) -> Document:
    document = parse(text.encode(), "a.txt")
    check(document)
    return document


def _headings(text: str) -> list[tuple[int, str]]:
    return [(section.level, section.title) for section in _read(text).sections if section.level]


def test_paragraphs_end_at_blank_lines() -> None:
    """A line with only spaces is blank; white space around a paragraph is not in its span."""
    document = _read("  one\ntwo  \n \t \n\u3000\nthree\n")
    assert [document.text[block.start : block.end] for block in document.blocks] == ["one\ntwo", "three"]


def test_item_lines_make_a_list() -> None:
    """Two item lines make a list; the line that announces them is a paragraph before it."""
    document = _read("You need:\n  - a cable\n  - a screw\n    of 3 mm\n")
    assert [(block.type.value, block.meta.get("items")) for block in document.blocks] == [
        ("paragraph", None),
        ("list", 2),
    ]
    assert [block.type.value for block in _read("  - a\n  - b").blocks] == ["list"]
    assert [block.type.value for block in _read("one - two\n5 - 3 = 2").blocks] == ["paragraph"]


def test_decimal_numbers_give_the_level() -> None:
    """Decimal numbers give the level."""
    text = (
        "1. Scope\n\nWhat this is about.\n\n1.1 Purpose of it\n\nTo help.\n\n1.1.1 Details\n\nFew.\n\n2. Terms\n\nNone."
    )
    assert _headings(text) == [(1, "1. Scope"), (2, "1.1 Purpose of it"), (3, "1.1.1 Details"), (1, "2. Terms")]


def test_chapter_words_open_sections() -> None:
    """Chinese and English chapter words, without blank lines around them; a part pushes its chapters down."""
    text = "第一部 起\n第一章 缘起\n　　话说天下大势。\n第二节 分合\n　　分久必合。\n第二章\n　　完。"
    assert _headings(text) == [(1, "第一部 起"), (2, "第一章 缘起"), (3, "第二节 分合"), (2, "第二章")]
    assert _headings("Chapter 1: Loomings\n\nCall me.\n\nAPPENDIX A\n\nx y") == [
        (1, "Chapter 1: Loomings"),
        (1, "APPENDIX A"),
    ]
    assert _headings("一、总则\n\n为了规范。\n\n（一）范围\n\n全部。") == [(2, "一、总则"), (3, "（一）范围")]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "\n\u3000示例市供水条例（试行）\n（2031年3月18日通过）\n\n第一编 总则\n\n第一章 一般规定\n\n"
            "第一条 甲。\n第二条 乙。\n第三条 丙。",
            [(1, "示例市供水条例（试行）"), (2, "第一编 总则"), (3, "第一章 一般规定")],
        ),
        (
            "Supply of Goods Act 2031\n\nCHAPTER 1\n\nSection 1. One.\n§ 2 Two.\nSection 3. Three.",
            [(1, "Supply of Goods Act 2031"), (2, "CHAPTER 1")],
        ),
        (
            "STORAGE AGREEMENT\n\nARTICLE 1. TERM\n\n1.1 One.\n1.2 Two.\n1.3 Three.",
            [(1, "STORAGE AGREEMENT"), (2, "ARTICLE 1. TERM")],
        ),
        ("示例市供水条例\n\n第一条 甲。\n第二条 乙。", []),
        ("示例市供水条例\n是一部好条例。\n第一条 甲。\n第二条 乙。\n第三条 丙。", []),
        ("我们依照本条例\n\n第一条说甲，\n第二条说乙，\n第三条说丙。", []),
        ("We made an agreement\n\nSection 1. One.\nSection 2. Two.\nSection 3. Three.", []),
    ],
    ids=["chinese", "english", "capitals", "too few articles", "goes on", "this statute", "a sentence"],
)
def test_the_name_of_a_statute_is_above_its_chapters(text: str, expected: list[tuple[int, str]]) -> None:
    """A first line that is called a statute or a contract, with articles below it, and nothing on the next line but
    when it was passed.
    """
    assert _headings(text) == expected


def test_underlined_and_capitals() -> None:
    """Underlines give levels 1 and 2; capitals between blank lines are a heading."""
    assert _headings("Guide\n=====\nText.\n\nPart one\n--------\n\nMore.\n\nLAST WORDS\n\nBye.") == [
        (1, "Guide"),
        (2, "Part one"),
        (1, "LAST WORDS"),
    ]


@pytest.mark.parametrize(
    "text",
    [
        "1. Open the box\n\n2. Take it out\n\n3. Close it",  # a list with blank lines
        "1.5 litres of water are enough.\n\nDrink.",
        "3.14 is pi\n\nYes.",
        "I said NO.\n\nReally.",
        "OK\n\nfine",
        "第一章讲的是天下大势，分久必合，合久必分的道理。\n\n是的。",
        "Name      Age\n---------------\nAnna      5",
        "Chapter 1 of the book was long, and nobody read it to the end because it was about nothing.\n\nx",
        "THE LAST LINE WITHOUT TEXT",
    ],
)
def test_lines_of_prose_are_no_heading(text: str) -> None:
    """A wrong heading would stand before other text as its prefix: in doubt there is none."""
    assert _headings(text) == []


def test_a_document_without_headings_is_one_section() -> None:
    """Its title is made from the first words, and said to be."""
    (section,) = _read("Some words to begin with.\n\nMore.").sections
    assert (section.level, section.title, section.title_made, section.title_path) == (
        0,
        "Some words to begin with.",
        True,
        (),
    )


def test_wiki_headings_open_sections_at_their_level() -> None:
    """Signs on both sides, tight or spaced; every line under them is a paragraph, and Markdown without headings reads
    so too.
    """
    text = " = Pump = \n It pumps . \n It is blue . \n = = Parts = = \n A wheel . \n==Care==\nOil it.\n"
    document = parse(text.encode(), "pump.txt")
    assert [section.title_path for section in document.sections] == [("Pump",), ("Pump", "Parts"), ("Pump", "Care")]
    assert [document.text[block.start : block.end] for block in document.blocks][1:3] == ["It pumps .", "It is blue ."]
    assert parse(text.encode(), "pump.md").doc_toc == document.doc_toc


@pytest.mark.parametrize(
    "text", ["a = b\n\nc = d\n", "= one line only =\n\ntext\n", "x = 1 =\n\n= =\n", "# Real\n\n= a =\n\n= b =\n"]
)
def test_signs_that_are_no_wiki_headings(text: str) -> None:
    """Formulas, rules, a single one, and a document whose headings are Markdown's."""
    assert all("=" not in section.title for section in parse(text.encode(), "a.md").sections if not section.title_made)


PROSE = "A sentence of the text that says what there is to say, and then goes on for a while."
TITLES = ("1 Scope", "2 Terms used here", "2.1 of the trade", "3 Means", "4 Ends and aims")


def test_contents_are_left_out_where_they_stand() -> None:
    """With the label; lines and spans are as before, and what it names are sections, whatever they look like."""
    rows = "\n".join(f"   {title} {'.' * (40 - len(title))} {n}" for n, title in enumerate(TITLES, 1))
    body = "\n\n".join(f"{title}\n\n   {PROSE}" for title in TITLES)
    text = f"A TITLE\n\n{PROSE}\n\nTable of Contents\n\n{rows}\n\n{body}\n\nSEE_ALSO THIS\n\n{PROSE}\n\nNOTE\n\n{PROSE}"
    document = _read(text)
    (contents,) = document.left_out
    assert contents.reason == CONTENTS
    assert text[contents.start : contents.end] == f"Table of Contents\n\n{rows}"
    assert [section.title for section in document.sections] == ["A TITLE", *TITLES]
    assert [section.level for section in document.sections] == [1, 1, 1, 2, 1, 1]


def test_contents_over_printed_pages() -> None:
    """The foot of a page and the head of the next within it are no end of it."""
    rows = [f"{title} {'.' * (40 - len(title))} {n}" for n, title in enumerate(TITLES, 1)]
    listed = (
        "\n".join(rows[:3])
        + "\n\n\nAuthor        [Page 1]\n\f\nRFC 1      Title      May 1999\n\n\n"
        + "\n".join(rows[3:])
    )
    document = _read(f"Contents\n\n{listed}\n\n" + "\n\n".join(f"{title}\n\n{PROSE}" for title in TITLES))
    assert [document.text[part.start : part.end] for part in document.left_out] == [f"Contents\n\n{listed}"]


@pytest.mark.parametrize(
    "text",
    [
        f"Contents\n\nOne thing\nAnother thing\nA third thing\n\n{PROSE}",
        f"Prices\n\nApples ........ 3\nPears ......... 4\nPlums ......... 5\n\n{PROSE}",
        f"{PROSE}\n\nContents\n\n{PROSE}",
    ],
)
def test_a_list_of_prices_is_no_table_of_contents(text: str) -> None:
    """A list of things, a list of prices: what they name is nowhere in the text."""
    assert _read(text).left_out == ()


def test_evidence_of_headings() -> None:
    """Each says what it was found by; signs of wiki markup are no guess."""
    guessed = {
        "Chapter 1: Loomings\n\nCall me.": ["number", "name"],
        "Guide\n=====\n\nText.": ["mark", "space"],
        "1.1 Purpose\n\nTo help.": ["number", "space"],
        "4.2 Purpose\n\nTo help.": ["space", "number out of order"],
        "LAST WORDS\n\nBye.": ["capitals", "space"],
    }
    for text, evidence in guessed.items():
        meta = _read(text).blocks[0].meta
        assert sorted(meta["evidence"]) == sorted(evidence), text
        assert 0 < meta["confidence"] < 1
    assert _read("= Title =\n\nText.\n\n== Part ==\n\nMore.").blocks[0].meta == {}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "示例集\n作者：甲乙\n\n第一回 开头\n\n甲乙丙。\n\n第二回 后来\n\n丁戊。\n",
            [(1, "示例集"), (2, "第一回 开头"), (2, "第二回 后来")],
        ),
        (
            "The Quiet Valve\nby Ada Merrill\n\nChapter 1\n\nOne.\n\nChapter 2\n\nTwo.\n",
            [(1, "The Quiet Valve"), (2, "Chapter 1"), (2, "Chapter 2")],
        ),
        (
            "THE QUIET VALVE\n\nCHAPTER I\n\nOne.\n\nCHAPTER II\n\nTwo.\n",
            [(1, "THE QUIET VALVE"), (2, "CHAPTER I"), (2, "CHAPTER II")],
        ),
        ("第一章 总则\n\n甲。\n\n第二章 机构\n\n乙。\n", [(1, "第一章 总则"), (1, "第二章 机构")]),
        (
            "It was late, and nobody came.\n\nChapter 1\n\nOne.\n\nChapter 2\n\nTwo.\n",
            [(1, "Chapter 1"), (1, "Chapter 2")],
        ),
        (
            "PREFACE\n\nA word.\n\nCHAPTER I\n\nOne.\n\nCHAPTER II\n\nTwo.\n",
            [(1, "PREFACE"), (1, "CHAPTER I"), (1, "CHAPTER II")],
        ),
    ],
    ids=["chinese", "english", "capitals", "no title", "a sentence", "a preface"],
)
def test_the_title_of_a_book_is_above_its_chapters(text: str, expected: list[tuple[int, str]]) -> None:
    """The first line, with at most its author under it; a sentence, a preface and the first chapter are none."""
    assert _headings(text) == expected


@pytest.mark.parametrize(
    "labels",
    [["Article 1", "Article 2"], ["第一条", "第二条"], ["§ 12", "§ 13"], ["제1조", "제2조"], ["Статья 5", "Статья 6"]],
)
def test_a_label_alone_between_empty_lines_is_a_heading(labels: list[str]) -> None:
    """One that says what it counts; a year or a code on a line of its own may be anything."""
    assert _headings("".join(f"{label}\n\nThe tenant pays.\n\n" for label in labels)) == [
        (2, label) for label in labels
    ]
    assert _headings("2021\n\nThe tenant pays.\n\nWX-100\n\nThe tenant pays.\n") == []
