"""What a mail is, however it was stored, and its blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from chunking.errors import ParseError
from chunking.model import BlockType
from chunking.parsing.html import write_html
from chunking.parsing.nested import read_nested, write_reading
from chunking.parsing.plain import read_text
from chunking.parsing.reading import RawFile
from chunking.parsing.writing import Writer

__all__ = ["HEADERS", "MAX_HEADER", "MAX_NESTING", "Attachment", "Body", "Mail", "chosen", "is_text", "one_line", "write_mail"]

HEADERS = ("From", "To", "Cc", "Date")
"""The header lines that are text: what a person copies with a mail."""
MAX_HEADER = 2_000
"""Characters of a header line."""
MAX_NESTING = 50
"""Most mails and parts inside one another."""
_SHOWN = 10

_STRUCTURE = re.compile(r"<(?:h[1-6]|ul|ol|table|blockquote|pre)\b", re.IGNORECASE)
_LINE_END = re.compile(r"\r\n?")


@dataclass(frozen=True, slots=True)
class Body:
    """Text of a mail, HTML or plain."""

    text: str
    html: bool = False


@dataclass(frozen=True, slots=True)
class Attachment:
    """A text that is attached to a mail."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail with everything in it that is read."""

    subject: str
    headers: tuple[tuple[str, str], ...]
    """Name and value, in the order of `HEADERS`."""
    parts: tuple[Body | Mail | Attachment, ...]
    attachments: tuple[str, ...] = ()
    """Names of the files that are not read, also of mails inside."""
    warnings: tuple[str, ...] = ()


def chosen(bodies: Iterable[Body]) -> Body | None:
    """Of the same text in several forms: HTML where it has a structure, else plain text, whose lines are as they were typed."""
    known = list(bodies)
    structured = [body for body in known if body.html and _STRUCTURE.search(body.text)]
    plain = [body for body in known if not body.html and body.text.strip()]
    return next(iter([*structured, *plain, *known]), None)


_TEXT_ENDINGS = (".txt", ".text", ".log", ".md", ".markdown", ".csv", ".tsv", ".html", ".htm", ".rtf")


def is_text(name: str) -> bool:
    """Whether a file of this name is read where it is attached to a mail."""
    return name.lower().endswith(_TEXT_ENDINGS)


def one_line(value: str) -> str:
    """A header's value on one line, `MAX_HEADER` characters at most."""
    line = " ".join(value.split())
    return line if len(line) <= MAX_HEADER else line[: MAX_HEADER - 1].rstrip() + "…"


def write_mail(mail: Mail, writer: Writer, raw: RawFile, *, level: int = 1) -> Iterator[str]:
    """Write a mail's blocks; what the person who uploaded it should know.

    Args:
        raw: the file that the mail is in.
        level: of the subject's heading. The mails inside, and headings in the text, are below it.
    Raises:
        TooLargeError: over a limit of HTML or of the text.
    """
    if mail.subject:
        writer.block(BlockType.HEADING, mail.subject, level=min(level, 6))
    elif level > 1:
        writer.open_section(min(level, 6))
    writer.block(BlockType.METADATA, "\n".join(f"{name}: {value}" for name, value in mail.headers))
    source, unread = raw.source, list(mail.attachments)
    for part in mail.parts:
        if isinstance(part, Mail):
            yield from write_mail(part, writer, raw, level=level + 1)
        elif isinstance(part, Attachment):
            unread += _write_attachment(part, writer, raw, level + 1)
        elif part.html:
            facts = write_html(part.text.encode("utf-8"), writer, source=source, encoding="utf-8", base_level=level)
            yield from facts.warnings
        else:
            _write_plain(_LINE_END.sub("\n", part.text), writer, source, level)
    if unread:
        yield _attached(unread)
    yield from mail.warnings


def _write_attachment(attachment: Attachment, writer: Writer, raw: RawFile, level: int) -> list[str]:
    """A section, headed by the file's name; its name again where it could not be read."""
    try:
        reading = read_nested(raw, attachment.name, attachment.data) if attachment.data.strip() else None
    except ParseError:
        reading = None
    if reading is None or not reading.blocks:
        return [attachment.name]
    writer.block(BlockType.HEADING, attachment.name, level=min(level, 6))
    write_reading(writer, reading, level=level)
    return []


def _attached(names: Sequence[str]) -> str:
    shown = ", ".join(names[:_SHOWN]) + (f" and {len(names) - _SHOWN:,} more" if len(names) > _SHOWN else "")
    return f"1 attachment was not read: {shown}." if len(names) == 1 else f"{len(names):,} attachments were not read: {shown}."


def _write_plain(text: str, writer: Writer, source: str, level: int) -> None:
    """Paragraphs as in a text file; lines that begin with `>` are a quote."""
    for quoted, lines in groupby(text.split("\n"), key=lambda line: line.startswith(">")):
        run = "\n".join(lines)
        if quoted:
            writer.block(BlockType.QUOTE, run)
        elif run.strip():
            _write_own(run, writer, source, level)


def _write_own(run: str, writer: Writer, source: str, level: int) -> None:
    write_reading(writer, read_text(RawFile(run.encode("utf-8"), source, "utf-8")), level=level)
