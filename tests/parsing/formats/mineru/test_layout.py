"""What boxes say about the ends of paragraphs, beyond the book: columns, labels, gaps, one line in pieces."""

from __future__ import annotations

import json

from chunking.model import BlockType
from chunking.parsing import parse
from tests.support.laws_documents import check

Row = tuple[str, int, int, int]


def paragraphs(*rows: Row, page_two: tuple[Row, ...] = (), height: int = 16) -> list[str]:
    """The paragraphs of fragments given as (text, left, top, right) in thousandths."""
    items = [
        {"type": "text", "text": text, "bbox": [left, top, right, top + height], "page_idx": page}
        for page, page_rows in enumerate((rows, page_two))
        for text, left, top, right in page_rows
    ]
    document = parse(json.dumps(items).encode(), "x_content_list.json")
    check(document)
    assert {block.type for block in document.blocks} == {BlockType.PARAGRAPH}
    return [document.text[block.start : block.end] for block in document.blocks]


def test_fragments_side_by_side_are_one_line() -> None:
    """Fragments side by side are one line, sentence end or not; far apart they are two."""
    pieces = (("The lens. It is", 100, 100, 300), ("Made of glass.", 305, 100, 500), ("Twice.", 505, 101, 560))
    assert paragraphs(*pieces) == ["The lens. It is Made of glass. Twice."]
    assert paragraphs(("Name of the bidder", 100, 100, 300), ("Date of the bid", 700, 100, 880)) == [
        "Name of the bidder",
        "Date of the bid",
    ]


def test_a_sentence_continues_in_the_next_column() -> None:
    """A sentence goes on at the head of the next column, and of the next page's first."""
    left = [("the light of the lamp falls on the mirror", 80, top, 480) for top in (100, 126, 152)]
    right = [("and from there to the lens and the", 520, top, 920) for top in (100, 126, 152)]
    second = (("camera, where it ends.", 80, 100, 300),)
    texts = paragraphs(("It is known that", 80, 74, 480), *left, *right, page_two=second)
    assert len(texts) == 1
    assert texts[0].endswith("lens and the camera, where it ends.")


def test_a_column_does_not_go_on_below_a_sentence() -> None:
    """A column that ends with a sentence ends a paragraph where the boxes say nothing else."""
    left = [("The light falls on the mirror.", 80, top, 480) for top in (100, 126)]
    right = [("Then it goes to the lens.", 520, top, 920) for top in (100, 126)]
    assert len(paragraphs(*left, *right)) == 4


def test_short_lines_before_capitals() -> None:
    """Entries without a stop are not one sentence; a line as long as the column goes on with a name."""
    long = "The instrument was built in the workshops of the firm of"
    rows = (
        (long, 100, 100, 880),
        ("Zeiss in Jena, where it stands.", 100, 126, 500),
        ("Received in May", 100, 152, 300),
        ("Accepted in June", 100, 178, 310),
    )
    assert paragraphs(*rows) == [f"{long} Zeiss in Jena, where it stands.", "Received in May", "Accepted in June"]


def test_an_unusual_gap() -> None:
    """It parts what the words do not."""
    rows = [("光线落在镜子上然后到达物镜并且", 100, top, 880) for top in (100, 126, 152, 230, 256)]
    assert [len(text) for text in paragraphs(*rows)] == [45, 30]


def test_an_indentation_parts_lines_without_a_stop() -> None:
    """An indented first line begins a paragraph, whatever the line above ends with; an indented block does not."""
    rows = [
        ("光线落在镜子上然后到达物镜并且", left, top, 880)
        for left, top in ((100, 100), (100, 126), (140, 152), (100, 178))
    ]
    assert [len(text) for text in paragraphs(*rows)] == [30, 30]
    quoted = [
        ("光线落在镜子上然后到达物镜并且", left, top, 880)
        for left, top in ((100, 100), (100, 126), (140, 152), (140, 178), (140, 204))
    ]
    assert [len(text) for text in paragraphs(*quoted)] == [30, 45]


def test_blocks_of_several_lines() -> None:
    """Whole paragraphs, as newer versions give them, stay as they are."""
    text = "The light of the lamp falls on the mirror and from there on the lens. " * 4
    rows = [(text.strip(), 100, top, 880) for top in (100, 190, 280)]
    assert paragraphs(*rows, height=80) == [text.strip()] * 3
