"""Headings that only their looks tell, and titles over their sections: what is one, and what only looks like it."""

from __future__ import annotations

import pytest

from chunking.model import Document
from chunking.parsing import parse
from chunking.parsing.headings.evidence import EVIDENCE
from tests.parsing.samples import docx
from tests.support.laws_documents import check

WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
STYLES = f"""<w:styles xmlns:w="{WORD}">
<w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val="22"/></w:rPr></w:rPrDefault></w:docDefaults>
<w:style w:type="paragraph" w:styleId="T"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="TZ"><w:name w:val="标题"/></w:style>
<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="H2"><w:name w:val="heading 2"/></w:style>
<w:style w:type="paragraph" w:styleId="K"><w:name w:val="caption"/><w:rPr><w:b/></w:rPr></w:style>
<w:style w:type="paragraph" w:styleId="F"><w:name w:val="Fat"/><w:rPr><w:b/></w:rPr></w:style>
<w:style w:type="paragraph" w:styleId="F2"><w:name w:val="Fatter"/><w:basedOn w:val="F"/></w:style>
<w:style w:type="character" w:styleId="S"><w:name w:val="Strong"/><w:rPr><w:b/></w:rPr></w:style></w:styles>"""
TEXT = "The pump starts by itself below four degrees, and stops when the water is warm again. It needs no care."
BOLD = "<w:b/>"


def p(text: str, style: str = "", looks: str = "", properties: str = "") -> str:
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return f"<w:p><w:pPr>{named}{properties}</w:pPr><w:r><w:rPr>{looks}</w:rPr><w:t>{text}</w:t></w:r></w:p>"


CENTRED = '<w:jc w:val="center"/>'


def size(points: int) -> str:
    return f'<w:sz w:val="{2 * points}"/>'


def read(*paragraphs: str, title: str = "") -> Document:
    core = (
        f'<cp:coreProperties xmlns:cp="x" '
        f'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{title}</dc:title></cp:coreProperties>'
    )
    parts = {"word/styles.xml": STYLES, **({"docProps/core.xml": core} if title else {})}
    document = parse(docx("".join(paragraphs), parts=parts), "a.docx")
    check(document)
    return document


def paths(document: Document) -> list[str]:
    return [" > ".join(section.title_path) for section in document.sections if section.level]


CHAPTERS = (p("1 Scope", "H1"), p(TEXT), p("1.1 Places", "H2"), p(TEXT), p("2 Terms", "H1"), p(TEXT))
UNDER = ["Rules", "Rules > 1 Scope", "Rules > 1 Scope > 1.1 Places", "Rules > 2 Terms"]


@pytest.mark.parametrize(
    ("title", "named"),
    [
        (p("Rules", "T"), ""),
        (p("Rules", "TZ"), ""),
        (p("Rules", "H1"), ""),
        (p("Rules", looks=BOLD, properties=CENTRED), ""),
        (p("Rules", looks=size(20), properties=CENTRED), ""),
        (p("Rules", looks=size(26)), ""),
        (p("Rules"), "Rules"),
        (p("Rules", "H1"), "RULES"),
        (p("ACME Ltd") + p("Rules", looks=BOLD, properties=CENTRED), ""),
        (p("") + p("Rules", "T") + p("of 2023"), ""),
    ],
)
def test_the_title_stands_over_its_sections(title: str, named: str) -> None:
    """By its style, its looks, the file's properties, or since all other headings of its level have numbers."""
    document = read(title, *CHAPTERS, title=named)
    assert paths(document) == UNDER
    assert document.title == "Rules"


def test_a_chinese_title_is_no_chapter() -> None:
    """A title without a style above chapters, and one of the chapters' own style."""
    chapters = (
        p("第一章 总则", "H1"),
        p("为规范管理，制定本办法。" * 4),
        p("第二章 附则", "H1"),
        p("本办法自发布之日起施行。" * 4),
    )
    for title in (p("管理办法", looks=size(22), properties=CENTRED), p("管理办法", "H1"), p("管理办法", "TZ")):
        document = read(title, *chapters)
        assert paths(document) == ["管理办法", "管理办法 > 第一章 总则", "管理办法 > 第二章 附则"]
        assert document.title == "管理办法"


@pytest.mark.parametrize(
    "first",
    [
        p(TEXT),
        p("Introduction", "H1") + p(TEXT) + p("Places", "H1"),
        p("A sentence at the top.", looks=BOLD, properties=CENTRED),
        p("Rules", "T") + p(TEXT) + p("More rules", "T"),
        p("centred words", properties=CENTRED),
    ],
)
def test_ordinary_lines_are_no_document_title(first: str) -> None:
    """Text, a chapter like others, a sentence, one of several titles: the chapters stay where they are."""
    assert {"1 Scope", "1 Scope > 1.1 Places", "2 Terms"} <= set(paths(read(first, *CHAPTERS)))


@pytest.mark.parametrize(
    "line",
    [
        p("Safety notes", looks=BOLD),
        p("Safety notes", "F"),
        p("Safety notes", "F2"),
        p("Safety notes", looks='<w:rStyle w:val="S"/>'),
        p("Safety notes", looks=BOLD + size(14)),
        p("Safety </w:t></w:r><w:r><w:rPr><w:b/></w:rPr><w:t>notes", looks=BOLD),
    ],
)
def test_a_bold_line_over_text_is_a_heading(line: str) -> None:
    """By its runs, its style, what that is based on, or the style of its characters; below the heading above it."""
    document = read(p("Manual", "H1"), p(TEXT), p(TEXT), line, p(TEXT), p(TEXT), p("End", "H1"), p(TEXT))
    assert paths(document) == ["Manual", "Manual > Safety notes", "End"]
    (block,) = (block for block in document.blocks if EVIDENCE in block.meta)
    assert "bold" in block.meta[EVIDENCE]
    assert document.text[block.start : block.end] == "Safety notes"


def test_a_file_without_any_style() -> None:
    """Larger bold lines are above smaller ones, under the line that is the title."""
    big, small = BOLD + size(14), BOLD
    document = read(
        *(
            p("Pumps", looks=BOLD + size(18), properties=CENTRED),
            p("Safety", looks=big),
            p("Water", looks=small),
            p(TEXT),
            p(TEXT),
        ),
        *(p("Power", looks=small), p(TEXT), p(TEXT), p("Service", looks=big), p(TEXT), p(TEXT)),
    )
    assert paths(document) == [
        "Pumps",
        "Pumps > Safety",
        "Pumps > Safety > Water",
        "Pumps > Safety > Power",
        "Pumps > Service",
    ]


def test_a_bold_line_that_counts_on() -> None:
    """`2.` after `1.` is of its level, though nobody gave it a style."""
    document = read(
        p("1. Scope", "H1"), p(TEXT), p(TEXT), p("2. Terms", looks=BOLD), p(TEXT), p(TEXT), p("3. End", "H1"), p(TEXT)
    )
    assert paths(document) == ["1. Scope", "2. Terms", "3. End"]


@pytest.mark.parametrize(
    "lines",
    [
        (p("It starts by itself.", looks=BOLD), p(TEXT)),
        (p("Note", looks=BOLD), p(TEXT)),
        (p("Name: 5", looks=BOLD), p(TEXT)),
        (p("Contact us:", looks=BOLD), p(TEXT)),
        (p("Table 3: Sizes", looks=BOLD), p(TEXT)),
        (p("Sizes of pumps", "K"), p(TEXT)),
        (p("Mara Vogt", looks=BOLD), p("Head of pumps"), p("Hamburg")),
        (p("Mara Vogt", looks=BOLD), p("Head of pumps", looks=BOLD), p(TEXT)),
        (p("12.5 %", looks=BOLD), p(TEXT)),
        (p("Bold at the end of all", looks=BOLD),),
        (p("bold, </w:t></w:r><w:r><w:t>and not bold", looks=BOLD), p(TEXT)),
        (p("Bold and turned off", "F", '<w:b w:val="0"/>'), p(TEXT)),
        (p(TEXT, looks=BOLD), p(TEXT)),
        (p("Sizes of all pumps", looks=BOLD), "<w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>"),
        (f"<w:tbl><w:tr><w:tc>{p('Bold in a cell', looks=BOLD)}{p(TEXT)}</w:tc></w:tr></w:tbl>",),
    ],
)
def test_what_only_looks_like_a_heading(lines: tuple[str, ...]) -> None:
    """Sentences, labels, values, captions, names, a heading of a table, what is bold in part or in a cell."""
    assert paths(read(p("Manual", "H1"), p(TEXT), p(TEXT), *lines)) == ["Manual"]


def test_a_text_that_is_all_bold() -> None:
    """Bold tells nothing where much is bold."""
    lines = [p("Safety notes", looks=BOLD), p(TEXT, looks=BOLD)] * 4
    assert paths(read(p("Manual", "H1"), *lines)) == ["Manual"]
