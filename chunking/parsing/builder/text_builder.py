"""Build the canonical text of a binary format block by block, so that spans are exact by construction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from chunking.errors import TooLargeError
from chunking.model import Block, BlockType, Box, LeftOut, Location
from chunking.parsing.builder.reader_types import InnerFile, Reading

__all__ = ["MAX_BLOCKS", "MAX_CHARACTERS", "Piece", "Writer", "bounding_box"]

MAX_CHARACTERS = 50_000_000
"""Most characters of a built text."""
MAX_BLOCKS = 500_000
"""Most blocks of a document: a book has some ten thousand, a file of empty markup millions."""

_BETWEEN = "\n\n"
_REPLACED = {code: " " for code in [*range(32), *range(127, 160)] if chr(code) not in "\t\n\x85"} | {
    0: "\ufffd",
    13: "\n",
}
"""Control characters and lone surrogates, replaced one for one, so that offsets stay."""
_REPLACED |= dict.fromkeys(range(0xD800, 0xE000), "\ufffd")
"""Control characters and lone surrogates, each by one character, so that offsets stay."""


class Piece(NamedTuple):
    """Part of a block's text with its page and box: a line, or a separator without a page."""

    text: str
    page: int | None = None
    bbox: Box | None = None


class Writer:
    """Builder of a `Reading` from the blocks of a document in reading order.

    Blocks are separated by an empty line. Left-out text is put at the end, so that a paragraph over a page break stays
    contiguous.

    >>> writer = Writer("a.html")
    >>> writer.block(BlockType.HEADING, "Sizes", level=1)
    >>> writer.table([["Name", "Size"], ["Finch", "3 cm"]])
    >>> writer.finish().text
    'Sizes\\n\\n| Name | Size |\\n| Finch | 3 cm |'
    """

    def __init__(self, source: str) -> None:
        self._source = source
        self._parts: list[str] = []
        self._length = 0
        self._blocks: list[Block] = []
        self._locations: list[Location] = []
        self._paragraphs = 0
        self._furniture: list[tuple[Sequence[Piece], str]] = []
        self._opening = 0

    def open_section(self, level: int) -> None:
        """Make the next block open a section of `level`, unless that block is a heading.

        As on a slide without title. The section's title is made from the block's first words (see
        `outline.build_sections`).
        """
        self._opening = level

    def block(
        self,
        kind: BlockType,
        content: str | Sequence[Piece],
        *,
        level: int | None = None,
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        """Append a block after an empty line, unless it has no visible character.

        Its page is that of its first piece with a page, its box the one around its pieces there.

        Args:
            content: its text, or pieces to concatenate (spaces and line ends between lines are pieces too).
            level: 1 to 6, of a heading.
            meta: from the format. The caller shifts offsets in it by `self.next_start`.
        Raises:
            TooLargeError: the document has more than `MAX_CHARACTERS` or `MAX_BLOCKS`.
        """
        located = self._write([Piece(content)] if isinstance(content, str) else content)
        if located is None:
            return
        start, locations = located
        full_meta = dict(meta or {})
        if kind is BlockType.PARAGRAPH:
            self._paragraphs += 1
            full_meta.setdefault("paragraph", self._paragraphs)
        if self._opening and kind is not BlockType.HEADING:
            full_meta["opens_section"] = self._opening
        self._opening = 0
        page, box = None, None
        if locations:
            page = locations[0].page
            boxes = [one.bbox for one in locations if one.page == page and one.bbox is not None]
            box = bounding_box(boxes) if boxes else None
        if len(self._blocks) >= MAX_BLOCKS:
            raise TooLargeError(
                f"{self._source} has more than {MAX_BLOCKS:,} paragraphs; split it into smaller files.",
                where=self._source,
            )
        self._blocks.append(Block(kind, start, self._length, level, None, page, box, full_meta))

    @property
    def next_start(self) -> int:
        """Offset at which the next block will start."""
        return self._length + (len(_BETWEEN) if self._length else 0)

    def table(
        self,
        rows: Iterable[Sequence[str]],
        *,
        header_rows: int = 1,
        page: int | None = None,
        bbox: Box | None = None,
        places: Sequence[tuple[int, Box]] = (),
        meta: Mapping[str, Any] | None = None,
    ) -> None:
        """Append a table as pipe rows, a line each, short rows padded; its meta holds row offsets.

        Rows without text are dropped first, and not counted as headers; without any other row, nothing is added.

        Args:
            rows: cells as plain text; line ends in them become spaces, pipes are escaped.
            header_rows: 0 for none; the last row is never a header.
            page, bbox: of the whole table.
            places: page and box of each of `rows` instead, if known.
        """
        all_cells = [[_cell(text) for text in row] for row in rows]
        cells = [row for row in all_cells if any(row)]
        if not cells:
            return
        width = max(map(len, cells))
        lines = [f"| {' | '.join([*row, *[''] * (width - len(row))])} |" for row in cells]
        starts = [self.next_start]
        for line in lines:
            starts.append(starts[-1] + len(line) + 1)
        header = min(header_rows, len(lines) - 1) if len(lines) > 1 else 0
        table_meta = {"rows": len(lines) - header, "columns": width, "row_starts": tuple(starts[header:-1])}
        if header:
            table_meta["header_end"] = starts[header]
        pieces = [Piece("\n".join(lines), page, bbox)]
        if places:
            row_places = [place for place, row in zip(places, all_cells, strict=True) if any(row)]
            ended = [*(f"{line}\n" for line in lines[:-1]), lines[-1]]
            pieces = [Piece(line, *place) for line, place in zip(ended, row_places, strict=True)]
        self.block(BlockType.TABLE, pieces, meta=table_meta | dict(meta or {}))

    def leave_out(self, content: str | Sequence[Piece], reason: str) -> None:
        """Record text that goes into no chunk (a page header); `finish` puts it at the end."""
        self._furniture.append(([Piece(content)] if isinstance(content, str) else content, reason))

    def finish(
        self,
        *,
        title: str | None = None,
        encoding: str = "utf-8",
        warnings: Iterable[str] = (),
        page_count: int = 0,
        inner_files: Iterable[InnerFile] = (),
    ) -> Reading:
        """Build the reading, left-out text last; without blocks, that text becomes paragraphs."""
        if not self._blocks:
            for pieces, _ in self._furniture:
                self.block(BlockType.PARAGRAPH, pieces)
            self._furniture = []
        left_out = []
        for pieces, reason in self._furniture:
            located = self._write(pieces)
            if located is not None:
                left_out.append(LeftOut(located[0], self._length, reason))
        return Reading(
            text="".join(self._parts),
            blocks=tuple(self._blocks),
            encoding=encoding,
            title=title,
            left_out=tuple(left_out),
            warnings=tuple(warnings),
            locations=tuple(self._locations),
            page_count=page_count,
            inner_files=tuple(inner_files),
        )

    def _write(self, pieces: Sequence[Piece]) -> tuple[int, list[Location]] | None:
        """Append a block's text without surrounding white space; returns start and locations."""
        content = _cleaned("".join([piece.text for piece in pieces]))
        text = content.strip()
        if not text:
            return None
        start = self.next_start
        if start + len(text) > MAX_CHARACTERS:
            sentence = (
                f"{self._source} holds more than {MAX_CHARACTERS // 10**6} million characters of text; split it "
                f"into smaller files."
            )
            raise TooLargeError(sentence, where=self._source)
        shift = start - (len(content) - len(content.lstrip()))
        end = start + len(text)
        locations: list[Location] = []
        for piece in pieces if len(pieces) > 1 or pieces[0].page is not None else ():
            first, after = max(shift, start), min(shift + len(piece.text), end)
            shift += len(piece.text)
            if piece.page is not None and first < after:
                locations.append(Location(first, after, piece.page, piece.bbox))
        self._parts += [_BETWEEN, text] if self._length else [text]
        self._length = end
        self._locations += locations
        return start, locations


def _cleaned(text: str) -> str:
    """Replace control characters and lone surrogates."""
    return text if text.replace("\n", " ").isprintable() else text.translate(_REPLACED)


def bounding_box(boxes: Sequence[Box]) -> Box:
    """Return the smallest box (left, top, right, bottom) around one or more boxes.

    >>> bounding_box([(0.1, 0.1, 0.5, 0.2), (0.2, 0.15, 0.9, 0.3)])
    (0.1, 0.1, 0.9, 0.3)
    """
    left, top, right, bottom = zip(*boxes, strict=True)
    return min(left), min(top), max(right), max(bottom)


def _cell(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
