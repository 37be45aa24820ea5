"""Presentations: sections, places, lists, tables, charts, diagrams and notes; nothing is lost or breaks them."""

from __future__ import annotations

import io
import re
import zipfile
from pathlib import Path

import pytest
from lxml import etree

from chunking.errors import ParseError, TooLargeError
from chunking.model import BlockType, Document
from chunking.parsing import parse, parse_file
from chunking.parsing.builder import text_builder as writing
from chunking.parsing.builder.reader_types import RawFile
from chunking.parsing.formats.office.pptx.reader import read_slides
from tests.parsing.formats.office.deck_files import one_of_each
from tests.parsing.formats.office.office_files import (
    DIAGRAM,
    DRAWING,
    KINDS,
    SLIDES,
    archive,
    group,
    presentation,
    relations,
    shape,
    slide,
)
from tests.support.facts import tells
from tests.support.laws_documents import check
from tests.support.shared_data import shared_data, shared_files

DOT = '<a:buChar char="•"/>'


def read(data: bytes) -> Document:
    document = parse(data, "deck.pptx")
    check(document)
    return document


def block_texts(document: Document) -> list[tuple[str, str]]:
    """Type and text of each block."""
    return [(block.type.value, document.text[block.start : block.end]) for block in document.blocks]


def raw_letters(data: bytes) -> dict[str, int]:
    """How often each visible character stands in the slides, notes, charts and diagrams, by their XML alone.

    The series of a chart repeat its categories; these count once.
    """
    counts: dict[str, int] = {}
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        for name in file.namelist():
            if re.match(r"ppt/(slides|notesSlides|diagrams/data|charts/chart)[^_]*\.xml$", name):
                root = etree.fromstring(file.read(name))
                repeated = [
                    category for series in list(root.iter("{*}ser"))[1:] for category in series.iterfind("{*}cat")
                ]
                for category in repeated:
                    category.getparent().remove(category)
                texts = [*root.iter("{*}t"), *root.iterfind(".//{*}pt/{*}v")]
                for letter in "".join("".join(text.itertext()) for text in texts):
                    counts[letter] = counts.get(letter, 0) + (not letter.isspace())
    return counts


def lost(data: bytes, document: Document) -> float:
    """Share of them that the document does not have; slide numbers are left out, not lost."""
    raw = raw_letters(data)
    missing = sum(max(count - document.text.count(letter), 0) for letter, count in raw.items())
    return missing / max(sum(raw.values()), 1)


@pytest.mark.parametrize("path", shared_files("pptx/*.pptx"), ids=lambda path: path.name)
def test_real_files_lose_nothing(path: Path) -> None:
    """The laws hold, and every character of the XML is in the text; each block is on its slide."""
    document = parse_file(shared_data(path))
    check(document)
    assert lost(path.read_bytes(), document) == 0
    assert document.page_count >= 1
    assert all(block.page and block.bbox for block in document.blocks)


def test_a_real_deck_by_hand() -> None:
    """A section a slide, in the slides' order; lists with their depth, a table, two columns one after the other."""
    document = parse_file(shared_data("pptx/sample-presentation.pptx"))
    titles = [
        "Title Slide",
        "This is the first content slide",
        "This is the second content slide",
        "This is kinda backwards, huh?",
    ]
    assert [section.title for section in document.sections] == titles
    assert [section.level for section in document.sections] == [1, 1, 1, 1]
    lists = [block for block in document.blocks if block.type is BlockType.LIST]
    assert [(block.page, block.meta["depth"], block.meta["items"]) for block in lists] == [
        (2, 3, 5),
        (3, 3, 5),
        (3, 3, 5),
    ]
    assert document.text[lists[0].start : lists[0].end].split("\n")[1:4] == [
        "  - With a sub-bullet",
        "  - And another one",
        "    - This one is a sub-sub-bullet",
    ]
    left, right = (block.bbox for block in lists[1:])
    assert left is not None
    assert right is not None
    assert left[2] <= right[0] + 0.01
    (table,) = (block for block in document.blocks if block.type is BlockType.TABLE)
    assert document.text[table.start : table.meta["header_end"]] == "| Table | A | B | C |\n"
    assert (table.meta["rows"], table.page) == (2, 4)


def test_groups_are_read_where_they_stand() -> None:
    """Shapes in groups in groups have places on the slide, and are read from left to right."""
    document = parse_file(shared_data("pptx/group-shapes-nested.pptx"))
    boxes = {document.text[block.start : block.end]: block.bbox for block in document.blocks}
    assert sorted(boxes) == list("ABCDEFGHIJ")
    lefts = [boxes[letter][0] for letter in "ABCEFGIJ"]  # type: ignore[index]
    assert lefts == sorted(lefts)


def test_a_slide_without_a_title_is_a_section_of_its_own() -> None:
    """Its title is made from its first words and said to be; the text is not put under the slide before it."""
    document = read(
        presentation(
            shape("Plan", kind="title") + shape("First we dig."),
            shape("Then we wait, a long time."),
            shape("x", kind="title"),
        )
    )
    assert [(section.title, section.title_made, section.title_path) for section in document.sections] == [
        ("Plan", False, ("Plan",)),
        ("Then we wait, a long time.", True, ()),
        ("x", False, ("x",)),
    ]
    assert document.sections[1].start == document.text.index("Then")
    assert [block.page for block in document.blocks] == [1, 1, 2, 3]


def test_shapes_are_read_from_top_to_bottom() -> None:
    """Placeholders as in the file, everything else from top to bottom and left to right; the title first, wherever it
    is.
    """
    tree = (
        shape("below", place=(0, 400, 100, 50))
        + shape("right", place=(500, 100, 100, 50))
        + shape("left", place=(10, 110, 100, 50))
        + shape("body", kind="body", place=(0, 450, 900, 40))
        + shape("Head", kind="title", place=(0, 480, 900, 20))
    )
    assert [text for _, text in block_texts(read(presentation(tree)))] == ["Head", "body", "left", "right", "below"]


def test_boxes_of_groups() -> None:
    """What stands in a group's own coordinates is placed on the slide; what is beside the slide has no place."""
    inside = shape("in", place=(0, 0, 100, 100)) + shape("out", place=(5000, 0, 100, 100))
    document = read(presentation(group(inside, (500, 250, 100, 100), (0, 0, 200, 200))))
    assert [(document.text[block.start : block.end], block.bbox) for block in document.blocks] == [
        ("in", pytest.approx((0.5, 0.5, 0.55, 0.6))),
        ("out", None),
    ]


def test_furniture_is_left_out_with_its_reason() -> None:
    """Dates, footers and slide numbers are listed, not read as text of the slide."""
    tree = (
        shape("Head", kind="title")
        + shape("ACME", kind="ftr")
        + shape("7", kind="sldNum")
        + shape("May 2024", kind="dt")
    )
    document = read(presentation(tree + shape("Text")))
    assert [(document.text[span.start : span.end], span.reason.split()[0]) for span in document.left_out] == [
        ("ACME", "footer"),
        ("7", "number"),
        ("May 2024", "date"),
    ]


def test_bullets_and_numbers_of_slides_are_lists() -> None:
    """Bullets, counted items, and running text between them; bullets that only the master gives count as well."""
    tree = (
        shape("one\ntwo", bullet="<a:buAutoNum type='arabicPeriod'/>")
        + shape("Say", bullet="<a:buNone/>", kind="body")
        + shape("dot", kind="body")
    )
    master = f"""<p:sldMaster xmlns:p="{SLIDES}" xmlns:a="{DRAWING}"><p:cSld><p:spTree/></p:cSld>
        <p:txStyles><p:bodyStyle>
        <a:lvl1pPr><a:buChar char="-"/></a:lvl1pPr></p:bodyStyle></p:txStyles></p:sldMaster>"""
    layout = (
        f'<p:sldLayout xmlns:p="{SLIDES}" '
        f'xmlns:a="{DRAWING}"><p:cSld><p:spTree>{shape("Click", kind="body", place=(0, 0, 500, 250))}'
    )
    parts = {
        "ppt/slides/_rels/slide1.xml.rels": relations(("slideLayout", "../slideLayouts/l.xml")),
        "ppt/slideLayouts/l.xml": layout + "</p:spTree></p:cSld></p:sldLayout>",
        "ppt/slideLayouts/_rels/l.xml.rels": relations(("slideMaster", "../slideMasters/m.xml")),
        "ppt/slideMasters/m.xml": master,
    }
    document = read(presentation(tree, parts=parts))
    assert block_texts(document) == [("paragraph", "Say"), ("list", "- dot"), ("list", "1. one\n2. two")]
    assert document.blocks[0].bbox == (0, 0, 0.5, 0.5)


def graphic(inside: str) -> str:
    """A graphic frame."""
    box = '<p:xfrm><a:off x="0" y="0"/><a:ext cx="500" cy="250"/></p:xfrm>'
    return (
        f"<p:graphicFrame><p:nvGraphicFramePr/>{box}<a:graphic><a:graphicData "
        f'uri="x">{inside}</a:graphicData></a:graphic></p:graphicFrame>'
    )


def test_charts_and_diagrams() -> None:
    """A chart is its titles and a table of its numbers, SmartArt the list that its text pane shows."""
    chart = f"""<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:a="{DRAWING}">
        <c:chart>
        <c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart><c:ser>
        <c:tx><c:strRef><c:strCache><c:pt idx="0"><c:v>North</c:v></c:pt></c:strCache></c:strRef></c:tx>
        <c:cat><c:strRef><c:strCache><c:pt idx="0"><c:v>May</c:v></c:pt><c:pt idx="1"><c:v>June</c:v></c:pt>
        </c:strCache></c:strRef></c:cat>
        <c:val><c:numRef><c:numCache><c:pt idx="0"><c:v>3.5</c:v></c:pt><c:pt idx="1"><c:v>4</c:v></c:pt></c:numCache>
        </c:numRef></c:val>
        </c:ser></c:barChart></c:plotArea></c:chart></c:chartSpace>"""
    points = "".join(
        f'<dgm:pt modelId="{n}"><dgm:t><a:p><a:r><a:t>{t}</a:t></a:r></a:p></dgm:t></dgm:pt>'
        for n, t in enumerate(("Boss", "B", "A"), 1)
    )
    links = (
        '<dgm:cxn srcId="0" destId="1" srcOrd="0"/><dgm:cxn srcId="1" destId="2" srcOrd="1"/><dgm:cxn srcId="1" '
        'destId="3" srcOrd="0"/>'
    )
    diagram = (
        f'<dgm:dataModel xmlns:dgm="{DIAGRAM}" xmlns:a="{DRAWING}"><dgm:ptLst><dgm:pt modelId="0" '
        f'type="doc"/>{points}</dgm:ptLst>'
    )
    parts = {
        "ppt/slides/_rels/slide1.xml.rels": relations(
            ("chart", "../charts/c.xml"), ("diagramData", "../diagrams/d.xml")
        ),
        "ppt/charts/c.xml": chart,
        "ppt/diagrams/d.xml": f"{diagram}<dgm:cxnLst>{links}<dgm:cxn srcId='2' destId='1'/></dgm:cxnLst>"
        "</dgm:dataModel>",
    }
    frames = graphic('<c:chart xmlns:c="x" r:id="r1"/>') + graphic('<dgm:relIds r:dm="r2"/>')
    document = read(presentation(frames, parts=parts))
    assert block_texts(document) == [
        ("paragraph", "Sales"),
        ("table", "|  | North |\n| May | 3.5 |\n| June | 4 |"),
        ("list", "- Boss\n  - A\n  - B"),
    ]
    broken = read(presentation(frames + shape("still here"), parts=parts | {"ppt/charts/c.xml": "<c"}))
    assert "still here" in broken.text
    (warning,) = broken.warnings
    assert "Slide 1" in warning
    assert "chart" in warning


def test_merged_cells_say_what_their_rows_are_about() -> None:
    """The text of merged cells stands in each of them."""
    cells = (("Kind", ""), ("Size", "")), (("Bird", ' rowSpan="2"'), ("3", "")), (("", ' vMerge="1"'), ("4", ""))
    cell = "<a:tc{}><a:txBody><a:p><a:r><a:t>{}</a:t></a:r></a:p></a:txBody></a:tc>"
    rows = "".join(f"<a:tr>{''.join(cell.format(more, text) for text, more in row)}</a:tr>" for row in cells)
    document = read(presentation(graphic(f'<a:tbl><a:tblPr firstRow="1"/>{rows}</a:tbl>')))
    assert document.text == "| Kind | Size |\n| Bird | 3 |\n| Bird | 4 |"


def test_notes_hidden_slides_and_pictures() -> None:
    """Notes end their slide and are marked; a hidden slide is read and named; described pictures speak, silent ones are
    named.
    """
    picture = '<p:pic><p:nvPicPr><p:cNvPr id="3" name="p" {}/><p:nvPr/></p:nvPicPr><p:spPr/></p:pic>'
    notes = (
        f'<p:notes xmlns:p="{SLIDES}" '
        f'xmlns:a="{DRAWING}"><p:cSld><p:spTree>{shape("Smile.", kind="body")}{shape("1", kind="sldNum")}'
    )
    parts = {
        "ppt/slides/slide1.xml": slide(shape("Head", kind="title") + picture.format('descr="A finch"'), 'show="0"'),
        "ppt/slides/_rels/slide1.xml.rels": relations(("notesSlide", "../notesSlides/n.xml")),
        "ppt/notesSlides/n.xml": notes + "</p:spTree></p:cSld></p:notes>",
    }
    document = read(presentation("", picture.format(""), shape("End", kind="title"), parts=parts))
    assert block_texts(document) == [
        ("heading", "Head"),
        ("image", "A finch"),
        ("paragraph", "Smile."),
        ("heading", "End"),
    ]
    assert document.blocks[0].meta == {"hidden": True}
    assert document.blocks[2].meta["notes"] is True
    assert tells(document.warnings, "slide 1 hidden", "slide 2 pictures no text")


def test_damage_is_said_and_the_rest_is_read() -> None:
    """A slide that cannot be read is named; a deck of which none can is refused in one sentence."""
    document = read(presentation("", shape("good"), parts={"ppt/slides/slide1.xml": "<p:sld"}))
    assert document.text == "good"
    assert tells(document.warnings, "slide 1 damaged")
    endless = shape("deep", level=9).replace('lvl="9"', f'lvl="{"9" * 5_000}"')  # Python refuses to read it
    assert read(presentation(endless)).text == "deep"
    with pytest.raises(ParseError, match=r"deck\.pptx .* slides are damaged"):
        read(presentation("", parts={"ppt/slides/slide1.xml": "<p:sld"}))
    with pytest.raises(ParseError, match=r"deck\.pptx .* presentation"):
        read_slides(RawFile(archive({"ppt/x.xml": "<a/>"}), "deck.pptx"))


def test_hostile_slides_do_not_stop_the_good_ones() -> None:
    """Groups without end, circles of relations, entities, and one slide listed a thousand times: bounded, and the rest
    is read.
    """
    deep = "<p:grpSp>" * 5000 + shape("deep") + "</p:grpSp>" * 5000
    document = read(presentation(deep, shape("good")))
    assert document.text == "good"
    nested = "<p:grpSp>" * 200 + shape("deep") + "</p:grpSp>" * 200
    assert read(presentation(nested)).text == "deep"
    ids = '<p:sldId id="256" r:id="r1"/>' * 1000
    root = f'<p:presentation xmlns:p="{SLIDES}" xmlns:r="{KINDS}"><p:sldIdLst>{ids}</p:sldIdLst></p:presentation>'
    assert read(presentation(shape("once"), parts={"ppt/presentation.xml": root})).text == "once"
    entity = '<!DOCTYPE p [<!ENTITY x SYSTEM "file:///etc/hostname">]>' + slide(shape("&x;"))
    with pytest.raises(ParseError, match="entities"):
        read(presentation("", parts={"ppt/slides/slide1.xml": entity}))
    numbers = shape("here", place=(0, 0, 10, 10)).replace('x="0"', 'x="1e400"').replace('cy="10"', 'cy="many"')
    assert read(presentation(numbers)).blocks[0].bbox is None
    assert read(presentation(numbers.replace("many", "10"))).blocks[0].bbox is None
    flipped = read(presentation(group(shape("in", place=(0, 0, 10, 10)), (100, 100, 100, 100), (0, 0, -100, 100))))
    assert flipped.blocks[0].bbox == pytest.approx((0.09, 0.2, 0.1, 0.22))


def test_too_much_text_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bound on texts holds inside tables too."""
    monkeypatch.setattr(writing, "MAX_CHARACTERS", 100)
    with pytest.raises(TooLargeError, match=r"deck\.pptx holds more than"):
        read(presentation(shape("word " * 100)))


def test_a_deck_as_programs_make_them() -> None:
    """Made by python-pptx: bullets of its master, a chart with its categories, a table, notes; nothing is lost."""
    data = one_of_each()
    document = read(data)
    assert lost(data, document) == 0
    assert block_texts(document) == [
        ("heading", "Quarterly results of the northern region"),
        ("list", "- Sales grew in every month\n  - most of all in June"),
        ("paragraph", "Thank the northern team by name."),
        ("heading", "Sales by month"),
        (
            "table",
            "|  | North | South |\n| January | 1.5 | 10 |\n| February | 2.5 | 20 |\n| March | 3.5 | 30 |\n| "
            "April | 4 | 40 |\n"
            "| May | 5 | 50 |\n| June | 6 | 60 |",
        ),
        ("paragraph", "A remark that reaches over the left edge of the slide"),
        ("paragraph", "Grouped words"),
        ("table", "| Name | Size |\n| Finch | 3 cm |\n| Wren | 2 cm |"),
    ]
