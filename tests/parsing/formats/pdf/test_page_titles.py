"""Titles at the top of pages are headings however regularly they come; running heads above them still go."""

from __future__ import annotations

import pytest
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import PageBreak, Spacer

from tests.parsing.formats.pdf.drawing import read, set_in_columns
from tests.parsing.formats.pdf.stories import NORMAL, lines_left_out, outline, pages, paragraph, title
from tests.support.laws_documents import check
from tests.support.shared_data import shared_data

SIX = range(1, 7)


@pytest.mark.parametrize("style", ["Title", "Heading1", "Heading2", "Heading3", "Heading4"])
@pytest.mark.parametrize(
    "names",
    [
        [f"Delivery note {n + 1000}" for n in SIX],
        [f"Lesson {n}" for n in SIX],
        [f"Invoice {n + 11}" for n in SIX],
        [f"Chapter {n}" for n in SIX],
        [
            f"Slide {n}: {word} and rain"
            for n, word in zip(SIX, ("Snow", "Hail", "Fog", "Wind", "Frost", "Dew"), strict=True)
        ],
        [f"Log of 2023-05-{n:02}" for n in SIX],
        [f"Log of {n} May 2023" for n in SIX],
        [f"Site {letter}" for letter in "ABCDEF"],
        [f"Part {roman}" for roman in ("I", "II", "III", "IV", "V", "VI")],
        [str(year) for year in range(2016, 2022)],
    ],
    ids=lambda names: names[0],
)
def test_repeated_page_titles_are_headings(names: list[str], style: str) -> None:
    """In every style of headings, whether their numbers go with the pages or not."""
    document = read(pages(names, style))
    check(document)
    assert outline(document) == names
    assert not lines_left_out(document)


@pytest.mark.parametrize("count", [2, 3])
def test_two_pages_are_enough_for_page_titles(count: int) -> None:
    """Two letters are enough."""
    names = [f"Invoice {n}" for n in range(1, count + 1)]
    assert outline(read(pages(names))) == names


def test_numbers_set_as_the_text_are_text() -> None:
    """No page number: far from any that the file has, or in a date, above the text or under a title that all pages
    share.
    """
    assert not lines_left_out(read(pages([f"Invoice no. {n + 1000}" for n in SIX], NORMAL)))
    assert not lines_left_out(read(pages([f"Log of 2023-05-{n:02}" for n in SIX], NORMAL)))
    under = read(pages([[title("Delivery note"), title(f"No. {n + 1000}", NORMAL)] for n in SIX]))
    assert set(lines_left_out(under)) <= {"Delivery note"}
    assert outline(under) == ["Delivery note"]


def test_heads_above_them_go() -> None:
    """Page numbers in words, behind gaps, after signs; feet with numbers."""

    def each_page(head: str):  # type: ignore[no-untyped-def]
        def draw(canvas: Canvas, number: int) -> None:
            canvas.setFont("Helvetica", 9)
            left, _, right = head.format(number + 30).partition("\t")
            canvas.drawString(60, 812, left)
            canvas.drawRightString(535, 812, right)
            canvas.drawCentredString(297, 30, f"{number} / 6")

        return draw

    for head in (
        "Acme Manual   Page {} of 42",
        "Chapter 2 — Networks   {}",
        "Acme Manual\t{}",
        "{}\tAcme Manual",
        "Acme Manual {}",
    ):
        document = read(pages([f"Delivery note {n + 1000}" for n in SIX], each_page=each_page(head)))
        assert outline(document) == [f"Delivery note {n + 1000}" for n in SIX], head
        assert len(lines_left_out(document)) == 12, head


@pytest.mark.parametrize("font", ["Helvetica", "Helvetica-Bold"])
@pytest.mark.parametrize("size", [8, 10, 12])
@pytest.mark.parametrize("head", ["Acme Manual   Page {} of 12", "Chapter 2 — Networks   {}", "Technical Manual {}"])
def test_real_running_heads(head: str, size: int, font: str) -> None:
    """In the margin above flowing text, smaller, as large, a little larger, in bold."""

    def each_page(canvas: Canvas, number: int) -> None:
        canvas.setFont(font, size)
        canvas.drawString(60, 806, head.format(number))

    document = read(set_in_columns([paragraph(n, 40) for n in range(24)], each_page=each_page))
    assert document.page_count > 3
    assert len(lines_left_out(document)) == document.page_count


def test_a_title_that_pages_share_is_kept_once() -> None:
    """As a heading where it first stands; what differs in one word is a title on each page."""
    parts = read(pages([f"Site {letter}" for letter in "AAABBB"]))
    assert outline(parts) == ["Site A", "Site B"]
    assert lines_left_out(parts) == ["Site A"] * 2 + ["Site B"] * 2
    assert outline(read(pages([f"Site {letter}" for letter in "ABABAB"]))) == ["Site A", "Site B"] * 3
    assert outline(read(pages(["Status report"] * 6))) == ["Status report"]


def test_a_page_that_sums_up_the_others_takes_nothing_from_them() -> None:
    """The first line of each page is printed again on one: at the end, or on an agenda."""
    firsts = [f"What the {word} tells about rain" for word in ("wind", "snow", "fog", "sea", "sky", "moon")]
    for style in ("Normal", "Heading4"):
        story = [title("Agenda"), *(title(first, "Normal") for first in firsts), PageBreak()]
        for n, first in enumerate(firsts):
            story += [title(first, style), Spacer(1, 16), paragraph(n), paragraph(n + 5), PageBreak()]
        document = read(set_in_columns(story))
        assert not lines_left_out(document)
        assert all(document.text.count(first) == 2 for first in firsts)


@pytest.mark.parametrize("count", [2, 3, 5])
def test_a_second_copy_is_no_evidence(count: int) -> None:
    """A letter printed again, word by word: nothing of either is furniture."""
    letter = [
        title("Invoice"),
        title("No. 17", "Normal"),
        title("Twenty bolts and nuts", "Normal"),
        Spacer(1, 300),
        title("Thank you", "Normal"),
    ]
    document = read(set_in_columns([one for _ in range(count) for one in (*letter, PageBreak())]))
    assert not lines_left_out(document)
    assert document.text.count("No. 17") == count


@pytest.mark.parametrize(("name", "words", "count"), [("po1", "Delivery note 100", 6), ("ps1", "Lesson ", 6)])
def test_files_of_people(name: str, words: str, count: int) -> None:
    """Six delivery notes, six lessons and their summary."""
    document = read(shared_data(f"wild/pdf_page_top_number/{name}.pdf").read_bytes())
    assert outline(document)[:count] == [f"{words}{n}" for n in SIX]
    assert not lines_left_out(document)
