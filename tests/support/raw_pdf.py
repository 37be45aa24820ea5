"""PDF files written object by object, to create specific faults."""

from __future__ import annotations

from collections.abc import Sequence

__all__ = ["numbered", "one_page_pdf", "pdf"]


def pdf(objects: Sequence[bytes], trailer: bytes = b"") -> bytes:
    """Return a PDF of objects numbered from 1; the first is its catalogue."""
    out = bytearray(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    places = []
    for number, content in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, content)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    out += b"".join(b"%010d 00000 n \n" % place for place in places)
    out += b"trailer\n<< /Size %d /Root 1 0 R %b >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, start)
    return bytes(out)


def numbered(first: int, *texts: str) -> list[bytes]:
    """Return page and content objects for texts, numbered from `first`; object 2 is the pages' parent."""
    objects = []
    for text in texts:
        content = b"BT /F1 12 Tf 72 700 Td (%b) Tj ET" % text.encode("latin-1")
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R"
            b" /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>"
            % (first + len(objects) + 1)
        )
        objects.append(b"<< /Length %d >>\nstream\n%b\nendstream" % (len(content), content))
    return objects


def one_page_pdf(text: str, catalogue: bytes = b"", more: Sequence[bytes] = (), trailer: bytes = b"") -> bytes:
    """Return a valid PDF of one page; further objects are numbered from 5."""
    return pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R %b >>" % catalogue,
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            *numbered(3, text),
            *more,
        ],
        trailer,
    )
