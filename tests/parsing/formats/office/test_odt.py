"""OpenDocument texts, built here: text as it was put in, structure as the format says it, and no harm from bad ones."""

from __future__ import annotations

import random

import pytest

from chunking.errors import ParseError, TooLargeError
from chunking.model import Document
from chunking.parsing import parse, parse_guarded
from chunking.parsing.formats.office.odt.odt_cells import MAX_REPEATED
from tests.parsing.formats.office.odt_texts import DECLARED, blocks, odt, paragraph, read
from tests.parsing.safe_input.archive_files import BILLION_LAUGHS, EXTERNAL, replaced, zipped
from tests.support.facts import tells
from tests.support.laws_documents import check


def left_out(document: Document) -> list[tuple[str, str]]:
    """(text, reason) of what is left out."""
    return [(document.text[one.start : one.end], one.reason) for one in document.left_out]


def test_odt_headings_have_levels_and_numbers() -> None:
    """By their outline level, with the number they show; a title by its style, whatever that is made from."""
    document = read(
        paragraph("Birds", "P1")
        + '<text:h text:outline-level="2"><text:number>1.1</text:number>Of <text:span>finches</text:span></text:h>'
        + paragraph("text", "P3")
        + '<text:h text:outline-level="10">Deep</text:h><text:h>Plain</text:h>'
        + paragraph("Sub", "Subtitle")
    )
    headings = [(document.text[block.start : block.end], block.level) for block in document.blocks if block.level]
    assert headings == [("Birds", 1), ("1.1 Of finches", 2), ("Deep", 6), ("Plain", 1)]


def test_odt_spaces_tabs_and_line_ends_are_read() -> None:
    """Spaces, tabs and line ends as elements; spans that part no word; what is deleted, hidden or a reading aid."""
    document = read(
        "<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p></text:deletion></text:changed-region>"
        '</text:tracked-changes><text:p>a<text:s text:c="3"/>b<text:tab/>c<text:line-break/>d '
        "<text:span>e</text:span>f\n  g"
        '<text:span text:style-name="T1">hidden</text:span><text:change-start/>h<text:change-end/>'
        "<text:ruby><text:ruby-base>漢</text:ruby-base><text:ruby-text>かん</text:ruby-text></text:ruby>"
        '<text:a xlink:href="http://x.org">link</text:a> p. <text:page-number>7</text:page-number></text:p>'
        + paragraph("nothing", "T1")
    )
    assert document.text == "a b c\nd ef gh漢link p. 7"


def test_code_and_quotes() -> None:
    """Lines of code are one block and keep their spaces."""
    code = (
        paragraph("def f():", "P2")
        + paragraph('<text:s text:c="4"/>return  1', "P2")
        + paragraph("", "P2")
        + paragraph("x", "P2")
    )
    document = read(paragraph("a") + code + paragraph("Said.", "Quotations") + paragraph("b"))
    assert blocks(document) == [
        ("paragraph", "a"),
        ("code", "def f():\n    return 1\n\nx"),
        ("quote", "Said."),
        ("paragraph", "b"),
    ]


def _list(*items: str, style: str = "", more: str = "") -> str:
    return (
        f'<text:list text:style-name="{style}" '
        f"{more}>{''.join(f'<text:list-item>{item}</text:list-item>' for item in items)}</text:list>"
    )


def test_nested_odt_lists_are_one_block() -> None:
    """Nested ones are one block; numbers by the style of the level, and on from the list before where it is said."""
    inner = _list(paragraph("Two"), paragraph("Three"))
    document = read(_list(paragraph("One") + inner, paragraph("Four"), style="L1"))
    assert blocks(document) == [("list", "1. One\n   - Two\n   - Three\n2. Four")]
    assert document.blocks[0].meta["depth"] == 2
    on = _list(paragraph("Three"), style="L1", more='text:continue-numbering="true"')
    again = read(_list(paragraph("One"), paragraph("Two"), style="L1") + paragraph("x") + on + _list(paragraph("Dot")))
    assert [text for kind, text in blocks(again) if kind == "list"] == ["1. One\n2. Two", "3. Three", "- Dot"]
    headed = read(_list('<text:h text:outline-level="1">Birds</text:h>', style="L1") + paragraph("text"))
    assert blocks(headed) == [("heading", "1. Birds"), ("paragraph", "text")]


def _row(*cells: str, more: str = "") -> str:
    return f"<table:table-row {more}>{''.join(cells)}</table:table-row>"


def _cell(text: str, more: str = "") -> str:
    return f"<table:table-cell {more}><text:p>{text}</text:p></table:table-cell>"


_COVERED = "<table:covered-table-cell/>"


def test_odt_tables_keep_spans_and_repeated_cells() -> None:
    """Header rows, cells over several columns or rows, repeated cells and rows; the empty ones at the ends mean
    nothing.
    """
    empty = '<table:table-cell table:number-columns-repeated="16000"/>'
    wide, high = 'table:number-columns-spanned="2"', 'table:number-rows-spanned="2"'
    rows = (
        f"<table:table-header-rows>{_row(_cell('Name'), _cell('Size', wide), _COVERED, empty)}"
        "</table:table-header-rows>"
        + _row(_cell("Finch", high), _cell("3", 'table:number-columns-repeated="2"'), empty)
        + _row(_COVERED, _cell("4<text:line-break/>5"), _cell("6|7"))
        + _row(empty, more='table:number-rows-repeated="1000000"')
        + _row(
            '<table:table-cell table:number-columns-repeated="2"/>', _cell("x"), more='table:number-rows-repeated="2"'
        )
    )
    document = read(paragraph("a") + f"<table:table>{rows}</table:table>" + paragraph("b"))
    assert blocks(document)[1] == (
        "table",
        "| Name | Size | Size |\n| Finch | 3 | 3 |\n| Finch | 4 5 | 6\\|7 |\n|  |  | x |\n|  |  | x |",
    )
    assert document.blocks[1].meta["rows"] == 4


def test_a_table_in_a_table() -> None:
    """The outer one is layout; no word is lost."""
    inner = f"<table:table>{_row(_cell('a'), _cell('b'))}{_row(_cell('c'), _cell('1'))}</table:table>"
    cell = f"<table:table-cell>{inner}</table:table-cell>"
    document = read(f"<table:table>{_row(_cell('left'), cell)}{_row(_cell('x'), _cell('y'))}</table:table>")
    assert sorted(document.text.replace("|", " ").split()) == ["1", "a", "b", "c", "left", "x", "y"]


def _note(number: int, text: str) -> str:
    body = f"<text:note-body><text:p>{text}</text:p></text:note-body>"
    return f"<text:note><text:note-citation>{number}</text:note-citation>{body}</text:note>"


def test_what_stands_next_to_the_text() -> None:
    """Notes and boxes follow the paragraph they are tied to; comments, headers and tables of contents are left out."""
    box = f"<draw:frame><draw:text-box>{paragraph('In the box')}{paragraph('Two')}</draw:text-box></draw:frame>"
    comment = f"<office:annotation><dc:creator>Me</dc:creator>{paragraph('Hm.')}</office:annotation>"
    contents = (
        "<text:table-of-content><text:table-of-content-source><text:index-title-template>No</text:index-title-template>"
    )
    contents += (
        f"</text:table-of-content-source><text:index-body>{paragraph('Birds 1')}{paragraph('Cats 2')}</text:index-body>"
    )
    masters = "".join(f"<style:{part}>{paragraph(part)}</style:{part}>" for part in ("header", "footer", "header-left"))
    styles = (
        f"<office:document-styles {DECLARED}><office:master-styles><style:master-page>{masters}</style:master-page>"
    )
    document = read(
        f"{contents}</text:table-of-content>"
        + paragraph(f"Text{_note(1, 'A note.')} goes{box} on{comment}.")
        + f"<draw:rect>{paragraph('A shape')}</draw:rect>"
        + f'<text:h text:outline-level="1">Head{_note(2, "Of it.")}</text:h>'
        + f"<table:table>{_row(_cell('a' + _note(3, 'In a cell.')), _cell(f'b{box}'))}"
        + f"{_row(_cell('c'), _cell('1'))}</table:table>"
        + (
            f"<text:section "
            f'text:display="none">{paragraph("secret")}</text:section><text:section>{paragraph("shown")}</text:section>'
        ),
        {"styles.xml": f"{styles}</office:master-styles></office:document-styles>"},
    )
    assert blocks(document) == [
        ("paragraph", "Text[1] goes on."),
        ("paragraph", "[1] A note."),
        ("paragraph", "In the box"),
        ("paragraph", "Two"),
        ("paragraph", "A shape"),
        ("heading", "Head"),
        ("paragraph", "[2] Of it."),
        ("table", "| a[3] | b In the box Two |\n| c | 1 |"),
        ("paragraph", "[3] In a cell."),
        ("paragraph", "shown"),
    ]
    assert left_out(document) == [
        ("Birds 1\nCats 2", "table of contents"),
        ("Me: Hm.", "comment"),
        ("secret", "hidden section"),
        ("header", "page header"),
        ("header-left", "page header"),
        ("footer", "page footer"),
    ]


def test_pictures_formulas_and_objects() -> None:
    """Descriptions are blocks, formulas stand as they were typed, and what is not read is said."""
    picture = (
        '<draw:frame><draw:image xlink:href="Pictures/a.png"/><svg:title>A finch</svg:title><svg:desc>on a '
        "branch</svg:desc></draw:frame>"
    )
    formula = '<draw:frame><draw:object xlink:href="./Object 1"/><draw:image/></draw:frame>'
    chart = '<draw:frame><draw:object xlink:href="./Object 2"/></draw:frame>'
    mathml = (
        '<math xmlns="http://www.w3.org/1998/Math/MathML"><semantics><mi>a</mi><annotation encoding="StarMath '
        '5.0">a over b</annotation>'
    )
    document = read(
        paragraph(picture) + paragraph(f"It is {formula} here.") + paragraph(chart),
        {"Object 1/content.xml": f"{mathml}</semantics></math>", "Object 2/content.xml": "<chart/>"},
    )
    assert blocks(document) == [("image", "A finch on a branch"), ("paragraph", "It is a over b here.")]
    assert document.blocks[0].meta["path"] == "Pictures/a.png"
    assert tells(document.warnings, "chart embedded not read")


def test_the_title_comes_from_the_odt_properties() -> None:
    """Of the file's properties; damaged ones cost no text."""
    meta = (
        f"<office:document-meta {DECLARED}><office:meta><dc:title>Of  "
        f"birds</dc:title></office:meta></office:document-meta>"
    )
    assert read(paragraph("text"), {"meta.xml": meta}).title == "Of birds"
    damaged = read(paragraph("text"), {"meta.xml": "<a", "styles.xml": "<b"})
    assert (damaged.text, damaged.title) == ("text", "a")
    assert damaged.warnings == ("A part of the file (styles.xml) is damaged; its text was read without it.",)


def test_no_character_is_lost() -> None:
    """Whatever is inside whatever, the characters put in come out once each."""
    chance = random.Random(11)
    for _ in range(60):
        words: list[str] = []
        document = read("".join(_anything(chance, words, 4) for _ in range(4)) + paragraph("end"))
        letters = sorted("".join(document.text.replace("|", "").replace("- ", "").split()))
        assert letters == sorted("".join(words) + "end")


def _anything(chance: random.Random, words: list[str], depth: int) -> str:
    """An element with a few characters that are noted in `words`."""

    def word() -> str:
        words.append("".join(chance.choices("abc中文é", k=3)))
        return words[-1]

    def inside() -> str:
        return _anything(chance, words, depth - 1) if depth else paragraph(word())

    def box() -> str:
        return f"<draw:frame><draw:text-box>{inside()}</draw:text-box></draw:frame>"

    def mixed() -> str:
        return paragraph(f"{word()}<text:span>{word()}{box()}</text:span><text:tab/>{word()}<text:line-break/>")

    kinds = [
        mixed,
        lambda: paragraph(word()),
        lambda: _list(inside() + inside(), inside()),
        lambda: f"<text:section>{inside()}{inside()}</text:section>",
        lambda: (
            f"<table:table>{_row(_cell(word()), _cell(word()))}"
            f"{_row(_cell(word() + box()), _cell(word()))}</table:table>"
        ),
        lambda: f"<text:unknown>{inside()}</text:unknown>",
        lambda: paragraph(word(), "P2") + paragraph(word(), "P2"),
    ]
    return chance.choice(kinds)()


@pytest.mark.parametrize(
    "rows",
    [
        _row(_cell("x"), more='table:number-rows-repeated="1000000000"'),
        _row(_cell("x", 'table:number-columns-repeated="999999999"')) * 200,
        _row('<table:table-cell table:number-columns-repeated="999999"/>', _cell("x")) * 200,
    ],
)
def test_forged_repeats_of_cells_are_refused(rows: str) -> None:
    """A billion rows, or columns, of nothing but a count: refused before they are made."""
    with pytest.raises(TooLargeError, match=f"a.odt repeats cells .* {MAX_REPEATED:,} times"):
        parse_guarded(odt(f"<table:table>{rows}</table:table>"), "a.odt")


def test_counts_that_are_none() -> None:
    """Spans, levels and numbers that are words, negative or beyond all bounds."""
    spans = 'table:number-columns-spanned="999999999" table:number-rows-spanned="-2" table:number-columns-repeated="x"'
    table = f"<table:table>{_row(_cell('a', spans), _cell('b'))}{_row(_cell('c'), _cell('1'))}</table:table>"
    heading = (
        '<text:h text:outline-level="0">Head</text:h><text:p>a<text:s text:c="999999999"/>b<text:s '
        'text:c="²"/>c</text:p>'
    )
    items = (
        '<text:list text:style-name="L1"><text:list-item '
        'text:start-value="9e9"><text:p>item</text:p></text:list-item></text:list>'
    )
    document = read(heading + table + items)
    assert document.text.startswith("Head\n\na b c\n\n|")
    assert document.text.endswith("1. item")


@pytest.mark.parametrize("head", [BILLION_LAUGHS, EXTERNAL])
def test_an_odt_part_with_entities_is_not_read(head: str) -> None:
    """A part that defines entities is not read."""
    with pytest.raises(ParseError, match="defines XML entities"):
        parse_guarded(odt(paragraph("&a9;"), head), "a.odt")


def test_an_odt_that_unpacks_to_100_mb_is_refused() -> None:
    """A part of 100 MB of nothing."""
    with pytest.raises(TooLargeError, match="unpacks to more than"):
        parse_guarded(replaced(odt(paragraph("x")), {"padding": bytes(100 << 20)}), "a.odt")


@pytest.mark.parametrize(
    ("start", "end"),
    [
        ("<text:section>", "</text:section>"),
        ("<text:list><text:list-item>", "</text:list-item></text:list>"),
        ("<text:span>", "</text:span>"),
    ],
)
def test_deep_nesting_is_bounded(start: str, end: str) -> None:
    """As deep as XML is read, and a hundred thousand deep."""
    times = 240 // start.count("<")
    assert parse_guarded(odt(start * times + paragraph("deep") + end * times), "a.odt").text.strip("- ") == "deep"
    with pytest.raises(TooLargeError, match="nested too deep"):
        parse_guarded(odt(start * 100_000 + paragraph("deep") + end * 100_000), "a.odt")


def test_many_spans_and_notes_take_time_in_proportion() -> None:
    """Spans, notes and boxes by the thousand: work grows with their number."""
    many = (
        f"<text:span>a</text:span>{_note(1, 'n')}"
        f"<draw:frame><draw:text-box>{paragraph('b')}</draw:text-box></draw:frame>" * 7_000
    )
    document = parse_guarded(odt(paragraph(many)), "a.odt")
    check(document)
    assert document.text.count("a") == 7_000
    assert len(document.blocks) == 14_001


def test_files_that_are_no_text() -> None:
    """With a password; without a body; of another program of the same family."""
    locked = (
        '<manifest:manifest xmlns:manifest="urn:oasis:names:tc:opendocument:xmlns:manifest:1.0"><manifest:file-entry '
    )
    locked += 'manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>'
    with pytest.raises(ParseError, match=r"a\.odt .* password"):
        parse_guarded(replaced(odt(""), {"META-INF/manifest.xml": locked, "content.xml": b"\x07\x93noise"}), "a.odt")
    with pytest.raises(ParseError, match="protected by a password"):
        parse(zipped({"mimetype": "application/vnd.oasis.opendocument.text", "encrypted-package": b"\x07"}), "a.odt")
    with pytest.raises(ParseError, match="no text"):
        parse(replaced(odt(""), {"content.xml": "<a/>"}), "a.odt")
    with pytest.raises(ParseError, match=r"has no part 'content\.xml'"):
        parse(zipped({"mimetype": "application/vnd.oasis.opendocument.text"}), "a.odt")
    with pytest.raises(ParseError, match="is empty"):
        parse(odt(""), "a.odt")


def test_a_template_is_read() -> None:
    """By its own ending and media type."""
    kind = "application/vnd.oasis.opendocument.text-template"
    document = parse(replaced(odt(paragraph("text")), {"mimetype": kind}), "a.ott")
    assert (document.format, document.text, document.warnings) == ("odt", "text", ())
