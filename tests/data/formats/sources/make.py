"""Makes the files of `tests/data/formats` that nobody writes by hand; needs LibreOffice (`soffice`), python-pptx and
openpyxl.
"""

from __future__ import annotations

import re
import subprocess
import zipfile
from email.message import EmailMessage
from email.policy import SMTP
from pathlib import Path

SOURCES = Path(__file__).parent
FILES = SOURCES.parent
SAVED_AS = ("docx", "odt", "rtf", 'pdf:writer_pdf_Export:{"ExportBookmarks":{"type":"boolean","value":"true"}}')
"""The filters of LibreOffice with which the notes are saved."""

COUNTS = (("Species", "Morning", "Evening"), ("Bittern 大麻鳽", 2, 1), ("Reed warbler 苇莺", 14, 9), ("Water rail 秧鸡", 37, 28))
LEVELS = (("日期", "水位"), ("星期一", 81), ("星期四", 69))


def notes() -> None:
    """The notes as LibreOffice saves them."""
    for kind in SAVED_AS:
        subprocess.run(["soffice", "--headless", "--convert-to", kind, "--outdir", FILES, SOURCES / "notes.fodt"], check=True)


def book() -> None:
    """The web page as the one chapter of an e-book."""
    chapter = (FILES / "notes.html").read_text(encoding="utf-8").replace('<html lang="en">', '<html xmlns="http://www.w3.org/1999/xhtml">')
    chapter = re.sub(r"<nav>.*?</nav>\n", "", chapter).replace('<meta charset="utf-8">', '<meta charset="utf-8"/>')
    parts = {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>'
        '<rootfile full-path="book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>',
        "book.opf": '<package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id">'
        '<metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">reed-bed</dc:identifier>'
        "<dc:title>Field notes from the reed bed</dc:title><dc:language>en</dc:language></metadata>"
        '<manifest><item id="notes" href="notes.xhtml" media-type="application/xhtml+xml"/></manifest>'
        '<spine><itemref idref="notes"/></spine></package>',
        "notes.xhtml": '<?xml version="1.0" encoding="UTF-8"?>\n' + chapter,
    }
    with zipfile.ZipFile(FILES / "notes.epub", "w") as file:
        for name, content in parts.items():
            file.writestr(name, content, zipfile.ZIP_STORED if name == "mimetype" else zipfile.ZIP_DEFLATED)


def workbooks() -> None:
    """The two sheets as workbooks of other kinds."""
    from tests.support.workbook_files import ods, xls, xlsb

    for make in (xls, xlsb, ods):
        (FILES / f"counts.{make.__name__}").write_bytes(make({"Counts": COUNTS, "水位记录": LEVELS}))


def slides() -> None:
    """Three slides: a list with speaker's notes, a table, and Chinese lines."""
    from pptx import Presentation
    from pptx.util import Cm

    deck = Presentation()
    first, second, third = (deck.slides.add_slide(deck.slide_layouts[layout]) for layout in (1, 5, 1))
    first.shapes.title.text = "Field notes from the reed bed"
    first.placeholders[1].text = "Three nests of the warbler stand over deep water.\nOne platform is empty since the storm."
    first.notes_slide.notes_text_frame.text = "The counting method follows the plan that was agreed in March."
    second.shapes.title.text = "Counts at the hide"
    table = second.shapes.add_table(len(COUNTS), 3, Cm(2), Cm(5), Cm(20), Cm(6)).table
    for number, row in enumerate(COUNTS):
        for column, value in enumerate(row):
            table.cell(number, column).text = str(value)
    third.shapes.title.text = "水位记录"
    third.placeholders[1].text = "清晨的雾很浓，只能听见鸟的叫声。\n四天里水位下降了十二厘米，东侧的水沟已经干涸。"
    deck.save(str(FILES / "talk.pptx"))


def workbook() -> None:
    """Two sheets."""
    from openpyxl import Workbook

    book = Workbook()
    for title, rows in (("Counts", COUNTS), ("水位记录", LEVELS)):
        sheet = book.create_sheet(title)
        for row in rows:
            sheet.append(row)
    book.remove(book.worksheets[0])
    book.save(FILES / "counts.xlsx")


def letter() -> None:
    """A mail in two languages with a quote, and the counts attached."""
    mail = EmailMessage(policy=SMTP)
    mail["From"], mail["To"] = "Ann Reed <ann@example.org>", "王芳 <wang@example.org>"
    mail["Subject"], mail["Date"] = "Field notes from the reed bed 芦苇荡观察", "Mon, 04 May 2026 09:30:00 +0100"
    mail.set_content(
        "The marsh was walked on four mornings in May, always before breakfast.\n\n"
        "- Three nests of the warbler stand over deep water.\n- One platform is empty since the storm.\n\n"
        "四天里水位下降了十二厘米，东侧的水沟已经干涸。\n\n"
        "> A bittern boomed twice before sunrise, and nobody saw it.\n"
    )
    mail.add_attachment("".join(",".join(map(str, row)) + "\n" for row in COUNTS), subtype="csv", filename="counts.csv")
    mail.set_boundary("reed-bed")
    (FILES / "notes.eml").write_bytes(mail.as_bytes())


if __name__ == "__main__":
    for make in (notes, book, slides, workbook, workbooks, letter):
        make()
