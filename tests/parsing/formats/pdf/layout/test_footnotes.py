"""Footnotes: found by their marks, moved to the end of the section that refers to them, and linked; never where nothing
refers.
"""

from __future__ import annotations

from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas

from chunking.model import Block, Document
from chunking.text.raised_text import written
from tests.parsing.formats.pdf.drawing import draw_pdf, read, testdata
from tests.support.laws_documents import check


def raised(canvas: Canvas, x: float, y: float, parts: list[str], size: float = 11) -> None:
    """A line of text in which every other part stands above it."""
    text = canvas.beginText(x, y)
    for number, part in enumerate(parts):
        text.setFont("Times-Roman", size * (0.6 if number % 2 else 1))
        text.setRise(size * 0.35 if number % 2 else 0)
        text.textOut(part)
    canvas.drawText(text)


def prose(canvas: Canvas, top: float, lines: int, left: float = 72) -> None:
    """Lines of text, each other."""
    canvas.setFont("Times-Roman", 11)
    for n in range(lines):
        canvas.drawString(
            left, top - 14 * n, f"The reading of gauge {n} is written down before the next is read, page {top:.0f}."
        )


def heading(canvas: Canvas, y: float, text: str) -> None:
    canvas.setFont("Helvetica-Bold", 15)
    canvas.drawString(72, y, text)


def footnotes(document: Document) -> dict[str, tuple[str, str]]:
    """By mark: the text of each footnote, and of the block that refers to it."""
    notes = {}
    for block in document.blocks:
        if "footnote" in block.meta:
            refers = [one for one in document.blocks if block.meta["footnote"] in one.meta.get("footnotes", ())]
            assert len(refers) == 1, block
            assert f"[{block.meta['mark']}]" in text_of(document, refers[0])
            notes[str(block.meta["mark"])] = text_of(document, block), text_of(document, refers[0])
    return notes


def text_of(document: Document, block: Block) -> str:
    return document.text[block.start : block.end]


def first_page(canvas: Canvas) -> None:
    """Two sections, a footnote each; the second begins in the middle of the page."""
    heading(canvas, 780, "1 Gauges")
    prose(canvas, 750, 12)
    raised(canvas, 72, 570, ["They were built by Merrill.", "1", " All of them are of brass."])
    heading(canvas, 520, "2 Wells")
    prose(canvas, 490, 10)
    raised(canvas, 72, 340, ["Wells are older", "2", " than gauges, and deeper by 10", "3", " times."])
    raised(canvas, 72, 90, ["", "1", " See the catalogue of his workshop, in which all are"], 8.5)
    raised(canvas, 72, 80, ["listed with their weights."], 8.5)
    raised(canvas, 72, 68, ["", "2", " By some forty years."], 8.5)


def second_page(canvas: Canvas) -> None:
    """The second section goes on, and the third begins; what stands at the foot has no mark above it."""
    prose(canvas, 780, 20)
    heading(canvas, 450, "3 Springs")
    prose(canvas, 420, 15)
    raised(canvas, 72, 70, ["3 of them are dry."], 8.5)


def test_they_follow_their_section_and_are_linked() -> None:
    """The first goes before the second heading, the second after all of its section, which ends on the next page."""
    document = read(draw_pdf(first_page, second_page))
    check(document)
    text = document.text
    places = [
        text.index(one)
        for one in (
            "[1] See the catalogue",
            "2 Wells",
            "page 780",
            "[2] By some forty years.",
            "3 Springs",
            "3 of them",
        )
    ]
    assert places == sorted(places)
    notes = footnotes(document)
    assert notes["1"][0] == "[1] See the catalogue of his workshop, in which all are listed with their weights."
    assert "built by Merrill.[1] All of them" in notes["1"][1]
    assert "older[2] than gauges, and deeper by 10^3 times." in notes["2"][1]
    assert set(notes) == {"1", "2"}


def test_their_places_stay_those_of_the_page() -> None:
    """A footnote that stands further on in the text keeps the boxes of its lines."""
    document = read(draw_pdf(first_page, second_page))
    start = document.text.index("See the catalogue")
    places = document.locations_in(start, start + 70)
    assert {place.page for place in places} == {1}
    assert all(place.bbox and place.bbox[1] > 1 - 100 / A4[1] for place in places)


def test_a_footnote_goes_on_at_the_foot_of_the_next_page() -> None:
    """Where its last line ends no sentence; symbols are marks too, raised or not."""

    def one(canvas: Canvas) -> None:
        prose(canvas, 780, 20)
        raised(canvas, 72, 400, ["The last lock* of the river is closed."])
        raised(canvas, 72, 80, ["* It was built when the river still carried wood and has been closed since the"], 8.5)

    def two(canvas: Canvas) -> None:
        prose(canvas, 780, 20)
        raised(canvas, 72, 80, ["great flood in the spring of that year."], 8.5)

    document = read(draw_pdf(one, two))
    check(document)
    note, _ = footnotes(document)["*"]
    assert note.endswith("has been closed since the great flood in the spring of that year.")
    assert "lock[*] of the river" in document.text


def test_small_text_that_nothing_refers_to_stays() -> None:
    """Notes under a table, a caption, small print in the middle of the page."""

    def page(canvas: Canvas) -> None:
        prose(canvas, 780, 10)
        raised(canvas, 72, 560, ["1 Without tax."], 8.5)
        prose(canvas, 500, 20)
        raised(canvas, 72, 80, ["2 Prices of May."], 8.5)

    document = read(draw_pdf(page))
    assert not footnotes(document)
    assert document.text.index("1 Without tax.") < document.text.index("page 500")


def test_raised_characters_in_plain_text() -> None:
    """Marks of notes and sources in brackets, powers of numbers with their sign, fractions apart, all others as they
    stand.
    """
    assert written("as shown3,4 by Lee", [(8, 11)]) == "as shown[3,4] by Lee"
    assert written("10−3 m2, CO2, 21st", [(2, 4), (6, 7), (11, 12), (16, 18)]) == "10^−3 m2, CO2, 21st"
    assert written("21⁄4 inch", [(1, 2)]) == "2 1⁄4 inch"


def test_footnotes_of_a_real_paper_end_their_sections() -> None:
    """Of a paper in two columns: each at the end of its section, its mark in the text."""
    document = read(testdata("multi-column-2p.pdf"))
    check(document)
    notes = footnotes(document)
    assert (
        notes["1"][0]
        == "[1] The code and trained models have been released at https://github.com/facebookresearch/DPR."
    )
    assert notes["1"][1].endswith("multiple open-domain QA benchmarks.[1]")
    assert set(notes) == {"*", "1", "2", "3", "4"}
    assert (
        document.text.index("[1] The code")
        < document.text.index("1 Introduction")
        < document.text.index("[2] For instance")
    )
