"""A presentation with one of each thing, made by python-pptx as programs make them."""

from __future__ import annotations

import io
from typing import Any

__all__ = ["one_of_each"]


def one_of_each() -> bytes:
    """A list with notes; a chart; a text over the slide's edge, a group and a table on a slide without a title."""
    from pptx import Presentation

    deck = Presentation()
    _list_with_notes(deck)
    _chart(deck)
    _shapes(deck)
    buffer = io.BytesIO()
    deck.save(buffer)
    return buffer.getvalue()


def _list_with_notes(deck: Any) -> None:
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = "Quarterly results of the northern region"
    frame = slide.placeholders[1].text_frame
    frame.text = "Sales grew in every month"
    below = frame.add_paragraph()
    below.text, below.level = "most of all in June", 1
    slide.notes_slide.notes_text_frame.text = "Thank the northern team by name."


def _chart(deck: Any) -> None:
    from pptx.chart.data import CategoryChartData
    from pptx.enum.chart import XL_CHART_TYPE
    from pptx.util import Inches

    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = "Sales by month"
    data = CategoryChartData()
    data.categories = ["January", "February", "March", "April", "May", "June"]
    data.add_series("North", (1.5, 2.5, 3.5, 4, 5, 6))
    data.add_series("South", (10, 20, 30, 40, 50, 60))
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(2), Inches(6), Inches(4), data)


def _shapes(deck: Any) -> None:
    from pptx.util import Emu, Inches

    slide = deck.slides.add_slide(deck.slide_layouts[6])
    edge = slide.shapes.add_textbox(Emu(-100), Inches(1), Inches(3), Inches(1))
    edge.text_frame.text = "A remark that reaches over the left edge of the slide"
    group = slide.shapes.add_group_shape()
    group.shapes.add_textbox(Inches(1), Inches(3), Inches(3), Inches(1)).text_frame.text = "Grouped words"
    table = slide.shapes.add_table(3, 2, Inches(1), Inches(5), Inches(4), Inches(1)).table
    for row, texts in enumerate((("Name", "Size"), ("Finch", "3 cm"), ("Wren", "2 cm"))):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
