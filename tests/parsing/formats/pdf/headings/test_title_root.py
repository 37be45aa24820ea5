"""The title of a PDF is the root of its sections."""

from __future__ import annotations

import pytest
from reportlab.lib.styles import ParagraphStyle
from reportlab.pdfgen.canvas import Canvas

from tests.parsing.formats.pdf.drawing import draw_pdf, read, set_in_columns
from tests.parsing.formats.pdf.stories import STYLES, outline, paragraph, title

NAME = "The State of Wells"
PLAIN = ["Aims of the survey", "Means and places", "Ends and costs"]
NUMBERED = [f"{n}. {name}" for n, name in enumerate(PLAIN, 1)]
CENTRED = ParagraphStyle("centred", STYLES["Heading1"], alignment=1)


@pytest.mark.parametrize(
    "names", [PLAIN, NUMBERED, [name.replace(".", "") for name in NUMBERED]], ids=["plain", "numbered", "no dots"]
)
@pytest.mark.parametrize("between", [True, False], ids=["text", "no text"])
@pytest.mark.parametrize("style", ["Title", "Heading1", CENTRED], ids=["Title", "Heading1", "centred"])
@pytest.mark.parametrize("level", ["Heading1", "Heading2"])
def test_sections_stand_under_it(names: list[str], between: bool, style: str | ParagraphStyle, level: str) -> None:
    """Also where it is set as they are: they are numbered, or only it is in the middle."""
    if names is PLAIN and style == level:
        pytest.skip("nothing tells the title from the sections")
    story = [title(NAME, style), *([paragraph(9)] if between else [])]
    for n, name in enumerate(names):
        story += [title(name, level), paragraph(n), paragraph(n + 3)]
    document = read(set_in_columns(story))
    assert outline(document) == [NAME, *(f"  {name}" for name in names)]
    assert document.title == NAME


def test_a_first_section_is_no_title() -> None:
    """Numbered, or called as sections are, or one of several alike."""
    for names in (NUMBERED, ["Introduction", "Means", "Ends"], PLAIN):
        story = [one for n, name in enumerate(names) for one in (title(name), paragraph(n), paragraph(n + 3))]
        assert outline(read(set_in_columns(story))) == names
    story = [one for n, name in enumerate(NUMBERED) for one in (title(name), paragraph(n))]
    assert read(set_in_columns(story)).title == "test"


@pytest.mark.parametrize("size", [20, 14, 10])
def test_above_what_bookmarks_name(size: int) -> None:
    """They seldom name the title: the largest line above the first of them is it, if it is large."""

    def page(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold", size)
        canvas.drawString(60, 790, NAME)
        for n, name in enumerate(NUMBERED):
            top = 740 - 200 * n
            canvas.setFont("Helvetica-Bold", 14)
            canvas.drawString(60, top, name)
            canvas.bookmarkPage(name, "XYZ", 60, top + 14)
            canvas.addOutlineEntry(name, name, 0)
            canvas.setFont("Helvetica", 10)
            for line in range(8):
                canvas.drawString(
                    60,
                    top - 20 - 13 * line,
                    "Every gauge is read at noon and its value is written down before the next one",
                )

    lines = outline(read(draw_pdf(page)))
    assert lines == ([NAME, *(f"  {name}" for name in NUMBERED)] if size > 10 else [NAME, *NUMBERED])
