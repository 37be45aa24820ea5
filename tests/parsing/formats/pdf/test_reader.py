"""The reader: every file of the test data, nothing lost, and a sentence for what cannot be read."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pypdfium2
import pytest
from PIL import Image, ImageDraw
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import PageBreak, Paragraph, Table, TableStyle

from chunking import chunk_document
from chunking.config import Config
from chunking.errors import ParseError, TooLargeError
from chunking.model import BlockType
from chunking.parsing.formats.pdf.assembly import REPEATED_HEADER
from chunking.parsing.formats.pdf.pages import page_reading as collecting
from tests.parsing.formats.pdf.drawing import SONG, by_hand, draw_pdf, mapped, read, set_in_columns, style, testdata
from tests.support.facts import tells
from tests.support.laws_documents import check
from tests.support.pdf_text import LOST, lost_share
from tests.support.shared_data import shared_files

NAMES = [path.name for path in shared_files("pdf/*.pdf")]
UNREADABLE = {
    "ocr_test.pdf": "its pages are scanned",
    "table-multi-row-column-cells.pdf": "its pages are scanned",
    "password.pdf": "protected by a password",
}


@pytest.mark.parametrize("name", NAMES)
def test_files_of_the_test_data(name: str) -> None:
    """A document that obeys the laws and loses nothing, or a sentence: for scans without OCR, and for what has a
    password.
    """
    data = testdata(name)
    if name in UNREADABLE:
        assert UNREADABLE[name] in refused(data)
        return
    document = read(data)
    check(document)
    assert (document.format, document.page_count) == ("pdf", len(pypdfium2.PdfDocument(data)))
    assert all(place.bbox is not None for place in document.locations)
    assert lost_share(data, document) <= LOST


@pytest.mark.parametrize("name", ["multi_page.pdf", "multi-column-2p.pdf", "right_to_left_01.pdf"])
def test_chunks_have_their_places(name: str) -> None:
    """Chunks are exact slices, cover all that is not left out, go forward, and know the page and box of each line."""
    document = read(testdata(name))
    chunks = chunk_document(document, Config())
    covered = np.zeros(len(document.text), bool)
    for before, chunk in zip([None, *chunks], chunks, strict=False):
        assert chunk.content == document.text[chunk.start : chunk.end]
        assert len(chunk.pages) == len(chunk.bboxes) > 0
        assert before is None or (before.start < chunk.start and before.end < chunk.end)
        covered[chunk.start : chunk.end] = True
    for span in document.left_out:
        covered[span.start : span.end] = True
    assert not [place for place in np.flatnonzero(~covered) if not document.text[place].isspace()]


def refused(data: bytes, error: type[ParseError] = ParseError) -> str:
    """The sentence with which a file is refused."""
    with pytest.raises(error) as caught:
        read(data)
    assert caught.value.where == "test.pdf"
    return str(caught.value)


def test_a_pdf_with_a_password_is_refused_with_advice() -> None:
    """The sentence says what to do."""
    assert tells(refused(testdata("password.pdf")), "test.pdf password remove")


def simple(words: str = "All is well here") -> bytes:
    """One page with a line."""
    return draw_pdf(lambda canvas: canvas.drawString(72, 700, words))


def test_damaged_pdfs_are_refused_in_a_sentence() -> None:
    """Cut off before anything is in it, or no PDF after its first line."""
    for data in (simple()[:60], b"%PDF-1.7\n" + b"\x93\x07 noise " * 900):
        assert tells(refused(data), "test.pdf damaged PDF")


def page(drawing: str) -> str:
    """A page object that draws with the font F."""
    font = "<< /F << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >>"
    return f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents {drawing} /Resources << /Font {font} >> >>"


def content(words: str) -> str:
    """What it draws."""
    drawing = f"BT /F 12 Tf 50 100 Td ({words}) Tj ET"
    return f"<< /Length {len(drawing)} >>\nstream\n{drawing}\nendstream"


def test_a_pdf_without_pages_is_refused() -> None:
    """A tree of pages without a page."""
    sentence = refused(by_hand(["<< /Type /Catalog /Pages 2 0 R >>", "<< /Type /Pages /Kids [] /Count 0 >>"]))
    assert sentence.startswith("test.pdf is damaged")


def test_a_tree_of_pages_that_is_a_loop() -> None:
    """Its branch is its trunk: as many pages are read as it says, and the reader comes back."""
    data = by_hand(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [3 0 R 5 0 R] /Count 3 >>",
            page("4 0 R"),
            content("All is well here"),
            "<< /Type /Pages /Parent 2 0 R /Kids [2 0 R] /Count 2 >>",
        ]
    )
    document = read(data)
    check(document)
    assert document.page_count == 3
    assert set(document.text.split()) == {"All", "is", "well", "here"}


def test_an_outline_that_is_a_loop() -> None:
    """The second entry is followed by the first, which has itself below it."""
    data = by_hand(
        [
            "<< /Type /Catalog /Pages 2 0 R /Outlines 5 0 R >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            page("4 0 R"),
            content("All is well here"),
            "<< /Type /Outlines /First 6 0 R /Last 7 0 R /Count 2 >>",
            "<< /Title (All is well here) /Parent 5 0 R /Next 7 0 R /First 6 0 R /Last 6 0 R /Dest [3 0 R /Fit] >>",
            "<< /Title (Nothing else) /Parent 5 0 R /Next 6 0 R /Dest [3 0 R /Fit] >>",
        ]
    )
    document = read(data)
    check(document)
    assert document.text == "All is well here"


def test_damaged_pages_are_left_out_and_named() -> None:
    """Of five pages the second and third are not there, though the file says so."""
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R 90 0 R 91 0 R 4 0 R 5 0 R] /Count 5 >>",
    ]
    objects += [page(f"{n} 0 R") for n in (6, 7, 8)] + [
        content(words) for words in ("The first page", "The fourth page", "The last one")
    ]
    document = read(by_hand(objects))
    check(document)
    assert document.page_count == 5
    assert [block.page for block in document.blocks] == [1, 4, 5]
    assert tells(document.warnings, "pages 2–3 damaged")


def test_more_pages_than_are_read() -> None:
    """The file says so and need not have them."""
    data = by_hand(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 70000 >>",
            page("4 0 R"),
            content("x"),
        ]
    )
    assert tells(refused(data, TooLargeError), "test.pdf 70,000 pages limit 5,000")


def test_more_characters_than_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """The limit is one of the document, not of a page."""
    monkeypatch.setattr(collecting, "MAX_CHARACTERS", 20)
    read(simple())
    two = draw_pdf(*[lambda canvas: canvas.drawString(72, 700, "All is well here")] * 2)
    assert "more than 20 characters" in refused(two, TooLargeError)
    monkeypatch.setattr(collecting, "MAX_ON_PAGE", 10)
    assert "10 characters" in refused(simple(), TooLargeError)


@pytest.mark.parametrize(
    "box", ["0 0 300 200", "0 0 14400000 14400000", "0 0 0 0", "-9e30 -9e30 9e30 9e30", "300 200 0 0"]
)
@pytest.mark.parametrize(
    "matrix", ["1 0 0 1 50 100", "1e20 0 0 1e20 50 100", "0 0 0 0 50 100", "1 0 0 1 1e30 -1e30", "1e-9 0 0 1e-9 5 5"]
)
def test_places_that_make_no_sense(box: str, matrix: str) -> None:
    """Pages and text without size, or with sizes beyond all numbers: no text is lost, and no box is off its page."""
    drawing = f"BT /F 12 Tf {matrix} Tm (All is) Tj 0 -14 Td (well here) Tj ET"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        page("4 0 R").replace("0 0 300 200", box),
    ]
    try:
        document = read(by_hand([*objects, f"<< /Length {len(drawing)} >>\nstream\n{drawing}\nendstream"]))
    except ParseError as error:
        assert "no text" in str(error)  # noqa: PT017
    else:
        check(document)


def scan(words: str) -> ImageReader:
    """A picture of words."""
    image = Image.new("L", (1200, 400), 255)
    ImageDraw.Draw(image).text((60, 120), words, fill=0, font_size=72)
    return ImageReader(image)


def test_scanned_pages_are_named() -> None:
    """Those that only show a picture; an empty page is none, and text beside a picture makes it none."""

    def picture(canvas: Canvas) -> None:
        canvas.drawImage(scan("Gauge"), 0, 300, 595, 200)

    def both(canvas: Canvas) -> None:
        picture(canvas)
        for n in range(6):
            canvas.drawString(72, 200 - 14 * n, "Below the picture the gauge is described")

    def empty(canvas: Canvas) -> None:
        canvas.setTitle("untitled")

    document = read(draw_pdf(both, picture, empty, picture, picture))
    check(document)
    assert len(document.warnings) == 1
    assert document.warnings[0].startswith("Pages 2 and 4–5 have no text: scanned")
    assert "its pages are scanned" in refused(draw_pdf(picture))


def test_fonts_that_do_not_say_what_they_draw() -> None:
    """Their characters are no text; the page is named."""
    assert not read(testdata("layout-parser-paper-fast.pdf")).warnings  # one envelope among thousands of letters
    document = read(mapped({"A": "0000"}, "AAAAAAxAA"))
    assert document.text == "x"
    assert tells(document.warnings[:1], "page 1 fonts")


@pytest.mark.parametrize(
    ("title", "expected"),
    [
        ("Care of Gauges", "Care of Gauges"),
        ("水位计的维护", "水位计的维护"),
        ("Microsoft Word - Care of Gauges", "Care of Gauges"),
        ("Microsoft Word - gauges_v3.docx", "test"),
        ("untitled", "test"),
        ("(anonymous)", "test"),
        ("12-07", "test"),
    ],
)
def test_titles_of_the_metadata(title: str, expected: str) -> None:
    """Where they say something; names of programs and files do not."""

    def one(canvas: Canvas) -> None:
        canvas.setTitle(title)
        canvas.drawString(72, 700, "All is well here")

    assert read(draw_pdf(one)).title == expected


def grid(rows: list[list[Any]], repeat: int = 0) -> Table:
    """A table with rules around each cell."""
    return Table(
        rows, colWidths=[150, 150, 150], repeatRows=repeat, style=TableStyle([("GRID", (0, 0), (-1, -1), 0.5, "black")])
    )


def test_tables_stand_where_they_are() -> None:
    """After the text above them, before that below; with a place for each row."""
    rows = [["Gauge", "Level", "Read"], ["Old bridge", "3.20 m", "06:00"], ["Lower lock", "1.15 m", "06:20"]]
    document = read(set_in_columns(["Above the table stands this.", grid(rows), "Below the table stands that."]))
    check(document)
    assert [block.type for block in document.blocks] == [BlockType.PARAGRAPH, BlockType.TABLE, BlockType.PARAGRAPH]
    table = document.blocks[1]
    assert document.text[table.start : table.end].split("\n")[1] == "| Old bridge | 3.20 m | 06:00 |"
    assert table.meta["rows"] == 2
    places = document.locations_in(table.start, table.end)
    tops = [place.bbox[1] for place in places if place.bbox]
    assert len(tops) == 3
    assert tops == sorted(tops)


def test_tables_over_pages_are_one() -> None:
    """Their rows know their pages; the header that is printed again is left out."""
    rows = [["Gauge", "Level", "Read"], *([f"Gauge {n}", f"{n}.20 m", "06:00"] for n in range(70))]
    document = read(
        set_in_columns(["Above the table stands this.", grid(rows, repeat=1), "Below the table stands that."])
    )
    check(document)
    (table,) = (block for block in document.blocks if block.type is BlockType.TABLE)
    assert table.meta["rows"] == 70
    assert {place.page for place in document.locations_in(table.start, table.end)} == {1, 2}
    assert document.text[table.start : table.end].count("Gauge |") == 1
    assert [(document.text[span.start : span.end], span.reason) for span in document.left_out] == [
        ("Gauge Level Read", REPEATED_HEADER)
    ]


def test_broken_words_in_tables() -> None:
    """Whether the hyphen at the end of a line of a cell belongs to the word, the document's words say."""
    narrow = style(fontSize=10)
    cells = [Paragraph("the meas-<br/>urement", narrow), Paragraph("a well-<br/>known one", narrow), "third"]
    text = "The measurement is effi- cient and well-known. " * 3
    document = read(set_in_columns([text, grid([["One", "Two", "Three"], cells])]))
    assert "| the measurement | a well-known one | third |" in document.text


def test_pages_of_two_sizes_and_languages() -> None:
    """Chinese beside English, and a page that lies on its side."""

    def english(canvas: Canvas) -> None:
        canvas.drawString(72, 700, "The gauge at the old bridge")

    def chinese(canvas: Canvas) -> None:
        canvas.setPageSize((842, 595))
        canvas.setFont(SONG, 14)
        canvas.drawString(72, 500, "旧桥的水位计，每日清晨读取。")

    document = read(draw_pdf(english, chinese))
    check(document)
    assert [block.page for block in document.blocks] == [1, 2]
    assert "旧桥的水位计，每日清晨读取。" in document.text


def test_fields_are_read_as_filled_in() -> None:
    """What was typed into a form stands beside its label, with its place; a link is nothing to read."""

    def form(canvas: Canvas) -> None:
        canvas.drawString(72, 700, "Name of the gauge:")
        canvas.acroForm.textfield(name="gauge", value="Old bridge", x=200, y=695, width=200, height=20, fontSize=11)
        canvas.linkURL("https://gauges.example", (72, 600, 100, 620))

    document = read(draw_pdf(form))
    check(document)
    assert document.text == "Name of the gauge: Old bridge"
    (place,) = document.locations
    assert place.bbox is not None
    assert place.bbox[2] > 200 / 595


def test_reading_is_repeatable() -> None:
    """The same bytes give the same document, and the file is not touched."""
    data = set_in_columns(
        [Paragraph("One", style(fontName="Times-Bold", fontSize=16)), "Text of it.", PageBreak(), "More of it."]
    )
    copy = io.BytesIO(data).getvalue()
    one, two = read(data), read(data)
    assert (one.text, one.blocks, one.locations) == (two.text, two.blocks, two.locations)
    assert data == copy
