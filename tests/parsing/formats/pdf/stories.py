"""Documents set by reportlab's own sheet of styles, as its users write them: title, headings, paragraphs, ruled tables,
page breaks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from reportlab.lib import colors
from reportlab.lib.styles import ParagraphStyle, getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, PageBreak, Paragraph, Spacer, Table

from chunking.model import BlockType, Document
from tests.parsing.formats.pdf.drawing import set_in_columns

__all__ = ["NORMAL", "STYLES", "lines_left_out", "order", "outline", "pages", "paragraph", "ruled", "title"]

STYLES = getSampleStyleSheet()
NORMAL = STYLES["Normal"]
_SENTENCE = "Every gauge is read at {} and its value is written down before the next one is read. "
_HOURS = ("noon", "dawn", "dusk", "midnight", "ten", "eleven", "four", "seven")


def title(text: str, style: str | ParagraphStyle = "Heading1") -> Paragraph:
    return Paragraph(text, STYLES[style] if isinstance(style, str) else style)


def paragraph(number: int = 0, sentences: int = 6) -> Paragraph:
    """Running text, another for each number."""
    hours = [_HOURS[(number * 3 + n * (number % 5 + 1)) % len(_HOURS)] for n in range(sentences)]
    return Paragraph(
        f"Text {'abcdefghijklmnopqrstuvwxyz'[number % 26]}. " + "".join(map(_SENTENCE.format, hours)), NORMAL
    )


def ruled(align: str = "CENTER", rows: int = 3, name: str = "cell") -> Table:
    """A narrow table with rules."""
    table = Table([[f"{name} {row}", str(row)] for row in range(rows)], hAlign=align)
    table.setStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.black)])
    return table


def pages(
    tops: Iterable[str | list[Flowable]],
    style: str | ParagraphStyle = "Heading1",
    each_page: Callable[[Canvas, int], None] | None = None,
) -> bytes:
    """A file with a page for each of these, text under it."""
    story: list[Flowable | str] = []
    for number, top in enumerate(tops):
        story += [title(top, style)] if isinstance(top, str) and top else top if isinstance(top, list) else []
        story += [Spacer(1, 4), paragraph(number), paragraph(number + 7, number % 3 + 1), PageBreak()]
    return set_in_columns(story, each_page=each_page)


def outline(document: Document) -> list[str]:
    """The headings, two spaces before each for each that it stands under."""
    return [line for line in document.doc_toc.split("\n") if not line.startswith("Text ")]


def order(document: Document) -> list[str]:
    """Headings by their words, tables by their first word and paragraphs by their first letter after `Text`, in reading
    order.
    """
    places = []
    for block in document.blocks:
        text = document.text[block.start : block.end]
        places.append(
            text
            if block.type is BlockType.HEADING
            else text.strip("| ").split()[0]
            if block.type is BlockType.TABLE
            else text[:6]
        )
    return places


def lines_left_out(document: Document) -> list[str]:
    return [document.text[span.start : span.end] for span in document.left_out]
