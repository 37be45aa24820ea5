"""Word files part by part: styles in any language, formulas, fields, boxes, notes, what is deleted and what is left
out.
"""

from __future__ import annotations

import pytest

from chunking.errors import ParseError, TooLargeError
from chunking.parsing import parse, parse_all
from chunking.parsing.builder.reader_types import RawFile
from chunking.parsing.formats.office.docx import body as body_module
from chunking.parsing.formats.office.docx.reader import read_docx
from tests.parsing.formats.office.docx.word_parts import p, part, read, style
from tests.parsing.formats.office.office_files import relations
from tests.parsing.samples import docx
from tests.support.block_texts import block_texts
from tests.support.facts import tells
from tests.support.laws_documents import check

MATH = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
DRAWING = (
    'xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" '
    'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" '
    'xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape" '
    'xmlns:v="urn:schemas-microsoft-com:vml"'
)


def test_headings_by_name_outline_and_ancestry() -> None:
    """In English and Chinese, of custom styles by what they are based on, by a paragraph's own level; level 9 is none.

    A style that is nowhere in the file is known by its id.
    """
    styles = (
        style("1", "heading 1")
        + style("a4", "标题 2")
        + style("T", "Title")
        + style("Mine", "Chapter of mine", '<w:basedOn w:val="1"/>')
        + style("Flat", "Flat", '<w:basedOn w:val="1"/><w:pPr><w:outlineLvl w:val="9"/></w:pPr>')
        + style("Deep", "Deep", '<w:pPr><w:outlineLvl w:val="7"/></w:pPr>')
        + style("Loop", "Loop", '<w:basedOn w:val="Loop"/>')
    )
    body = (
        p("The book", "T")
        + p("One", "1")
        + p("第二", "a4")
        + p("Three", "Mine")
        + p("Four", "Flat")
        + p("Five", "Deep")
        + p("Six", "Loop", '<w:outlineLvl w:val="2"/>')
        + p("Seven", "Heading4")
        + p("Eight")
    )
    assert block_texts(read(body, styles)) == [
        ("heading1", "The book"),
        ("heading2", "One"),
        ("heading3", "第二"),
        ("heading2", "Three"),
        ("paragraph", "Four"),
        ("heading6", "Five"),
        ("heading4", "Six"),
        ("heading5", "Seven"),
        ("paragraph", "Eight"),
    ]


def test_code_quotes_and_captions() -> None:
    """Paragraphs of code in a row are one block with its lines; so are those of a quote."""
    styles = style("C", "HTML Preformatted") + style("Q", "Intense Quote") + style("K", "caption")
    body = p("x = 1", "C") + p("  y", "C") + p("so he said", "Q") + p("and she", "Q")
    caption = (
        "<w:r><w:t>Figure </w:t></w:r><w:fldSimple "
        'w:instr="SEQ"><w:r><w:t>1</w:t></w:r></w:fldSimple><w:r><w:t>: a finch</w:t></w:r>'
    )
    assert block_texts(read(body + p(caption, "K"), styles)) == [
        ("code", "x = 1\n  y"),
        ("quote", "so he said\n\nand she"),
        ("paragraph", "Figure 1: a finch"),
    ]


def test_lists_by_their_style() -> None:
    """A style may carry the numbering; a paragraph may take it back."""
    levels = "".join(
        f'<w:lvl w:ilvl="{n}"><w:numFmt w:val="{form}"/></w:lvl>' for n, form in enumerate(["bullet", "decimal"])
    )
    numbering = part(
        "numbering",
        (
            f'<w:abstractNum w:abstractNumId="0">{levels}</w:abstractNum><w:num w:numId="7"><w:abstractNumId '
            f'w:val="0"/></w:num>'
        ),
    )
    styles = style("L", "List Bullet", '<w:pPr><w:numPr><w:numId w:val="7"/></w:numPr></w:pPr>')
    deeper = '<w:numPr><w:ilvl w:val="1"/><w:numId w:val="7"/></w:numPr>'
    body = p("a", "L") + p("b", "", deeper) + p("c", "L") + p("d", "L", '<w:numPr><w:numId w:val="0"/></w:numPr>')
    reading = read(body, styles, numbering=numbering)
    assert block_texts(reading) == [("list", "- a\n  1. b\n- c"), ("paragraph", "d")]
    assert dict(reading.blocks[0].meta) == {"depth": 2, "items": 3}


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        ("<m:f><m:num><m:r><m:t>a+b</m:t></m:r></m:num><m:den><m:r><m:t>2</m:t></m:r></m:den></m:f>", "(a+b)/2"),
        ("<m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>n+1</m:t></m:r></m:sup></m:sSup>", "x^(n+1)"),
        ("<m:rad><m:deg/><m:e><m:r><m:t>x</m:t></m:r></m:e></m:rad>", "√x"),
        (
            "<m:d><m:dPr><m:begChr m:val='['/><m:endChr m:val=']'/></m:dPr><m:e><m:r><m:t>y</m:t></m:r></m:e></m:d>",
            "[y]",
        ),
        (
            "<m:nary><m:naryPr><m:chr "
            "m:val='∑'/></m:naryPr><m:sub><m:r><m:t>i=1</m:t></m:r></m:sub><m:sup><m:r><m:t>n</m:t></m:r></m:sup>"
            "<m:e><m:r><m:t>k</m:t></m:r></m:e></m:nary>",
            "∑_(i=1)^n k",
        ),
        (
            "<m:m><m:mr><m:e><m:r><m:t>1</m:t></m:r></m:e><m:e><m:r><m:t>2</m:t></m:r></m:e></m:mr>"
            "<m:mr><m:e><m:r><m:t>3</m:t></m:r></m:e><m:e><m:r><m:t>4</m:t></m:r></m:e></m:mr></m:m>",
            "1 2; 3 4",
        ),
    ],
)
def test_formulas_are_read_in_sentences_and_alone(formula: str, text: str) -> None:
    """As one line, in a sentence and on their own; the latter are blocks."""
    inline = f"<w:r><w:t>where </w:t></w:r><m:oMath {MATH}>{formula}</m:oMath><w:r><w:t> holds</w:t></w:r>"
    alone = f"<m:oMathPara {MATH}><m:oMath>{formula}</m:oMath></m:oMathPara>"
    assert block_texts(read(p(inline) + p(alone))) == [("paragraph", f"where {text} holds"), ("equation", text)]


def test_changes_hidden_text_and_wrappers() -> None:
    """What was deleted or moved away or is hidden is no text; what was inserted is, and what stands in fields, links,
    controls, ruby.
    """
    body = p(
        "<w:r><w:t>a</w:t></w:r><w:del w:id='1'><w:r><w:delText>b</w:delText></w:r></w:del><w:ins "
        "w:id='2'><w:r><w:t>c</w:t></w:r></w:ins>"
        "<w:moveFrom w:id='3'><w:r><w:t>d</w:t></w:r></w:moveFrom><w:r><w:rPr><w:vanish/></w:rPr><w:t>e</w:t></w:r>"
        "<w:sdt><w:sdtPr/><w:sdtContent><w:r><w:t>f</w:t></w:r></w:sdtContent></w:sdt><w:hyperlink><w:r><w:t>g</w:t></w:r></w:hyperlink>"
        "<w:r><w:fldChar "
        "w:fldCharType='begin'/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:fldChar "
        "w:fldCharType='end'/></w:r>"
        "<w:r><w:ruby><w:rt><w:r><w:t>h</w:t></w:r></w:rt><w:rubyBase><w:r><w:t>漢</w:t></w:r></w:rubyBase></w:ruby></w:r>"
        "<w:r><w:cr/><w:t>i</w:t><w:tab/><w:t>j</w:t><w:noBreakHyphen/><w:t>k</w:t></w:r>"
    )
    assert block_texts(read(body)) == [("paragraph", "acfg漢\ni j\u2011k")]


def test_text_boxes_are_read_once() -> None:
    """Of the two versions that a file holds of a drawing; where there is only the new one too."""
    box = "<w:txbxContent>{}</w:txbxContent>"
    shape = f"<a:graphic><a:graphicData><wps:wsp><wps:txbx>{box}</wps:txbx></wps:wsp></a:graphicData></a:graphic>"
    new = f"<w:drawing><wp:anchor>{shape}</wp:anchor></w:drawing>"
    old = f"<w:pict><v:shape><v:textbox>{box}</v:textbox></v:shape></w:pict>"
    both = f"<mc:AlternateContent><mc:Choice>{new}</mc:Choice><mc:Fallback>{old}</mc:Fallback></mc:AlternateContent>"
    runs = [
        f"<w:r {DRAWING}>{kind.format(*[p(text)] * kind.count('{}'))}</w:r>"
        for kind, text in ((both, "one"), (new, "two"), (old, "three"))
    ]
    assert block_texts(read("".join(map(p, runs)))) == [
        ("paragraph", "one"),
        ("paragraph", "two"),
        ("paragraph", "three"),
    ]


def test_pictures_are_their_descriptions() -> None:
    """With the name of the part; one without a description is no block, and none is opened."""
    blip = '<pic:blipFill><a:blip r:embed="r2"/></pic:blipFill>'
    blip = f'<pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture">{blip}</pic:pic>'
    graphic = f"<a:graphic><a:graphicData>{blip}</a:graphicData></a:graphic>"
    drawing = f'<w:drawing><wp:inline><wp:docPr id="1" name="x" descr="{{}}"/>{graphic}</wp:inline></w:drawing>'
    picture = (
        f'<w:r {DRAWING} xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">{drawing}</w:r>'
    )
    parts = {"word/_rels/document.xml.rels": relations(("styles", "styles.xml"), ("image", "media/image1.png"))}
    reading = read_docx(
        RawFile(docx(p(picture.format("A finch | sitting")) + p(picture.format("")), parts=parts), "a.docx")
    )
    assert block_texts(reading) == [("image", "A finch | sitting")]
    assert dict(reading.blocks[0].meta) == {"path": "media/image1.png", "alt": "A finch | sitting"}


def test_notes_stand_at_the_end() -> None:
    """As a list, with their marks where they are referred to."""
    note = part("footnotes", f'<w:footnote w:id="2">{p("See <w:t/>".replace("<w:t/>", "page 3."))}</w:footnote>')
    body = p('<w:r><w:t>Finches</w:t></w:r><w:r><w:footnoteReference w:id="2"/></w:r><w:r><w:t> sing.</w:t></w:r>') + p(
        "End."
    )
    assert block_texts(read(body, footnotes=note)) == [
        ("paragraph", "Finches[1] sing."),
        ("paragraph", "End."),
        ("list", "1. See page 3."),
    ]


def test_what_stands_next_to_the_text_is_left_out() -> None:
    """Headers once however many say the same, footers, comments, tables of contents by style and by frame."""
    styles = style("TOC1", "toc 1") + style("TH", "TOC Heading", '<w:basedOn w:val="H"/>') + style("H", "heading 1")
    gallery = '<w:sdtPr><w:docPartObj><w:docPartGallery w:val="Table of Contents"/></w:docPartObj></w:sdtPr>'
    frame = f"<w:sdt>{gallery}<w:sdtContent>{{}}</w:sdtContent></w:sdt>"
    body = (
        p("Contents", "TH")
        + p("<w:r><w:t>One</w:t><w:tab/><w:t>3</w:t></w:r>", "TOC1")
        + frame.format(p("Two 4"))
        + p("One", "H")
        + p("Text.")
    )
    header = part("hdr", p("Draft") + p("of May"))
    comment = part("comments", f'<w:comment w:id="0">{p("Really?")}</w:comment>')
    reading = read(body, styles, header1=header, header2=header, footer1=part("ftr", p("Page 1")), comments=comment)
    assert block_texts(reading) == [("heading1", "One"), ("paragraph", "Text.")]
    assert [(reading.text[span.start : span.end], span.reason) for span in reading.left_out] == [
        ("Two 4\nContents\nOne 3", "table of contents"),
        ("Draft of May", "page header"),
        ("Page 1", "page footer"),
        ("Really?", "comment"),
    ]


def test_the_title_is_that_of_the_properties() -> None:
    """Empty ones are none."""
    core = (
        '<c:coreProperties xmlns:c="urn:c" '
        'xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>{}</dc:title></c:coreProperties>'
    )
    titles = [
        read_docx(RawFile(docx(parts={"docProps/core.xml": core.format(title)}), "a.docx")).title
        for title in ("Birds", " ")
    ]
    assert titles == ["Birds", None]


def test_paragraphs_have_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two million take minutes."""
    monkeypatch.setattr(body_module, "MAX_PARAGRAPHS", 10)
    with pytest.raises(TooLargeError, match=r"^a\.docx has 11 paragraphs; the limit is 10\."):
        read(p("x") * 11)


def test_tables_within_tables_have_a_limit() -> None:
    """As far as the library can follow, and a sentence beyond it."""
    nested = "<w:tbl><w:tr><w:tc>" * 75 + p("x") + "</w:tc></w:tr></w:tbl>" * 75
    with pytest.raises(TooLargeError, match=r"^a\.docx nests tables"):
        read(nested)
    with pytest.raises(TooLargeError, match=r"^a\.docx \(word/document\.xml\) .*memory"):
        read("<w:tbl><w:tr><w:tc>" * 50_000 + p("x") + "</w:tc></w:tr></w:tbl>" * 50_000)


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ({"_rels/.rels": relations(("officeDocument", "none.xml")), "word/document.xml": "<w"}, "damaged XML"),
        ({"word/document.xml": ""}, "damaged XML"),
        ({"word/styles.xml": "<x>"}, "damaged XML"),
        (
            {"word/document.xml": part("document", "<w:body><w:p><w:r><w:footnoteReference/></w:r></w:p></w:body>")},
            "is damaged",
        ),
    ],
)
def test_damage_is_a_sentence(parts: dict[str, str], sentence: str) -> None:
    """Whichever part has it, but for the one with the title, of which nobody reads anything."""
    assert parse(docx(parts={"docProps/core.xml": "<x"}), "a.docx").title == "Birds"
    with pytest.raises(ParseError, match=rf"^a\.docx .*{sentence}.*\.$"):
        read_docx(RawFile(docx(parts=parts), "a.docx"))


def test_a_style_without_a_name_costs_nothing() -> None:
    """No paragraph can be of it."""
    document = parse(docx(parts={"word/styles.xml": part("styles", "<w:style w:type='paragraph'/>")}), "a.docx")
    assert "Birds" in document.text


def test_attributes_of_our_own_in_a_file_are_only_words() -> None:
    """A style that no reader gave is none."""
    document = parse(
        docx(
            parts={
                "word/document.xml": part(
                    "document", "<w:body><w:p guess='x'><w:r><w:t>Finch</w:t></w:r></w:p></w:body>"
                )
            }
        ),
        "a.docx",
    )
    assert document.text == "Finch"


_CHART = (
    '<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" '
    'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><c:title><a:p><a:r><a:t>Birds '
    "seen</a:t></a:r></a:p></c:title>"
    "<c:ser><c:tx><c:v>Finches</c:v></c:tx><c:cat><c:strCache><c:pt idx='0'><c:v>May</c:v></c:pt></c:strCache></c:cat>"
    "<c:val><c:numCache><c:pt idx='0'><c:v>5</c:v></c:pt></c:numCache></c:val></c:ser></c:chartSpace>"
)


def test_charts_stand_where_they_are_drawn() -> None:
    """Titles, then the numbers as a table; once, however often it is referred to."""
    drawing = '<w:r><w:drawing><c:chart xmlns:c="c" xmlns:r="r" r:id="r1"/></w:drawing></w:r>'
    body = p("Before.") + p(drawing) + p(drawing) + p("After.")
    parts = {"word/_rels/document.xml.rels": relations(("chart", "charts/c.xml")), "word/charts/c.xml": _CHART}
    reading = read_docx(RawFile(docx(body, parts=parts), "a.docx"))
    assert [text for _, text in block_texts(reading)] == [
        "Before.",
        "Birds seen",
        "|  | Finches |\n| May | 5 |",
        "After.",
    ]


def test_a_damaged_chart_costs_no_other() -> None:
    """It is counted in a warning, and the charts beside it are read."""
    drawing = '<w:r><w:drawing><c:chart xmlns:c="c" xmlns:r="r" r:id="r{}"/></w:drawing></w:r>'
    body = p("Before.") + p(drawing.format(1)) + p(drawing.format(2)) + p("After.")
    charts = relations(("chart", "charts/a.xml"), ("chart", "charts/b.xml"))
    parts = {"word/_rels/document.xml.rels": charts, "word/charts/a.xml": "<c", "word/charts/b.xml": _CHART}
    reading = read_docx(RawFile(docx(body, parts=parts), "a.docx"))
    assert [text for _, text in block_texts(reading)][1:-1] == ["Birds seen", "|  | Finches |\n| May | 5 |"]
    assert tells(reading.warnings, "1 chart damage")


def _embedding(files: dict[str, bytes], body: str | None = None) -> bytes:
    """A Word file that takes over others as they are."""
    chunks = "".join(f'<w:altChunk xmlns:r="r" r:id="r{number}"/>' for number in range(1, len(files) + 1))
    parts: dict[str, str | bytes] = {f"word/{name}": data for name, data in files.items()}
    parts["word/_rels/document.xml.rels"] = relations(*(("aFChunk", name) for name in files))
    return docx(p("Before.") + (body or chunks) + p("After."), parts=parts)


def test_files_in_the_file_are_documents() -> None:
    """A web page, the same as MHT, RTF and a Word file; a line in the place of each, and one of no known format is
    told.
    """
    page = b"<h1>Sizes</h1><p>Small.</p>"
    archived = b"MIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n" + page
    files = {
        "a.html": page,
        "b.mht": archived,
        "c.rtf": rb"{\rtf1 Rich.}",
        "d.docx": docx(p("Word.")),
        "e.bin": b"\x89PNG\r\n\x1a\n\0\0",
    }
    outer, *inner = parse_all(_embedding(files), "a.docx")
    lines = [("metadata", f"Inserted file: {name}") for name in files]
    assert block_texts(outer) == [("paragraph", "Before."), *lines, ("paragraph", "After.")]
    assert [(one.source, one.format) for one in inner] == [
        ("a.docx/a.html", "html"),
        ("a.docx/b.mht", "email"),
        ("a.docx/c.rtf", "rtf"),
        ("a.docx/d.docx", "docx"),
    ]
    assert [one.text for one in inner] == ["Sizes\n\nSmall."] * 2 + ["Rich.", "Word."]
    assert {one.parent_id for one in inner} == {outer.doc_id}
    for one in (outer, *inner):
        check(one)
    assert len(outer.warnings) == 1
    assert "e.bin" in outer.warnings[0]


def test_files_in_files_without_end() -> None:
    """A Word file in a Word file, many times over: read as far as the limit, and told."""
    data = docx(p("Innermost."))
    for _ in range(8):
        data = _embedding({"inner.docx": data})
    documents = parse_all(data, "a.docx")
    assert sum("Before." in one.text for one in documents) == len(documents) == 6
    assert [len(one.warnings) for one in documents] == [0, 0, 0, 0, 0, 1]
    assert "inner.docx" in documents[-1].warnings[0]
    forged = p("<w:r><w:t>&lt;part&gt;0&lt;/part&gt;</w:t></w:r>")
    assert "<part>0</part>" in read_docx(RawFile(_embedding({"a.html": b"<p>x</p>"}, forged), "a.docx")).text
