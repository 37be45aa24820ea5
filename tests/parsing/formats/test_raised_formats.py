"""Superscripts and subscripts in every format that has them: written by one rule, however the format says that text
stands raised.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from chunking.model import Document
from chunking.parsing import parse
from chunking.splitting.rendering.markup_cleaning import clean_for_embedding
from tests.parsing.formats.office.odt_files import odt
from tests.parsing.formats.office.office_files import SHEETS, presentation, relations, workbook
from tests.parsing.samples import docx, epub, page
from tests.support.laws_documents import check
from tests.support.shared_data import shared_data

_PARTS = [
    *(
        ("In 2023", ""),
        ("1", "super"),
        (" it bore 10", ""),
        ("1", "super"),
        ("2", "super"),
        (" N/m", ""),
        ("2", "super"),
    ),
    *(("; H", ""), ("2", "sub"), ("O, 10", ""), ("−3", "super"), (", the 2", ""), ("nd", "super"), (" try.", "")),
]
"""A sentence in runs, as programs cut them, and how each stands."""
SHOWN = "In 2023[1] it bore 10^12 N/m2; H2O, 10^−3, the 2nd try."

_BASELINES = {"super": "30000", "sub": "-25000", "": "0"}
_WORDS = {"super": "superscript", "sub": "subscript", "": "baseline"}
_HEIGHTS = {"super": "6", "sub": "-4", "": "0"}


def word_runs(looks: str, names: Mapping[str, str]) -> str:
    """Runs whose properties are `looks` with a name or number in place of `?`."""
    return "".join(
        f"<w:r><w:rPr>{looks.replace('?', names[how])}</w:rPr>{_text('w:t', text)}</w:r>" for text, how in _PARTS
    )


def _text(tag: str, text: str) -> str:
    return f'<{tag} xml:space="preserve">{text}</{tag}>'


def word() -> bytes:
    return docx(f"<w:p>{word_runs(_ALIGNED, _WORDS)}</w:p>")


_ALIGNED, _PLACED, _STYLED = '<w:vertAlign w:val="?"/>', '<w:position w:val="?"/>', '<w:rStyle w:val="?"/>'


def word_by_position() -> bytes:
    return docx(f"<w:p>{word_runs(_PLACED, _HEIGHTS)}</w:p>")


def word_by_style() -> bytes:
    """Character styles, one of them by what it is based on, and marks of a spelling check between runs."""
    styles = (
        '<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">'
        '<w:style w:type="character" w:styleId="A"><w:rPr><w:vertAlign w:val="superscript"/></w:rPr></w:style>'
        '<w:style w:type="character" w:styleId="super"><w:basedOn w:val="A"/></w:style>'
        '<w:style w:type="character" w:styleId="sub"><w:rPr><w:vertAlign '
        'w:val="subscript"/></w:rPr></w:style></w:styles>'
    )
    runs = word_runs(_STYLED, {how: how for how in _WORDS}).replace("</w:r>", '</w:r><w:proofErr w:type="spellStart"/>')
    return docx(f"<w:p>{runs}</w:p>", parts={"word/styles.xml": styles})


def markup() -> str:
    tags = {"super": "sup", "sub": "sub", "": "span"}
    return "".join(f"<{tags[how]}>{text}</{tags[how]}>" for text, how in _PARTS)


def styled_page() -> bytes:
    styles = {"super": 'class="up x"', "sub": 'style="vertical-align: sub"', "": 'style="vertical-align: baseline"'}
    runs = "".join(f"<span {styles[how]}>{text}</span>" for text, how in _PARTS)
    return page(f"<style>p a, span.up {{font-size: 60%; vertical-align:super}}</style><p>{runs}</p>").encode()


def mail() -> bytes:
    return (
        f"From: a@b.org\nSubject: Loads\nMIME-Version: 1.0\nContent-Type: text/html; charset=utf-8\n\n<p>{markup()}</p>"
    ).encode()


def rich_text(up: str = r"\super", down: str = r"\sub") -> bytes:
    words = {"super": up, "sub": down, "": r"\nosupersub\up0"}
    runs = "".join(f"{{{words[how]} {text}}}" for text, how in _PARTS).replace("−", r"\u8722?")
    return f"{{\\rtf1\\ansi {runs}\\par}}".encode()


def open_document() -> bytes:
    styles = "".join(
        (
            f'<style:style style:name="{name}" style:family="text"><style:text-properties '
            f'style:text-position="{place}"/></style:style>'
        )
        for name, place in (("super", "super 58%"), ("sub", "-8% 58%"), ("none", "0% 100%"))
    )
    runs = "".join(f'<text:span text:style-name="{how or "none"}">{text}</text:span>' for text, how in _PARTS)
    sheet = (
        '<office:document-styles xmlns:office="urn:oasis:names:tc:opendocument:xmlns:office:1.0" '
        'xmlns:style="urn:oasis:names:tc:opendocument:xmlns:style:1.0"><office:styles>'
        f"{styles}</office:styles></office:document-styles>"
    )
    return odt(f"<text:p>{runs}</text:p>", parts={"styles.xml": sheet})


def slides() -> bytes:
    runs = "".join(f'<a:r><a:rPr baseline="{_BASELINES[how]}"/><a:t>{text}</a:t></a:r>' for text, how in _PARTS)
    return presentation(f"<p:sp><p:nvSpPr><p:nvPr/></p:nvSpPr><p:spPr/><p:txBody><a:p>{runs}</a:p></p:txBody></p:sp>")


def sheet() -> bytes:
    runs = "".join(f'<r><rPr><vertAlign val="{_WORDS[how]}"/></rPr>{_text("t", text)}</r>' for text, how in _PARTS)
    parts = {
        "xl/sharedStrings.xml": f'<sst xmlns="{SHEETS}"><si>{runs}</si></sst>',
        "xl/_rels/workbook.xml.rels": relations(
            ("worksheet", "worksheets/sheet1.xml"), ("sharedStrings", "sharedStrings.xml")
        ),
    }
    return workbook('<row r="1"><c r="A1" t="s"><v>0</v></c></row>', parts=parts)


@pytest.mark.parametrize(
    ("data", "name"),
    [
        (word(), "a.docx"),
        (word_by_position(), "a.docx"),
        (word_by_style(), "a.docx"),
        (page(f"<p>{markup()}</p>").encode(), "a.html"),
        (page(f"<p>{markup()}</p>").encode("utf-16"), "a.html"),
        (
            page(f"<table><tr><th>Load</th><th>Note</th></tr><tr><td>{markup()}</td><td>-</td></tr></table>").encode(),
            "a.html",
        ),
        (page(f"<h1>{markup()}</h1><ul><li>{markup()}</li></ul>").encode(), "a.html"),
        (styled_page(), "a.html"),
        (epub(f"<p>{markup()}</p>"), "a.epub"),
        (mail(), "a.eml"),
        (rich_text(), "a.rtf"),
        (rich_text(r"\up6", r"\dn4"), "a.rtf"),
        (open_document(), "a.odt"),
        (slides(), "a.pptx"),
        (sheet(), "a.xlsx"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_one_rule_in_every_format(data: bytes, name: str) -> None:
    """Ten to the twelfth is no 1012 and 2023 with a note no 20231, though each program cuts and names its runs in its
    own way.
    """
    document = parse(data, name)
    check(document)
    assert SHOWN in document.text


def test_markdown_as_it_is_embedded() -> None:
    """The text of a Markdown file is the file; the model reads it as people do, and so does the contents list."""
    document = parse(b"# Loads of 10<sup>6</sup>\n\n" + markup().encode(), "a.md")
    assert "10<sup>6</sup>" in document.text
    assert SHOWN in clean_for_embedding(document.text)
    assert [section.title for section in document.sections] == ["Loads of 10^6"]


def html(body: str) -> Document:
    return parse(page(body).encode(), "a.html")


@pytest.mark.parametrize(
    "note",
    [
        '<sup><a href="#fn1">1</a></sup>',
        '<a href="#fn1"><sup>1</sup></a>',
        '<sup><a href="notes.html#fn1">[1]</a></sup>',
        '<sup class="reference"><a href="#n"><span>&#91;</span>1<span>&#93;</span></a></sup>',
        '<a class="footnote-ref" href="#fn1" role="doc-noteref">1</a>',
    ],
)
def test_links_to_notes(note: str) -> None:
    """A mark that leads to its note is one, even behind a number or a symbol, and has one pair of brackets."""
    assert "to 10[1] and m[1]." in html(f"<p>It rose to 10{note} and m{note}.</p>").text


def test_formulas_and_pictures_are_not_raised_text() -> None:
    """Formulas, cells and pictures that `vertical-align` places, and superscripts that are not shown."""
    body = (
        "<p><math><msup><mi>x</mi><mn>2</mn></msup></math> and <span style='vertical-align: middle'>so</span> on<sup "
        "style='display:none'>9</sup>.</p><table><tr><th>A</th><th>B</th></tr><tr><td "
        "style='vertical-align:super'>Word</td><td>1</td></tr></table>"
    )
    document = html(body)
    assert "x2 and so on." in document.text
    assert "| Word | 1 |" in document.text


def test_deep_and_open_elements() -> None:
    """Thousands of `sup` in one another and one that is never closed lose nothing."""
    assert "10^2" in html(f"<p>10{'<sup>' * 10_000}2{'</sup>' * 10_000}</p>").text.replace("^ ", "^")
    assert "end 10^6 of it" in html("<p>a<sup>b <b>c</b> and so on to the very end 10<sup>6</sup> of it</p>").text


def test_the_files_that_failed() -> None:
    """Those of the test data say what a person reads."""
    for name in ("load.docx", "sup.html"):
        path = shared_data(f"wild/superscripts/{name}")
        text = parse(path.read_bytes(), name).text
        assert "3.2 × 10^6 N/m2, tolerance 10^−3" in text
        assert "2^10 = 1024" in text
        assert not {"106", "20231"} & set(text.split())
