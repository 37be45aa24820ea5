"""Headings of pages without h1 to h6: what a reader takes for a heading is one, and what only looks like one is not."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import pytest

from chunking.model import BlockType, Document
from chunking.parsing import parse
from chunking.parsing.builder.reader_types import CONTENTS
from chunking.parsing.formats.html.headings import page_contents
from chunking.parsing.formats.html.headings.guessing import LINK_BACK, PAGE_NUMBER
from tests.support.annual_report import PARTS, annual_report
from tests.support.laws_chunks import check_cutting
from tests.support.laws_documents import check

PROSE = "A sentence of the text that says what there is to say, and then goes on for a while to be long enough."


def read(body: str) -> Document:
    """A page with this in its body."""
    document = parse(f"<html><body>{body}</body></html>".encode(), "a.html")
    check(document)
    check_cutting(document)
    return document


def headings(body: str) -> list[tuple[int, str]]:
    """Level and title of each."""
    return [(section.level, section.title) for section in read(body).sections if section.level]


def text(*paragraphs: str) -> str:
    """Paragraphs, each with prose under it."""
    return "".join(f"{paragraph}<p>{PROSE}</p>" for paragraph in paragraphs)


REPORT = f"""
<p align=center><font size=5><b>ANNUAL REPORT</b></font></p>
<p>{PROSE}</p>
<p align=center><b>TABLE OF CONTENTS</b></p>
<table><tr><td colspan=3>PART I</td></tr>
<tr><td>Item 1.</td><td><a href="#i1">Business</a></td><td>4</td></tr>
<tr><td>Item 1A.</td><td><a href="#i1a">Risk Factors</a></td><td>9</td></tr>
<tr><td colspan=3>PART II</td></tr>
<tr><td>Item 5.</td><td><a href="#i5">Market</a></td><td>10</td></tr>
<tr><td></td><td><a href="#sign">Signatures</a></td><td>12</td></tr></table>
<p align=center><b><u>PART I</u></b></p>
<p id="i1"><b>ITEM 1. BUSINESS</b></p><p>{PROSE}</p>
<p><b>Products</b></p><p>{PROSE}</p>
<p><b><i>Cards.</i></b> {PROSE}</p>
<p align=center>4</p><hr style="page-break-after:always"><p><a href="#top">Table of Contents</a></p>
<a name="i1a"></a><table><tr><td><b>ITEM 1A.</b></td><td><b>RISK FACTORS</b></td></tr></table><p>{PROSE}</p>
<p align=center><b><u>PART II</u></b></p>
<div id="i5"></div><p><b>ITEM 5. MARKET</b></p><p>{PROSE}</p>
<p id="sign" align=center><b>SIGNATURES</b></p><p>{PROSE}</p>
"""
"""Set as the annual reports are that companies file."""


def test_parts_and_items_of_a_report() -> None:
    """Parts above items above what stands in them; the signatures beside the items, as the contents have them."""
    document = read(REPORT)
    assert [(section.level, section.title_path) for section in document.sections] == [
        (1, ("ANNUAL REPORT",)),
        (1, ("PART I",)),
        (2, ("PART I", "ITEM 1. BUSINESS")),
        (3, ("PART I", "ITEM 1. BUSINESS", "Products")),
        (2, ("PART I", "ITEM 1A. RISK FACTORS")),
        (1, ("PART II",)),
        (2, ("PART II", "ITEM 5. MARKET")),
        (2, ("PART II", "SIGNATURES")),
    ]


def test_parts_and_items_of_a_report_of_full_length() -> None:
    """All of them and nothing else at their levels, the topics of each below it; pages, links back and contents in no
    section's text.
    """
    document = parse(annual_report().encode(), "report.html")
    check(document)
    items = {section.title: section for section in document.sections if section.level == 2}
    expected = [(part, item.upper().translate(BRACKETS)) for part, items in PARTS.items() for item in items]
    assert [section.title_path for section in items.values()] == [*expected, ("PART IV", "SIGNATURES")]
    assert [section.title for section in document.sections if section.level == 1] == [
        "UNITED STATES",
        "FORM 10-K",
        *PARTS,
    ]
    topics = [section for section in document.sections if section.level > 2]
    assert {section.level for section in topics} == {3}
    below = Counter(section.title_path[1].split(".")[0] for section in topics)
    assert below == {"ITEM 1": 14, "ITEM 1A": 24, "ITEM 7": 20, "ITEM 8": 24}
    reasons = Counter(part.reason for part in document.left_out)
    assert (reasons[CONTENTS], reasons[LINK_BACK]) == (1, reasons[PAGE_NUMBER])
    assert reasons.total() == 1 + 2 * reasons[LINK_BACK] > 50


BRACKETS = {ord(sign): None for sign in "[]"}
"""Which no title has."""


def test_contents_are_left_out_with_a_reason() -> None:
    """A line a row, with its title; the links back to it too. What they say stands where they lead."""
    document = read(REPORT)
    parts = [(part.reason, document.text[part.start : part.end]) for part in document.left_out]
    rows = "TABLE OF CONTENTS\nPART I\nItem 1. Business\nItem 1A. Risk Factors\nPART II\nItem 5. Market\nSignatures"
    assert sorted(parts) == [(LINK_BACK, "Table of Contents"), (CONTENTS, rows)]
    assert not any(block.type is BlockType.TABLE for block in document.blocks)


def test_evidence_is_reported() -> None:
    """By what each heading was found, the strongest first, and how sure it is."""
    document = read(REPORT)
    evidence = {
        document.text[block.start : block.end]: block.meta
        for block in document.blocks
        if block.type is BlockType.HEADING
    }
    assert evidence["ITEM 1. BUSINESS"]["evidence"][:3] == ("table of contents", "link", "number")
    assert evidence["Products"]["evidence"] == ("bold", "space")
    assert 0.6 <= evidence["Products"]["confidence"] < evidence["ITEM 1. BUSINESS"]["confidence"] <= 1


def test_a_page_that_names_its_headings_is_read_as_ever() -> None:
    """No guess beside good h1 to h6, no contents left out, and nothing in their meta."""
    body = text("<h1>One</h1>", "<p><b>Bold line</b></p>", "<h2>Two</h2>", "<p><b>Another</b></p>")
    body += "<ul><li><a href='#a'>One</a><li><a href='#b'>Two</a><li><a href='#c'>Three</a></ul>"
    document = read(body)
    assert [section.title for section in document.sections] == ["One", "Two"]
    assert not document.left_out
    assert all(not block.meta for block in document.blocks if block.type is BlockType.HEADING)


def test_few_headings_of_its_own() -> None:
    """Guessed ones stand below them, and only those that are sure."""
    long = f"<p>{PROSE * 90}</p>"
    sure, weak = "<p><b>1.1 Part of it</b></p>", "<p><b>Just bold</b></p>"
    assert headings(f"<h1>Title</h1>{long}{sure}{long}{weak}{long}") == [(1, "Title"), (2, "1.1 Part of it")]


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (["<font size=5>Big</font>", "<font size=5>Large</font>"], [1, 1]),
        (["<p style='font-size:20px'>One</p>", "<p><b>Two</b></p>", "<p><b>Three</b></p>"], [1, 2, 2]),
        (["<p><b>1 Aims</b></p>", "<p><b>1.1 Scope</b></p>", "<p><b>2 Means</b></p>"], [1, 2, 1]),
        (
            ["<div><b>FIRST</b></div>", "<p><i>Sub one</i></p>", "<p><i>Sub two</i></p>", "<div><b>SECOND</b></div>"],
            [1, 2, 2, 1],
        ),
        (["<p><b>第一章 总则</b></p>", "<p><b>第一条 目的</b></p>", "<p><b>第二章 范围</b></p>"], [1, 2, 1]),
        (["<p><b>ARTICLE I. TERMS</b></p>", "<p><b>Exhibit list</b></p>", "<p><b>ARTICLE II. RENT</b></p>"], [1, 2, 1]),
    ],
)
def test_guessed_levels_follow_numbers_then_prominence(lines: list[str], expected: list[int]) -> None:
    """By numbers in words, then by what stands out more."""
    assert [level for level, _ in headings(text(*lines))] == expected


def test_lines_that_end_in_a_break() -> None:
    """Old pages have no paragraphs: a bold line between two `<br>` is a heading, and the text around it stays."""
    body = f"<td>Intro {PROSE}<br><br><b>First</b><br>{PROSE}<br><br><b>Second</b> <b>line</b><br>{PROSE}</td>"
    document = read(f"<table><tr>{body}</tr></table>")
    assert [section.title for section in document.sections if section.level] == ["First", "Second line"]
    assert document.text.count(PROSE) == 3


def test_class_rules_of_a_page_are_followed() -> None:
    """As a page has them that was saved from an office."""
    style = "<style>.h { font-weight: 700; font-size: 16pt } p.x, .y{color:red}</style>"
    assert headings(style + text("<p class='y h'>One</p>", "<p class=h><span>Two</span></p>")) == [
        (1, "One"),
        (1, "Two"),
    ]


@pytest.mark.parametrize(
    "body",
    [
        f"<p><b>A bold sentence in the text.</b></p><p>{PROSE}</p>" * 3,
        f"<p><b>Run-in head.</b> {PROSE}</p>" * 3,
        f"<p>{PROSE} <b>Some bold words</b> {PROSE}</p>" * 3,
        (
            f"<table><tr><td><b>Name</b></td><td><b>Size</b></td></tr><tr><td><b>Finch</b></td><td>3 "
            f"cm</td></tr></table><p>{PROSE}</p>"
        ),
        f"<ul><li><b>Item one</b></li><li><b>Item two</b></li></ul><p>{PROSE}</p>",
        f"<nav><p><b>Menu</b></p><p>{PROSE}</p></nav><p>{PROSE}</p>",
        (
            f"<p><b><a href='/one'>One page</a></b></p><p>{PROSE}</p><p><b><a "
            f"href='/two'>Another</a></b></p><p>{PROSE}</p>"
        ),
        "".join(f"<p><b>Bold title {n}</b></p><p><b>{PROSE}</b></p>" for n in "abc"),
        (
            f"<p><b>Note:</b></p><p>{PROSE}</p><p><b>Table 3 "
            f"Sizes</b></p><p>{PROSE}</p><p><b>a@b.org</b></p><p>{PROSE}</p>"
        ),
        f"<p>{PROSE}</p><p><b>Jane Doe</b></p><p><b>Director</b></p><p><b>12 March</b></p>",
        f"<p><b>这是正文中的一句粗体话。</b></p><p>{PROSE}</p><p style='display:none'><b>Hidden</b></p><p>{PROSE}</p>",
        "<p>Just a short note</p><p>Bye</p>",
    ],
)
def test_bold_text_in_prose_and_cells_is_no_heading(body: str) -> None:
    """Bold sentences, cells, items, menus, links to elsewhere, a page all bold, labels, captions, a signature."""
    assert headings(body) == []


def test_a_page_of_chinese() -> None:
    """Chapters in bold, with articles in running text."""
    prose = "本规定适用于公司全体员工，自发布之日起施行，由人力资源部负责解释和修订，各部门应当遵照执行。"
    body = "".join(
        f"<p align=center><b>第{n}章　{name}</b></p><p>{prose}</p>" for n, name in (("一", "总则"), ("二", "考勤"))
    )
    assert headings(body) == [(1, "第一章 总则"), (1, "第二章 考勤")]


def test_a_cover_is_no_chain_of_sections() -> None:
    """Of many lines in a row the one that stands out most; what comes after the contents does not stand under it."""
    cover = "<center><font size=7>Title</font></center>" + "".join(
        f"<p align=center><b>Line {n}</b></p>" for n in "abcd"
    )
    titles = headings(cover + text("<p><b>One</b></p>", "<p><b>Two</b></p>"))
    assert titles == [(1, "Title"), (2, "One"), (2, "Two")]


def test_links_that_lead_nowhere_are_no_contents() -> None:
    """Nor are links to places above, nor a page of nothing but links."""
    links = "".join(f"<p><a href='#{n}'>Place {n}</a></p>" for n in "abcd")
    assert not read(f"{links}<p>{PROSE}</p>").left_out
    assert not read(
        f"<p id=a>Place a</p><p id=b>Place b</p><p id=c>Place c</p><p id=d>Place d</p><p>{PROSE}</p>{links}"
    ).left_out


def test_contents_of_lines_and_of_a_list() -> None:
    """Linked lines and items are contents as rows of a table are."""
    places = "".join(f"<p id={n}><b>Place {n}</b></p><p>{PROSE}</p>" for n in "abcd")
    for links in (
        "".join(f"<p><a href='#{n}'>Place {n}</a></p>" for n in "abcd"),
        "<ul>" + "".join(f"<li><a href='#{n}'>Place {n}</a>" for n in "abcd") + "</ul>",
        "<p>" + "<br>".join(f"<a href='#{n}'>Place {n}</a>" for n in "abcd") + "</p>",
    ):
        document = read(f"<p>{PROSE}</p>{links}{places}")
        assert [document.text[part.start : part.end] for part in document.left_out] == [
            "Place a\nPlace b\nPlace c\nPlace d"
        ]
        assert [section.title for section in document.sections if section.level] == [f"Place {n}" for n in "abcd"]


def test_page_numbers_are_left_out() -> None:
    """The last line of each page, where the page says where its sheets end; a number anywhere else stays."""
    sheet = "<p>{0}</p><p align=center>{1}</p><hr style='page-break-after: always'>"
    document = read("".join(sheet.format(PROSE, n) for n in range(1, 5)) + f"<p>{PROSE}</p><p>7</p><p>{PROSE}</p>")
    assert [(part.reason, document.text[part.start : part.end]) for part in document.left_out] == [
        (PAGE_NUMBER, str(n)) for n in range(1, 5)
    ]
    assert "\n7\n" in document.text


def test_titles_over_several_lines_are_one_section() -> None:
    """Statements of a report: the company's name comes again and again, the date below says what the title is of."""
    names = ("Balance Sheet", "Statement of Income", "Cash Flows")
    body = "".join(
        f"<center><b>A COMPANY</b></center><center><b>{name.upper()}</b></center><p>{PROSE}</p>" for name in names
    )
    assert [title for _, title in headings(body)] == [name.upper() for name in names]
    dated = "".join(
        f"<center><b>{name.upper()}</b></center><center><b>31 DECEMBER</b></center><p>{PROSE}</p>" for name in names
    )
    assert [title for _, title in headings(dated)] == [name.upper() for name in names]


@pytest.mark.parametrize(
    ("title", "expected"), [("A Report of 2024", "A Report of 2024"), ("report-2024.htm", "Big"), ("", "Big")]
)
def test_a_page_is_called_what_it_calls_itself(title: str, expected: str) -> None:
    """A guessed heading does not take the place of a title, unless that is the name of a file."""
    assert read(f"<title>{title}</title>" + text("<font size=5>Big</font>", "<p><b>Small</b></p>")).title == expected
    assert read(f"<title>{title}</title><h1>Own</h1>{PROSE * 100}" + text("<p><b>1.1 Part</b></p>")).title == "Own"


def test_rows_and_lines_of_the_same_words_cost_little(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page of thousands of rows that all say the same is compared a bounded number of times for each."""
    compared: list[object] = []
    monkeypatch.setattr(page_contents, "islice", lambda *args: compared.extend(items := list(islice(*args))) or items)
    read("".join(f"<p><a href='#p{n}'>Same</a></p>" for n in range(400)) + f"<p>{PROSE}</p>" + "<p>Same</p>" * 400)
    assert 0 < len(compared) <= 400 * 50


@pytest.mark.parametrize(
    "labels",
    [["Article 1", "Article 2"], ["2021", "2022"], ["WX-100", "WX-200"], ["第一条", "第二条"]],
    ids=lambda labels: labels[0],
)
def test_labels_alone_stand_under_the_title(labels: list[str]) -> None:
    """In bold over their text: they are headings, and the largest line above all of them is their parent."""
    text = (
        "<p>" + "The tenant pays the rent on the first day of each month to the account of the landlord. " * 4 + "</p>"
    )
    body = "".join(f"<p><b>{label}</b></p>{text}" for label in labels)
    document = parse(f"<p style='font-size:24px'><b>Lease Contract</b></p>{text}{body}".encode(), "test.html")
    assert document.doc_toc.split("\n") == ["Lease Contract", *(f"  {label}" for label in labels)]
