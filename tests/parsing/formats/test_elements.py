"""JSON of unstructured's own elements: as the library writes it, and as nobody should."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from chunking.errors import ParseError
from chunking.model import BlockType, Document
from chunking.parsing import parse
from chunking.parsing.builder.reader_types import RawFile
from chunking.parsing.formats.unstructured_elements import is_elements, read_elements
from chunking.parsing.parsers.unstructured_reader import switch_messages_off
from tests.support.laws_documents import check

TABLE = (
    "<table><thead><tr><th>Name</th><th>Size</th></tr></thead><tbody><tr><td>Owl</td><td>40</td></tr></tbody></table>"
)


def element(kind: str, text: str, own_id: str = "", **metadata: Any) -> dict[str, Any]:
    """One element."""
    return {"type": kind, "element_id": own_id or f"{kind}{text}", "text": text, "metadata": metadata}


def read(*elements: Any) -> Document:
    """A list of elements as a document, its laws checked."""
    document = parse(json.dumps(list(elements)).encode(), "x.json")
    assert document.format == "elements"
    check(document)
    return document


def blocks(document: Document) -> list[tuple[str, str]]:
    """Type and text of each block."""
    return [(block.type.value, document.text[block.start : block.end]) for block in document.blocks]


def test_each_element_type_becomes_its_block() -> None:
    """Each becomes the block that it is; what stands on every page is left out."""
    document = read(
        element("Header", "Birds of the world"),
        element("Title", "Owls"),
        element("NarrativeText", "They fly by night."),
        element("ListItem", "barn owl", category_depth=1),
        element("ListItem", "eagle owl", category_depth=2),
        element("Table", "Name Size Owl 40", text_as_html=TABLE),
        element("Formula", "E = mc"),
        element("CodeSnippet", "x = 1\ny = 2"),
        element("Image", "An owl", image_path="figures/owl.jpg"),
        element("FigureCaption", "Fig. 1"),
        element("PageBreak", ""),
        element("UncategorizedText", "The end."),
        element("PageNumber", "1"),
        element("Footer", "2024"),
    )
    assert blocks(document) == [
        ("heading", "Owls"),
        ("paragraph", "They fly by night."),
        ("list", "barn owl\n  eagle owl"),
        ("table", "| Name | Size |\n| Owl | 40 |"),
        ("equation", "E = mc"),
        ("code", "x = 1\ny = 2"),
        ("image", "An owl"),
        ("paragraph", "Fig. 1"),
        ("paragraph", "The end."),
    ]
    assert [span.reason for span in document.left_out] == ["page header", "page number", "page footer"]
    assert document.blocks[2].meta == {"depth": 2, "items": 2}
    assert document.blocks[3].meta["rows"] == 1
    assert document.blocks[6].meta["path"] == "figures/owl.jpg"


def levels(document: Document) -> list[int | None]:
    """Of the headings."""
    return [block.level for block in document.blocks if block.type is BlockType.HEADING]


def test_levels_of_titles() -> None:
    """By their own depth, else by the title they stand under, else by their numbers."""
    assert levels(
        read(
            element("Title", "A", category_depth=0),
            element("Title", "B", category_depth=2),
            element("Title", "C", category_depth=1),
        )
    ) == [1, 3, 2]
    nested = (
        element("Title", "A", "a"),
        element("Title", "B", "b", parent_id="a"),
        element("Title", "C", "c", parent_id="b"),
        element("Title", "D", "d"),
    )
    assert levels(read(*nested)) == [1, 2, 3, 1]
    assert levels(
        read(*(element("Title", text, category_depth=0) for text in ("第一章 甲", "一、乙", "（一）丙", "二、丁")))
    ) == [
        1,
        2,
        3,
        2,
    ]


def box(system: str, **size: Any) -> dict[str, Any]:
    """Coordinates of the upper left quarter of a page of 200 by 400, in pixels."""
    return {
        "points": [[0, 0], [0, 200], [100, 200], [100, 0]],
        "system": system,
        "layout_width": 200,
        "layout_height": 400,
        **size,
    }


def test_coordinates_become_shares_of_the_page() -> None:
    """Points become shares of their layout; where y counts from below it is turned; without a size there is no box."""
    document = read(
        element("NarrativeText", "Pixels.", page_number=1, coordinates=box("PixelSpace")),
        element("NarrativeText", "Points.", page_number=2, coordinates=box("PointSpace")),
        element("NarrativeText", "No size.", page_number=2, coordinates=box("PixelSpace", layout_width=None)),
        element("NarrativeText", "No page.", coordinates=box("PixelSpace")),
    )
    places = [(document.text[place.start : place.end], place.page, place.bbox) for place in document.locations]
    assert places == [("Pixels.", 1, (0, 0, 0.5, 0.5)), ("Points.", 2, (0, 0.5, 0.5, 1)), ("No size.", 2, None)]
    assert document.page_count == 2


def test_what_the_library_itself_writes() -> None:
    """Elements made by unstructured and written by it."""
    switch_messages_off()
    from unstructured.documents import coordinates, elements

    title = elements.Title("Owls", metadata=elements.ElementMetadata(page_number=1, category_depth=0))
    points = ((10, 20), (10, 40), (50, 40), (50, 20))
    text = elements.NarrativeText(
        "They fly.",
        coordinates=points,
        coordinate_system=coordinates.PixelSpace(100, 200),
        metadata=elements.ElementMetadata(page_number=1),
    )
    table = elements.Table("Name Size Owl 40", metadata=elements.ElementMetadata(page_number=2, text_as_html=TABLE))
    document = read(*(one.to_dict() for one in (title, text, table)))
    assert [block.type.value for block in document.blocks] == ["heading", "paragraph", "table"]
    assert [(place.page, place.bbox) for place in document.locations] == [
        (1, None),
        (1, (0.1, 0.1, 0.5, 0.2)),
        (2, None),
    ]


odd = (
    st.none()
    | st.booleans()
    | st.floats()
    | st.integers()
    | st.just(10**400)
    | st.sampled_from(("a", "", "\ud800", TABLE))
    | st.just([[1]])
)
metadata = st.dictionaries(
    st.sampled_from(("page_number", "coordinates", "text_as_html", "category_depth", "parent_id", "image_path")),
    odd
    | st.dictionaries(
        st.sampled_from(("points", "layout_width", "layout_height", "system")),
        odd | st.lists(st.lists(odd, max_size=3), max_size=4),
    ),
)
any_element = st.fixed_dictionaries(
    {
        "type": st.sampled_from(("Title", "ListItem", "Table", "Image", "Footer", "New")) | odd,
        "text": st.sampled_from(("x", "", "\ud800")) | odd,
    },
    optional={"element_id": odd, "metadata": metadata | odd},
)


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=150)
@given(st.lists(any_element | odd, max_size=8))
def test_any_element_after_good_ones_obeys_the_laws(items: list[Any]) -> None:
    """Whatever follows twenty good ones, the document obeys the laws and can be sent as UTF-8."""
    good = [element("NarrativeText", f"Sentence {n}.", str(n)) for n in range(20)]
    document = parse(json.dumps(good + items).encode(), "x.json")
    check(document)
    assert all(f"Sentence {n}." in document.text for n in range(20))
    json.dumps(asdict(document), ensure_ascii=False, default=str).encode("utf-8")


def test_a_list_of_known_element_types_is_recognised() -> None:
    """Lists of known types with an id or metadata; nothing else, and one sentence for it."""
    assert is_elements([element("Title", "a")])
    for other in (
        [],
        {},
        None,
        [1],
        [{"type": "text", "text": "a", "page_idx": 0}],
        [{"type": "Title", "text": "a"}],
        [{"type": [], "text": ""}],
    ):
        assert not is_elements(other)
    with pytest.raises(ParseError, match=r"^x\.json .* unstructured's elements"):
        read_elements(RawFile(b"[1]", "x.json"))
