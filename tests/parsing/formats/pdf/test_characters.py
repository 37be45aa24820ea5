"""Characters: where they are, how they are set, and what they say."""

from __future__ import annotations

from typing import Any

import numpy as np
import pypdfium2
import pytest
from reportlab.pdfbase.pdfmetrics import stringWidth
from reportlab.pdfgen.canvas import Canvas

from chunking.parsing.formats.pdf.characters.page_characters import (
    CharacterStyle,
    PageCharacters,
    _detect_monospaced,
    read_characters,
)
from chunking.parsing.formats.pdf.pages.page_images import page_picture
from tests.parsing.formats.pdf.drawing import draw_pdf, lines_on, mapped, testdata


def characters_of(data: bytes) -> PageCharacters:
    """Those of the first page."""
    return read_characters(pypdfium2.PdfDocument(data)[0], 1)


def test_places_are_those_of_the_drawing() -> None:
    """A drawn line has its box where it is: from the left edge of its first letter to the right edge of its last."""

    def page(canvas: Canvas) -> None:
        canvas.setFont("Helvetica", 20)
        canvas.drawString(100, 300, "Gauge")

    read = characters_of(draw_pdf(page, size=(400, 500)))
    assert (read.text, read.width, read.height) == ("Gauge", 400, 500)
    assert read.boxes[0][0] == pytest.approx(100, abs=0.1)
    assert read.boxes[-1][2] == pytest.approx(100 + stringWidth("Gauge", "Helvetica", 20), abs=0.1)
    assert (read.boxes[:, 1] < 200).all()
    assert (read.boxes[:, 3] > 200).all()


def test_styles_are_distinguished_inside_a_line() -> None:
    """Font, size on the page (scaled), weight and equal widths, once a run of characters."""

    def page(canvas: Canvas) -> None:
        text = canvas.beginText(50, 400)
        for font, words in (("Times-Roman", "plain "), ("Times-Bold", "bold "), ("Courier", "code")):
            text.setFont(font, 10)
            text.textOut(words)
        canvas.scale(1, 1.5)
        canvas.drawText(text)

    read = characters_of(draw_pdf(page, size=(400, 700)))
    styles = [read.table[style] for style in dict.fromkeys(read.styles.tolist()) if style >= 0]
    assert [(style.font, style.bold, style.mono) for style in styles] == [
        ("Times-Roman", False, False),
        ("Times-Bold", True, False),
        ("Courier", False, True),
    ]
    assert {style.size for style in styles} == {15.0}


def test_letters_of_one_width_are_known_by_their_boxes() -> None:
    """Fonts of listings that neither their name nor their flags betray; a font of Chinese text is none, whatever its
    Latin letters are.
    """

    def is_even(widths: list[float], more: str = "") -> bool:
        text = "illmmwwi" + more
        lefts = np.cumsum([0.0, *widths])[:-1]
        boxes = np.stack([lefts, np.zeros(len(text)), lefts + widths, np.full(len(text), 10.0)], axis=1).astype(
            np.float32
        )
        return _detect_monospaced(
            text, boxes, np.zeros(len(text), np.int32), (CharacterStyle("BookMasterGothic", 10.0),)
        )[0].mono

    assert is_even([6.0] * 8)
    assert not is_even([3.0, 3.0, 3.0, 8.0, 8.0, 7.0, 7.0, 3.0])
    assert not is_even([5.0] * 8 + [10.0] * 8, "量具读数记录如下")


def test_a_bold_font_is_known_by_its_strokes_too() -> None:
    """Chinese fonts have one weight: programs make them bold by drawing the outline as well."""

    def page(canvas: Canvas) -> None:
        for y, mode in ((400, 0), (300, 2)):
            text = canvas.beginText(50, y)
            text.setFont("Helvetica", 12)
            text.setTextRenderMode(mode)
            text.textOut("a line of it")
            canvas.drawText(text)

    assert [line.bold for line in lines_on(draw_pdf(page))] == [False, True]


def test_characters_beyond_the_first_plane_are_one() -> None:
    """An emoji is written as two codes in a PDF; it is one character with one box."""
    read = characters_of(mapped({"A": "D83DDE00"}, "BAB"))
    assert read.text == "B\U0001f600B"
    assert len(read.boxes) == len(read.styles) == 3


def test_ligatures_become_letters() -> None:
    """A glyph that draws two letters says both, however the font names it."""
    assert lines_on(mapped({"A": "FB01", "B": "006600660069"}, "AxB"))[0].text == "fixffi"


def test_a_visible_soft_hyphen_is_a_hyphen() -> None:
    """Some programs call every hyphen a soft one; none of that kind remains in the text."""
    assert lines_on(mapped({"A": "00AD"}, "xAy"))[0].text == "x-y"


def test_arabic_letters_drawn_as_one_keep_their_order() -> None:
    """Lam and alef share a glyph; pdfium turns their order with that of the line."""
    text = "\n".join(line.text for line in lines_on(testdata("right_to_left_01.pdf")))
    assert "تحسين الإنتاجية وحل المشكلات من خلال" in text


def ink(page: Any, lines: list[Any]) -> tuple[float, list[float]]:
    """How much of the page's ink is in no line's box, and how much of each box is inked."""
    image = np.asarray(page_picture(page, 900).convert("L")) < 140
    height, width = image.shape
    covered = np.zeros_like(image)
    shares = []
    for line in lines:
        left, top, right, bottom = line.bbox
        rows = slice(int(top * height), int(bottom * height) + 1)
        columns = slice(max(int(left * width) - 1, 0), int(right * width) + 2)
        covered[rows, columns] = True
        shares.append(float(image[rows, columns].mean()))
    return float((image & ~covered).sum() / max(image.sum(), 1)), shares


def rotated(canvas: Canvas) -> None:
    """Text in four directions, where there is page however it is turned (reportlab swaps its sides)."""
    canvas.setFont("Helvetica", 14)
    for x, y, angle in ((80, 480, 0), (60, 200, 90), (400, 300, 180), (480, 400, 270)):
        canvas.saveState()
        canvas.translate(x, y)
        canvas.rotate(angle)
        canvas.drawString(0, 0, "some words here")
        canvas.drawString(0, -16, "and more of them")
        canvas.restoreState()


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
@pytest.mark.parametrize("crop", [None, (20, 30, 560, 570)])
def test_boxes_hold_the_ink(turn: int, crop: tuple[int, int, int, int] | None) -> None:
    """On turned and cropped pages the boxes are still where a viewer shows the text, and lines stay lines."""

    def page(canvas: Canvas) -> None:
        canvas.setPageRotation(turn)
        if crop:
            canvas.setCropBox(crop)
        rotated(canvas)

    pdf = pypdfium2.PdfDocument(draw_pdf(page))
    lines = lines_on(draw_pdf(page))
    assert sorted(line.text for line in lines) == ["and more of them"] * 4 + ["some words here"] * 4
    assert sorted({line.angle for line in lines}) == [0, 90, 180, 270]
    outside, shares = ink(pdf[0], lines)
    assert outside < 0.01
    assert min(shares) > 0.05


@pytest.mark.parametrize("name", ["multi_page.pdf", "multi-column-2p.pdf", "right_to_left_01.pdf", "fake-memo.pdf"])
def test_boxes_hold_the_ink_of_real_pages(name: str) -> None:
    """The same of pages that people made, which hold next to nothing but text."""
    data = testdata(name)
    outside, _ = ink(pypdfium2.PdfDocument(data)[0], lines_on(data))
    assert outside < 0.03
