"""What readers of a file have noted at its edge: blocks of their own where they are asked for, else left out and
counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from chunking.display import quantity
from chunking.model import BlockType
from chunking.parsing.builder.text_builder import Piece, Writer

__all__ = ["COMMENT", "Comment", "not_read", "write_comments"]

COMMENT = "comment"
"""The reason for which comments are left out, and what the meta of their blocks say."""


class Comment(NamedTuple):
    """One comment, or an answer to one."""

    text: str
    author: str = ""
    place: str = ""
    """Where it is tied to, for formats in which it cannot stand there: the name of a cell."""

    @property
    def line(self) -> str:
        """As it is read; empty where it says nothing.

        >>> Comment("Really?", "Mara Vogt").line, Comment("Mara Vogt:\\nReally?", "Mara Vogt", "B2").line, Comment(" ", "Mara Vogt").line
        ('Mara Vogt: Really?', 'B2, Mara Vogt: Really?', '')
        """
        text, author = self.text.strip(), " ".join(self.author.split())
        if author:
            text = text.removeprefix(f"{author}:").lstrip()  # spreadsheet programs write it into the text as well
        who = ", ".join(filter(None, (self.place, author)))
        return text and (f"{who}: {text}" if who else text)


def write_comments(writer: Writer, comments: Iterable[Comment], *, read: bool, page: int | None = None) -> int:
    """Write comments where the writer is, or take note of them as left out.

    Args:
        read: whether they were asked for (`RawFile.comments`).
        page: on which they stand.
    Returns:
        How many were left out.
    """
    lines = [one.line for one in comments if one.line]
    for line in lines:
        if read:
            writer.block(BlockType.PARAGRAPH, [Piece(line, page)], meta={COMMENT: True})
        else:
            writer.leave_out([Piece(line, page)], COMMENT)
    return 0 if read else len(lines)


def not_read(number: int) -> Iterator[str]:
    """The sentence for comments that were left out."""
    if number:
        yield (
            f"{quantity(number, 'comment')} {'was' if number == 1 else 'were'} left out; read the file with its "
            f"comments if they matter."
        )
