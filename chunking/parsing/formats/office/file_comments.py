"""Comments of office files: blocks of their own if requested, otherwise left out and counted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from chunking.display import quantity
from chunking.model import BlockType
from chunking.parsing.builder.text_builder import Piece, Writer

__all__ = ["COMMENT", "Comment", "not_read", "write_comments"]

COMMENT = "comment"
"""Reason for leaving comments out, and key of their blocks' `meta`."""


class Comment(NamedTuple):
    """A comment, or an answer to one, with its author and place if known."""

    text: str
    author: str = ""
    place: str = ""
    """Cell name or the like, in formats where a comment cannot be put next to its text."""

    @property
    def line(self) -> str:
        """The comment as a line with author and place; empty if it has no text.

        >>> Comment("Really?", "Mara Vogt").line, Comment("Mara Vogt:\\nReally?", "Mara Vogt", "B2").line
        ('Mara Vogt: Really?', 'B2, Mara Vogt: Really?')
        """
        text, author = self.text.strip(), " ".join(self.author.split())
        if author:
            text = text.removeprefix(f"{author}:").lstrip()  # spreadsheet programs write it into the text as well
        origin = ", ".join(filter(None, (self.place, author)))
        return text and (f"{origin}: {text}" if origin else text)


def write_comments(writer: Writer, comments: Iterable[Comment], *, read: bool, page: int | None = None) -> int:
    """Write comments as paragraphs at the current place, or record them as left out.

    Args:
        read: comments are requested (`RawFile.comments`).
        page: they are on.
    Returns:
        Number left out; comments without text do not count.
    """
    lines = [one.line for one in comments if one.line]
    for line in lines:
        if read:
            writer.block(BlockType.PARAGRAPH, [Piece(line, page)], meta={COMMENT: True})
        else:
            writer.leave_out([Piece(line, page)], COMMENT)
    return 0 if read else len(lines)


def not_read(number: int) -> Iterator[str]:
    """Yield a warning with the number of comments left out; nothing for 0."""
    if number:
        yield (
            f"{quantity(number, 'comment')} {'was' if number == 1 else 'were'} left out; read the file with its "
            f"comments if they matter."
        )
