"""Where ruled tables stand in the reading order: in their column, under the heading above them."""

from __future__ import annotations

import pytest
from reportlab.platypus import FrameBreak, Paragraph, Spacer, Table

from chunking.model import BlockType
from tests.parsing.formats.pdf.drawing import read, set_in_columns
from tests.parsing.formats.pdf.stories import NORMAL, order, paragraph, ruled, title
from tests.support.laws_documents import check
from tests.support.shared_data import shared_data


@pytest.mark.parametrize("align", ["LEFT", "CENTER", "RIGHT"])
def test_a_narrow_table_follows_its_heading(align: str) -> None:
    """Also the second one, and one that ends the page."""
    story = [
        title("Report", "Title"),
        paragraph(0),
        title("Limits"),
        ruled(align, name="one"),
        Spacer(1, 8),
        title("Notes"),
    ]
    document = read(
        set_in_columns([*story, ruled(align, name="two"), paragraph(1), title("End"), ruled(align, name="three")])
    )
    check(document)
    assert order(document) == ["Report", "Text a", "Limits", "one", "Notes", "two", "Text b", "End", "three"]
    sections = {section.title: document.text[section.start : section.own_end] for section in document.sections}
    assert [name for name, text in sections.items() if "|" in text] == ["Limits", "Notes", "End"]


def test_two_tables_and_a_caption_under_one_heading() -> None:
    """In their order on the page."""
    story = [
        title("Limits"),
        Paragraph("Table 1. Short", NORMAL),
        ruled("RIGHT", name="one"),
        Spacer(1, 8),
        ruled("LEFT", name="two"),
        title("Notes"),
    ]
    assert order(read(set_in_columns([*story, paragraph(0)]))) == ["Limits", "Table ", "one", "two", "Notes", "Text a"]


@pytest.mark.parametrize("align", ["LEFT", "CENTER", "RIGHT"])
def test_in_two_columns(align: str) -> None:
    """At the top of the second one, in the middle of either, and alone in it under a heading."""
    top = [paragraph(n, 14) for n in range(3)] + [
        FrameBreak(),
        title("Limits"),
        ruled(align),
        title("More"),
        paragraph(3, 9),
        paragraph(4, 9),
    ]
    assert order(read(set_in_columns(top, 2))) == [
        "Text a",
        "Text b",
        "Text c",
        "Limits",
        "cell",
        "More",
        "Text d",
        "Text e",
    ]
    middle = [
        paragraph(0, 9),
        title("Limits"),
        ruled(align, name="one"),
        title("More"),
        paragraph(1, 9),
        FrameBreak(),
        paragraph(2, 9),
    ]
    middle += [title("Last"), ruled(align, name="two"), paragraph(3, 9)]
    assert order(read(set_in_columns(middle, 2))) == [
        "Text a",
        "Limits",
        "one",
        "More",
        "Text b",
        "Text c",
        "Last",
        "two",
        "Text d",
    ]
    alone = [paragraph(n, 14) for n in range(3)] + [FrameBreak(), title("Limits"), ruled(align)]
    assert order(read(set_in_columns(alone, 2))) == ["Text a", "Text b", "Text c", "Limits", "cell"]


@pytest.mark.parametrize("left", [True, False])
def test_a_table_next_to_text_parts_no_sentence(left: bool) -> None:
    """The heading above both comes first, and no sentence is parted."""
    cells = [ruled(), paragraph(1, 14)] if left else [paragraph(1, 14), ruled()]
    layout = Table([cells], colWidths=[150, 320] if left else [320, 150], style=[("VALIGN", (0, 0), (-1, -1), "TOP")])
    document = read(
        set_in_columns([title("Report"), paragraph(0), title("Limits"), layout, title("Notes"), paragraph(2)])
    )
    texts = order(document)
    assert texts[:3] == ["Report", "Text a", "Limits"]
    assert sorted(texts[3:5]) == ["Text b", "cell"]
    assert texts[5:] == ["Notes", "Text c"]


def test_a_file_of_people() -> None:
    """A table in the middle of the page, after its heading."""
    document = read(shared_data("wild/pdf_table_before_heading/pq4.pdf").read_bytes())
    tables = [block.start for block in document.blocks if block.type is BlockType.TABLE]
    sections = [next(one.title for one in reversed(document.sections) if one.start <= start) for start in tables]
    assert sections == ["Limits", "Notes"]
