"""Archives: honest ones open, every forged or damaged one is one sentence before anything of it is used."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path

import pytest

from chunking.errors import ParseError, TooLargeError
from chunking.parsing.builder.reader_types import RawFile
from chunking.parsing.safe_input import safe_archives as archives
from chunking.parsing.safe_input.safe_archives import list_archive, open_archive, read_entry
from tests.parsing.safe_input.archive_files import BILLION_LAUGHS, EXTERNAL, lying, overlapping, replaced, zipped
from tests.support.shared_data import shared_data, shared_files

_HONEST = [
    path
    for ending in ("docx", "pptx", "xlsx", "epub")
    for path in shared_files(f"{ending}/*.{ending}", without="password")
]
_SMALL = {"mimetype": "application/epub+zip", "a/b.xml": "<a>text</a>"}


def refusal(data: bytes) -> str:
    """The one sentence with which an archive is refused."""
    with pytest.raises(ParseError) as caught:
        open_archive(RawFile(data, "some/file.docx"))
    sentence = str(caught.value)
    assert sentence.startswith("some/file.docx ")
    assert sentence.endswith(".")
    assert "\n" not in sentence
    assert caught.value.where == "some/file.docx"
    return sentence


def test_an_honest_archive() -> None:
    """It opens, and its entries can be read."""
    archive = open_archive(RawFile(zipped(_SMALL), "a.epub"))
    assert archive.namelist() == list(_SMALL)
    assert read_entry(archive, "a/b.xml", "a.epub") == b"<a>text</a>"
    with pytest.raises(ParseError, match=r"a\.epub .* no part 'none'"):
        read_entry(archive, "none", "a.epub")


def test_archives_of_honest_writers_are_accepted() -> None:
    """Streamed entries (sizes after the data), bytes before the archive, folders, stored entries, a comment."""
    buffer = io.BytesIO()
    buffer.seekable = lambda: False  # type: ignore[method-assign]
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("a", "text" * 1000)
        archive.mkdir("folder")
        archive.writestr("folder/b", b"")
        archive.comment = b"PK"
    for data in (buffer.getvalue(), b"#!/bin/sh\n" + zipped(_SMALL), zipped(_SMALL, zipfile.ZIP_STORED)):
        assert len(open_archive(RawFile(data, "a.zip")).infolist()) >= 2


@pytest.mark.parametrize("path", _HONEST, ids=lambda path: path.name)
def test_archives_of_real_documents_pass(path: Path) -> None:
    """Every real document passes."""
    assert open_archive(RawFile(shared_data(path).read_bytes(), path.name)).infolist()


def test_bombs_are_refused_by_ratio_size_and_number(monkeypatch: pytest.MonkeyPatch) -> None:
    """By the ratio, by one entry, by all of them, by their number."""
    assert "more than 200 times its size" in refusal(zipped({"a.xml": bytes(20 << 20)}))
    monkeypatch.setattr(archives, "MAX_ENTRY", 5 << 20)
    assert "more than 5 MB" in refusal(zipped({"a.xml": bytes(6 << 20)}))
    monkeypatch.setattr(archives, "MAX_TOTAL", 8 << 20)
    assert "unpacks to more than 8 MB" in refusal(zipped({"a": bytes(5 << 20), "b": bytes(5 << 20)}))
    monkeypatch.setattr(archives, "MAX_ENTRIES", 100)
    assert "more than 100 entries" in refusal(zipped({f"{n}": "" for n in range(101)}))
    with pytest.raises(TooLargeError):
        list_archive(RawFile(zipped({f"{n}": "" for n in range(101)}), "a.docx"))


def test_a_directory_that_lies(monkeypatch: pytest.MonkeyPatch) -> None:
    """Declared small, really huge: the bound is on what is there; declared wrong at all: damaged."""
    bomb = zipped({"a.xml": bytes(20 << 20)})
    assert "more than 200 times" in refusal(lying(bomb, "a.xml", 1000))
    assert "is damaged" in refusal(lying(zipped(_SMALL), "a/b.xml", 5))
    assert "is damaged" in refusal(lying(zipped(_SMALL), "a/b.xml", 5000))
    monkeypatch.setattr(archives, "MAX_ENTRY", 1 << 20)
    archive = list_archive(RawFile(lying(zipped({"a": bytes(2 << 20)}), "a", 1000), "a.docx"))
    with pytest.raises(TooLargeError, match="more than 1 MB"):
        read_entry(archive, "a", "a.docx")


def test_entries_that_overlap() -> None:
    """A file of a few kilobytes whose entries share their bytes."""
    assert "is damaged" in refusal(overlapping(200))


@pytest.mark.parametrize("name", ["../up.xml", "a/../../up", "/etc/passwd", "C:\\up", "a\\..\\up", "a\x01b"])
def test_names_that_lead_out(name: str) -> None:
    """Nothing is ever unpacked to disk; a file with such a name is forged all the same."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        info = zipfile.ZipInfo("x")
        info.filename = name
        archive.writestr(info, "text")
    assert "name points outside" in refusal(buffer.getvalue())


def test_encrypted_and_strange_packing() -> None:
    """A password, and methods that documents do not use."""
    data = bytearray(zipped(_SMALL))
    data[data.index(b"PK\x01\x02") + 8] |= 1
    assert "protected by a password" in refusal(bytes(data))
    assert "compressed in a way" in refusal(zipped(_SMALL, zipfile.ZIP_LZMA))


@pytest.mark.parametrize(
    "damage", [b"", b"PK\x03\x04", zipped(_SMALL)[:-10], zipped(_SMALL)[20:], b"PK\x05\x06" + bytes(18) + b"x"]
)
def test_a_damaged_archive_is_one_sentence(damage: bytes) -> None:
    """Cut off at either end, or no archive at all."""
    if damage == b"PK\x05\x06" + bytes(18) + b"x":
        assert not open_archive(RawFile(damage, "a.docx")).infolist()
    else:
        assert "is damaged" in refusal(damage)


def test_every_damaged_byte_is_a_sentence() -> None:
    """Any single byte changed: the archive is refused in a sentence, or still good."""
    data = zipped({"mimetype": "application/epub+zip", "a.xml": "<a>" + "text " * 50 + "</a>"})
    sentences: set[str] = set()
    for place in range(len(data)):
        changed = bytearray(data)
        changed[place] ^= 0xFF
        try:
            open_archive(RawFile(bytes(changed), "some/file.docx"))
        except ParseError as error:
            sentences.add(str(error))
    assert sentences
    assert all(sentence.startswith("some/file.docx ") for sentence in sentences)


@pytest.mark.parametrize(
    "head", [BILLION_LAUGHS, EXTERNAL, "<!-- a --><?b c?>" + EXTERNAL, '<!DOCTYPE x SYSTEM "a[b" [<!ENTITY % p "q">]>']
)
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32", "cp037"])
def test_xml_entities_are_refused(head: str, encoding: str) -> None:
    """Refused in whatever way they are written, and whatever the entry is called."""
    data = f'<?xml version="1.0"?>\n{head}<x>&a9;</x>'.encode(encoding)
    assert "defines XML entities" in refusal(replaced(zipped(_SMALL), {"word/any.name": data}))


@pytest.mark.parametrize(
    "part",
    [
        (
            '<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.1//EN" '
            '"http://www.w3.org/TR/xhtml11/DTD/xhtml11.dtd"><html>a &amp; b</html>'
        ),
        "<!DOCTYPE html><html><![CDATA[ <!ENTITY a> ]]></html>",
        "<html><pre>&lt;!ENTITY a></pre><!-- <!ENTITY b> --></html>",
        "plain text about <!ENTITY",
        "<!DOCTYPE x [<!ATTLIST a b CDATA #IMPLIED>]><x/>",
    ],
)
def test_document_types_without_entities(part: str) -> None:
    """XHTML has a document type, and a book about XML shows entities: both are read."""
    assert open_archive(RawFile(zipped({"a.xhtml": part}), "a.epub")).infolist()


def test_an_entity_over_two_pieces() -> None:
    """The parts are searched piece by piece; what lies across two is found."""
    for shift in range(-10, 2):
        head = "<!DOCTYPE x [" + "<!-- -->"
        filler = " " * ((1 << 20) + shift - len(head))
        assert "defines XML entities" in refusal(
            zipped({"a.xml": head + filler + '<!ENTITY a "b">]><x/>'}, zipfile.ZIP_STORED)
        )
