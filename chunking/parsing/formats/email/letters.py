"""A mail in a common form, and its blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby

from chunking.display import first_names
from chunking.model import BlockType
from chunking.parsing.builder.nested_files import InnerFiles, copy_blocks
from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.builder.text_builder import Writer
from chunking.parsing.formats.html.reader import write_html
from chunking.parsing.formats.plain_text import read_text

__all__ = [
    "HEADERS",
    "MAX_HEADER",
    "MAX_NESTING",
    "Attachment",
    "Mail",
    "MailBody",
    "chosen",
    "is_document",
    "one_line",
    "read_letter",
]

HEADERS = ("From", "To", "Cc", "Date")
"""Header lines that become text: the ones people copy with a mail."""
MAX_HEADER = 2_000
"""Most characters of a header line."""
MAX_NESTING = 50
"""Most nested mails and parts."""
_MOST_NAMED, _LONGEST_NAME = 10, 100
"""Attachments named in a warning, and characters of each name."""

_STRUCTURE = re.compile(r"<(?:h[1-6]|ul|ol|table|blockquote|pre)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file attached to a mail whose name has the extension of a known format."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail: subject, main headers, and in order its bodies, inner mails, readable attachments."""

    subject: str
    headers: tuple[tuple[str, str], ...]
    """Names and values, in the order of `HEADERS`."""
    parts: tuple[MailBody | Mail | Attachment, ...]
    attachments: tuple[str, ...] = ()
    """Names of unread attachments."""
    warnings: tuple[str, ...] = ()

    @property
    def words(self) -> bytes:
        """Subject, headers and bodies as UTF-8, as the bytes of a mail inside another file."""
        texts = (part.text for part in self.parts if isinstance(part, MailBody))
        return "\n".join([self.subject, *map(": ".join, self.headers), *texts]).encode("utf-8", "surrogatepass")


def chosen(bodies: Iterable[MailBody]) -> MailBody | None:
    """Choose one body: HTML with structure, else non-blank plain text, else the first; or None."""
    candidates = list(bodies)
    structured = [body for body in candidates if body.html and _STRUCTURE.search(body.text)]
    plain = [body for body in candidates if not body.html and body.text.strip()]
    return next(iter([*structured, *plain, *candidates]), None)


def is_document(name: str) -> bool:
    """True if an attachment's name has the extension of a known format, so that reading is tried.

    Its content then decides, as for any file; pictures and sounds are not even tried.
    """
    from chunking.parsing.registry import FORMATS  # the registry names this reader

    return name.lower().endswith(tuple(ending for row in FORMATS for ending in row.extensions))


def one_line(value: str) -> str:
    """Return a header value on one line, cut to `MAX_HEADER` characters with `…`."""
    line = " ".join(value.split())
    return line if len(line) <= MAX_HEADER else line[: MAX_HEADER - 1].rstrip() + "…"


def read_letter(mail: Mail, raw: RawFile) -> Reading:
    """Build the reading of a mail; mails and documents in it become inner files, named in a line.

    Args:
        raw: the file with the mail.
    Raises:
        TooLargeError: over a limit of HTML or of the text.
    """
    writer, inner, warnings = Writer(raw.source), InnerFiles(), list[str]()
    writer.block(BlockType.HEADING, mail.subject, level=1)
    writer.block(BlockType.METADATA, "\n".join(f"{name}: {value}" for name, value in mail.headers))
    for part in mail.parts:
        if isinstance(part, MailBody):
            warnings += write_body(part, writer, raw.source)
            continue
        if isinstance(part, Mail):
            name = inner.add(f"{part.subject.replace('/', '-') or 'mail'}.eml", part.words, partial(read_letter, part))
        else:
            name = inner.add(part.name, part.data)
        writer.block(BlockType.METADATA, f"Attachment: {name}")
    if mail.attachments:
        warnings.append(_attached(mail.attachments))
    unique = dict.fromkeys([*warnings, *mail.warnings])
    return writer.finish(title=mail.subject or None, warnings=unique, inner_files=inner)


def _attached(names: Sequence[str]) -> str:
    short = [name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…" for name in names]
    listed = first_names(short, _MOST_NAMED)
    return (
        f"1 attachment was not read: {listed}."
        if len(names) == 1
        else f"{len(names):,} attachments were not read: {listed}."
    )


_LINE_END = re.compile(r"\r\n?")


@dataclass(frozen=True, slots=True)
class MailBody:
    """One body of a mail, as HTML or as plain text."""

    text: str
    html: bool = False


def write_body(body: MailBody, writer: Writer, source: str) -> tuple[str, ...]:
    """Write a mail's body, with headings below level 1; return the warnings of an HTML body.

    In plain text, `>` lines are quotes.

    Raises:
        TooLargeError: over a limit of HTML or of the text.
    """
    if body.html:
        return write_html(
            body.text.encode("utf-8"), writer, source=source, encoding="utf-8", base_level=1, guess=True
        ).warnings
    for quoted, lines in groupby(_LINE_END.sub("\n", body.text).split("\n"), key=lambda line: line.startswith(">")):
        run = "\n".join(lines)
        if quoted:
            writer.block(BlockType.QUOTE, run)
        elif run.strip():
            _write_plain(run, writer, source)
    return ()


def _write_plain(run: str, writer: Writer, source: str) -> None:
    """Write the blocks of a plain text."""
    copy_blocks(read_text(RawFile(run.encode("utf-8"), source, "utf-8")), writer, deeper=1)
