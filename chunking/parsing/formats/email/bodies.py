"""The text of a mail, HTML or plain, written block by block."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import groupby

from chunking.model import BlockType
from chunking.parsing.builder.copied_blocks import copy_blocks
from chunking.parsing.builder.reader_types import RawFile
from chunking.parsing.builder.text_builder import Writer
from chunking.parsing.formats.html import write_html
from chunking.parsing.formats.plain_text import read_text

__all__ = ["MailBody", "write_body"]

_LINE_END = re.compile(r"\r\n?")


@dataclass(frozen=True, slots=True)
class MailBody:
    """Text of a mail, HTML or plain."""

    text: str
    html: bool = False


def write_body(body: MailBody, writer: Writer, source: str) -> tuple[str, ...]:
    """Write it, headings below that of the mail's subject; what the person who uploaded it should know.

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
    """The blocks of a text file."""
    copy_blocks(read_text(RawFile(run.encode("utf-8"), source, "utf-8")), writer, deeper=1)
