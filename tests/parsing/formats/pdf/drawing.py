"""PDFs drawn for tests: text at known places, or set by reportlab; and files written by hand that no program would
write.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Sequence
from functools import cache

import pypdfium2
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Flowable, Frame, PageTemplate, Paragraph

from chunking.model import Document
from chunking.parsing import parse
from chunking.parsing.formats.pdf.layout.pdf_lines import PdfLine, read_lines
from tests.support.shared_data import shared_data

__all__ = ["BODY", "SONG", "by_hand", "draw_pdf", "lines_on", "mapped", "read", "set_in_columns", "style", "testdata"]

SONG = "STSong-Light"
_MARGIN, _GUTTER = 60.0, 22.0


def style(**changes: object) -> ParagraphStyle:
    """Running text with some changes."""
    return ParagraphStyle(
        "body", **{"fontName": "Times-Roman", "fontSize": 10, "leading": 12, "alignment": 4, **changes}
    )


BODY = style()


def draw_pdf(*pages: Callable[[Canvas], None], size: tuple[float, float] = A4) -> bytes:
    """A file of pages, each drawn by a function."""
    _fonts()
    stream = io.BytesIO()
    canvas = Canvas(stream, pagesize=size, invariant=1)
    for page in pages:
        page(canvas)
        canvas.showPage()
    canvas.save()
    return stream.getvalue()


def set_in_columns(
    story: Iterable[Flowable | str],
    columns: int = 1,
    *,
    each_page: Callable[[Canvas, int], None] | None = None,
    text: ParagraphStyle = BODY,
) -> bytes:
    """A file in which texts (and what else is in the story) flow through columns and pages.

    Args:
        each_page: draws on a page what stands on each, given its number.
    """
    _fonts()
    stream = io.BytesIO()
    template = BaseDocTemplate(stream, pagesize=A4, invariant=1)
    width = (A4[0] - 2 * _MARGIN - (columns - 1) * _GUTTER) / columns
    frames = [
        Frame(_MARGIN + n * (width + _GUTTER), _MARGIN, width, A4[1] - 2 * _MARGIN, 0, 0, 0, 0) for n in range(columns)
    ]

    def draw(canvas: Canvas, _: BaseDocTemplate) -> None:
        if each_page:
            each_page(canvas, canvas.getPageNumber())

    template.addPageTemplates(PageTemplate("page", frames, onPage=draw))
    template.build([Paragraph(one, text) if isinstance(one, str) else one for one in story])
    return stream.getvalue()


@cache
def _fonts() -> None:
    pdfmetrics.registerFont(UnicodeCIDFont(SONG))


def by_hand(objects: Sequence[str], trailer: str = "/Root 1 0 R") -> bytes:
    """A file of these objects, numbered from 1; what they say need not be true."""
    parts = [b"%PDF-1.7\n"]
    offsets = []
    for number, content in enumerate(objects, 1):
        offsets.append(sum(map(len, parts)))
        parts.append(f"{number} 0 obj\n{content}\nendobj\n".encode("latin-1"))
    start = sum(map(len, parts))
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    parts.append(
        (
            f"xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} {trailer} "
            f">>\nstartxref\n{start}\n%%EOF\n"
        ).encode()
    )
    return b"".join(parts)


def lines_on(data: bytes, page: int = 1) -> list[PdfLine]:
    """The lines of one page."""
    pdf = pypdfium2.PdfDocument(data)
    try:
        pdf_page = pdf[page - 1]
        return read_lines(pdf_page, page)
    finally:
        pdf.close()


def read(data: bytes) -> Document:
    """The document."""
    return parse(data, "test.pdf")


def testdata(name: str) -> bytes:
    """A file of the shared test data; the test is skipped where they are not."""
    return shared_data(f"pdf/{name}").read_bytes()


testdata.__test__ = False  # type: ignore[attr-defined]


_FONT = (
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /FirstChar 65 /LastChar 68 /Widths [600 600 600 600] "
    "/ToUnicode 6 0 R >>"
)


def mapped(targets: dict[str, str], text: str) -> bytes:
    """A page whose font says that some letters stand for others."""
    entries = "\n".join(f"<{ord(letter):02X}> <{target}>" for letter, target in targets.items())
    cmap = (
        "/CIDInit /ProcSet findresource begin\nbegincmap\n1 begincodespacerange\n<00> <FF>\nendcodespacerange\n"
        f"{len(targets)} beginbfchar\n{entries}\nendbfchar\nendcmap\nend"
    )
    content = f"BT /F 24 Tf 50 100 Td ({text}) Tj ET"
    return by_hand(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            (
                "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Contents 4 0 R /Resources << /Font << /F "
                "5 0 R >> >> >>"
            ),
            f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
            _FONT,
            f"<< /Length {len(cmap)} >>\nstream\n{cmap}\nendstream",
        ]
    )
