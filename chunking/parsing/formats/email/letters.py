"""What a mail is, however it was stored, and its blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial

from chunking.display import first_names
from chunking.model import BlockType
from chunking.parsing.builder.nested_files import InnerFiles
from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.builder.text_builder import Writer
from chunking.parsing.formats.email.bodies import MailBody, write_body

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
"""The header lines that are text: what a person copies with a mail."""
MAX_HEADER = 2_000
"""Characters of a header line."""
MAX_NESTING = 50
"""Most mails and parts inside one another."""
_SHOWN, _LONGEST_NAME = 10, 100
"""Attachments that are named in a warning; characters of a name there."""

_STRUCTURE = re.compile(r"<(?:h[1-6]|ul|ol|table|blockquote|pre)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Attachment:
    """A document that is attached to a mail."""

    name: str
    data: bytes


@dataclass(frozen=True, slots=True)
class Mail:
    """A mail with everything in it that is read."""

    subject: str
    headers: tuple[tuple[str, str], ...]
    """Name and value, in the order of `HEADERS`."""
    parts: tuple[MailBody | Mail | Attachment, ...]
    attachments: tuple[str, ...] = ()
    """Names of the files that are not read."""
    warnings: tuple[str, ...] = ()

    @property
    def words(self) -> bytes:
        """What it says itself, as UTF-8: by which it is told from other mails."""
        texts = (part.text for part in self.parts if isinstance(part, MailBody))
        return "\n".join([self.subject, *map(": ".join, self.headers), *texts]).encode("utf-8", "surrogatepass")


def chosen(bodies: Iterable[MailBody]) -> MailBody | None:
    """Of the same text in several forms: HTML where it has a structure, else plain text, whose lines are as they were
    typed.
    """
    known = list(bodies)
    structured = [body for body in known if body.html and _STRUCTURE.search(body.text)]
    plain = [body for body in known if not body.html and body.text.strip()]
    return next(iter([*structured, *plain, *known]), None)


def is_document(name: str) -> bool:
    """Whether a file of this name is read where it is attached to a mail: whatever can be read as a file of its own.

    What its content shows decides then, as for any file; a picture or a sound is not even tried.
    """
    from chunking.parsing.registry import FORMATS  # the registry names this reader

    return name.lower().endswith(tuple(ending for row in FORMATS for ending in row.extensions))


def one_line(value: str) -> str:
    """A header's value on one line, `MAX_HEADER` characters at most."""
    line = " ".join(value.split())
    return line if len(line) <= MAX_HEADER else line[: MAX_HEADER - 1].rstrip() + "…"


def read_letter(mail: Mail, raw: RawFile) -> Reading:
    """A mail's blocks; a line stands where a mail or document in it stood, which is a file in the file.

    Args:
        raw: the file that the mail is in.
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
    known = dict.fromkeys([*warnings, *mail.warnings])
    return writer.finish(title=mail.subject or None, warnings=known, inner_files=inner)


def _attached(names: Sequence[str]) -> str:
    short = [name if len(name) <= _LONGEST_NAME else f"{name[:_LONGEST_NAME]}…" for name in names]
    shown = first_names(short, _SHOWN)
    return (
        f"1 attachment was not read: {shown}."
        if len(names) == 1
        else f"{len(names):,} attachments were not read: {shown}."
    )
