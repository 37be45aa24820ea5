"""What a file is: by its content first, and among text formats by its ending."""

from __future__ import annotations

import pytest

from chunking.errors import ParseError
from chunking.parsing import FORMATS, parse
from chunking.parsing.builder.reader_types import RawFile
from chunking.parsing.detection.detect import sniff
from chunking.parsing.registry import format_named, recognise
from tests.parsing.safe_input.archive_files import lying, zipped
from tests.support.facts import tells
from tests.support.shared_data import shared_data

_FOLDERS = {
    "docx": "docx",
    "pptx": "pptx",
    "html": "html",
    "epub": "epub",
    "pdf": "pdf",
    "email": "email",
    "mineru": "mineru",
}

_TYPES = (
    '<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/a" '
    'ContentType="{}"/></Types>'
)


def package(main: str, **parts: str) -> bytes:
    """An Office file as far as its main part's content type goes."""
    return zipped(
        {"[Content_Types].xml": _TYPES.format(main), **{name.replace("__", "/"): text for name, text in parts.items()}}
    )


def kind(data: bytes, name: str = "a", named: str = "") -> str:
    """Name of the format that is found."""
    return sniff(RawFile(data, name), FORMATS, format_named(named)).name


def refusal(data: bytes, name: str) -> str:
    """The sentence of what cannot be read."""
    with pytest.raises(ParseError) as caught:
        recognise(RawFile(data, name))
    sentence = str(caught.value)
    assert sentence.startswith(f"{name} ")
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert len(sentence) < 400
    return sentence


@pytest.mark.parametrize("folder", _FOLDERS)
def test_real_files_without_their_names(folder: str) -> None:
    """Every real file of a format that shows itself is recognised under a name that says nothing."""
    for path in sorted(shared_data(folder).iterdir()):
        data = path.read_bytes()
        if path.suffix == ".md":
            continue
        assert kind(data) == _FOLDERS[folder], path.name


_WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml."
_SLIDES = "application/vnd.openxmlformats-officedocument.presentationml."
_SHEETS = "application/vnd.openxmlformats-officedocument.spreadsheetml."


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"%PDF-1.7\n", "pdf"),
        (b"\xef\xbb\xbf\n%PDF-1.7\n", "pdf"),
        (bytes(500) + b"%PDF-1.7\n", "pdf"),
        (b"A PDF begins with %PDF-1.7.", "text"),
        (b"{\\rtf1 text}", "rtf"),
        (package(_WORD + "document.main+xml"), "docx"),
        (package(_WORD + "template.main+xml"), "docx"),
        (package("application/vnd.ms-word.document.macroEnabled.main+xml"), "docx"),
        (package(_SLIDES + "presentation.main+xml"), "pptx"),
        (package(_SLIDES + "slideshow.main+xml"), "pptx"),
        (package("application/vnd.ms-powerpoint.presentation.macroEnabled.main+xml"), "pptx"),
        (package(_SHEETS + "sheet.main+xml"), "xlsx"),
        (package("application/vnd.ms-excel.sheet.macroEnabled.main+xml"), "xlsx"),
        (zipped({"word/document.xml": ""}), "docx"),
        (zipped({"mimetype": "application/epub+zip\n"}), "epub"),
        (zipped({"META-INF/container.xml": ""}), "epub"),
        (zipped({"mimetype": "application/vnd.oasis.opendocument.text"}), "odt"),
        (zipped({"out/x_content_list.json": "[]", "out/images/1.jpg": ""}), "mineru"),
        (b"<!doctype html><p>x", "html"),
        (b"\xef\xbb\xbf\n<!-- c -->\n<HTML><p>x", "html"),
        (b'<?xml version="1.0"?><!DOCTYPE html PUBLIC "x"><html/>', "html"),
        ("<!DOCTYPE html><p>x".encode("utf-16"), "html"),
        (b"<p>a fragment</p>", "text"),
        (b'[{"type": "text", "text": "a", "page_idx": 0}]', "mineru"),
        (b'[[{"type": "title", "content": {}}]]', "mineru"),
        (b'[[], [{"type": "title"}]]', "mineru"),
        (b'[{"type": "Title", "element_id": "1", "text": "a", "metadata": {}}]', "elements"),
        (b'{"a": 1}', "json"),
        (b"[1] a footnote", "text"),
        (b'[{"a": 1}]', "json"),
        (b"# chart\napiVersion: v1\nkind: Pod\n", "yaml"),
        (b"name: a\nb", "text"),
        (b".. note:: a\n\n.. code:: b\n", "rst"),
        (b"= Title\n:toc:\n\n[source,py]\n----\nx\n----\n", "asciidoc"),
        (b"#+TITLE: x\n* y\n", "org"),
        (b"Received: by x;\n y\nFrom: a@b\nSubject: x\n\ntext", "email"),
        (b"From: a\nNot a header\nTo: b\nSubject: c\n\ntext", "text"),
        (b"Subject: the pump\n\ntext", "text"),
        ("中文文本".encode("gb18030"), "text"),
        ("plain".encode("utf-16"), "text"),
    ],
)
def test_the_content_decides_under_a_neutral_name(data: bytes, expected: str) -> None:
    """A file under a name that says nothing."""
    assert kind(data) == expected


@pytest.mark.parametrize(
    ("data", "named", "expected"),
    [
        (b"a,b\n1,2", "csv", "csv"),
        (b"# T", "markdown", "markdown"),
        (b"# T", "docx", "text"),
        (b"a\tb\n1\t2", "xlsx", "csv"),
        (b"<html><p>x", "markdown", "html"),
        (b"<p>x</p>", "html", "html"),
        (b"<b>x</b> *y*", "markdown", "markdown"),
        (b"From: a\nTo: b\nSubject: c\n\ntext", "text", "text"),
        (b"hello", "email", "email"),
        (b'[{"page_idx": 0}]', "markdown", "markdown"),
        (b'[{"page_idx": 0}]', "text", "mineru"),
        (b'{"a": 1}', "mineru", "text"),
        (b"%PDF-1.4", "docx", "pdf"),
    ],
)
def test_by_content_and_ending(data: bytes, named: str, expected: str) -> None:
    """Text formats that do not show themselves are what their ending says; others are what they show."""
    assert kind(data, named=named) == expected


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(9), "is a PNG image"),
        (b"\xff\xd8\xff\xe0" + bytes(9), "is a JPEG image"),
        (b"RIFF\x00\x00\x00\x00WEBPVP8 " + bytes(9), "is a WebP image"),
        (b"RIFF\x00\x00\x00\x00WAVEfmt " + bytes(9), "is an audio file"),
        (b"ID3\x03" + bytes(9), "is an audio file"),
        (b"\x00\x00\x00\x18ftypmp42" + bytes(9), "is a video"),
        (b"MZ\x90\x00" + bytes(9), "is a program"),
        (bytes(range(256)) * 20, "unknown format"),
        (zipped({"a.txt": "x", "b.txt": "y"}), "is an archive"),
        (zipped({}), "is an archive"),
        (zipped({"mimetype": "application/vnd.oasis.opendocument.presentation"}), "save it as .pptx"),
        (zipped({"Index/Document.iwa": "x"}), "Pages, Numbers or Keynote"),
        (zipped({"META-INF/MANIFEST.MF": "x", "A.class": "y"}), "is a program"),
        pytest.param(
            zipped({"a": "x"})[:-30], "is damaged", id="cut off"
        ),  # its bytes hold the time: no name for a test
        (lying(zipped({"mimetype": "application/epub+zip"}), "mimetype", 3), "is damaged"),
    ],
)
def test_an_unreadable_format_is_one_sentence(data: bytes, sentence: str) -> None:
    """Images, sound, programs, archives of anything: a sentence that says what it is."""
    assert sentence in refusal(data, "some/file.bin")


@pytest.mark.parametrize(
    ("streams", "sentence"),
    [
        (["WordDocument", "1Table"], "save it as .docx"),
        (["PowerPoint Document"], "save it as .pptx"),
        (["EncryptionInfo", "EncryptedPackage"], "protected by a password"),
        (["SomethingElse"], "current format"),
    ],
)
def test_old_office_files(streams: list[str], sentence: str) -> None:
    """What to save them as; a protected file of today is one of them."""
    data = (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
        + bytes(504)
        + b"".join((name + "\0").encode("utf-16-le").ljust(128, b"\0") for name in streams)
    )
    assert sentence in refusal(data, "a.docx")


def test_a_real_protected_workbook() -> None:
    """An encrypted Office file is an OLE2 file with the package in a stream."""
    path = shared_data("xlsx/password_protected.xlsx")
    assert "protected by a password" in refusal(path.read_bytes(), path.name)


def test_a_message_with_a_document_in_it() -> None:
    """A message's own streams come first, whatever is attached to it."""
    names = ["WordDocument", "__properties_version1.0"]
    data = (
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + b"".join((name + "\0").encode("utf-16-le") for name in names)
    )
    assert kind(data) == "email"


def test_a_wrong_ending_is_reported() -> None:
    """The content decides, and the reader is told; macros as well."""
    read = parse(b"# T\n\ntext", "a.pdf")
    assert read.format == "text"
    assert tells(read.warnings, "extension .pdf plain text")
    (warning,) = parse(b"# T", "a.zip").warnings
    assert tells(warning, "not JSON plain text")
    assert parse(b"# T\n\ntext", "a.unknown").warnings == ()
    assert parse(b"# T\n\ntext", "no_ending").warnings == ()
    recognised = recognise(RawFile(package(_SLIDES + "presentation.main+xml"), "a.pptx"))
    assert recognised.warnings == ()
    data = zipped({"[Content_Types].xml": _TYPES.format(_SLIDES + "presentation.main+xml"), "ppt/vbaProject.bin": "x"})
    assert tells(recognise(RawFile(data, "a.pptx")).warnings, "macros neither run")


def test_an_ending_that_says_too_much() -> None:
    """Noise under the name of a document: the sentence names what it is not."""
    sentence = refusal(bytes(range(256)) * 20, "a.pptx")
    assert tells(sentence, "a.pptx not presentation extension")
