"""The list of bad input, each file built here: one sentence, or a document with a warning, and nothing else is touched.

All are read through the guard as an upload is, within its usual limits. After each, the same server reads a good file.
"""

from __future__ import annotations

import base64
import hashlib
import os
import time
import unicodedata
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from chunking.errors import ParseError, TooLargeError
from chunking.indexing import add_files
from chunking.model import Document
from chunking.parsing import FORMATS, MAX_BYTES, parse_guarded
from chunking.parsing.format_row import Signs
from chunking.parsing.sandbox import process
from chunking.store import Workspace
from tests.parsing.formats.office.office_files import SLIDES, workbook
from tests.parsing.safe_input.archive_files import BILLION_LAUGHS, EXTERNAL, lying, overlapping, replaced, zipped
from tests.parsing.samples import SAMPLES, docx, epub, odt, page
from tests.support.facts import tells
from tests.support.laws_documents import check
from tests.support.raw_pdf import numbered, one_page_pdf, pdf

_FORMATS = {row.name for row in FORMATS}
_IS_TEXT = {row.name for row in FORMATS if row.text or row.needs_sign} - {"html"}
"""Formats whose files are text that may be Markdown as well."""
_SHOWN = {
    row.name
    for row in FORMATS
    if row.signs.text or (row.signs.likely is row.signs.inside is None and row.signs != Signs())
}
_SHOWN |= {"email"}
"""Formats that show themselves, in files as small as the samples."""
_GOOD = b"# Good\n\nIt is read."
_SECRET = "the secret of this machine"


@pytest.fixture(autouse=True)
def _nothing_else_is_touched() -> Iterator[None]:
    """The server and its folder are as they were, and the next file is read."""
    parse_guarded(_GOOD, "good.md")
    server = process._server
    assert server
    yield
    assert parse_guarded(_GOOD, "good.md").title == "Good"
    assert process._server is server
    while os.listdir(server.folder):  # the last child's, for as long as it takes to end
        time.sleep(0.01)


def refusal(data: bytes, name: str, kind: type[ParseError] = ParseError) -> str:
    """The one sentence of a file that is refused."""
    with pytest.raises(ParseError) as caught:
        parse_guarded(data, name)
    sentence = str(caught.value)
    assert isinstance(caught.value, kind)
    assert name in sentence
    assert sentence.endswith(".")
    assert not any(unicodedata.category(character) in ("Cc", "Cf") for character in sentence)
    assert len(sentence) < 500
    return sentence


def outcome(data: bytes, name: str) -> Document | str:
    """A lawful document, or the sentence."""
    try:
        document = parse_guarded(data, name)
    except ParseError:
        return refusal(data, name)
    check(document)
    return document


# --- archives


@pytest.mark.parametrize("name", ["docx", "pptx", "xlsx", "epub", "odt"])
def test_zip_bombs_in_documents_are_refused(name: str) -> None:
    """A part of 200 MB of nothing, in 200 kB."""
    source, make = SAMPLES[name]
    data = replaced(make(), {"padding.xml": bytes(100 << 20)})
    assert len(data) < 1 << 20
    assert "unpacks to more than" in refusal(data, source, TooLargeError)


@pytest.mark.parametrize("name", ["docx", "pptx", "xlsx", "epub", "odt"])
def test_a_part_with_a_false_size_is_refused(name: str) -> None:
    """The main part says it is small, and is not; or says it is what it is not."""
    source, make = SAMPLES[name]
    data = replaced(make(), {"padding.xml": bytes(60 << 20)})
    assert "unpacks to more than" in refusal(lying(data, "padding.xml", 100), source, TooLargeError)
    assert "is damaged" in refusal(lying(replaced(make(), {"x.xml": b"<a>text</a>"}), "x.xml", 5), source)


def test_archives_in_one_another() -> None:
    """Entries that share bytes, a damaged archive, an archive of archives."""
    assert "is damaged" in refusal(overlapping(200), "a.docx")
    assert "is damaged" in refusal(docx()[:-40], "a.docx")
    assert "is an archive" in refusal(zipped({"a.docx": docx(), "b.zip": zipped({"c": "d"})}), "a.zip")


# --- sheets


def test_more_rows_than_are_read() -> None:
    """In a process of its own, too."""
    rows = (
        "".join(f'<row r="{n}"><c r="A{n}"><v>{n}</v></c></row>' for n in range(k, k + 1024))
        for k in range(1, 210_000, 1024)
    )
    assert "more than 200,000 rows" in refusal(workbook(rows), "a.xlsx", TooLargeError)


# --- entities


def _with_head(head: str, text: str) -> dict[str, bytes]:
    """Each XML format with a document type before its main part, and a reference to its entity `a9` in the text."""
    paragraph = f"<w:p><w:r><w:t>{text}</w:t></w:r></w:p>"
    slide = f'{head}<p:sld xmlns:p="{SLIDES}"><p:cSld><p:spTree>{text}</p:spTree></p:cSld></p:sld>'
    sheet = (
        '<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><sheetData><row><c '
        't="inlineStr"><is>'
    )
    sheet += f"<t>{text}</t></is></c></row></sheetData></worksheet>"
    return {
        "a.docx": docx(paragraph, head),
        "a.pptx": replaced(SAMPLES["pptx"][1](), {"ppt/slides/slide1.xml": slide}),
        "a.xlsx": replaced(SAMPLES["xlsx"][1](), {"xl/worksheets/sheet1.xml": head + sheet}),
        "a.epub": epub(f"<p>{text}</p>", head),
        "b.epub": epub(parts={"book.opf": f"{head}<package>{text}</package>"}),
        "a.odt": odt(f"<text:p>{text}</text:p>", head),
        "a.html": page(f"<p>{text} and more</p>", head.replace("<!DOCTYPE x", "<!DOCTYPE html")).encode(),
        "a.xhtml": ('<?xml version="1.0"?>' + page(f"<p>{text} and more</p>", head)).encode(),
    }


@pytest.mark.parametrize("head", ["laughs", "external"])
@pytest.mark.parametrize("name", ["a.docx", "a.pptx", "a.xlsx", "a.epub", "b.epub", "a.odt"])
def test_entities_in_archives(head: str, name: str, tmp_path: Path) -> None:
    """A part that defines entities is not read at all."""
    (tmp_path / "secret").write_text(_SECRET)
    head = BILLION_LAUGHS if head == "laughs" else EXTERNAL.replace("/etc/passwd", str(tmp_path / "secret"))
    assert "defines XML entities" in refusal(_with_head(head, "&a9;")[name], name)


@pytest.mark.parametrize("head", ["laughs", "external", "parameter"])
@pytest.mark.parametrize("name", ["a.html", "a.xhtml"])
def test_entities_in_pages(head: str, name: str, tmp_path: Path) -> None:
    """HTML knows no entities of a document's own: they stay the letters they are, or the page is refused."""
    secret = tmp_path / "secret"
    secret.write_text(_SECRET)
    heads = {
        "laughs": BILLION_LAUGHS,
        "external": EXTERNAL.replace("/etc/passwd", str(secret)),
        "parameter": f'<!DOCTYPE x SYSTEM "file://{secret}" [<!ENTITY % a SYSTEM "file://{secret}"> %a;]>',
    }
    result = outcome(_with_head(heads[head], "&a9;")[name], name)
    text = result if isinstance(result, str) else result.text
    assert _SECRET not in text
    assert len(text) < 2_000


# --- nesting

_DEPTH = 100_000


def _nested(inside: str, *tags: str) -> str:
    """`inside` in a hundred thousand elements."""
    return (
        "".join(f"<{name}>" for name in tags) * _DEPTH
        + inside
        + "".join(f"</{name}>" for name in reversed(tags)) * _DEPTH
    )


@pytest.mark.parametrize(
    ("name", "make"),
    [
        ("html", lambda: page(_nested("deep", "div") + "<p>after</p>").encode()),
        ("html", lambda: page("<table><tr><td>" * 50_000 + "deep").encode()),
        ("html", lambda: page("<ul><li>" * 50_000 + "deep").encode()),
        ("html", lambda: page("<blockquote>" * _DEPTH + "deep").encode()),
        ("html", lambda: page(_nested("deep", "b") + "<p>after</p>").encode()),
        ("docx", lambda: docx(_nested("<w:p><w:r><w:t>deep</w:t></w:r></w:p>", "w:sdt", "w:sdtContent"))),
        ("docx", lambda: docx("<w:tbl><w:tr><w:tc>" * _DEPTH + "<w:p/>" + "</w:tc></w:tr></w:tbl>" * _DEPTH)),
        ("epub", lambda: epub(_nested("deep", "div") + "<p>after</p>")),
        ("epub", lambda: epub(parts={"book.opf": _nested("", "metadata")})),
        ("odt", lambda: odt(_nested("<text:p>deep</text:p>", "text:section"))),
        ("odt", lambda: odt(_nested("<text:p>deep</text:p>", "text:list", "text:list-item"))),
        ("pptx", lambda: replaced(SAMPLES["pptx"][1](), {"ppt/slides/slide1.xml": _nested("", "a")})),
        ("xlsx", lambda: replaced(SAMPLES["xlsx"][1](), {"xl/worksheets/sheet1.xml": _nested("", "a")})),
        ("rtf", lambda: b"{\\rtf1 " + b"{" * _DEPTH + b"deep" + b"}" * _DEPTH + b"}"),
        ("markdown", lambda: b"> " * _DEPTH + b"deep"),
        ("markdown", lambda: b"- " * _DEPTH + b"deep"),
        ("markdown", lambda: b"[" * _DEPTH + b"deep" + b"](x)" * _DEPTH),
        ("mineru", lambda: b"[" * _DEPTH + b'{"type": "text", "page_idx": 0}' + b"]" * _DEPTH),
        ("mineru", lambda: b'[{"page_idx": 0, "type": "text", "text": ' + b"[" * _DEPTH + b"]" * _DEPTH + b"}]"),
        ("code", lambda: b"x = (\n" + b"(" * _DEPTH + b"\n" * 1_000 + b")" * _DEPTH),
        ("notebook", lambda: b'{"cells": [{"cell_type": "code", "source": ' + b"[" * _DEPTH + b"]" * _DEPTH + b"}]}"),
        ("json", lambda: b'{"a": ' * _DEPTH + b"1" + b"}" * _DEPTH),
        ("yaml", lambda: b"[" * _DEPTH + b"deep" + b"]" * _DEPTH),
        ("yaml", lambda: b"- " * _DEPTH + b"deep"),
        ("rst", lambda: b"- " * _DEPTH + b"deep"),
        ("rst", lambda: "".join(f"{' ' * n}.. note::\n\n" for n in range(1_000)).encode() + b" " * 1_000 + b"deep"),
        ("asciidoc", lambda: b"[" * _DEPTH + b"deep" + b"]" * _DEPTH),
        ("org", lambda: b"*" * _DEPTH + b" deep\n" + b"[[" * _DEPTH),
        ("subtitles", lambda: b"1\n00:00:01,000 --> 00:00:02,000\n" + b"<i>" * _DEPTH + b"deep" + b"</i>" * _DEPTH),
        ("elements", lambda: b'[{"element_id": "a", "metadata": ' + b'{"a": ' * _DEPTH + b"1" + b"}" * _DEPTH + b"}]"),
    ],
)
def test_elements_nested_a_hundred_thousand_deep_do_no_harm(name: str, make: Callable[[], bytes]) -> None:
    """A hundred thousand elements in one another: read as far as it goes, or a sentence; no crash."""
    result = outcome(make(), SAMPLES[name][0])
    if isinstance(result, str):
        assert "could not be read" not in result, "the reader crashed"
    else:
        assert result.text


def test_mails_nested_three_hundred_deep_do_no_harm() -> None:
    """Mails in mails in mails."""
    mail = SAMPLES["email"][1]()
    for number in range(300):
        head = b'Content-Type: multipart/mixed; boundary="%d"\r\nFrom: a@b\r\nTo: c@d\r\nSubject: x\r\n\r\n' % number
        mail = head + b"--%d\r\nContent-Type: message/rfc822\r\n\r\n" % number + mail + b"\r\n--%d--\r\n" % number
    result = outcome(mail, "a.eml")
    assert isinstance(result, Document) or "could not be read" not in result


# --- PDF


def test_a_pdf_with_a_password() -> None:
    """Encrypted, for which the reader has no key."""
    lock = b"<< /Filter /Standard /V 1 /R 2 /P -4 /O <%b> /U <%b> >>" % (b"41" * 32, b"42" * 32)
    data = one_page_pdf("text", more=[lock], trailer=b"/Encrypt 5 0 R /ID [<00> <00>]")
    assert "password" in refusal(data, "a.pdf")


@pytest.mark.parametrize("share", [0.05, 0.3, 0.6, 0.9, 0.99])
def test_a_truncated_pdf(share: float) -> None:
    """What is left is read, or it is said to be damaged."""
    data = pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R 5 0 R 7 0 R] /Count 3 >>",
            *numbered(3, "The first page has text.", "The second as well.", "And the third."),
        ]
    )
    result = outcome(data[: int(share * len(data))], "a.pdf")
    if isinstance(result, str):
        assert "could not be read" not in result


@pytest.mark.parametrize(
    "objects",
    [
        [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [] /Count 0 >>"],
        [b"<< /Type /Catalog >>"],
        [b"<< /Type /Catalog /Pages 9 0 R >>"],
        [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [2 0 R] /Count 1 >>"],
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 9 >>",
            b"<< /Type /Pages /Kids [2 0 R] /Count 9 >>",
        ],
        [b"<< /Type /Catalog /Pages 2 0 R >>", b"<< /Type /Pages /Kids [3 0 R] /Count 1000000000 >>", *numbered(3, "")],
    ],
    ids=["no pages", "no tree", "no such object", "its own child", "a circle", "a billion"],
)
def test_pdf_page_trees(objects: list[bytes]) -> None:
    """No pages, pages in a circle, more pages than there are."""
    sentence = refusal(pdf(objects), "a.pdf")
    assert "could not be read" not in sentence


def test_a_loop_in_the_page_tree_next_to_a_page() -> None:
    """The sound page is read."""
    tree = b"<< /Type /Pages /Kids [3 0 R 2 0 R] /Count 2 >>"
    result = outcome(pdf([b"<< /Type /Catalog /Pages 2 0 R >>", tree, *numbered(3, "The finch sings.")]), "a.pdf")
    assert "finch" in result if isinstance(result, str) else result.text or isinstance(result, str)


@pytest.mark.parametrize(
    "outline",
    [
        [b"<< /First 6 0 R /Last 6 0 R >>", b"<< /Title (Birds) /Next 6 0 R /Dest [3 0 R /Fit] >>"],
        [b"<< /First 6 0 R /Last 6 0 R >>", b"<< /Title (Birds) /First 5 0 R /Dest [3 0 R /Fit] >>"],
        [
            b"<< /First 6 0 R >>",
            b"<< /Title (A) /Next 7 0 R /Dest [3 0 R /Fit] >>",
            b"<< /Title (B) /Next 6 0 R /First 6 0 R >>",
        ],
        [b"<< /First 5 0 R >>"],
    ],
    ids=["its own next", "its own child", "two in a circle", "the root"],
)
def test_a_loop_in_the_outline(outline: list[bytes]) -> None:
    """Entries are followed once, and the text is read."""
    data = one_page_pdf("The finch sings in the morning.", b"/Outlines 5 0 R", outline)
    result = outcome(data, "a.pdf")
    assert isinstance(result, Document)
    assert "The finch sings in the morning." in result.text


def test_a_pdf_that_unpacks_to_gigabytes() -> None:
    """A stream of 100 MB, packed twice over, fifty times the content of a page: whatever becomes of it, only its
    process knows.
    """
    import zlib

    packed = zlib.compress(zlib.compress(b" " * (100 << 20)), 9)
    stream = b"<< /Length %d /Filter [/FlateDecode /FlateDecode] >>\nstream\n%b\nendstream" % (len(packed), packed)
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents [%b] >>" % (b"4 0 R " * 50),
        stream,
    ]
    assert refusal(pdf(objects), "a.pdf")


# --- macros, endings, names, sizes


@pytest.mark.parametrize("name", ["docx", "pptx", "xlsx"])
def test_a_document_with_macros_is_read_with_a_warning(name: str) -> None:
    """A document with macros is read, and the reader is told; under its own ending and under another."""
    source, make = SAMPLES[name]
    folder = {"docx": "word", "pptx": "ppt", "xlsx": "xl"}[name]
    data = replaced(make(), {f"{folder}/vbaProject.bin": b"Sub AutoOpen()"})
    for ending in (name, f"{name[:-1]}m"):
        read = parse_guarded(data, f"birds.{ending}")
        assert "The finch sings in the morning." in read.text
        assert tells(read.warnings, "macros neither run")
    assert source.endswith(name)


@pytest.mark.parametrize("name", sorted(_SHOWN))
@pytest.mark.parametrize("ending", ["md", "docx", "pdf", "exe"])
def test_a_wrong_ending(name: str, ending: str) -> None:
    """The content decides; the reader is told where the ending promised something else."""
    source, make = SAMPLES[name]
    if ending == "md" and name in _IS_TEXT:
        return  # is text, and so may be Markdown
    read = parse_guarded(make(), f"birds.{ending}")
    assert read.format == name
    assert "The finch sings in the morning." in read.text
    if not source.endswith(ending) and any(f".{ending}" in row.extensions for row in FORMATS):
        assert read.warnings[0].startswith(f"Its extension is .{ending}, but it is ")


_NOTHING = ("nothing", "blanks", "a NUL", "NULs", "noise")


@pytest.mark.parametrize("name", sorted(_FORMATS))
@pytest.mark.parametrize("data", [b"", b" \n", b"\0", b"\0" * 5_000, bytes(range(256)) * 20], ids=_NOTHING)
def test_empty_files_and_noise_are_one_sentence(name: str, data: bytes) -> None:
    """0 bytes, NULs and noise under every ending."""
    sentence = refusal(data, SAMPLES[name][0])
    assert "could not be read" not in sentence


@pytest.mark.parametrize("name", sorted(_FORMATS))
def test_truncated_files_give_a_document_or_a_sentence(name: str) -> None:
    """Every format cut off at some places: a document or a sentence, never a crash."""
    source, make = SAMPLES[name]
    data = make()
    for share in (0.1, 0.5, 0.9, 0.99):
        result = outcome(data[: int(share * len(data))], source)
        if isinstance(result, str):
            assert "could not be read" not in result


@pytest.mark.parametrize("name", sorted(_FORMATS))
def test_changed_bytes_give_a_document_or_a_sentence(name: str) -> None:
    """Every format with some of its bytes changed, at places that are always the same."""
    source, make = SAMPLES[name]
    data = make()
    for number in range(8):
        changed = bytearray(data)
        for place in hashlib.sha256(f"{name}{number}".encode()).digest()[:4]:
            changed[place * len(data) // 256] ^= 0x55
        result = outcome(bytes(changed), source)
        if isinstance(result, str):
            assert "could not be read" not in result


def test_a_file_of_500_megabytes_is_not_read(tmp_path: Path) -> None:
    """Refused by its size: not read from the disk, and not sent anywhere."""
    assert "the limit is 50 MB" in refusal(bytes(MAX_BYTES + 1), "a.docx", TooLargeError)
    path = tmp_path / "large.pdf"
    with path.open("wb") as file:
        file.truncate(500 << 20)
    documents, (failure,) = add_files(Workspace.open(tmp_path / "w"), [path])
    assert not documents
    assert "large.pdf has 500.0 MB; the limit is 50 MB" in failure.error


@pytest.mark.parametrize(
    ("name", "source"),
    [
        ("../../etc/passwd.md", "etc/passwd.md"),
        ("/etc/../x.md", "etc/x.md"),
        ("C:\\..\\x.md", "x.md"),
        ("a\x00b\x1b[31m\n.md", "ab[31m .md"),
        ("invoice\u202efdp.md", "invoicefdp.md"),
        ("a\u200b\u2066b.md", "ab.md"),
        ("x" * 400 + ".md", None),
        ("", "document"),
    ],
)
def test_hostile_file_names_stay_inside_the_workspace(name: str, source: str | None) -> None:
    """Ways out of the workspace, control characters and direction marks are not in the source, nor in a sentence."""
    read = parse_guarded(_GOOD, name)
    if source is not None:
        assert read.source == source
    assert len(read.source) <= 300
    assert ".." not in read.source
    assert not any(unicodedata.category(character) in ("Cc", "Cf") for character in read.source)
    with pytest.raises(ParseError) as caught:
        parse_guarded(b"", name)
    assert not any(unicodedata.category(character) in ("Cc", "Cf") for character in str(caught.value))


def test_a_bad_file_among_good_ones(tmp_path: Path) -> None:
    """All of them at once into a workspace: the good ones are in it, each bad one has its sentence."""
    folder = tmp_path / "docs"
    folder.mkdir()
    bad = {
        "bomb.xlsx": replaced(SAMPLES["xlsx"][1](), {"x.xml": bytes(60 << 20)}),
        "empty.md": b"",
        "noise.pdf": base64.b64decode("AAAA") * 99,
    }
    good = {f"good{n}.md": _GOOD for n in range(5)}
    for name, data in {**bad, **good}.items():
        (folder / name).write_bytes(data)
    workspace = Workspace.open(tmp_path / "w")
    documents, failed = add_files(workspace, [folder])
    assert sorted(document.source for document in documents) == sorted(good)
    assert sorted(failure.source for failure in failed) == sorted(bad)
    assert len(workspace.documents()) == 5
