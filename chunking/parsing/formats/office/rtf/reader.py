"""Read an RTF file: events of `source` to paragraphs and rows, and these to blocks."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any, NamedTuple

from chunking.model import BlockType
from chunking.parsing.builder.reader_types import CONTENTS, RawFile, Reading
from chunking.parsing.builder.table_headers import count_header_rows
from chunking.parsing.builder.text_builder import Writer
from chunking.parsing.formats.html.html_elements import collapse
from chunking.parsing.formats.office.file_comments import COMMENT, Comment, not_read
from chunking.parsing.formats.office.rtf.source import Event, RtfSource
from chunking.parsing.formats.office.style_names import level_of, role_of
from chunking.text.raised_text import SUBSCRIPT, SUPERSCRIPT, add_raised

__all__ = ["read_rtf"]

_BODY_TEXT = 9
"""Outline level of body text."""
_LEFT_OUT = {
    **dict.fromkeys(("header", "headerf", "headerl", "headerr"), "page header"),
    **dict.fromkeys(("footer", "footerf", "footerl", "footerr"), "page footer"),
    "annotation": COMMENT,
}
_MARKERS = frozenset({"listtext", "pntext"})


def read_rtf(raw: RawFile) -> Reading:
    """Read an RTF file; a truncated one up to its end.

    Notes, boxes and requested comments follow their paragraph or table. Headers, footers, other comments and lines of
    tables of contents are left out; deleted and hidden text is no text. Pictures and embedded files are not read.

    Raises:
        TooLargeError: its text is over the limit.
    """
    source = RtfSource(raw.data, raw.encoding)
    story = read_story(source.events(), comments=raw.comments)
    writer = Writer(raw.source)
    for kind, group in groupby(story.items, key=_kind):
        _WRITERS[kind](writer, list(group))
    for words, reason in dict.fromkeys(story.left_out):
        writer.leave_out(words, reason)
    left_out = sum(reason == COMMENT and bool(words) for words, reason in story.left_out)
    return writer.finish(
        title=story.title or None, encoding=source.encoding, warnings=[*source.warnings, *not_read(left_out)]
    )


def _kind(item: RtfParagraph | RtfRow) -> str:
    if isinstance(item, RtfRow):
        return "table"
    if item.contents:
        return "contents"
    return "list" if item.marker is not None and not item.level else "paragraph"


def _write_paragraphs(writer: Writer, items: Sequence[RtfParagraph]) -> None:
    for item in items:
        if item.level:
            label = " ".join(f"{counting(item.marker)} {item.text}".split())
            writer.block(BlockType.HEADING, label, level=min(item.level, 6))
        else:
            writer.block(BlockType.PARAGRAPH, item.text, meta={COMMENT: True} if item.comment else {})


def _write_list(writer: Writer, items: Sequence[RtfParagraph]) -> None:
    least = min(item.depth for item in items)
    meta = {"depth": max(item.depth for item in items) - least + 1, "items": len(items)}
    writer.block(BlockType.LIST, "\n".join(_item_lines(items, least)), meta=meta)


def _item_lines(items: Sequence[RtfParagraph], least: int) -> Iterator[str]:
    for item in items:
        indent = "  " * (item.depth - least)
        yield f"{indent}{counting(item.marker) or '-'} " + item.text.replace("\n", f"\n{indent}  ")


def _write_table(writer: Writer, rows: Sequence[RtfRow]) -> None:
    """Write a table; a single row, or single cells, are layout and become paragraphs."""
    cells = [row.cells for row in rows if any(row.cells)]
    headers = next((number for number, row in enumerate(rows) if not row.header), len(rows))
    if not headers and (len(cells) < 2 or max(map(len, cells)) < 2):
        for text in (text for row in cells for text in row):
            writer.block(BlockType.PARAGRAPH, text)
    else:
        writer.table(cells, header_rows=headers or count_header_rows(cells))


def _leave_out(writer: Writer, items: Sequence[RtfParagraph]) -> None:
    writer.leave_out("\n".join(item.text for item in items), CONTENTS)


_WRITERS: dict[str, Callable[[Writer, Sequence[Any]], None]] = {
    "table": _write_table,
    "contents": _leave_out,
    "list": _write_list,
    "paragraph": _write_paragraphs,
}


# -- paragraphs and rows from text and control words


@dataclass(frozen=True, slots=True)
class RtfParagraph:
    """A paragraph with text: heading, list item, contents line, comment or running text."""

    text: str
    level: int = 0
    """Heading level 1 to 9, else 0."""
    marker: str | None = None
    """List marker, such as `1.` or a bullet."""
    depth: int = 0
    """Depth in that list, from 0."""
    contents: bool = False
    """True for a line of a table of contents."""
    comment: bool = False


@dataclass(frozen=True, slots=True)
class RtfRow:
    """Cells of a table row, and whether the file marks it as a header."""

    cells: tuple[str, ...]
    header: bool


@dataclass(slots=True)
class Story:
    """Paragraphs and table rows of a file in order, its title, and its left-out texts."""

    items: list[RtfParagraph | RtfRow] = field(default_factory=list)
    title: str = ""
    left_out: list[tuple[str, str]] = field(default_factory=list)
    """(text, reason)."""


class _State(NamedTuple):
    """Settings valid until the group ends."""

    style: int = 0
    outline: int | None = None
    depth: int = 0
    in_table: bool = False
    hidden: bool = False
    deleted: bool = False
    raised: str = ""
    """`SUPERSCRIPT`, `SUBSCRIPT` or empty."""


@dataclass(slots=True)
class _Stream:
    """Text of one destination: the body, a note, a header."""

    kind: str = ""
    items: list[RtfParagraph | RtfRow] = field(default_factory=list)
    waiting: list[RtfParagraph | RtfRow] = field(default_factory=list)
    """Notes and boxes, until their paragraph or table ends."""
    run: list[str] = field(default_factory=list)
    cell: list[str] = field(default_factory=list)
    """Finished paragraphs of the open cell, with their numbers."""
    cells: list[str] = field(default_factory=list)
    marker: str | None = None
    header: bool = False


def read_story(events: Iterable[Event], *, comments: bool = False) -> Story:
    """Build paragraphs and rows from the events of `RtfSource`; deleted and hidden text is dropped.

    Args:
        comments: true: they follow their paragraph or table; else they are left out.
    """
    reader = _Reader(comments)
    for word, value in events:
        if word:
            reader.apply(word, value)
        else:
            reader.add(value)
    return reader.finish()


class _Reader:
    def __init__(self, comments: bool) -> None:
        self._comments = comments
        self._author = ""
        """Author of the next comment."""
        self._story = Story()
        self._state = _State()
        self._stream = _Stream()
        self._stack: list[tuple[_State, _Stream]] = []
        self._headings: dict[int, int] = {}
        self._contents: set[int] = set()
        self._notes = 0

    def add(self, text: str) -> None:
        if self._state.hidden or self._state.deleted:
            return
        if self._state.raised:
            add_raised(self._stream.run, text, self._state.raised)
        else:
            self._stream.run.append(text)

    def apply(self, word: str, number: str) -> None:
        action = _ACTIONS.get(word)
        if action is not None:
            action(self, number)
        elif word in _PROPERTIES:
            self._state = _PROPERTIES[word](self._state, int(number or (word in _SWITCHES)))
        else:
            self._stream = _Stream(word)
            self._notes += word == "footnote"

    def finish(self) -> Story:
        while self._stack:  # of a file that was cut off
            self.close()
        self._end_stream(self._stream)
        self._story.items = self._stream.items
        return self._story

    def open(self, _: str = "") -> None:
        self._stack.append((self._state, self._stream))

    def close(self, _: str = "") -> None:
        ended = self._stream
        if ended.kind == "stylesheet":
            self._name_style("".join(ended.run))
            ended.run = []
        if self._stack:
            self._state, self._stream = self._stack.pop()
        if ended is not self._stream:
            self._place(ended)

    def _name_style(self, name: str) -> None:
        """Record the effect of a style of the style sheet."""
        name, state = name.strip().rstrip(";").strip(), self._state
        level = level_of(name)
        if role_of(name) == "contents":
            self._contents.add(state.style)
        elif state.outline is not None and state.outline < _BODY_TEXT:
            self._headings[state.style] = state.outline + 1
        elif level:
            self._headings[state.style] = level

    def _place(self, ended: _Stream) -> None:
        """Put a finished text where it belongs."""
        if ended.kind in _MARKERS:
            self._stream.marker = collapse("".join(ended.run))
        elif ended.kind == "title":
            self._story.title = collapse("".join(ended.run))
        elif ended.kind == "atnauthor":
            self._author = collapse("".join(ended.run))
        elif ended.kind != "stylesheet":
            self._end_stream(ended)
            if ended.kind in _LEFT_OUT:
                self._place_left_out("\n".join(map(_words, ended.items)), _LEFT_OUT[ended.kind])
            else:
                self._stream.waiting += ended.items

    def _place_left_out(self, words: str, reason: str) -> None:
        """Record a text as left out, unless it is a requested comment."""
        if reason == COMMENT:
            words, self._author = Comment(words, self._author).line, ""
        if reason == COMMENT and self._comments and words:
            self._stream.waiting.append(RtfParagraph(words, comment=True))
        else:
            self._story.left_out.append((words, reason))

    def _end_stream(self, stream: _Stream) -> None:
        outer, self._stream = self._stream, stream
        if stream.cells:
            self.end_row()
        self._end_paragraph()
        stream.items += stream.waiting
        stream.waiting = []
        self._stream = outer

    # what ends something

    def end_paragraph(self, _: str = "") -> None:
        if self._state.in_table:
            self._end_cell_paragraph()
            return
        if self._stream.cells:
            self.end_row()
        self._end_paragraph()

    def _end_paragraph(self) -> None:
        stream, state = self._stream, self._state
        text = _lines("\n".join([*stream.cell, "".join(stream.run)]))
        stream.run, stream.cell, marker, stream.marker = [], [], stream.marker, None
        if not text:
            return
        if stream.items and isinstance(stream.items[-1], RtfRow):
            stream.items += stream.waiting
            stream.waiting = []
        level = self._headings.get(state.style, 0) if state.outline is None else (state.outline + 1) % (_BODY_TEXT + 1)
        stream.items.append(RtfParagraph(text, level, marker, state.depth, state.style in self._contents))
        stream.items += stream.waiting
        stream.waiting = []

    def end_cell(self, _: str = "") -> None:
        self._end_cell_paragraph()
        self._stream.cells.append(collapse(" ".join(self._stream.cell)))
        self._stream.cell = []

    def _end_cell_paragraph(self) -> None:
        stream = self._stream
        stream.cell.append(f"{counting(stream.marker)} {''.join(stream.run)}")
        stream.run, stream.marker = [], None

    def end_row(self, _: str = "") -> None:
        stream = self._stream
        if "".join([*stream.cell, *stream.run]).strip():
            self.end_cell()
        if stream.cells:
            stream.items.append(RtfRow(tuple(stream.cells), stream.header))
        stream.cells, stream.cell, stream.run, stream.header = [], [], [], False

    def end_inner_cell(self, _: str = "") -> None:
        self._stream.run.append(" ")

    def begin_row(self, _: str = "") -> None:
        self._stream.header = False

    def head_row(self, _: str = "") -> None:
        self._stream.header = True

    def number_note(self, _: str = "") -> None:
        inside = self._stream.kind == "footnote"
        self.add(f"[{self._notes}] " if inside else f"[{self._notes + 1}]")


def counting(marker: str | None) -> str:
    """Return a list marker that numbers its item; empty for bullets, lone letters and None.

    >>> [counting(marker) for marker in ("1.", "(b)", "3", "①", "三", "o", "·", None)]
    ['1.', '(b)', '3', '①', '三', '', '', '']
    """
    counts = bool(marker) and any(map(str.isalnum, marker or "")) and (len(marker or "") > 1 or str(marker).isnumeric())
    return marker or "" if counts else ""


def _lines(text: str) -> str:
    return "\n".join(filter(None, map(collapse, text.split("\n"))))


def _words(item: RtfParagraph | RtfRow) -> str:
    return item.text if isinstance(item, RtfParagraph) else " ".join(item.cells)


_ACTIONS: dict[str, Callable[[_Reader, str], None]] = {
    "(": _Reader.open,
    ")": _Reader.close,
    "par": _Reader.end_paragraph,
    "cell": _Reader.end_cell,
    "row": _Reader.end_row,
    "nestcell": _Reader.end_inner_cell,
    "trowd": _Reader.begin_row,
    "trhdr": _Reader.head_row,
    "chftn": _Reader.number_note,
}
_SWITCHES = frozenset({"v", "deleted", "super", "sub", "up", "dn"})
"""Control words that mean 1 if they have no number."""
_PROPERTIES: dict[str, Callable[[_State, int], _State]] = {
    "pard": lambda state, _: _State(hidden=state.hidden, deleted=state.deleted, raised=state.raised),
    "plain": lambda state, _: state._replace(hidden=False, deleted=False, raised=""),
    "s": lambda state, number: state._replace(style=number),
    "outlinelevel": lambda state, number: state._replace(outline=min(max(number, 0), _BODY_TEXT)),
    "ilvl": lambda state, number: state._replace(depth=min(max(number, 0), 8)),
    "v": lambda state, number: state._replace(hidden=number != 0),
    "deleted": lambda state, number: state._replace(deleted=number != 0),
    "super": lambda state, number: state._replace(raised=SUPERSCRIPT if number else ""),
    "sub": lambda state, number: state._replace(raised=SUBSCRIPT if number else ""),
    "up": lambda state, number: state._replace(raised=SUPERSCRIPT if number else ""),
    "dn": lambda state, number: state._replace(raised=SUBSCRIPT if number else ""),
    "nosupersub": lambda state, _: state._replace(raised=""),
    "intbl": lambda state, number: state._replace(in_table=True),
}
"""Control words that set properties; those that end in a destination open its text."""
