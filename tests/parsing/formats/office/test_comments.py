"""Comments of office files: blocks beside what they are tied to where they are asked for, else left out and counted."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from chunking.model import BlockType, Document
from chunking.parsing import parse, parse_guarded
from chunking.store import document_stamp
from tests.parsing.formats.office.office_files import DRAWING, SHEETS, SLIDES, presentation, relations, shape, workbook
from tests.parsing.safe_input.archive_files import zipped
from tests.parsing.samples import docx
from tests.support.laws_chunks import check_cutting
from tests.support.laws_documents import check

_WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_NUMBERS = (
    '<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum>'
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
)


def _p(text: str, *comments: int, number: bool = False) -> str:
    """A paragraph, or an item of a list, with references to comments."""
    listed = '<w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr>' if number else ""
    marks = "".join(f'<w:r><w:commentReference w:id="{one}"/></w:r>' for one in comments)
    return f"<w:p>{listed}<w:r><w:t>{text}</w:t></w:r>{marks}</w:p>"


def _word(body: str, *texts: str) -> bytes:
    comments = "".join(
        f'<w:comment w:id="{n}" w:author="Mara Vogt">{_p(text)}</w:comment>' for n, text in enumerate(texts)
    )
    parts = {
        "word/comments.xml": f'<w:comments xmlns:w="{_WORD}">{comments}</w:comments>',
        "word/numbering.xml": f'<w:numbering xmlns:w="{_WORD}">{_NUMBERS}</w:numbering>',
        "word/_rels/document.xml.rels": relations(("comments", "comments.xml"), ("numbering", "numbering.xml")),
    }
    return docx(body, parts=parts)


def _made_docx() -> bytes:
    return _word(_p("Finches sing.", 0, 1) + _p("They eat seeds."), "Really?", "In spring.")


def _made_pptx() -> bytes:
    """Slide 1 has a list as it always was, slide 2 a talk with an answer."""
    old = f'<p:cmLst xmlns:p="{SLIDES}"><p:cm authorId="0"><p:text>Really?</p:text></p:cm></p:cmLst>'
    rich = "<x:txBody><a:p><a:r><a:t>{}</a:t></a:r></a:p></x:txBody>"
    answer = f'<x:replyLst><x:reply authorId="g">{rich.format("In spring.")}</x:reply></x:replyLst>'
    new = (
        f'<x:cmLst xmlns:x="urn:x" xmlns:a="{DRAWING}"><x:cm '
        f'authorId="g">{answer}{rich.format("When?")}</x:cm></x:cmLst>'
    )
    slides = (("slide", "slides/slide1.xml"), ("slide", "slides/slide2.xml"))
    parts = {
        "ppt/_rels/presentation.xml.rels": relations(
            *slides, ("commentAuthors", "commentAuthors.xml"), ("authors", "authors.xml")
        ),
        "ppt/commentAuthors.xml": f'<p:cmAuthorLst xmlns:p="{SLIDES}"><p:cmAuthor id="0" name="Mara Vogt"/>'
        "</p:cmAuthorLst>",
        "ppt/authors.xml": '<x:authorLst xmlns:x="urn:x"><x:author id="g" name="Li Wei"/></x:authorLst>',
        "ppt/slides/_rels/slide1.xml.rels": relations(("comments", "../comments/comment1.xml")),
        "ppt/slides/_rels/slide2.xml.rels": relations(("comments", "../comments/modern.xml")),
        "ppt/comments/comment1.xml": old,
        "ppt/comments/modern.xml": new,
    }
    return presentation(shape("Finches", kind="title") + shape("sing"), shape("Seeds", kind="title"), parts=parts)


def _made_xlsx() -> bytes:
    """A note, and a talk of which the note on its cell is a copy."""
    note = '<comment ref="{}" authorId="0"><text><r><t>{}</t></r></text></comment>'
    notes = note.format("B2", "Mara Vogt:\nReally?") + note.format("C3", "[Threaded comment] When?")
    authors = "<authors><author>Mara Vogt</author></authors>"
    talk = '<threadedComment ref="C3" personId="{}"><text>{}</text></threadedComment>'
    parts = {
        "xl/_rels/workbook.xml.rels": relations(
            ("worksheet", "worksheets/sheet1.xml"), ("person", "persons/person.xml")
        ),
        "xl/worksheets/_rels/sheet1.xml.rels": relations(
            ("comments", "../comments.xml"), ("threadedComment", "../talks.xml")
        ),
        "xl/comments.xml": f'<comments xmlns="{SHEETS}">{authors}<commentList>{notes}</commentList></comments>',
        "xl/talks.xml": (
            f"<ThreadedComments "
            f'xmlns="urn:t">{talk.format("p", "When?")}{talk.format("q", "In spring.")}</ThreadedComments>'
        ),
        "xl/persons/person.xml": '<personList xmlns="urn:t"><person displayName="Li Wei" id="p"/></personList>',
    }
    return workbook('<row r="1"><c r="A1" t="inlineStr"><is><t>Finches sing.</t></is></c></row>', parts=parts)


def _made_rtf() -> bytes:
    return (
        rb"{\rtf1\ansi Finches sing.{\*\atnid MV}{\*\atnauthor Mara Vogt}\chatn{\*\annotation{\*\atndate "
        rb"1}\pard Really?}"
        rb"{\*\annotation Alone}\par They eat seeds.\par}"
    )


def _made_odt() -> bytes:
    urn = "urn:oasis:names:tc:opendocument:xmlns"
    spaces = f'xmlns:office="{urn}:office:1.0" xmlns:text="{urn}:text:1.0" xmlns:dc="http://purl.org/dc/elements/1.1/"'
    note = (
        "<office:annotation><dc:creator>Mara "
        "Vogt</dc:creator><dc:date>2026</dc:date><text:p>Really?</text:p></office:annotation>"
    )
    body = f"<text:p>Finches{note} sing.</text:p><text:p>They eat seeds.</text:p>"
    content = (
        f"<office:document-content "
        f"{spaces}><office:body><office:text>{body}</office:text></office:body></office:document-content>"
    )
    return zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content})


_FILES: dict[str, tuple[Callable[[], bytes], list[str], list[str]]] = {
    "a.docx": (_made_docx, ["Finches sing.", "They eat seeds."], ["Mara Vogt: Really?", "Mara Vogt: In spring."]),
    "a.pptx": (_made_pptx, ["Finches", "sing", "Seeds"], ["Mara Vogt: Really?", "Li Wei: When?", "Li Wei: In spring."]),
    "a.xlsx": (
        _made_xlsx,
        ["Sheet 1", "Finches sing."],
        ["B2, Mara Vogt: Really?", "C3, Li Wei: When?", "C3: In spring."],
    ),
    "a.rtf": (_made_rtf, ["Finches sing.", "They eat seeds."], ["Mara Vogt: Really?", "Alone"]),
    "a.odt": (_made_odt, ["Finches sing.", "They eat seeds."], ["Mara Vogt: Really?"]),
}
"""By name: what makes the file, its texts, and its comments."""
_AFTER_FIRST = ("a.docx", "a.rtf", "a.odt")


def _blocks(document: Document) -> list[str]:
    return [document.text[block.start : block.end] for block in document.blocks]


def _left_out(document: Document) -> list[str]:
    return [document.text[span.start : span.end] for span in document.left_out if span.reason == "comment"]


@pytest.mark.parametrize("name", _FILES)
def test_comments_are_left_out_and_counted(name: str) -> None:
    """Unless they are asked for."""
    make, texts, comments = _FILES[name]
    document = parse(make(), name)
    check(document)
    assert _blocks(document) == texts
    assert _left_out(document) == comments
    (warning,) = document.warnings
    assert f"{len(comments)} comment" in warning


@pytest.mark.parametrize("name", _FILES)
def test_comments_that_are_asked_for_are_blocks(name: str) -> None:
    """After what they are tied to; the document is another one than without them."""
    make, texts, comments = _FILES[name]
    document = parse(make(), name, comments=True)
    check(document)
    check_cutting(document)
    assert sorted(_blocks(document)) == sorted([*texts, *comments])
    if name in _AFTER_FIRST:
        assert _blocks(document) == [texts[0], *comments, *texts[1:]]
    assert not document.left_out
    assert not document.warnings
    assert document_stamp(document) != document_stamp(parse(make(), name))


def test_comments_of_slides_stand_on_their_slides() -> None:
    """In the sections and on the pages that they are about, and are known for what they are."""
    document = parse(_made_pptx(), "a.pptx", comments=True)
    marked = [
        (block.page, document.text[block.start : block.end]) for block in document.blocks if block.meta.get("comment")
    ]
    assert marked == [(1, "Mara Vogt: Really?"), (2, "Li Wei: When?"), (2, "Li Wei: In spring.")]
    assert _blocks(document)[2] == "Mara Vogt: Really?"


def test_a_list_and_a_table_of_a_word_file_are_not_parted() -> None:
    """What is noted on one of their items or cells follows them; a comment on nothing stands at the end."""
    header = f"<w:tr><w:tc>{_p('Name', 1)}</w:tc><w:tc>{_p('Size')}</w:tc></w:tr>"
    table = f"<w:tbl>{header}<w:tr><w:tc>{_p('Finch')}</w:tc></w:tr></w:tbl>"
    body = _p("One", 0, number=True) + _p("Two", number=True) + table + _p("End.")
    document = parse(_word(body, "On one", "On a name", "On nothing"), "a.docx", comments=True)
    kinds = [block.type for block in document.blocks]
    assert kinds[:4] == [BlockType.LIST, BlockType.PARAGRAPH, BlockType.TABLE, BlockType.PARAGRAPH]
    texts = _blocks(document)
    assert texts[0] == "1. One\n2. Two"
    assert texts[1::2] == ["Mara Vogt: On one", "Mara Vogt: On a name", "Mara Vogt: On nothing"]


def test_a_comment_on_a_paragraph_whose_end_was_deleted() -> None:
    """Word shows it and the next as one; the comment follows both."""
    first = (
        '<w:p><w:pPr><w:rPr><w:del w:id="9"/></w:rPr></w:pPr><w:r><w:t>Finches </w:t><w:commentReference '
        'w:id="0"/></w:r></w:p>'
    )
    document = parse(_word(first + _p("sing.") + _p("End."), "Really?"), "a.docx", comments=True)
    assert _blocks(document) == ["Finches sing.", "Mara Vogt: Really?", "End."]


def test_a_damaged_list_of_comments_costs_no_slide() -> None:
    """It is named."""
    parts = {"ppt/slides/_rels/slide1.xml.rels": relations(("comments", "../c.xml")), "ppt/c.xml": "<cmLst"}
    document = parse(presentation(shape("Finches", kind="title"), parts=parts), "a.pptx", comments=True)
    assert _blocks(document) == ["Finches"]
    assert "damaged" in document.warnings[0]


def test_the_option_reaches_the_guarded_process() -> None:
    """As it does in this one."""
    document = parse_guarded(_made_docx(), "a.docx", comments=True)
    assert _blocks(document) == _blocks(parse(_made_docx(), "a.docx", comments=True))
