"""Small PDFs with known words and positions, for tests of the app."""

from __future__ import annotations

import io
from collections.abc import Sequence

from reportlab.lib.pagesizes import A4
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas

__all__ = ["QUESTION", "report", "scan"]

QUESTION = "How often must the filter of the heat pump be cleaned?"
"""Question answered in the section Cleaning, on page 2."""

_PAGES: tuple[tuple[tuple[int, str, tuple[str, ...]], ...], ...] = (
    (
        (
            0,
            "Heat pump guide",
            (
                "This guide is for everybody who lives with a heat pump. It says how the pump",
                "is set up, cleaned and sent for repair.",
            ),
        ),
        (
            1,
            "Setting up",
            (
                "Leave half a metre of air around the outdoor unit. Let an electrician connect",
                "it, and wait two hours before the first start.",
            ),
        ),
    ),
    (
        (
            1,
            "Cleaning",
            (
                "The filter of the heat pump must be cleaned every four weeks, in dusty rooms",
                "every two. Rinse it with cold water and let it dry.",
            ),
        ),
        (
            2,
            "Condensate drain",
            (
                "Pour a glass of water into the drain once a year. It has to run off within a",
                "minute, else the pipe is blocked.",
            ),
        ),
    ),
    (
        (
            1,
            "Repair",
            ("Only the maker may open the refrigerant circuit. Note the number on the plate", "before you call."),
        ),
    ),
)
"""Headings (level, text, lines below) by page."""


def report(*, repair: str = "Only the maker may open the refrigerant circuit.") -> bytes:
    """Return three pages with bookmarks, running header and page numbers; `repair` opens the last section."""
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=A4, invariant=True)
    canvas.setTitle("Heat pump guide")
    for number, sections in enumerate(_PAGES, start=1):
        canvas.setFont("Helvetica", 8)
        canvas.drawString(60, 805, "Maintenance handbook, edition of spring")
        canvas.drawCentredString(297, 30, str(number))
        top = 750
        for level, title, lines in sections:
            top = _section(canvas, top, level, title, _with_repair(lines, repair))
        canvas.showPage()
    canvas.save()
    return file.getvalue()


def _with_repair(lines: Sequence[str], repair: str) -> list[str]:
    return [line.replace("Only the maker may open the refrigerant circuit.", repair) for line in lines]


def _section(canvas: Canvas, top: float, level: int, title: str, lines: Sequence[str]) -> float:
    canvas.bookmarkHorizontalAbsolute(title, top + 24)
    canvas.addOutlineEntry(title, title, level=level)
    canvas.setFont("Helvetica-Bold", (22, 16, 13)[level])
    canvas.drawString(60, top, title)
    canvas.setFont("Helvetica", 11)
    for number, line in enumerate(lines, start=1):
        canvas.drawString(60, top - 12 - 16 * number, line)
    return top - 60 - 16 * len(lines)


def scan(words: str = "Scanned words that only a reader of pictures finds") -> bytes:
    """Return a page with text, and a page that is only an image of text."""
    from PIL import Image, ImageDraw

    image = Image.new("RGB", (1240, 400), "white")
    ImageDraw.Draw(image).text((60, 120), words, fill="black", font_size=44)
    file = io.BytesIO()
    canvas = Canvas(file, pagesize=A4, invariant=True)
    canvas.setFont("Helvetica", 12)
    canvas.drawString(60, 700, "A first page that has letters, which everybody can read as they stand.")
    canvas.showPage()
    canvas.drawImage(ImageReader(image), 40, 400, width=515, height=166)
    canvas.showPage()
    canvas.save()
    return file.getvalue()
