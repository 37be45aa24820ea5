"""Lines: what belongs to one, in which order they are read, and what is set apart."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

from reportlab.pdfgen.canvas import Canvas

from chunking.parsing.formats.pdf.layout.pdf_lines import OUTSIDE, TWICE, PdfLine
from tests.parsing.formats.pdf.drawing import SONG, draw_pdf, lines_on, testdata


def texts(lines: list[PdfLine]) -> list[str]:
    """Of those that are not left out."""
    return [line.text for line in lines if not line.left_out]


def column(canvas: Canvas, left: float, top: float, words: list[str], *, leading: float = 14, width: int = 34) -> None:
    """Lines of running text: a word each, filled up with others."""
    for n, word in enumerate(words):
        canvas.drawString(
            left, top - n * leading, f"{word} {'lorem ipsum dolor sit amet consectetur'[: width - len(word)]}"
        )


def test_raised_and_lowered_characters_stay_in_their_line() -> None:
    """A note mark and an index stand in their word's line, without a space that is not there."""

    def page(canvas: Canvas) -> None:
        canvas.setFont("Times-Roman", 12)
        canvas.drawString(72, 700, "as shown")
        canvas.setFont("Times-Roman", 7)
        canvas.drawString(72 + canvas.stringWidth("as shown", "Times-Roman", 12), 705, "3")
        canvas.setFont("Times-Roman", 12)
        canvas.drawString(125, 700, "by x")
        canvas.setFont("Times-Roman", 7)
        canvas.drawString(125 + canvas.stringWidth("by x", "Times-Roman", 12), 697, "i")
        canvas.setFont("Times-Roman", 12)
        canvas.drawString(72, 686, "and below it the next")

    assert texts(lines_on(draw_pdf(page))) == ["as shown3 by xi", "and below it the next"]


def test_parts_of_a_line_are_joined_whatever_order_they_are_drawn_in() -> None:
    """A program may draw all plain words first and the bold ones later."""

    def page(canvas: Canvas) -> None:
        for font, words in (("Times-Roman", [(72, "The"), (136, "of a valve")]), ("Times-Bold", [(94, "pressure")])):
            canvas.setFont(font, 11)
            for x, text in words:
                canvas.drawString(x, 700, text)

    assert texts(lines_on(draw_pdf(page))) == ["The pressure of a valve"]


def test_bold_words_at_the_start_are_counted() -> None:
    """`lead` is where they end in the text; a line that is bold throughout has none."""

    def page(canvas: Canvas) -> None:
        text = canvas.beginText(72, 700)
        text.setFont("Times-Bold", 11)
        text.textOut("Recall at ten.")
        text.setFont("Times-Roman", 11)
        text.textOut(" The share of questions")
        canvas.drawText(text)
        canvas.setFont("Times-Bold", 11)
        canvas.drawString(72, 600, "All of this")

    first, second = lines_on(draw_pdf(page))
    assert (first.text[: first.lead], first.bold) == ("Recall at ten.", False)
    assert (second.lead, second.bold) == (0, True)


def test_text_printed_twice_is_read_once() -> None:
    """A shadow is left out, with its reason; the same words elsewhere are not."""

    def page(canvas: Canvas) -> None:
        canvas.setFont("Helvetica-Bold", 20)
        canvas.drawString(101.5, 698.5, "Overview")
        column(canvas, 100, 500, [f"line{n}" for n in range(20)])  # pdfium itself sees what is drawn at once
        canvas.drawString(100, 700, "Overview")
        canvas.drawString(100, 600, "Overview")

    lines = lines_on(draw_pdf(page))
    assert texts(lines)[:2] == ["Overview", "Overview"]
    assert [line.text for line in lines if line.left_out == TWICE] == ["Overview"]


def test_text_outside_the_page_is_set_apart() -> None:
    """What a viewer does not show is no part of the text: printers' marks, the rest of a page cut in two."""

    def page(canvas: Canvas) -> None:
        canvas.setCropBox((0, 100, 595, 742))
        canvas.drawString(72, 400, "seen")
        canvas.drawString(72, 20, "proof.indd 12")

    lines = lines_on(draw_pdf(page))
    assert [(line.text, line.left_out) for line in lines] == [("seen", ""), ("proof.indd 12", OUTSIDE)]
    hidden = [line.text for line in lines_on(testdata("negative-coords.pdf")) if line.left_out == OUTSIDE]
    assert hidden == ["Client: Apple Inc.", "4"]


def test_turned_and_skewed_text_is_apart_from_the_rest() -> None:
    """The stamp up the margin and the watermark across the page do not run into the lines they touch."""

    def page(canvas: Canvas) -> None:
        column(canvas, 90, 700, ["one", "two", "three", "four", "five"])
        for x, y, angle, size, text in ((60, 500, 90, 18, "arXiv:1234.5678v2"), (150, 560, 45, 40, "DRAFT ONLY")):
            canvas.saveState()
            canvas.translate(x, y)
            canvas.rotate(angle)
            canvas.setFont("Helvetica", size)
            canvas.drawString(0, 0, text)
            canvas.restoreState()

    lines = lines_on(draw_pdf(page))
    assert [line.text.split()[0] for line in lines[:5]] == ["one", "two", "three", "four", "five"]
    assert {line.text: line.angle for line in lines[5:]} == {"arXiv:1234.5678v2": 90, "DRAFT ONLY": 45}
    assert len({line.region for line in lines}) == 3


def test_spaces_between_chinese_characters() -> None:
    """Those that only justify a line are none; those that the file has are."""

    def page(canvas: Canvas) -> None:
        canvas.setFont(SONG, 12)
        canvas.drawString(72, 700, "显微镜的光源", charSpace=3)
        canvas.drawString(72, 600, "第一章 总则")

    assert texts(lines_on(draw_pdf(page))) == ["显微镜的光源", "第一章 总则"]


def test_a_hyphen_at_the_end_is_marked() -> None:
    """Whether it belongs to the word is not for the line to say; a dash after a figure is none."""

    def page(canvas: Canvas) -> None:
        canvas.setFont("Times-Roman", 11)
        for n, text in enumerate(("the effi-", "cient one of 1990-", "1999 and no more")):
            canvas.drawString(72, 700 - 13 * n, text)

    assert [(line.text, line.hyphen) for line in lines_on(draw_pdf(page))] == [
        ("the effi-", True),
        ("cient one of 1990-", False),
        ("1999 and no more", False),
    ]


def two_columns(canvas: Canvas) -> None:
    """A title over two columns."""
    canvas.setFont("Helvetica-Bold", 18)
    canvas.drawString(140, 770, "A title that goes over both columns")
    canvas.setFont("Times-Roman", 10)
    for row in range(20):
        for left, name in ((60, "left"), (310, "right")):
            column(canvas, left, 730 - 14 * row, [f"{name}{row}"], width=46)


def first_words(page: Callable[[Canvas], None]) -> list[str]:
    """Of each line."""
    return [line.text.split()[0] for line in lines_on(draw_pdf(page))]


def test_two_columns_are_read_one_after_the_other() -> None:
    """Even where the file draws them line by line across; the title comes first."""
    assert first_words(two_columns) == ["A", *(f"left{n}" for n in range(20)), *(f"right{n}" for n in range(20))]


def test_three_columns_are_found() -> None:
    """Two gutters are found one after the other."""

    def page(canvas: Canvas) -> None:
        canvas.setFont("Times-Roman", 9)
        for row in range(12):
            for n in range(3):
                column(canvas, 50 + 170 * n, 700 - 12 * row, [f"{'abc'[n]}{row}"], width=32)

    assert first_words(page) == [f"{letter}{row}" for letter in "abc" for row in range(12)]


def test_what_crosses_the_gutter_parts_the_columns() -> None:
    """Over a wide caption both columns are read before it, under it both after it."""

    def page(canvas: Canvas) -> None:
        canvas.setFont("Times-Roman", 10)
        for part, top in (("over", 740), ("under", 500)):
            column(canvas, 60, top, [f"{part}L{n}" for n in range(8)], width=46)
            column(canvas, 310, top, [f"{part}R{n}" for n in range(8)], width=46)
        canvas.drawString(
            60, 580, "Figure 3. What is seen from above, over the whole width of the page, with all its parts named"
        )

    names = [f"{part}{side}{n}" for part in ("over", "under") for side in "LR" for n in range(8)]
    assert first_words(page) == [*names[:16], "Figure", *names[16:]]


def test_notes_next_to_the_text_come_after_it() -> None:
    """A narrow column of notes does not come before the text that it is about."""

    def page(canvas: Canvas) -> None:
        canvas.setFont("Times-Roman", 8)
        column(canvas, 40, 700, [f"note{n}" for n in range(4)], leading=10, width=24)
        canvas.setFont("Times-Roman", 11)
        for n in range(25):
            canvas.drawString(
                180, 710 - 14 * n, f"text{n} goes on to the end of its line, where the next begins below it"
            )

    words = first_words(page)
    assert words == [*(f"text{n}" for n in range(25)), *(f"note{n}" for n in range(4))]


def test_side_heads_come_before_their_paragraphs() -> None:
    """Number, date and title beside the text: whole, and in front of the paragraph beside which they begin; not row by
    row.
    """

    def page(canvas: Canvas) -> None:
        for n, name in enumerate(["alpha", "beta", "gamma", "delta"]):
            top = 700 - 110 * n
            for row, words in enumerate([f"2.3.{n}", "(01-17-2023)", f"Title {name}"]):
                canvas.drawString(72, top - 14 * row, words)
            column(canvas, 220, top, [f"{name}{row}" for row in range(6)], width=44)

    assert first_words(page) == [
        word
        for n, name in enumerate(["alpha", "beta", "gamma", "delta"])
        for word in (f"2.3.{n}", "(01-17-2023)", "Title", *(f"{name}{row}" for row in range(6)))
    ]


def test_a_title_in_bold_follows_its_number_and_its_date_follows_both() -> None:
    """A number and its title are one heading though a date stands between them in the margin."""

    def page(canvas: Canvas) -> None:
        for n, name in enumerate(["alpha", "beta", "gamma", "delta"]):
            top = 700 - 110 * n
            canvas.setFont("Helvetica", 11)
            canvas.drawString(72, top, f"2.3.{n}")
            canvas.drawString(72, top - 14, "(01-17-2023)")
            column(canvas, 220, top, [f"{name}{row}" for row in range(6)], width=44)
            canvas.setFont("Helvetica-Bold", 11)
            canvas.drawString(72, top - 28, f"Title {name}")

    assert first_words(page) == [
        word
        for n, name in enumerate(["alpha", "beta", "gamma", "delta"])
        for word in (f"2.3.{n}", "Title", "(01-17-2023)", *(f"{name}{row}" for row in range(6)))
    ]


def test_labels_and_bullets_are_no_columns() -> None:
    """Short labels before texts, bullets before items, columns of figures: these are read line by line."""

    def page(canvas: Canvas) -> None:
        canvas.setFont("Times-Roman", 11)
        for n, (label, text) in enumerate(
            (("Name", "Ada Merrill"), ("Town", "Leeds"), ("Date", "3 May"), ("Fee", "12.50"))
        ):
            canvas.drawString(72, 700 - 14 * n, label)
            canvas.drawString(250, 700 - 14 * n, text)
        for n in range(5):
            canvas.drawString(72, 600 - 14 * n, "•")
            column(canvas, 90, 600 - 14 * n, [f"item{n}"])

    result = texts(lines_on(draw_pdf(page)))
    assert result[:4] == ["Name Ada Merrill", "Town Leeds", "Date 3 May", "Fee 12.50"]
    assert [text.split()[:2] for text in result[4:]] == [["•", f"item{n}"] for n in range(5)]


def test_gaps_of_rows_are_kept() -> None:
    """Where cells of a table without rules meet is known, as shares of the page."""

    def page(canvas: Canvas) -> None:
        for n in range(3):
            for x in (100, 200, 300):
                canvas.drawString(x, 700 - 14 * n, "4.20")

    for line in lines_on(draw_pdf(page, size=(400, 800))):
        assert len(line.gaps) == 2
        assert 0.25 < line.gaps[0] < 0.5 < line.gaps[1] < 0.75


def test_columns_of_a_real_paper_are_read_in_order() -> None:
    """A paper in two columns: the title, then each column from its top; the stamp up the margin last."""
    lines = lines_on(testdata("multi-column-2p.pdf"))
    words = "\n".join(line.text for line in lines)
    order = [
        "Dense Passage Retrieval",
        "Abstract",
        "1 Introduction",
        "∗Equal contribution",
        "Retrieval in open-domain QA",
        "state-of-the-art results",
        "arXiv:",
    ]
    places = [words.index(text) for text in order]
    assert places == sorted(places)
    assert "Barlas Oguz ˘∗, Sewon Min†, Patrick" in words
    for one, two in pairwise(line for line in lines if line.region == 2):
        assert two.bbox[1] > one.bbox[1]
