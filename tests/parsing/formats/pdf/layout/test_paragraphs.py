"""Blocks: paragraphs whole over columns and pages, lists, code, contents, and what ends each."""

from __future__ import annotations

from itertools import pairwise

import pytest
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, Preformatted, Spacer

from chunking.model import BlockType, Document
from tests.parsing.formats.pdf.drawing import SONG, draw_pdf, read, set_in_columns, style, testdata
from tests.support.laws_documents import check

_SENTENCES = (
    "The gauge at the old bridge is read each morning before the sun is over the hills",
    "nobody who lives by the river has ever asked why it was put there",
    "when the water rises the first to know are the keepers of the lower lock",
    "they send a boy with a lamp along the towing path to wake the miller",
    "what he pays them for this has not been written down in any of the books",
)


def paragraph(number: int, sentences: int = 4) -> str:
    """Different from all others, so that nothing is taken for repeated."""
    words = [f"{_SENTENCES[(number + n) % len(_SENTENCES)]} in year {1800 + 7 * number + n}" for n in range(sentences)]
    return ". ".join(word[0].upper() + word[1:] for word in words) + "."


def blocks(document: Document, kind: BlockType = BlockType.PARAGRAPH) -> list[str]:
    """Texts of the blocks of a kind."""
    check(document)
    return [document.text[block.start : block.end] for block in document.blocks if block.type is kind]


def foot(canvas: Canvas, number: int) -> None:
    """A running head, a page number, and a note that differs from page to page."""
    canvas.setFont("Times-Roman", 9)
    canvas.drawString(60, 806, "Records of the River Board")
    canvas.drawCentredString(297, 28, str(number))


@pytest.mark.parametrize("columns", [1, 2, 3])
@pytest.mark.parametrize("indent", [0, 14])
def test_paragraphs_are_whole_over_columns_and_pages(columns: int, indent: int) -> None:
    """However they are told apart (by space or by indentation): as many blocks as paragraphs, each word for word."""
    texts = [paragraph(n, 3 + n * n % 7) for n in range(90)]
    how = style(firstLineIndent=indent, spaceBefore=0 if indent else 6)
    document = read(set_in_columns(texts, columns, each_page=foot, text=how))
    assert document.page_count > 2
    paragraphs = blocks(document)
    assert " ".join(paragraphs).split() == " ".join(texts).split()
    # a paragraph that ends with a full line at the very end of a column may seem to go on
    assert len(set(paragraphs) & set(texts)) >= 86
    over = [
        block
        for block in document.blocks
        if len({place.page for place in document.locations_in(block.start, block.end)}) > 1
    ]
    assert over
    for block in over:
        assert document.text[block.start : block.end] in " ".join(texts)


def test_a_note_does_not_part_a_sentence() -> None:
    """It stands at the foot of the page on which the sentence breaks; the sentence is whole and the note follows it."""

    def each_page(canvas: Canvas, number: int) -> None:
        foot(canvas, number)
        canvas.setFont("Times-Roman", 7.5)
        canvas.drawString(60, 48, f"{number} This note says that {_SENTENCES[number]}.")

    texts = [paragraph(n, 6) for n in range(24)]
    document = read(set_in_columns(texts, each_page=each_page))
    paragraphs = blocks(document)
    assert document.page_count > 1
    assert [text for text in paragraphs if "This note" not in text] == texts
    assert sum("This note" in text for text in paragraphs) == document.page_count


def test_a_caption_does_not_part_a_sentence() -> None:
    """Nor does the caption of a figure that was put at the top of the next page."""

    def page(number: int):  # type: ignore[no-untyped-def]
        def draw(canvas: Canvas) -> None:
            canvas.setFont("Times-Roman", 11)
            top = 780
            if number:
                canvas.drawString(72, 760, "Figure 3. The lower lock, seen from the mill")
                top = 720
            words = (paragraph(5, 12) + " " + paragraph(9, 12)).split()
            rows = [" ".join(words[n : n + 14]) for n in range(0, 168, 14)]
            for n, row in enumerate(rows[:6] if not number else rows[6:]):
                canvas.drawString(72, top - 14 * n, row)

        return draw

    document = read(draw_pdf(page(0), page(1)))
    first, caption = blocks(document)
    assert caption == "Figure 3. The lower lock, seen from the mill"
    assert {place.page for place in document.locations_in(0, len(first))} == {1, 2}


def test_a_heading_ends_a_paragraph() -> None:
    """Even one whose last line is full and without a stop."""
    story = [
        paragraph(1) + " And so it went on for as long as anybody who lived there could",
        Paragraph("The second lock", style(fontName="Times-Bold", fontSize=14, spaceBefore=10)),
        paragraph(2),
        paragraph(3),
    ]
    document = read(set_in_columns(story, text=style(spaceBefore=6)))
    assert blocks(document, BlockType.HEADING) == ["The second lock"]
    assert len(blocks(document)) == 3


def test_items_are_one_list() -> None:
    """Bullets and numbers, over several lines each, with space between or not; the paragraph after them is none."""
    hanging = style(leftIndent=16, bulletIndent=2)
    for bullets in ("•••", "123"):
        items = [
            Paragraph(paragraph(n, 2), hanging, bulletText=f"{mark}." if mark.isdigit() else mark)
            for n, mark in enumerate(bullets)
        ]
        document = read(set_in_columns([paragraph(7) + " These are they:", *items, Spacer(1, 8), paragraph(8)]))
        (listed,) = blocks(document, BlockType.LIST)
        lines = listed.split("\n")
        assert [line[0] for line in lines] == list(bullets)
        assert [line.split(maxsplit=1)[1] for line in lines] == [paragraph(n, 2) for n in range(3)]
        assert len(blocks(document)) == 2


def test_lists_of_two_kinds_are_two() -> None:
    """Numbers, then bullets equally far from the margin; bullets further right belong to the item above them."""

    def items(marks: str, left: int) -> list[Paragraph]:
        how = style(leftIndent=left + 16, bulletIndent=left)
        return [
            Paragraph(paragraph(n, 1), how, bulletText=f"{mark}." if mark.isdigit() else mark)
            for n, mark in enumerate(marks)
        ]

    apart = read(set_in_columns([*items("12", 2), *items("••", 2)]))
    assert [text.count("\n") + 1 for text in blocks(apart, BlockType.LIST)] == [2, 2]
    nested = read(set_in_columns([*items("1", 2), *items("••", 20), *items("2", 2)]))
    assert [text.count("\n") + 1 for text in blocks(nested, BlockType.LIST)] == [4]


def test_code_keeps_its_lines() -> None:
    """In a font of one width, with the indentation that it has on the page; one word in such a font is no code."""
    code = "def level(gauge):\n    if gauge.broken:\n        return None\n    return gauge.read()"
    inline = paragraph(3).replace("the river", "<font face='Courier'>the_river()</font>")
    story = [inline, Preformatted(code, style(fontName="Courier", fontSize=9, leading=11)), paragraph(4)]
    document = read(set_in_columns(story))
    assert blocks(document, BlockType.CODE) == [code]
    assert len(blocks(document)) == 2


def test_code_in_a_sentence_stays_there() -> None:
    """The words after it follow it, though they go on with those before it."""
    code = Preformatted("SELECT name\n  FROM gauges", style(fontName="Courier", fontSize=9))
    document = read(
        set_in_columns(
            [
                "If the reference reads, in the form of a query that is sent to all of the stations of a",
                code,
                "and is answered, the result is kept.",
            ]
        )
    )
    assert [block.type for block in document.blocks] == [BlockType.PARAGRAPH, BlockType.CODE, BlockType.PARAGRAPH]
    assert document.text.endswith("and is answered, the result is kept.")


def test_a_listing_goes_on_after_empty_lines_and_page_breaks() -> None:
    """As one block, the empty lines kept; text between two listings parts them."""
    code = "\n\n".join(f"def level_{n}(gauge):\n    return gauge.read({n})" for n in range(30))
    mono = style(fontName="Courier", fontSize=9, leading=11)
    document = read(
        set_in_columns([paragraph(3), Preformatted(code, mono), paragraph(4), Preformatted(code[:60], mono)])
    )
    first, second = blocks(document, BlockType.CODE)
    assert document.page_count == 2
    assert [line for line in first.split("\n") if line] == [line for line in code.split("\n") if line]
    assert second == code[:60]


def test_a_list_goes_on_over_a_page_break() -> None:
    """Also where the break is in the middle of an item."""
    hanging = style(leftIndent=16, bulletIndent=2)
    items = [Paragraph(paragraph(n, 5), hanging, bulletText="•") for n in range(30)]
    document = read(set_in_columns([paragraph(7), *items]))
    assert document.page_count > 1
    (listed,) = blocks(document, BlockType.LIST)
    assert [line[2:] for line in listed.split("\n")] == [paragraph(n, 5) for n in range(30)]


def test_lines_ended_on_purpose_stay_lines() -> None:
    """An address, and a table of contents with leaders."""

    def page(canvas: Canvas) -> None:
        for n, line in enumerate(("River Board", "12 Mill Lane", "Lower Lock", "Leeds")):
            canvas.drawString(72, 760 - 14 * n, line)
        for n, line in enumerate(("1 Rivers", "2 Locks and weirs", "3 Mills")):
            canvas.drawString(72, 600 - 14 * n, f"{line} {'. ' * 40}{n + 3}")
        words = paragraph(1, 10).split()
        for n in range(6):
            canvas.drawString(72, 500 - 14 * n, " ".join(words[n * 12 : n * 12 + 12]))

    document = read(draw_pdf(page))
    paragraphs = blocks(document)
    assert paragraphs[0] == "River Board\n12 Mill Lane\nLower Lock\nLeeds"
    assert [line[0] for line in paragraphs[1].split("\n")] == ["1", "2", "3"]


_CHINESE = (
    "水位计设在旧桥之下，每日清晨由专人读取，并将读数记入登记簿。"
    "汛期水位上涨时，应当立即通知下游各闸的管理人员，不得延误。"
)


def test_chinese_lines_are_joined_without_spaces() -> None:
    """Over lines and pages, told apart by the indentation of two characters."""
    texts = [f"第{n}号闸门：" + _CHINESE * (1 + n % 4) for n in range(10, 60)]
    how = style(fontName=SONG, fontSize=12, leading=20, firstLineIndent=24, wordWrap="CJK", alignment=0)
    document = read(set_in_columns(texts, text=how))
    assert document.language == "zh"
    assert document.page_count > 3
    paragraphs = blocks(document)
    assert "".join(paragraphs) == "".join(texts)
    assert len(set(paragraphs) & set(texts)) >= 45


def test_a_letter_over_two_lines_begins_its_word() -> None:
    """A drop cap is no paragraph of its own."""

    def page(canvas: Canvas) -> None:
        canvas.setFont("Times-Bold", 30)
        canvas.drawString(72, 700, "T")
        canvas.setFont("Times-Roman", 11)
        words = paragraph(0, 8)[1:].split()
        for n in range(6):
            canvas.drawString(94 if n < 2 else 72, 711 - 13 * n, " ".join(words[n * 14 : n * 14 + 14]))

    paragraphs = blocks(read(draw_pdf(page)))
    assert paragraphs[0].startswith("The gauge at the old bridge")
    assert len(paragraphs) == 1


def test_sentences_of_real_papers_continue_over_columns_and_pages() -> None:
    """Sentences that go over columns and pages of papers, and lists that do."""
    text = read(testdata("multi-column-2p.pdf")).text
    assert "results on multiple open-domain QA datasets, it also suffers from two weaknesses." in text
    assert "More specifically, we assume the extractive QA setting, in which" in text
    document = read(testdata("layout-parser-paper-fast.pdf"))
    assert "image classification [11, 37], layout detection" in document.text
    (listed,) = blocks(document, BlockType.LIST)
    assert [line[:2] for line in listed.split("\n")] == ["1.", "2.", "3.", "4."]
    document = read(testdata("multi_page.pdf"))
    assert all(
        line.startswith(("•", "1", "2", "3", "4", "5"))
        for text in blocks(document, BlockType.LIST)
        for line in text.split("\n")
    )
    assert not any("\n" in text for text in blocks(document))
    arabic = read(testdata("right_to_left_01.pdf"))
    assert len(blocks(arabic)) == 4
    for one, two in pairwise(arabic.locations):
        assert two.bbox is not None and one.bbox is not None and two.bbox[1] > one.bbox[1]  # noqa: PT018
