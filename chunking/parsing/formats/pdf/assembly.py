"""Lines, headings and tables of a document to its blocks."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from chunking.model import BlockType, Box
from chunking.parsing.builder.line_joining import joint
from chunking.parsing.builder.text_builder import Piece, Writer
from chunking.parsing.formats.pdf.headings.bookmark_matching import BookmarkedHeading
from chunking.parsing.formats.pdf.layout.block_parts import SPACE, TABLE_CAPTION, BlockPart
from chunking.parsing.formats.pdf.layout.footnotes import Footnote
from chunking.parsing.formats.pdf.layout.hyphens import Vocabulary
from chunking.parsing.formats.pdf.layout.line_measures import Measures, Placed
from chunking.parsing.formats.pdf.layout.page_breaks import join_over_breaks
from chunking.parsing.formats.pdf.layout.pdf_lines import PdfLine
from chunking.parsing.formats.pdf.layout.pdf_paragraphs import group_lines
from chunking.parsing.formats.pdf.tables.ruled_tables import SOFT_HYPHEN, Table
from chunking.parsing.headings.evidence import heading_meta

__all__ = ["REPEATED_HEADER", "write_blocks"]

REPEATED_HEADER = "repeated table header"

_SAME_EDGE = 0.01
"""Of a page's width: columns of two parts of a table differ by less."""
_LONGEST_CAPTION = 6
"""Lines of a caption at most."""
_BROKEN = re.compile(rf"(\S+){SOFT_HYPHEN}(?=(\S+))")


def write_blocks(
    writer: Writer,
    lines: Sequence[PdfLine],
    headings: Sequence[BookmarkedHeading],
    tables: Mapping[int, Sequence[Table]],
    sizes: Mapping[int, tuple[float, float]],
    footnotes: Sequence[Footnote] = (),
    listed: Collection[int] = (),
) -> None:
    """Write the blocks of a document, each footnote at the end of the section that refers to it.

    The block that refers to footnotes has their numbers as `footnotes` in its meta, a footnote its own as `footnote`.

    Args:
        lines: in reading order, without those that are left out and those of footnotes.
        headings: which of them are headings, in order and apart.
        tables: those that stand before a line, by its index (or after the last, by their number).
        sizes: width and height of each page as it is shown, in points.
        footnotes: in the order of the document.
        listed: lines of what may be a table of contents: each on a line of its own.
    """
    measures = Measures(lines, sizes, listed)
    vocabulary = Vocabulary([*lines, *(line for note in footnotes for line in note.lines)])
    parts = join_over_breaks(list(_parts(measures, headings, tables)), measures)
    of_section = _by_section(footnotes, headings)
    section = 0
    joined_parts = _merge_continued_tables(parts)
    captions = _captions(joined_parts, vocabulary)
    for n, part in enumerate(joined_parts):
        if part.kind is BlockType.HEADING:
            _write_footnotes(writer, of_section.get(section, ()), vocabulary)
            section += 1
        if part.kind is BlockType.TABLE:
            _write_table(writer, part.tables, vocabulary, captions.get(n, ""))
        else:
            writer.block(part.kind, list(_pieces(part, vocabulary)), level=part.level, meta=_meta(part))
    _write_footnotes(writer, of_section.get(section, ()), vocabulary)


def _captions(parts: Sequence[BlockPart], vocabulary: Vocabulary) -> dict[int, str]:
    """Captions of tables, by the table's index; no block is the caption of two."""
    captions: dict[int, str] = {}
    used = set()
    for n, table in enumerate(parts):
        for neighbour in (n - 1, n + 1) if table.kind is BlockType.TABLE else ():
            if 0 <= neighbour < len(parts) and neighbour not in used and n not in captions:
                caption = _caption(parts[neighbour], vocabulary)
                if caption and parts[neighbour].first.page in (table.tables[0].page, table.tables[-1].page):
                    captions[n] = caption
                    used.add(neighbour)
    return captions


def _caption(part: BlockPart, vocabulary: Vocabulary) -> str:
    """The text of a block that starts like a table caption, up to its first forced line break; else empty."""
    if part.kind is not BlockType.PARAGRAPH or not TABLE_CAPTION.match(part.first.text):
        return ""
    ended = next((n for n, between in enumerate(part.joints, 1) if between != SPACE), len(part.lines))
    if ended > _LONGEST_CAPTION:
        return ""
    lines = BlockPart(part.kind, part.lines[:ended], part.joints[: ended - 1])
    return "".join(piece.text for piece in _pieces(lines, vocabulary))


def _by_section(footnotes: Sequence[Footnote], headings: Sequence[BookmarkedHeading]) -> dict[int, list[Footnote]]:
    """Group footnotes by the number of headings up to the line that refers to them."""
    firsts = [heading.first for heading in headings]
    notes: dict[int, list[Footnote]] = {}
    for note in footnotes:
        notes.setdefault(bisect_right(firsts, note.reference), []).append(note)
    return notes


def _write_footnotes(writer: Writer, footnotes: Iterable[Footnote], vocabulary: Vocabulary) -> None:
    for note in footnotes:
        placed = [Placed(line, 0, 0, 0, 0) for line in note.lines]
        part = BlockPart(BlockType.PARAGRAPH, placed, [SPACE] * (len(placed) - 1))
        pieces = [Piece(f"[{note.mark}] "), *_pieces(part, vocabulary)]
        writer.block(BlockType.PARAGRAPH, pieces, meta={"footnote": note.number, "mark": note.mark})


def _parts(
    measures: Measures, headings: Sequence[BookmarkedHeading], tables: Mapping[int, Sequence[Table]]
) -> Iterator[BlockPart]:
    """Split the lines into blocks, page by page, at headings and tables."""
    starts = {heading.first: heading for heading in headings}
    placed = measures.placed
    rest: list[Placed] = []
    stops = sorted({*starts, *tables, len(placed)})
    done = 0
    for stop in stops:
        rest += placed[done:stop]
        done = max(done, stop)
        if stop in tables or stop in starts:
            yield from group_lines(rest, measures)
            rest = []
        for table in tables.get(stop, ()):
            yield BlockPart(BlockType.TABLE, [], tables=[table])
        if stop in starts:
            heading = starts[stop]
            titles = placed[heading.first : heading.after]
            done = heading.after
            if heading.stop is not None and heading.stop < len(titles[-1].line.text):
                titles[-1], tail = _split(titles[-1], heading.stop)
                rest = [tail] if tail.line.text else []
            yield BlockPart(
                BlockType.HEADING, titles, [SPACE] * (len(titles) - 1), heading.level, evidence=heading.evidence
            )
    yield from group_lines(rest, measures)


def _split(placed: Placed, stop: int) -> tuple[Placed, Placed]:
    """Cut a line in two; its box is cut in proportion to the characters."""
    line = placed.line
    share = stop / len(line.text)
    left, top, right, bottom = line.bbox
    middle = left + share * (right - left)
    between = placed.left + share * (placed.right - placed.left)
    notes = [tuple(note for note in line.notes if (note[0] < stop) == before) for before in (True, False)]
    head = replace(line, text=line.text[:stop].rstrip(), bbox=(left, top, middle, bottom), hyphen=False, notes=notes[0])
    tail = replace(
        line, text=line.text[stop:].lstrip(), bbox=(middle, top, right, bottom), lead=0, bold=False, notes=notes[1]
    )
    return placed._replace(line=head, right=between), placed._replace(line=tail, left=between)


def _meta(part: BlockPart) -> dict[str, object]:
    notes = tuple(number for placed in part.lines for _, number in placed.line.notes)
    meta: dict[str, object] = {"footnotes": notes} if notes else {}
    if part.kind is BlockType.CODE:
        meta["language"] = ""
    if part.kind is BlockType.LIST:
        meta |= {"depth": 1, "items": part.items}
    return meta | heading_meta(part.evidence) if part.evidence else meta


def _pieces(part: BlockPart, vocabulary: Vocabulary) -> Iterator[Piece]:
    """Text and places of a block, with the separators between its lines."""
    texts = _indented(part.lines) if part.kind is BlockType.CODE else [one.line.text for one in part.lines]
    for n, (placed, text) in enumerate(zip(part.lines, texts, strict=True)):
        between = ""
        if n + 1 < len(texts):
            between = part.joints[n]
            if between == SPACE:
                between = joint(text, texts[n + 1])
                if placed.line.hyphen:
                    known_joint = vocabulary.joint(text, texts[n + 1])
                    text, between = (text[:-1], "") if known_joint is None else (text, known_joint)
        yield Piece(text, placed.line.page, placed.line.bbox)
        if between:
            yield Piece(between)


def _indented(lines: Sequence[Placed]) -> list[str]:
    """Lines of code, indented as on the page."""
    left = min(one.left for one in lines)
    widths = [(one.right - one.left) / len(one.line.text) for one in lines if one.right > one.left]
    width = sorted(widths)[len(widths) // 2] if widths else 1.0
    return [" " * min(round((one.left - left) / width), 80) + one.line.text for one in lines]


def _merge_continued_tables(parts: Sequence[BlockPart]) -> list[BlockPart]:
    """Merge tables that continue on the next page in the same columns."""
    merged: list[BlockPart] = []
    for part in parts:
        last = merged[-1] if merged else None
        if (
            part.kind is BlockType.TABLE
            and last
            and last.kind is BlockType.TABLE
            and _continues(last.tables[-1], part.tables[0])
        ):
            last.tables += part.tables
        else:
            merged.append(part)
    return merged


def _continues(one: Table, other: Table) -> bool:
    same = len(one.edges) == len(other.edges) and all(
        abs(left - right) < _SAME_EDGE for left, right in zip(one.edges, other.edges, strict=True)
    )
    return same and other.page == one.page + 1


def _write_table(writer: Writer, tables: Sequence[Table], vocabulary: Vocabulary, caption: str) -> None:
    rows: list[list[str]] = []
    places: list[tuple[int, Box]] = []
    header = tables[0].rows[: tables[0].header_rows]
    for table in tables:
        repeated = len(header) if rows and header and table.rows[: len(header)] == header else 0
        if repeated:
            pieces = [
                Piece(f"{' '.join(row)}\n", table.page, box) for row, box in zip(header, table.row_boxes, strict=False)
            ]
            writer.leave_out(pieces, REPEATED_HEADER)
        rows += [[_repair_hyphens(text, vocabulary) for text in row] for row in table.rows[repeated:]]
        places += [(table.page, box) for box in table.row_boxes[repeated:]]
    writer.table(rows, header_rows=len(header), places=places, meta={"caption": caption} if caption else None)


def _repair_hyphens(text: str, vocabulary: Vocabulary) -> str:
    """Resolve the hyphens at line ends in a cell's text."""

    def joined(broken: re.Match[str]) -> str:
        known_joint = vocabulary.joint(f"{broken[1]}-", broken[2])
        return broken[1] if known_joint is None else f"{broken[1]}-{known_joint}"

    return _BROKEN.sub(joined, text).replace(SOFT_HYPHEN, "-")
