"""Scanned pages: how they are told, what is said of them, and what tesseract reads on them."""

from __future__ import annotations

import pypdfium2
import pytest
from PIL import Image, ImageDraw, ImageFont
from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

from chunking.errors import ParseError
from chunking.model import BlockType
from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.formats.pdf.characters.page_characters import read_characters
from chunking.parsing.formats.pdf.pages import page_images as ocr
from chunking.parsing.formats.pdf.pages.page_reading import is_scanned
from chunking.parsing.formats.pdf.reader import read_pdf
from tests.parsing.formats.pdf.drawing import draw_pdf, testdata
from tests.support.facts import tells

needs_tesseract = pytest.mark.skipif(not ocr.is_installed(), reason="tesseract is not installed")

LINES = ("The annual valve records", "the quiet harbour while a gauge", "covers the narrow window.")
RAW_TEXT = "Some text that can be read without recognising anything at all on this page."


def scan(lines: tuple[str, ...] = LINES, size: int = 60) -> Image.Image:
    """A page at 150 dpi with some lines of text."""
    image = Image.new("L", (1240, 1754), 255)
    draw = ImageDraw.Draw(image)
    for n, line in enumerate(lines):
        draw.text((120, 200 + 90 * n), line, fill=0, font=ImageFont.load_default(size))
    return image


def pictured(canvas: Canvas, *, scale: float = 1.0) -> None:
    canvas.drawImage(ImageReader(scan()), 0, 0, A4[0] * scale, A4[1] * scale)


def text(canvas: Canvas) -> None:
    canvas.drawString(72, 700, RAW_TEXT)


def read(data: bytes, *, ocr: bool = True) -> Reading:
    return read_pdf(RawFile(data, "scan.pdf", ocr=ocr))


def scanned(data: bytes) -> bool:
    page = pypdfium2.PdfDocument(data)[0]
    return is_scanned(page, read_characters(page, 1))


def test_a_page_of_one_picture_is_scanned() -> None:
    """A picture without text, or with a stamp on one that covers the page; not text with a picture beside it."""
    assert scanned(draw_pdf(pictured))
    assert scanned(draw_pdf(lambda canvas: pictured(canvas, scale=0.3)))
    assert scanned(draw_pdf(lambda canvas: (pictured(canvas), canvas.drawString(500, 20, "Page 3"))[0]))
    assert not scanned(draw_pdf(lambda canvas: (pictured(canvas, scale=0.3), canvas.drawString(500, 20, "Page 3"))[0]))
    assert not scanned(draw_pdf(lambda canvas: (pictured(canvas), text(canvas))[0]))
    assert not scanned(draw_pdf(text))
    assert not scanned(draw_pdf(lambda canvas: None))


def test_said_when_it_is_not_asked_for() -> None:
    """A file of scans alone is an error; a page among others a warning."""
    with pytest.raises(ParseError, match=r"scanned.* OCR"):
        read(draw_pdf(pictured), ocr=False)
    assert tells(read(draw_pdf(text, pictured), ocr=False).warnings, "page 2 scanned OCR")


def test_said_when_it_is_not_installed(monkeypatch: pytest.MonkeyPatch) -> None:
    """One sentence about what to install."""
    monkeypatch.setattr("shutil.which", lambda name: None)
    (warning,) = read(draw_pdf(text, pictured, pictured)).warnings
    assert warning == f"Pages 2–3 have no text: scanned. {ocr.NOT_INSTALLED}"


@needs_tesseract
def test_read_by_tesseract() -> None:
    """Words as a paragraph with boxes where they stand, between the pages that have text, and one warning."""
    reading = read(draw_pdf(text, pictured, text))
    assert " ".join(LINES) in reading.text
    assert tells(reading.warnings, "page 2 OCR wrong")
    (block,) = [block for block in reading.blocks if block.page == 2]
    assert block.type is BlockType.PARAGRAPH
    left, top, right, bottom = block.bbox or (0, 0, 0, 0)
    assert 0.08 < left < 0.12 < 0.5 < right < 1
    assert 0.1 < top < 0.14 < 0.2 < bottom < 0.3


@needs_tesseract
def test_a_real_scan_is_recognised() -> None:
    """Of the shared test data."""
    reading = read(testdata("ocr_test.pdf"))
    assert (
        reading.text == "Docling bundles PDF document conversion to JSON and Markdown in an easy self contained package"
    )


@needs_tesseract
def test_a_page_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    """And said so; the others are read."""
    monkeypatch.setattr(ocr, "_SECONDS", 0.01)
    assert tells(read(draw_pdf(text, pictured)).warnings, "page 2 scanned recognition gave up")


def test_words_to_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those that are not sure go; Chinese ones are joined without spaces; a wide gap is one between columns; sizes are
    evened.
    """
    import pytesseract

    words = [
        (1, 1, "显微", 95, 100, 100, 80), (1, 1, "镜", 95, 190, 100, 40), (1, 1, "#~", 12, 300, 100, 40),
        (1, 2, "Type", 95, 100, 150, 80), (1, 2, "white", 95, 700, 150, 90), (2, 1, "", -1, 0, 0, 10),
    ]  # fmt: skip
    table = {
        key: [row[place] for row in words]
        for place, key in enumerate(("block_num", "line_num", "text", "conf", "left", "top", "width"))
    }
    table |= {"height": [40, 44, 40, 36, 40, 0], "par_num": [1] * len(words)}
    monkeypatch.setattr(pytesseract, "image_to_data", lambda *_, **__: table)
    monkeypatch.setattr(ocr, "_languages", lambda: "eng")
    lines = ocr.recognise_page(pypdfium2.PdfDocument(draw_pdf(pictured))[0], 1)
    assert lines is not None
    assert [line.text for line in lines] == ["显微镜", "Type white"]
    assert [len(line.gaps) for line in lines] == [0, 1]
    assert len({line.size for line in lines}) == 1
    assert lines[0].bbox[0] == pytest.approx(100 / 2480, abs=1e-3)
