"""Pages as pictures."""

from __future__ import annotations

import io

import pytest
from PIL import Image
from reportlab.pdfgen.canvas import Canvas

from chunking.errors import ParseError
from chunking.parsing.formats.pdf.pages import page_images as pages
from chunking.parsing.formats.pdf.pages.page_images import render
from tests.parsing.formats.pdf.drawing import draw_pdf, lines_on


def black_box(canvas: Canvas) -> None:
    canvas.rect(100, 600, 200, 50, stroke=0, fill=1)


def page_image(data: bytes, page: int = 1, width: int = 600) -> Image.Image:
    across, down, image, mime = render(data, page, width)
    assert mime == "image/jpeg"
    picture = Image.open(io.BytesIO(image))
    assert picture.size == (across, down)
    return picture


def dark(picture: Image.Image) -> tuple[float, float, float, float]:
    """Where it is black, as shares."""
    box = picture.convert("L").point(lambda value: 255 * (value < 100)).getbbox()
    assert box
    return box[0] / picture.width, box[1] / picture.height, box[2] / picture.width, box[3] / picture.height


def test_as_wide_as_asked_for() -> None:
    """And as high as the page is."""
    picture = page_image(draw_pdf(black_box, size=(600, 800)), width=300)
    assert abs(picture.width - 300) <= 1
    assert abs(picture.height - 400) <= 1


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_shares_of_the_page_are_shares_of_the_picture(turn: int) -> None:
    """A word's box in the reading lies over the word in the picture, however the page is turned."""

    def draw(canvas: Canvas) -> None:
        canvas.setPageRotation(turn)
        canvas.setFont("Helvetica-Bold", 60)
        canvas.drawString(150, 250, "HHHH")

    data = draw_pdf(draw, size=(600, 800))
    (line,) = lines_on(data)
    left, top, right, bottom = dark(page_image(data))
    assert line.bbox[0] - 0.02 <= left < right <= line.bbox[2] + 0.02
    assert line.bbox[1] - 0.02 <= top < bottom <= line.bbox[3] + 0.02


def test_a_cropped_page_is_shown_as_cropped() -> None:
    """What is outside is not there, and boxes are shares of what is."""

    def draw(canvas: Canvas) -> None:
        canvas.setCropBox((100, 100, 500, 700))
        canvas.setFont("Helvetica-Bold", 60)
        canvas.drawString(150, 250, "HHHH")

    data = draw_pdf(draw, size=(600, 800))
    (line,) = lines_on(data)
    picture = page_image(data)
    assert picture.width / picture.height == pytest.approx(400 / 600, abs=0.01)
    left, _, right, _ = dark(picture)
    assert line.bbox[0] - 0.02 <= left < right <= line.bbox[2] + 0.02


def test_pixels_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """A page ten times as high as wide becomes a narrower picture."""
    monkeypatch.setattr(pages, "MAX_PIXELS", 100_000)
    picture = page_image(draw_pdf(black_box, size=(200, 2000)), width=5000)
    assert picture.width * picture.height <= 110_000


@pytest.mark.parametrize(("data", "page"), [(b"no PDF", 1), (draw_pdf(black_box), 2), (draw_pdf(black_box), 0)])
def test_a_page_that_cannot_be_drawn_is_one_sentence(data: bytes, page: int) -> None:
    """One sentence."""
    with pytest.raises(ParseError, match=r"^[A-Z][^.]*\.$"):
        render(data, page)
