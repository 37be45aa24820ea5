"""Read a mail file: EML by `messages`, Outlook's MSG here.

MSG files hold properties in the streams of an OLE2 file (MS-OXMSG), read with olefile.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from email.parser import HeaderParser
from typing import TYPE_CHECKING

from chunking.errors import ParseError, TooLargeError
from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.detection.encoding import decode
from chunking.parsing.formats.email.letters import (
    HEADERS,
    MAX_NESTING,
    Attachment,
    Mail,
    MailBody,
    chosen,
    is_document,
    one_line,
    read_letter,
)
from chunking.parsing.formats.email.messages import codec_of, decoded_words, read_message

if TYPE_CHECKING:
    from olefile import OleFileIO

__all__ = ["read_mail", "read_outlook"]

_MAGIC = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"

_BODY, _HTML, _SUBJECT, _HEADERS, _RICH = "1000", "1013", "0037", "007D", "1009"
_SENDER_NAME, _SENDER_SMTP, _SENDER_ADDRESS = "0C1A", "5D01", "0C1F"
_TO, _CC = "0E04", "0E03"
_LONG_NAME, _SHORT_NAME, _SHOWN_NAME, _EMBEDDED = "3707", "3704", "3001", "3701000D"
_DATA = "37010102"
_CONTENT_ID, _IMAGES = "3712", (".png", ".jpg", ".jpeg", ".gif", ".bmp", ".svg")
_SENT, _BODY_CODEPAGE, _CODEPAGE = 0x0039, 0x3FDE, 0x3FFD
_HEADER_SIZES = (32, 24, 8)
"""Bytes before the first property: of a file, a nested mail, an attachment."""
_CODECS = {
    **{936: "gb18030", 1200: "utf-16-le", 20127: None, 65001: "utf-8", 20866: "koi8-r", 21866: "koi8-u"},
    **{
        28591: "cp1252",
        **{28590 + part: f"iso8859-{part}" for part in (2, 3, 4, 5, 6, 7, 8, 9, 13, 15)},
        38598: "iso8859-8",
    },
    **{50220: "iso2022_jp", 50221: "iso2022_jp", 50222: "iso2022_jp", 50225: "iso2022_kr"},
    **{
        20932: "euc_jp",
        51932: "euc_jp",
        51949: "euc_kr",
        20936: "gb18030",
        51936: "gb18030",
        52936: "hz",
        54936: "gb18030",
    },
}
"""Windows code pages whose codec has another name; None: guess."""
_FAULTS = (OSError, ValueError, KeyError, IndexError, struct.error, OverflowError, TypeError, AttributeError)
"""Exceptions of olefile on damaged files; its own are OSErrors."""


def read_mail(raw: RawFile) -> Reading:
    """Read an EML or MSG file, told apart by content: the subject as heading, headers, bodies.

    A forwarded mail is a file of its own, and so is every readable attachment; others are named in a warning.

    Raises:
        ParseError: it is no mail.
        TooLargeError: over a limit of parts, of HTML, or of the text.
    """
    return read_letter(read_outlook(raw) if raw.data.startswith(_MAGIC) else read_message(raw), raw)


def read_outlook(raw: RawFile) -> Mail:
    """Parse an MSG file (Outlook, OLE2) into a mail.

    Raises:
        ParseError: it is no mail, or damaged.
        TooLargeError: mails nested too deep.
    """
    from olefile import OleFileIO

    try:
        with OleFileIO(raw.data) as file:
            storage = _Storage(file, raw.source, ())
            if not storage.streams:
                raise ValueError("no properties")
            return storage.mail(raw.encoding)
    except ParseError:
        raise
    except _FAULTS as error:
        raise ParseError(
            f"{raw.source} is not an Outlook mail, or is damaged; save it again, as .eml if possible.", where=raw.source
        ) from error


class _Storage:
    """A storage (folder) of the file: the mail itself, an attachment, or an attached mail."""

    def __init__(self, file: OleFileIO, source: str, path: tuple[str, ...]) -> None:
        self._file, self._source, self._path = file, source, path
        entries = [entry for entry in file.listdir(streams=True, storages=True) if tuple(entry[: len(path)]) == path]
        depth = len(path) + 1
        self.streams = {
            entry[-1].upper(): entry for entry in entries if len(entry) == depth and entry[-1].startswith("__substg")
        }
        self._folders = [entry[-1] for entry in entries if len(entry) == depth and entry[-1].startswith("__attach")]
        self._values = self._fixed_values(entries)

    def mail(self, encoding: str | None) -> Mail:
        if len(self._path) > 2 * MAX_NESTING:
            raise TooLargeError(f"{self._source} nests mails too deep to be read.", where=self._source)
        bodies = [
            MailBody(text, html)
            for tag, html in ((_HTML, True), (_BODY, False))
            if (text := self._text(tag, encoding)).strip()
        ]
        body = chosen(bodies)
        parts: list[MailBody | Mail | Attachment] = [body] if body else []
        attachments: list[str] = []
        for name in self._folders:
            attached = _Storage(self._file, self._source, (*self._path, name))
            embedded = (*self._path, name, f"__substg1.0_{_EMBEDDED}")
            if self._file.exists("/".join(embedded)):
                parts.append(_Storage(self._file, self._source, embedded).mail(encoding))
            elif is_document(file := attached.file_name()) and (data := attached.data()):
                parts.append(Attachment(file, data))
            elif not attached.is_inline_image(file):
                attachments.append(file)
        rich = not bodies and any(stream.startswith(f"__SUBSTG1.0_{_RICH}") for stream in self.streams)
        warnings = (
            ("The text of this mail is kept as rich text only, which is not read; save it as .eml.",) if rich else ()
        )
        return Mail(one_line(self._text(_SUBJECT)), tuple(self._headers()), tuple(parts), tuple(attachments), warnings)

    def file_name(self) -> str:
        """Name of an attachment."""
        names = (self._text(tag) for tag in (_LONG_NAME, _SHORT_NAME, _SHOWN_NAME))
        return next((one_line(name)[:200] for name in names if name.strip()), "a file without a name")

    def is_inline_image(self, file: str) -> bool:
        """True for a picture shown in the text, such as a logo below a signature."""
        return file.lower().endswith(_IMAGES) and bool(self._text(_CONTENT_ID))

    def data(self) -> bytes:
        """Bytes of an attachment; empty if stored elsewhere."""
        entry = self.streams.get(f"__SUBSTG1.0_{_DATA}")
        return b"" if entry is None else bytes(self._file.openstream(entry).read())

    def _headers(self) -> Iterator[tuple[str, str]]:
        """Headers as sent, else as stored by Outlook."""
        sent = HeaderParser().parsestr(self._text(_HEADERS))
        name, address = self._text(_SENDER_NAME), self._text(_SENDER_SMTP) or self._text(_SENDER_ADDRESS)
        stored = {"From": f"{name} <{address}>" if "@" in address and name != address else name or address}
        stored |= {"To": self._text(_TO), "Cc": self._text(_CC), "Date": self._date()}
        for header in HEADERS:
            value = one_line(decoded_words(str(sent.get(header) or ""), self._source) or stored[header])
            if value:
                yield header, value

    def _text(self, tag: str, encoding: str | None = None) -> str:
        """A property as text: UTF-16, the mail's code page, or self-describing HTML bytes."""
        for kind in ("001F", "001E", "0102"):
            entry = self.streams.get(f"__SUBSTG1.0_{tag}{kind}")
            if entry is None:
                continue
            data = self._file.openstream(entry).read()
            if not data.strip(b"\0 "):
                continue
            return decode(
                data.rstrip(b"\0") if kind != "001F" else data,
                self._source,
                "utf-16-le" if kind == "001F" else encoding or self._codec(),
            ).text.rstrip("\ufffd")
        return ""

    def _codec(self) -> str | None:
        page = self._values.get(_BODY_CODEPAGE) or self._values.get(_CODEPAGE) or bytes(8)
        number = struct.unpack("<I", page[:4])[0]
        return codec_of(_CODECS.get(number, f"cp{number}"))

    def _date(self) -> str:
        value = self._values.get(_SENT)
        if value is None:
            return ""
        try:
            moment = datetime(1601, 1, 1, tzinfo=UTC) + timedelta(microseconds=struct.unpack("<Q", value)[0] // 10)
        except OverflowError:  # a day that no calendar has: the rest of the mail is as good as before
            return ""
        return moment.strftime("%Y-%m-%d %H:%M UTC")

    def _fixed_values(self, entries: list[list[str]]) -> dict[int, bytes]:
        """Fixed-size properties by number, 8 bytes each."""
        stream = [*self._path, "__properties_version1.0"]
        if stream not in entries:
            return {}
        data = self._file.openstream(stream).read()
        attached = bool(self._path) and self._path[-1].startswith("__attach")
        start = _HEADER_SIZES[2 if attached else 1 if self._path else 0]
        return {number: value for _, number, _, value in struct.iter_unpack("<HHI8s", _complete_records(data[start:]))}


def _complete_records(data: bytes) -> bytes:
    return data[: len(data) // 16 * 16]
