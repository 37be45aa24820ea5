"""Read EML files (RFC 5322, MIME) with the standard library's lenient parser."""

from __future__ import annotations

import codecs
import mimetypes
import re
from collections.abc import Iterator, Sequence
from email.errors import HeaderParseError, MessageError
from email.header import decode_header
from email.message import Message
from email.parser import BytesParser
from email.policy import compat32
from functools import cached_property
from itertools import islice

from chunking.errors import ParseError, TooLargeError
from chunking.parsing.builder.reader_types import RawFile
from chunking.parsing.detection.encoding import decode
from chunking.parsing.formats.email.letters import (
    HEADERS,
    MAX_HEADER,
    MAX_NESTING,
    Attachment,
    Mail,
    MailBody,
    chosen,
    is_document,
    one_line,
)

__all__ = ["codec_of", "decoded_words", "read_message"]

_MOST_WORK = 100_000_000
"""Most lines times boundaries of a mail: bounds the parser's time."""
_READ = 4 * MAX_HEADER
_FIELD = re.compile(rb"^content-[a-z-]+:(?:[^\r\n]++|\r?\n[ \t])*+", re.IGNORECASE | re.MULTILINE)
_FIRST_PARTS = 20
"""Parts examined for the encoding of the headers."""
_WIDE = ("utf-16", "utf-32")
_LONGEST_FIELD = 100_000
"""Most bytes of a header, which the parser splits in quadratic time."""
_ALIASES = {
    "iso-8859-8-i": "iso-8859-8",
    "iso-8859-8-e": "iso-8859-8",
    "iso-8859-6-i": "iso-8859-6",
    "x-unknown": "",
    "unknown-8bit": "",
}
"""Codecs of charsets as mails name them; Chinese mails often state a smaller set than they use."""
_ALIASES |= {
    "gb2312": "gb18030",
    "gbk": "gb18030",
    "gb_2312-80": "gb18030",
    "ks_c_5601-1987": "cp949",
    "windows-31j": "cp932",
}
"""Charsets as mails name them, and the codecs that read them; Chinese mails often say a smaller set than they use."""

_SIGNATURES = frozenset({"application/pgp-signature", "application/pkcs7-signature", "application/x-pkcs7-signature"})
"""Types of parts that hold signatures, which are skipped."""
_NO_CHARSETS = frozenset({"idna", "punycode", "unicode-escape", "raw-unicode-escape"})
"""Codecs of Python that produce text and are no charsets."""


def read_message(raw: RawFile) -> Mail:
    """Parse an EML file into a mail; of several forms of a body, one is chosen.

    Raises:
        ParseError: the bytes are no mail.
        TooLargeError: parts nested too deep, or a header too long.
    """
    boundaries = min(raw.data.lower().count(b"boundary="), raw.data.count(b"\n--"))
    if boundaries * raw.data.count(b"\n") > _MOST_WORK:
        raise _too_deep(raw.source)
    if any(match.end() - match.start() > _LONGEST_FIELD for match in _FIELD.finditer(raw.data)):
        raise TooLargeError(f"{raw.source} has an implausibly long header; save its text as a file.", where=raw.source)
    try:
        message = BytesParser(policy=compat32).parsebytes(raw.data)
    except RecursionError as error:
        raise _too_deep(raw.source) from error
    except (MessageError, ValueError, LookupError) as error:
        raise ParseError(
            f"{raw.source} is no mail that can be read ({error}); save it again as .eml.", where=raw.source
        ) from error
    return _Reader(raw).mail(message, 0)


def _too_deep(source: str) -> TooLargeError:
    return TooLargeError(f"{source} nests its parts too deep; add the parts that matter as files.", where=source)


class _Reader:
    """Reader of one file: its nested mails share the user's choice of encoding."""

    def __init__(self, raw: RawFile) -> None:
        self._raw = raw

    def mail(self, message: Message, depth: int) -> Mail:
        """Read a message with its parts."""
        if depth > MAX_NESTING:
            raise _too_deep(self._raw.source)
        raw_headers: dict[str, str] = {}
        for name, value in message.raw_items():
            raw_headers.setdefault(name.lower(), str(value))
        bare = self._encoding_of(message)
        header_lines = {
            name: one_line(decoded_words(raw_headers.get(name.lower(), ""), self._raw.source, bare))
            for name in ("Subject", *HEADERS)
        }
        attachments: list[str] = []
        warnings: list[str] = []
        parts = tuple(self._parts(message, attachments, warnings, depth))
        if not parts and message.get_content_type() in (
            "multipart/encrypted",
            "application/pkcs7-mime",
            "application/x-pkcs7-mime",
        ):
            warnings.append("This mail is encrypted; its text cannot be read.")
        if any(len(raw_headers.get(name.lower(), "")) > _READ for name in HEADERS):
            warnings.append(f"A header line is very long; its first {MAX_HEADER:,} characters are kept.")
        headers = tuple((name, header_lines[name]) for name in HEADERS if header_lines[name])
        return Mail(header_lines["Subject"], headers, parts, tuple(attachments), tuple(warnings))

    def _encoding_of(self, message: Message) -> str | None:
        """Encoding of unencoded bytes in headers.

        The user's, or that of the mail's text: a name alone is too short to guess from.
        """
        if self._raw.encoding is not None or self._raw.data.isascii():
            return self._raw.encoding
        texts = [part for part in islice(message.walk(), _FIRST_PARTS) if part.get_content_maintype() == "text"]
        charsets = (codec_of(part.get_content_charset()) or "" for part in texts)
        return (
            next((name for name in charsets if name not in ("", "ascii") and not name.startswith(_WIDE)), None)
            or self._guessed
        )

    @cached_property
    def _guessed(self) -> str | None:
        """Encoding of the whole file; None if it mixes several."""
        try:
            return decode(self._raw.data, self._raw.source).encoding
        except ParseError:
            return None

    def _parts(
        self, part: Message, attachments: list[str], warnings: list[str], depth: int
    ) -> Iterator[MailBody | Mail | Attachment]:
        """Bodies and mails in a part, in order; names of everything else are added to `attachments`."""
        if depth > MAX_NESTING:
            raise _too_deep(self._raw.source)
        kind, inside = part.get_content_type(), _inside(part)
        if kind == "message/rfc822" and inside:
            yield self.mail(inside[0], depth + 1)
        elif kind == "multipart/alternative" and inside:
            yield from self._best([list(self._parts(one, attachments, warnings, depth + 1)) for one in inside])
        elif kind == "multipart/related" and inside:
            root = next((one for one in inside if one.get("Content-ID") == part.get_param("start")), inside[0])
            yield from self._parts(root, attachments, warnings, depth + 1)
            for one in inside:
                if one is not root and (_is_attached(one) or is_document(_file_name(one, self._raw.source))):
                    yield from self._parts(one, attachments, warnings, depth + 1)
        elif kind.startswith("multipart/") and inside:
            for one in inside:
                yield from self._parts(one, attachments, warnings, depth + 1)
        elif (kind in ("text/plain", "text/html") and not _is_attached(part)) or (
            kind.startswith("multipart/") and not inside
        ):
            yield from self._body(part, warnings, html=kind == "text/html")
        else:
            name = _file_name(part, self._raw.source)
            data = _payload(part) if is_document(name) else None
            if isinstance(data, bytes):
                yield Attachment(
                    name, _as_utf8(data, codec_of(part.get_content_charset())) if kind.startswith("text/") else data
                )
            elif kind not in _SIGNATURES and not (kind.startswith("image/") and not _is_attached(part)):
                attachments.append(name)

    @staticmethod
    def _best(alternatives: Sequence[list[MailBody | Mail | Attachment]]) -> list[MailBody | Mail | Attachment]:
        """The most informative form of a text, with the other content of its part."""
        bodies = {id(one): form for form in alternatives for one in form if isinstance(one, MailBody)}
        best = chosen(one for form in alternatives for one in form if isinstance(one, MailBody))
        if best is None:
            return [one for form in alternatives for one in form]
        others = (
            one
            for form in alternatives
            if form is not bodies[id(best)]
            for one in form
            if not isinstance(one, MailBody)
        )
        return [*bodies[id(best)], *others]  # some programs put what is attached into one form only

    def _body(self, part: Message, warnings: list[str], *, html: bool) -> Iterator[MailBody]:
        payload = _payload(part)
        if not isinstance(payload, bytes) or not payload.strip():
            return
        try:
            decoded = decode(payload, self._raw.source, self._raw.encoding or codec_of(part.get_content_charset()))
        except ParseError:
            if not part.get("MIME-Version") and not part.get("Content-Type") and not part.get("From"):
                raise  # not even a header: this is no mail
            warnings.append("A part of the e-mail is labelled as text but is not text, so it was not read.")
            return
        warnings += decoded.warnings
        flowed = not html and str(part.get_param("format") or "").lower() == "flowed"
        joint = "" if str(part.get_param("delsp") or "").lower() == "yes" else " "
        yield MailBody(_unflowed(decoded.text, joint) if flowed else decoded.text, html)


def decoded_words(value: str, source: str, encoding: str | None = None) -> str:
    """Decode the encoded words (RFC 2047) and bare bytes of a header value; broken ones stay.

    The value is cut to four times `MAX_HEADER` characters.

    Args:
        encoding: of bare bytes other than UTF-8; None: guess.

    >>> decoded_words("=?utf-8?B?5L2g5aW9?= <a@b.cn>", "a.eml")
    '你好 <a@b.cn>'
    """
    value = value[:_READ]
    if not value.isascii():
        value = _bare_text(value.encode("ascii", "surrogateescape"), source, encoding) if _is_bare(value) else value
    if "=?" not in value:
        return value
    try:
        words = decode_header(value)
    except (HeaderParseError, ValueError):
        return value
    return "".join(
        word if isinstance(word, str) else word.decode(codec_of(charset) or "ascii", "replace")
        for word, charset in words
    )


def _bare_text(value: bytes, source: str, encoding: str | None) -> str:
    for name in ("utf-8", encoding):
        try:
            return value.decode(name) if name else decode(value, source).text
        except (LookupError, ValueError):  # ParseError too: a line of a mail may be damaged
            continue
    return value.decode("utf-8", "replace")


def _is_bare(value: str) -> bool:
    """True if a value has undecoded bytes (surrogates, to the parser) and no other non-ASCII text."""
    return not re.search("[\x80-\ud7ff\ue000-\U0010ffff]", value)


def codec_of(charset: str | None) -> str | None:
    """Return Python's codec for a mail's charset; None if it is missing, unknown or no charset."""
    name = _ALIASES.get((charset or "").lower(), charset)
    try:
        codec = codecs.lookup(name).name if name else None
        b"a".decode(codec or "ascii", "replace")  # which those refuse that make no text, such as rot13
    except (LookupError, ValueError):
        return None
    return None if codec in _NO_CHARSETS else codec


def _payload(part: Message) -> object:
    """Return the bytes of a part; the library would also decode them, and fails for unknown charsets."""
    try:
        return part.get_payload(decode=True)
    except ValueError:
        part.del_param("charset")
        return part.get_payload(decode=True)


def _as_utf8(data: bytes, codec: str | None) -> bytes:
    """Re-encode a text from its stated charset; if that is wrong, its reader detects it."""
    try:
        return data.decode(codec).encode() if codec else data
    except ValueError:
        return data


def _inside(part: Message) -> list[Message]:
    payload = part.get_payload() if part.is_multipart() else None
    return [one for one in payload if isinstance(one, Message)] if isinstance(payload, list) else []


def _is_attached(part: Message) -> bool:
    return (part.get_content_disposition() or "") == "attachment"


def _file_name(part: Message, source: str) -> str:
    try:
        name = part.get_filename()
    except (ValueError, LookupError):
        name = None
    if name:
        return one_line(decoded_words(name, source))[:200]
    ending = mimetypes.guess_extension(part.get_content_type())
    attached = _is_attached(part) and ending is not None and is_document(ending)
    return f"attachment{ending}" if attached else f"a part of type {part.get_content_type()}"


def _unflowed(text: str, joint: str) -> str:
    """Join the lines of `format=flowed` paragraphs (RFC 3676): a trailing space continues the line."""
    lines: list[str] = []
    flowing = False
    for line in re.sub(r"\r\n?", "\n", text).split("\n"):
        quoted = line.startswith(">")
        line = line[1:] if line.startswith(" ") else line
        if flowing and not quoted and line != "-- ":
            lines[-1] = lines[-1][:-1] + joint + line
        else:
            lines.append(line)
        flowing = line.endswith(" ") and line != "-- " and not quoted
    return "\n".join(lines)
