"""Ruled tables: what rules draw, what stands in the cells, and what only looks like a table."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pypdfium2
import pytest
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Flowable, FrameBreak, PageBreak, Paragraph, Spacer, Table, TableStyle

from chunking import chunk_document
from chunking.model import BlockType, Document
from chunking.parsing.formats.pdf.characters.page_characters import read_characters
from chunking.parsing.formats.pdf.characters.ruling_lines import rules_of
from chunking.parsing.formats.pdf.layout import ruled_tables as module
from chunking.parsing.formats.pdf.layout.ruled_tables import Table as Found
from chunking.parsing.formats.pdf.layout.ruled_tables import find_tables, without_characters
from tests.parsing.formats.pdf.drawing import SONG, draw_pdf, read, set_in_columns, style, testdata
from tests.support.laws_documents import check

ROWS = [
    ["Type", "Measures", "Colour"],
    ["T1", "temperature", "white"],
    ["S2", "soil moisture", "brown"],
    ["L3", "light", "yellow"],
]
GRID = ("GRID", (0, 0), (-1, -1), 0.5, colors.black)
PLAIN = "Some text stands above and below the table, as it does in most documents, so that there is a column."


def line(
    side: str, first: int, last: int, columns: tuple[int, int] = (0, -1), width: float = 0.5
) -> tuple[object, ...]:
    """A command that draws a line at a side of the cells of some rows."""
    return (f"LINE{side}", (columns[0], first), (columns[1], last), width, colors.black)


JOURNAL = [line("ABOVE", 0, 0, width=1), line("BELOW", 0, 0), line("BELOW", -1, -1, width=1)]
BETWEEN = line("AFTER", 0, -1, (0, -2))
RULED = {
    "grid": [GRID],
    "journal": JOURNAL,
    "open sides": [line("ABOVE", 0, -1), line("BELOW", -1, -1), BETWEEN],
    "no rules between rows": [("BOX", (0, 0), (-1, -1), 1, colors.black), line("BELOW", 0, 0), BETWEEN],
}


def table_of(rows: Sequence[Sequence[object]], *commands: tuple[object, ...], **more: object) -> Table:
    return Table([list(row) for row in rows], style=TableStyle(list(commands)), **more)


def found_in(data: bytes, page: int = 1) -> list[Found]:
    """The tables of a page."""
    pdf = pypdfium2.PdfDocument(data)
    pdf_page = pdf[page - 1]
    return find_tables(pdf_page, read_characters(pdf_page, page))[0]


def rows_of(*story: object) -> list[list[list[str]]]:
    """Texts of the tables on the first page of a story."""
    return [table.rows for table in found_in(set_in_columns(story))]  # type: ignore[arg-type]


def tables_in(document: Document) -> list[str]:
    return [document.text[block.start : block.end] for block in document.blocks if block.type is BlockType.TABLE]


class TestDrawing:
    """Tables as programs draw them."""

    @pytest.mark.parametrize("commands", RULED.values(), ids=RULED)
    def test_however_it_is_ruled(self, commands: list[tuple[object, ...]]) -> None:
        """Rules everywhere, only across, only between rows and columns, only between columns and under the header."""
        assert rows_of(PLAIN, table_of(ROWS, *commands), PLAIN) == [ROWS]

    @pytest.mark.parametrize("kind", ["thin", "cells", "one path"])
    def test_rules_that_are_no_lines(self, kind: str) -> None:
        """Thin filled rectangles, a rectangle a cell, and all in one path."""

        def draw(canvas: Canvas) -> None:
            path = canvas.beginPath()
            for row in range(3):
                for column in range(2):
                    x, y = 100 + 120 * column, 700 - 20 * row
                    canvas.drawString(x + 5, y + 5, f"cell {row}{column}")
                    if kind == "cells":
                        canvas.rect(x, y, 120, 20)
            for n in range(4):
                if kind == "thin":
                    canvas.rect(100, 720 - 20 * n, 240, 0.6, stroke=0, fill=1)
                path.moveTo(100, 720 - 20 * n)
                path.lineTo(340, 720 - 20 * n)
            for n in range(3):
                if kind == "thin":
                    canvas.rect(100 + 120 * n, 660, 0.6, 60, stroke=0, fill=1)
                path.moveTo(100 + 120 * n, 660)
                path.lineTo(100 + 120 * n, 720)
            if kind == "one path":
                canvas.drawPath(path)

        (table,) = found_in(draw_pdf(draw))
        assert table.rows == [["cell 00", "cell 01"], ["cell 10", "cell 11"], ["cell 20", "cell 21"]]

    def test_inside_a_form_that_is_moved(self) -> None:
        """Rules and text of a form object stand where it is put."""

        def draw(canvas: Canvas) -> None:
            canvas.beginForm("part")
            table = table_of(ROWS, GRID)
            table.wrapOn(canvas, 400, 400)
            table.drawOn(canvas, 0, 0)
            canvas.endForm()
            canvas.translate(150, 500)
            canvas.doForm("part")

        (table,) = found_in(draw_pdf(draw))
        assert table.rows == ROWS
        assert table.bbox[0] == pytest.approx(150 / A4[0], abs=0.01)
        assert table.bbox[3] == pytest.approx(1 - 500 / A4[1], abs=0.01)

    def test_boxes_of_rows_tile_the_table(self) -> None:
        """From its top to its bottom."""
        (table,) = found_in(set_in_columns([PLAIN, table_of(ROWS, GRID)]))
        assert len(table.row_boxes) == len(ROWS)
        for upper, lower in zip(table.row_boxes, table.row_boxes[1:], strict=False):
            assert upper[3] == pytest.approx(lower[1], abs=1e-3)
        assert table.row_boxes[0][1] == pytest.approx(table.bbox[1], abs=1e-3)

    def test_tables_in_two_columns_stay_two(self) -> None:
        """In two columns of a page, and with rules at the same heights."""
        data = set_in_columns([table_of(ROWS, GRID), FrameBreak(), table_of(ROWS, GRID)], columns=2)
        assert [table.rows for table in found_in(data)] == [ROWS, ROWS]


class _Upward(Flowable):  # type: ignore[misc]
    """Lines of text turned by a quarter, the first to the left."""

    def __init__(self, *lines: str) -> None:
        super().__init__()
        self._lines = lines

    def wrap(self, *_: float) -> tuple[float, float]:
        return 14.0 * len(self._lines), 70

    def draw(self) -> None:
        self.canv.rotate(90)
        self.canv.setFont("Times-Roman", 10)
        for n, text in enumerate(self._lines):
            self.canv.drawString(0, -10 - 13 * n, text)


class TestCells:
    """What stands in cells."""

    def test_lines_of_a_cell_are_one(self) -> None:
        """With a space between words, none between Chinese characters, and the mark of a hyphen that may go."""
        narrow = style(fontName="Times-Roman")
        chinese = style(fontName=SONG, wordWrap="CJK")
        rows = [["Type", "Use"], [Paragraph("glass or metal", narrow), Paragraph("温度传感器的用途", chinese)]]
        ((_, body),) = rows_of(table_of(rows, GRID, colWidths=[45, 50]))
        assert body == ["glass or metal", "温度传感器的用途"]

    def test_merged_cells_keep_their_text_in_the_first_place(self) -> None:
        """Across and down: the text stands in the first place; a merged header has two rows."""
        rows = [["Type", "Limits", ""], ["", "low", "high"], ["T1", "-40", "85"], ["", "0", "100"]]
        merged = [("SPAN", (1, 0), (2, 0)), ("SPAN", (0, 0), (0, 1)), ("SPAN", (0, 2), (0, 3))]
        (table,) = found_in(set_in_columns([table_of(rows, GRID, *merged)]))
        assert (
            table.rows == [["", "Limits", ""], ["Type", "low", "high"], ["", "-40", "85"], ["T1", "0", "100"]]
            or table.rows == rows
        )
        assert table.header_rows == 2
        assert max(cell.rows for cell in table.cells) == max(cell.columns for cell in table.cells) == 2

    def test_a_title_and_a_note_are_no_rows(self) -> None:
        """Cells from side to side above and under the table are text."""
        rows = [["What the sensors measure", "", ""], *ROWS, ["All of them in white on request.", "", ""]]
        spans = [("SPAN", (0, n), (2, n)) for n in (0, -1)]
        document = read(set_in_columns([table_of(rows, GRID, *spans)]))
        assert [text.count("\n") + 1 for text in tables_in(document)] == [len(ROWS)]
        assert "What the sensors measure" in document.text
        assert "on request" in document.text

    def test_empty_rows_and_columns_are_left_out(self) -> None:
        """As those that only keep space."""
        rows = [[row[0], "", *row[1:]] for row in ROWS]
        assert rows_of(table_of([*rows[:2], ["", "", "", ""], *rows[2:]], GRID)) == [ROWS]

    def test_rows_that_no_rule_parts(self) -> None:
        """A second line with nothing in the first column goes on with the row above."""
        rows = [*ROWS[:3], ["", "and its salt", ""], *ROWS[3:], ["C4", "carbon dioxide", "grey"]]
        ((_, _, soil, *_),) = rows_of(table_of(rows, *JOURNAL))
        assert soil == ["S2", "soil moisture and its salt", "brown"]

    def test_wrapped_text_is_no_rows(self) -> None:
        """Lines of two cells beside one another, each of one text."""
        text = Paragraph("The gauge is read every morning by two people who write it down", style(alignment=0))
        rows = [["Duty", "Reason"], [text, text], ["Cleaning", "Dust"]]
        assert len(rows_of(table_of(rows, GRID, colWidths=[120, 120]))[0]) == 3

    def test_heads_that_run_up_are_read_in_order(self) -> None:
        """Letter by letter from below, line by line from the left; a raised mark of a note is one in a cell too."""
        heads = [
            ["Type", _Upward("Shown here"), _Upward("Of which", "broken")],
            ["T1", "3", "1"],
            ["T2", Paragraph("9<super>1</super>", style()), "4"],
        ]
        ((first, _, last),) = rows_of(PLAIN, table_of(heads, GRID, rowHeights=[80, None, None]))
        assert first == ["Type", "Shown here", "Of which broken"]
        assert last[1] == "9^1"

    @pytest.mark.parametrize("turn", [90, 270])
    def test_a_page_that_lies_on_its_side(self, turn: int) -> None:
        """A wide table printed up or down the page: its rows are its own, its caption stands before it, its boxes are
        those of the page.
        """

        def page(canvas: Canvas) -> None:
            canvas.translate(*((560, 60) if turn == 90 else (60, 780)))
            canvas.rotate(turn)
            canvas.setFont("Times-Roman", 10)
            canvas.drawString(0, 320, "Table 1. What the sensors measure, by type")
            table = table_of(ROWS, GRID, colWidths=[120, 240, 120])
            table.wrapOn(canvas, 600, 400)
            table.drawOn(canvas, 0, 200)

        data = draw_pdf(page)
        (table,) = found_in(data)
        assert table.rows == ROWS
        document = read(data)
        check(document)
        caption, block = document.blocks
        assert document.text[caption.start :].startswith("Table 1.")
        boxes = [place.bbox for place in document.locations_in(block.start, block.end)]
        assert all(box and box[3] - box[1] > box[2] - box[0] for box in boxes)
        across = [box[0] for box in boxes if box]
        assert across == sorted(across, reverse=turn == 270)


class TestNone:
    """What is no table."""

    def test_a_box_around_text(self) -> None:
        """A callout is a paragraph."""
        boxed = table_of(
            [[Paragraph(PLAIN)]],
            ("BOX", (0, 0), (-1, -1), 1, colors.black),
            ("BACKGROUND", (0, 0), (-1, -1), colors.lightgrey),
        )
        document = read(set_in_columns([PLAIN, boxed, PLAIN]))
        assert tables_in(document) == []
        assert document.text.count("as it does in most documents") == 3

    def test_rules_between_paragraphs(self) -> None:
        """As above and under an abstract."""

        def draw(canvas: Canvas) -> None:
            for n in range(4):
                canvas.line(72, 700 - 100 * n, 520, 700 - 100 * n)
                for row in range(3):
                    canvas.drawString(72, 680 - 100 * n - 14 * row, PLAIN[:80])

        assert found_in(draw_pdf(draw)) == []

    def test_the_grid_of_a_chart_is_no_table(self) -> None:
        """A grid with numbers at two of its sides."""

        def draw(canvas: Canvas) -> None:
            for n in range(9):
                canvas.line(100, 400 + 30 * n, 400, 400 + 30 * n)
                canvas.line(100 + 37.5 * n, 400, 100 + 37.5 * n, 640)
                canvas.drawString(80, 400 + 30 * n, str(n))
                canvas.drawString(100 + 37.5 * n, 385, str(n))

        assert found_in(draw_pdf(draw)) == []

    def test_columns_of_a_layout(self) -> None:
        """Two columns of running text in a frame."""
        long = " ".join([PLAIN] * 12)
        boxes = table_of([[Paragraph(long), Paragraph(long)], [Paragraph(long), Paragraph(long)]], GRID)
        assert rows_of(boxes) == []

    def test_a_page_of_drawings_is_given_up(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Paths are counted: over the limit nothing is looked for."""
        monkeypatch.setattr("chunking.parsing.formats.pdf.characters.ruling_lines.MAX_PATHS", 10)
        assert rows_of(table_of([*ROWS, *ROWS, *ROWS], ("BOX", (0, 0), (-1, -1), 1, colors.black), GRID)) == []

    def test_a_page_without_rules_never_asks_pdfplumber(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Nor looks at its characters."""
        monkeypatch.setattr(module, "_TableMaker", None)
        assert rows_of(*[PLAIN] * 5) == []


class TestDocument:
    """Tables among the blocks."""

    def test_it_stands_where_it_stands_on_the_page(self) -> None:
        """Between the paragraphs, a location a row, the text once."""
        document = read(
            set_in_columns(["Before. " + PLAIN, Spacer(1, 12), table_of(ROWS, GRID), Spacer(1, 12), "After. " + PLAIN])
        )
        check(document)
        assert [block.type for block in document.blocks] == [BlockType.PARAGRAPH, BlockType.TABLE, BlockType.PARAGRAPH]
        table = document.blocks[1]
        assert document.text[table.start : table.end].split("\n")[1] == "| T1 | temperature | white |"
        assert len(document.locations_in(table.start, table.end)) == len(ROWS)
        assert document.text.count("soil moisture") == 1
        assert "".join(chunk.content for chunk in chunk_document(document)).count("soil moisture") == 1

    @pytest.mark.parametrize("repeat", [True, False])
    def test_over_a_page_break(self, repeat: bool) -> None:
        """One table; a header that is printed again is left out, and said to be."""
        rows = [ROWS[0], *[[f"N{n}", f"thing {n}", "grey"] for n in range(70)]]
        document = read(set_in_columns([PLAIN, table_of(rows, GRID, repeatRows=int(repeat))]))
        check(document)
        (table,) = tables_in(document)
        assert table.count("\n") + 1 == len(rows)
        assert table.count("Measures") == 1
        assert [one.reason for one in document.left_out].count("repeated table header") == int(repeat)

    def test_two_tables_on_two_pages_stay_two(self) -> None:
        """With text between them, or with other columns."""
        between = [table_of(ROWS, GRID), PLAIN, PageBreak(), PLAIN, table_of(ROWS, GRID)]
        others = [table_of(ROWS, GRID), PageBreak(), table_of(ROWS, GRID, colWidths=[40, 200, 90])]
        assert [len(tables_in(read(set_in_columns(story)))) for story in (between, others)] == [2, 2]

    @pytest.mark.parametrize("caption_first", [True, False])
    def test_a_table_takes_the_caption_next_to_it(self, caption_first: bool) -> None:
        """That before or after it; a paragraph that is none is no caption."""
        caption, table = "Table 2-1 What the sensors of the reed bed measure", table_of(ROWS, GRID)
        plain = Paragraph(PLAIN, style())
        story = [
            plain,
            Spacer(1, 12),
            *((caption, table) if caption_first else (table, caption)),
            Spacer(1, 12),
            plain,
            table_of(ROWS, GRID),
            plain,
        ]
        captions = [
            block.meta.get("caption") for block in read(set_in_columns(story)).blocks if block.type is BlockType.TABLE
        ]
        assert captions == [caption, None]

    def test_a_word_broken_in_a_cell(self) -> None:
        """Its soft hyphen is no part of the text."""
        document = read(set_in_columns([table_of(ROWS, GRID)]))
        assert "\u00ad" not in document.text

    def test_characters_are_taken_or_left(self) -> None:
        """`without_characters` leaves what does not stand in tables."""
        pdf = pypdfium2.PdfDocument(set_in_columns([PLAIN, table_of(ROWS, GRID)]))
        page = pdf[0]
        characters = read_characters(page, 1)
        _, inside = find_tables(page, characters)
        rest = without_characters(characters, inside)
        assert len(rest.text) == len(rest.boxes) == len(rest.styles) == len(characters.text) - inside.sum()
        assert "temperature" not in rest.text
        assert "column" in rest.text


def test_real_tables_with_open_sides_are_found() -> None:
    """Two with open sides, a title in a box above and notes in a box below."""
    first, second = found_in(testdata("korean-text-with-tables.pdf"))
    assert [row[0] for row in first.rows] == ["업종", "할인점", "주유", "온라인쇼핑몰"]
    assert second.rows[2] == ["제과점", "파리바게뜨, 뚜레쥬르"]


def rules_on(draw: Callable[[Canvas], None]) -> int:
    return len(rules_of(pypdfium2.PdfDocument(draw_pdf(draw))[0]))


def test_straight_strokes_and_thin_fills_are_rules() -> None:
    """Straight strokes and thin fills; not what is curved, skewed, short, white or never drawn."""
    assert rules_on(lambda canvas: canvas.line(100, 100, 300, 100)) == 1
    assert rules_on(lambda canvas: canvas.rect(100, 100, 200, 50)) == 4
    assert rules_on(lambda canvas: canvas.rect(100, 100, 200, 1, stroke=0, fill=1)) == 1
    assert rules_on(lambda canvas: canvas.circle(200, 200, 50)) == 0
    assert rules_on(lambda canvas: canvas.line(100, 100, 300, 200)) == 0
    assert rules_on(lambda canvas: canvas.line(100, 100, 101, 100)) == 0

    def white(canvas: Canvas) -> None:
        canvas.setFillColorRGB(1, 1, 1)
        canvas.rect(100, 100, 200, 50, stroke=0, fill=1)

    assert rules_on(white) == 0
