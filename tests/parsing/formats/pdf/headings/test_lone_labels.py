"""Labels alone in heading style make sections; years of charts, cells and numbers of pages make none."""

from __future__ import annotations

import pytest
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph

from tests.parsing.formats.pdf.drawing import SONG, draw_pdf, read, set_in_columns
from tests.parsing.formats.pdf.stories import NORMAL, STYLES, outline, paragraph, title
from tests.support.laws_documents import check
from tests.support.shared_data import shared_data, shared_files

LABELS = [
    ["Article 1", "Article 2", "Article 3"],
    ["Chapter One", "Chapter Two"],
    ["2021", "2022", "2023"],
    ["Q1 2023", "Q2 2023"],
    ["WX-100", "WX-200", "AB12034"],
    ["Annexe IV", "Annexe V"],
    ["§ 12", "§ 13"],
    ["A-17", "A-18"],
    ["Art. 5", "Art. 6"],
    ["I", "II", "III"],
    ["Clause 4.1", "Clause 4.2"],
    ["FY2022", "FY2023"],
    ["2023-05-01", "2023-05-02"],
]


@pytest.mark.parametrize("style", ["Heading1", "Heading2", "Heading3", "Heading4"])
@pytest.mark.parametrize("labels", LABELS, ids=lambda labels: labels[0])
def test_labels_are_headings(labels: list[str], style: str) -> None:
    """In every style of headings, under the title."""
    story = [title("Report", "Title")]
    for n, label in enumerate(labels):
        story += [title(label, style), paragraph(2 * n), paragraph(2 * n + 1, 3)]
    document = read(set_in_columns(story))
    check(document)
    assert outline(document) == ["Report", *(f"  {label}" for label in labels)]


@pytest.mark.parametrize("labels", [["第一条", "第二条", "第三条"], ["第1章", "第2章"], ["附件一", "附件二"]])
def test_lone_chinese_labels_are_headings(labels: list[str]) -> None:
    """With a title above them and without; the first chapter is no title."""
    text = ParagraphStyle("text", fontName=SONG, fontSize=10, leading=15)
    head = ParagraphStyle("head", text, fontSize=16, leading=22, spaceBefore=8, spaceAfter=4)
    story = [
        one
        for label in labels
        for one in (Paragraph(label, head), Paragraph("出租人将房屋交给承租人使用，承租人按月支付租金。" * 6, text))
    ]
    titled = read(set_in_columns([Paragraph("租赁合同", ParagraphStyle("title", head, alignment=1)), *story]))
    assert (titled.title, outline(titled)) == ("租赁合同", ["租赁合同", *(f"  {label}" for label in labels)])
    plain = read(set_in_columns(story))
    assert outline(plain) == labels
    assert plain.title == "test"


def test_parts_and_chapters_nest() -> None:
    """A label right above another is a heading of its own."""
    story = [title("Report", "Title")]
    for label in ("Part I", "Chapter 1", "Chapter 2", "Part II", "Chapter 3"):
        story += [title(label)] if label.startswith("Part") else [title(label), paragraph(len(story))]
    assert outline(read(set_in_columns(story))) == [
        "Report",
        "  Part I",
        "    Chapter 1",
        "    Chapter 2",
        "  Part II",
        "    Chapter 3",
    ]


def test_labels_as_the_text_is_set_are_text() -> None:
    """A year, a code or a number on a line of its own is no style of headings."""
    for label in ("2021", "WX-100", "12", "Q1 2023"):
        document = read(
            set_in_columns(
                [title("Report", "Title"), paragraph(0), Paragraph(label, NORMAL), paragraph(1), paragraph(2)]
            )
        )
        assert outline(document) == ["Report"], label


def test_years_of_a_chart_and_cells_are_none() -> None:
    """They stand side by side, one under the other, or apart from any text."""

    def page(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold", 18)
        canvas.drawString(60, 780, "Report")
        canvas.setFont("Helvetica", 10)
        for n in range(20):
            canvas.drawString(
                60,
                750 - 13 * n,
                "Every gauge is read at noon and its value is written down before the next one is read",
            )
        canvas.setFont("Helvetica-Bold", 12)
        for n in range(5):
            canvas.drawString(100 + 80 * n, 300, str(2017 + n))
            canvas.drawString(60, 280 - 20 * n, f"{20 * n}")
        for n in range(4):
            canvas.drawString(300, 240 - 24 * n, str(2017 + n))
        canvas.drawString(250, 100, "2021")

    assert outline(read(draw_pdf(page))) == ["Report"]


def test_numbers_of_a_list_are_none() -> None:
    """In bold on lines of their own, they head nothing; large ones that count on do: chapters of a novel."""
    numbers = [str(n) for n in range(1, 5)]
    story = [one for n in numbers for one in (title(n, "Heading4"), paragraph(int(n)))]
    assert outline(read(set_in_columns([title("Report", "Title"), *story]))) == ["Report"]
    large = [one for n in numbers for one in (Paragraph(n, STYLES["Heading1"]), paragraph(int(n)))]
    assert outline(read(set_in_columns([title("A Novel of the Sea", "Title"), *large])))[1:] == [
        f"  {n}" for n in numbers
    ]


@pytest.mark.parametrize("path", shared_files("wild/pdf_bare_label/*.pdf"), ids=lambda path: path.stem)
def test_files_of_people(path) -> None:  # type: ignore[no-untyped-def]
    """Contracts, chapters and catalogues: three sections or more under their title."""
    lines = outline(read(shared_data(path).read_bytes()))
    assert len(lines) > 3
    assert all(line.startswith("  ") for line in lines[1:])
