"""Numbers that Word counts: levels, letters, restarts, lists that share a definition, styles, revisions, cells, and
hostile ones.
"""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree

from chunking.parsing import parse
from chunking.parsing.builder.reader_types import Reading
from chunking.parsing.formats.office.docx.word_numbering import LEVELS, ListCounts, ListDefinitions
from tests.parsing.formats.office.docx.word_parts import p, part, read, style
from tests.parsing.formats.office.office_files import relations
from tests.parsing.samples import docx
from tests.support.block_texts import block_texts
from tests.support.laws_documents import check
from tests.support.shared_data import shared_data

LEGAL = ["%1.", "%1.%2", ("lowerLetter", "(%3)"), ("lowerRoman", "(%4)")]


def level(number: int, pattern: str, form: str = "decimal", more: str = "", start: str = "1") -> str:
    """A level of a list, from 0."""
    inside = f'<w:start w:val="{start}"/><w:numFmt w:val="{form}"/><w:lvlText w:val="{pattern}"/>{more}'
    return f'<w:lvl w:ilvl="{number}">{inside}</w:lvl>'


def definition(*levels: str | tuple[str, str], identity: int = 1, inside: str = "") -> str:
    """What lists are made from: patterns, or formats and patterns, of its levels."""
    rows = [(one, "decimal") if isinstance(one, str) else one[::-1] for one in levels]
    xml = "".join(level(n, pattern, form) for n, (pattern, form) in enumerate(rows))
    return f'<w:abstractNum w:abstractNumId="{identity}">{inside}{xml}</w:abstractNum>'


def listed(identity: int = 1, of: int = 1, overrides: str = "") -> str:
    """A list of a definition."""
    return f'<w:num w:numId="{identity}"><w:abstractNumId w:val="{of}"/>{overrides}</w:num>'


def start_over(place: int, start: str = "1") -> str:
    return f'<w:lvlOverride w:ilvl="{place}"><w:startOverride w:val="{start}"/></w:lvlOverride>'


def at(place: int | str, identity: int | str = 1) -> str:
    """The properties of an item."""
    return f'<w:numPr><w:ilvl w:val="{place}"/><w:numId w:val="{identity}"/></w:numPr>'


def lines(body: str, *numbering: str, styles: str = "") -> list[str]:
    """Lines of the text, without those that are empty."""
    return [line.strip() for line in reading(body, *numbering, styles=styles).text.split("\n") if line.strip()]


def reading(body: str, *numbering: str, styles: str = "") -> Reading:
    return read(body, styles, numbering=part("numbering", "".join(numbering)))


def test_headings_and_clauses_of_one_list() -> None:
    """Headings carry their numbers, letters go on after a paragraph, and start again under the next heading."""
    styles = style("H1", "heading 1") + style("H2", "heading 2")
    body = (
        p("Scope", "H1", at(0)) + p("Goods", "H2", at(1)) + p("bolts;", "", at(2)) + p("By the way.")
        + p("nuts.", "", at(2)) + p("Payment", "H1", at(0)) + p("Term", "H2", at(1)) + p("thirty days", "", at(2))
        + p("from receipt", "", at(3))
    )  # fmt: skip
    assert block_texts(reading(body, definition(*LEGAL), listed(), styles=styles)) == [
        ("heading1", "1. Scope"),
        ("heading2", "1.1 Goods"),
        ("list", "(a) bolts;"),
        ("paragraph", "By the way."),
        ("list", "(b) nuts."),
        ("heading1", "2. Payment"),
        ("heading2", "2.1 Term"),
        ("list", "(a) thirty days\n    (i) from receipt"),
    ]


@pytest.mark.parametrize(
    ("form", "pattern", "third"),
    [
        ("decimal", "Article %1.", "Article 3."),
        ("upperRoman", "Part %1:", "Part III:"),
        ("upperLetter", "Annex %1", "Annex C"),
        ("lowerLetter", "%1)", "c)"),
        ("decimalZero", "%1", "03"),
        ("ordinal", "%1", "3rd"),
        ("cardinalText", "%1", "Three"),
        ("ordinalText", "%1 Schedule", "Third Schedule"),
        ("chineseCounting", "第%1条", "第三条"),
        ("chineseCountingThousand", "第%1章", "第三章"),
        ("chineseLegalSimplified", "%1、", "叁、"),
        ("ideographDigital", "%1", "三"),
        ("ideographTraditional", "%1", "丙"),
        ("taiwaneseCountingThousand", "（%1）", "（三）"),
        ("japaneseCounting", "第%1条", "第三条"),
        ("aiueoFullWidth", "（%1）", "（ウ）"),
        ("iroha", "%1.", "ハ."),
        ("koreanDigital", "%1.", "삼."),
        ("ganada", "%1.", "다."),
        ("decimalEnclosedCircle", "%1", "③"),
        ("decimalFullWidth", "%1．", "３．"),
        ("russianLower", "%1)", "в)"),
        ("hebrew1", "%1.", "ג."),
        ("arabicAbjad", "%1-", "ج-"),
        ("hindiNumbers", "%1.", "३."),
        ("thaiNumbers", "%1.", "๓."),
        ("numberInDash", "%1", "- 3 -"),
        ("a format of the future", "%1.", "3."),
        ("none", "Note", "Note"),
    ],
)
def test_every_number_format_is_shown_as_in_word(form: str, pattern: str, third: str) -> None:
    """Each as Word shows it, in headings and in lists."""
    heading = style("H1", "heading 1")
    for name in ("H1", ""):
        body = "".join(p(text, name, at(0)) for text in ("a", "b", "c"))
        assert lines(body, definition((form, pattern)), listed(), styles=heading)[-1] == f"{third} c"


def test_format_of_ones_own() -> None:
    """`001, 002` stands in one of two alternatives."""
    markup = "http://schemas.openxmlformats.org/markup-compatibility/2006"
    choice = (
        f'<mc:AlternateContent xmlns:mc="{markup}"><mc:Choice Requires="w14"><w:numFmt w:val="custom" '
        f'w:format="001, 002, 003, ..."/>'
    )
    choice += '</mc:Choice><mc:Fallback><w:numFmt w:val="decimal"/></mc:Fallback></mc:AlternateContent>'
    inside = f'<w:lvl w:ilvl="0"><w:start w:val="9"/>{choice}<w:lvlText w:val="R-%1"/></w:lvl>'
    assert lines(p("a", "", at(0)) + p("b", "", at(0)), definition(inside=inside), listed()) == ["R-009 a", "R-010 b"]


def test_nothing_between_number_and_text() -> None:
    """`suff` says what parts them: a tab, a space, or nothing."""
    joined = level(0, "第%1条", "chineseCounting", '<w:suff w:val="nothing"/>') + level(
        1, "%2)", more='<w:suff w:val="space"/>'
    )
    body = p("总则", "H1", at(0)) + p("范围", "", at(0)) + p("a", "", at(1))
    assert block_texts(reading(body, definition(inside=joined), listed(), styles=style("H1", "heading 1"))) == [
        ("heading1", "第一条总则"),
        ("list", "第二条范围\n   1) a"),
    ]


def test_two_lists_of_one_definition() -> None:
    """They share their count, unless one starts over; with its own levels it counts on in another format."""
    three = [
        p(text, "", at(0, number)) for text, number in (("a", 1), ("b", 2), ("c", 1), ("d", 3), ("e", 3), ("f", 4))
    ]
    own = f'<w:lvlOverride w:ilvl="0">{level(0, "%1)", "upperLetter")}</w:lvlOverride>'
    numbering = (
        definition("%1."),
        listed(1),
        listed(2),
        listed(3, overrides=start_over(0, "7")),
        listed(4, overrides=own),
    )
    assert lines("".join(three), *numbering) == ["1. a", "2. b", "3. c", "7. d", "8. e", "I) f"]


def test_lists_of_two_definitions() -> None:
    """Each has its count, however they alternate."""
    body = p("a", "", at(0, 1)) + p("x", "", at(0, 2)) + p("b", "", at(0, 1)) + p("text") + p("y", "", at(0, 2))
    numbering = definition("%1."), definition(("upperRoman", "%1."), identity=2), listed(1), listed(2, 2)
    assert lines(body, *numbering) == ["1. a", "I. x", "2. b", "text", "II. y"]


def test_a_level_restarts_as_in_word() -> None:
    """A level may go on under every item, or start again only under those of a higher level."""
    inside = (
        level(0, "%1")
        + level(1, "%1.%2")
        + level(2, "%3", more='<w:lvlRestart w:val="1"/>')
        + level(3, "#%4", more='<w:lvlRestart w:val="0"/>')
    )
    body = "".join(p(str(n), "", at(place)) for n, place in enumerate([0, 1, 2, 3, 1, 2, 3, 0, 1, 2, 3]))
    numbers = [line.split()[0] for line in lines(body, definition(inside=inside), listed())]
    assert numbers == ["1", "1.1", "1", "#1", "1.2", "2", "#2", "2", "2.1", "1", "#3"]


def test_levels_that_are_skipped() -> None:
    """They are counted as if they were there, from their own start."""
    inside = level(0, "%1", start="3") + level(1, "%1.%2", "lowerLetter") + level(2, "%1.%2.%3", "upperRoman")
    body = "".join(p(str(n), "", at(place)) for n, place in enumerate([2, 1, 0, 2]))
    assert [line.split()[0] for line in lines(body, definition(inside=inside), listed())] == [
        "3.a.I",
        "3.b",
        "4",
        "4.a.I",
    ]


def test_legal_numbering_is_written_in_decimal() -> None:
    """`isLgl` writes the numbers of all levels in decimal, unless it is switched off."""
    inside = (
        level(0, "Article %1", "upperRoman")
        + level(1, "%1.%2", more="<w:isLgl/>")
        + level(2, "%1.%3", more='<w:isLgl w:val="0"/>')
    )
    body = "".join(p(str(n), "", at(place)) for n, place in enumerate([0, 0, 1, 2]))
    assert lines(body, definition(inside=inside), listed()) == ["Article I 0", "Article II 1", "2.1 2", "II.1 3"]


def test_styles_name_lists() -> None:
    """A style's list, its level by the list's own word, styles that are based on it, and a paragraph that takes it
    back.
    """
    inside = level(0, "%1.", more='<w:pStyle w:val="H1"/>') + level(1, "%1.%2", more='<w:pStyle w:val="H2"/>')
    number = '<w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr>'
    styles = (
        style("H1", "heading 1", number)
        + style("H2", "heading 2", number)
        + style("My", "Mine", '<w:basedOn w:val="H2"/>')
    )
    off = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="0"/></w:numPr>'
    body = p("One", "H1") + p("Two", "H2") + p("Three", "My") + p("Preface", "H1", off) + p("Four", "H1")
    assert lines(body, definition(inside=inside), listed(), styles=styles) == [
        "1. One",
        "1.1 Two",
        "1.2 Three",
        "Preface",
        "2. Four",
    ]


def test_lists_through_styles_of_lists() -> None:
    """A definition may only name a list style, which names the list that has the levels; a circle has none."""
    names = '<w:name w:val="Clauses"/><w:pPr><w:numPr><w:numId w:val="2"/></w:numPr></w:pPr>'
    list_style = f'<w:style w:type="numbering" w:styleId="Clauses">{names}</w:style>'
    linked = definition(inside='<w:numStyleLink w:val="Clauses"/>')
    body = p("a", "", at(0)) + p("b", "", at(0, 2)) + p("c", "", at(0))
    numbering = (
        linked,
        definition(("lowerRoman", "%1)"), identity=2, inside='<w:styleLink w:val="Clauses"/>'),
        listed(),
        listed(2, 2),
    )
    assert lines(body, *numbering, styles=list_style) == ["i) a", "ii) b", "iii) c"]
    circle = linked, definition(identity=2, inside='<w:numStyleLink w:val="Clauses"/>'), listed(), listed(2, 2)
    assert lines(body, *circle, styles=list_style) == ["a", "b", "c"]


def test_deleted_and_hidden_paragraphs_are_not_counted() -> None:
    """Deleted, moved and hidden paragraphs; an empty one is counted, not shown; one in a list of nothing is plain."""
    hidden = "<w:rPr><w:del/></w:rPr>", "<w:rPr><w:moveFrom/></w:rPr>", "<w:rPr><w:vanish/></w:rPr>"
    dead = ("<w:del><w:r><w:delText>x</w:delText></w:r></w:del>", "<w:moveFrom><w:r><w:t>x</w:t></w:r></w:moveFrom>")
    dead += ("<w:r><w:rPr><w:vanish/></w:rPr><w:t>x</w:t></w:r>",)
    body = (
        p("a", "", at(0))
        + "".join(p(run, "", at(0) + mark) for run, mark in zip(dead, hidden, strict=True))
        + p("b", "", at(0))
    )
    added = '<w:rPr><w:ins w:id="1" w:author="x"/></w:rPr>'
    body += (
        p('<w:ins w:id="2"><w:r><w:t>c</w:t></w:r></w:ins>', "", at(0) + added)
        + p("<w:r/>", "", at(0))
        + p("e", "", at(0))
        + p("f", "", at(0, 99))
    )
    assert lines(body, definition("%1."), listed()) == ["1. a", "2. b", "3. c", "5. e", "f"]


def test_bullets_between_numbers() -> None:
    """An item with a bullet at a deeper level stands under its number; a heading with one has no number."""
    body = p("a", "", at(0)) + p("x", "", at(1)) + p("b", "", at(0)) + p("Head", "H1", at(1))
    texts = block_texts(
        reading(body, definition("%1.", ("bullet", "\uf0b7")), listed(), styles=style("H1", "heading 1"))
    )
    assert texts == [("list", "1. a\n   - x\n2. b"), ("heading1", "Head")]


def test_cells_quotes_and_notes() -> None:
    """Numbers go on through cells; a quote has its number, and each text beside the body its own counts."""
    row = "<w:tr>" + "".join(f"<w:tc>{p(text, '', at(0))}</w:tc>" for text in ("x", "y")) + "</w:tr>"
    body = p("a", "", at(0)) + f"<w:tbl>{row}{row}</w:tbl>" + p("said", "Q", at(0))
    assert lines(body, definition("%1)"), listed(), styles=style("Q", "Quote")) == [
        "1) a",
        "| 2) x | 3) y |",
        "| 4) x | 5) y |",
        "6) said",
    ]


def test_a_real_contract_keeps_the_numbers_it_refers_to() -> None:
    """The numbers that its own sentences refer to are there."""
    document = parse(shared_data("wild/docx_numbering/contract.docx").read_bytes(), "contract.docx")
    assert [section.title for section in document.sections if section.level > 1 or section.title[:1].isdigit()] == [
        "1. Scope",
        "1.1 Goods",
        "1.2 Places",
        "2. Payment",
        "2.1 Term",
    ]
    assert "(b) nuts." in document.text
    assert "(b) ten days for goods under clause 1.1(b)." in document.text


def test_numbers_as_word_shows_them() -> None:
    """A file whose items say which numbers Word gave them."""
    document = parse(shared_data("real/office/testWORD_override_list_numbering.docx").read_bytes(), "a.docx")
    items = [
        line.split(maxsplit=1)
        for line in document.text.split("\n")
        if " " in line.strip() and not line.startswith("Test")
    ]
    assert len(items) > 30
    assert [(number, words) for number, words in items if number != words] == []


_NUMBER = st.sampled_from(["0", "1", "5", "9" * 18, "9" * 30, "-7", "x", ""])
_FORMS = st.sampled_from(
    ["decimal", "lowerRoman", "upperLetter", "bullet", "none", "chineseCounting", "ordinalText", "hebrew2"]
)


@settings(max_examples=60)
@given(
    levels=st.lists(
        st.tuples(_NUMBER, _FORMS, st.sampled_from(["%1", "%1.%2.%9", "%", "%0", "", "x" * 900, "%1" * 300])),
        max_size=4,
    ),
    items=st.lists(st.tuples(_NUMBER, st.sampled_from(["1", "2", "3", "0", "x"]), st.booleans()), max_size=8),
)
def test_anything_is_read(levels: list[tuple[str, str, str]], items: list[tuple[str, str, bool]]) -> None:
    """Whatever the numbers and patterns are, the text is whole and lawful, and markers are short."""
    inside = "".join(level(n, pattern, form, start=start) for n, (start, form, pattern) in enumerate(levels))
    numbering = part(
        "numbering", definition(inside=inside) + listed() + listed(2, overrides=start_over(0, "9" * 18)) + listed(3, 9)
    )
    body = "".join(
        p(f"item{n}", "H1" if heading else "", at(place, one)) for n, (place, one, heading) in enumerate(items)
    ) + p("end")
    document = read(body, style("H1", "heading 1"), numbering=numbering)
    assert all(f"item{n}" in document.text for n in range(len(items)))
    assert all(len(line) < 400 for line in document.text.split("\n"))


def test_hostile_numbering_is_bounded() -> None:
    """Ten thousand levels, a pattern of ten million characters, a circle of styles: read, and cut where Word ends."""
    many = "".join(level(n, f"%{n % 9 + 1}") for n in range(10_000)) + level(0, "%1" * 5_000_000)
    lists = ListDefinitions(
        etree.fromstring(
            part("numbering", definition(inside=many) + listed()).encode(), etree.XMLParser(huge_tree=True)
        ),
        {},
    )
    counts = ListCounts(lists)
    markers = [counts.next("1", place) for place in range(LEVELS)]
    assert [marker and marker.text for marker in markers] == ["1"] * LEVELS
    long = ListDefinitions(
        etree.fromstring(part("numbering", definition(inside=level(0, "%1" * 100_000)) + listed()).encode()), {}
    )
    marker = ListCounts(long).next("1", 0)
    assert marker is not None
    assert len(marker.text) <= 255
    deep = "".join(p("x", "", at(10**place)) for place in range(9))
    parts = {
        "word/numbering.xml": part("numbering", definition(*LEGAL) + listed()),
        "word/_rels/document.xml.rels": relations(("numbering", "numbering.xml")),
    }
    document = parse(docx(deep, parts=parts), "a.docx")
    check(document)
    assert document.text.count("x") == 9
