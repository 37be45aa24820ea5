"""Write a document's lines, headings and tables as blocks, with words joined over line ends."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from chunking.model import BlockType, Box
from chunking.parsing.builder.line_joining import joint
from chunking.parsing.builder.text_builder import Piece, Writer
from chunking.parsing.formats.pdf.headings.bookmarks import BookmarkedHeading
from chunking.parsing.formats.pdf.layout.block_parts import SPACE, TABLE_CAPTION, BlockPart
from chunking.parsing.formats.pdf.layout.footnotes import Footnote
from chunking.parsing.formats.pdf.layout.line_measures import Measures, Placed
from chunking.parsing.formats.pdf.layout.pdf_lines import PdfLine
from chunking.parsing.formats.pdf.layout.pdf_paragraphs import group_lines, join_over_breaks
from chunking.parsing.formats.pdf.layout.ruled_tables import SOFT_HYPHEN, Table
from chunking.parsing.headings.evidence import heading_meta

__all__ = ["REPEATED_HEADER", "Vocabulary", "write_blocks"]

REPEATED_HEADER = "repeated table header"

_SAME_EDGE = 0.01
"""Maximum difference between columns of two parts of a table, in page widths."""
_LONGEST_CAPTION = 6
"""Most lines of a caption."""
_BROKEN = re.compile(rf"(\S+){SOFT_HYPHEN}(?=(\S+))")

_WORD = re.compile(r"[^\W\d_]+(?:[-\u2010'’][^\W\d_]+)*")
_BEFORE = re.compile(r"([^\W\d_]+(?:[-\u2010'’][^\W\d_]+)*)[-\u2010]$")
_AFTER = re.compile(r"[^\W\d_]+(?:[-\u2010'’][^\W\d_]+)*")
_SHARED = frozenset("and or und oder et ou to bis y o e".split())  # noqa: SIM905
"""Words after which a hyphen stands for a shared part: `pre- and postwar`."""

_COMPOUND = frozenset("self non well half high low long short full cross multi".split())  # noqa: SIM905
"""Prefixes that are usually hyphenated."""
_HYPHENATED = 0.06
"""Minimum share of long lines ending in a hyphen in a hyphenated document; in others they are real."""
_LONG = 30
_SUFFIX = re.compile(
    r"[ts]ion(?:s|al|ally)?|ments?|mental|ings?|ness|it(?:y|ies)|[ae]n(?:ce|ces|cy|cies)|ously|ively|tives?"
    r"|at(?:ed|es|ing|ions?)|i[sz](?:ed|es|ing|ations?)|[tdr]?i?cal(?:ly)?|ally|[ai]bly|tures?|cient(?:ly|s)?|fects?|ta?ble"
)
"""English suffixes that are no words themselves."""


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

    Paragraphs, lists and code are joined over columns and pages, tables over pages: a repeated header is left out. The
    block that refers to footnotes has their numbers as `footnotes` in its meta, a footnote its own as `footnote`.

    Args:
        lines: in reading order, without left-out lines and footnotes.
        headings: line ranges of the headings, in order and without overlap.
        tables: tables by the index of the line that they precede; after the last line, by `len(lines)`.
        sizes: width and height of each displayed page, in points.
        footnotes: in the order of the document.
        listed: indices of the lines of possible tables of contents; each keeps its line end.
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
    """Captions of tables by index; no block is the caption of two."""
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
    """Text of a block that starts like a table caption, up to its first forced line break; else empty."""
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
    """Split a line in two, and its box in proportion to the characters."""
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
    """Yield text and places of a block, with the separators between its lines."""
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
    """Lines of code, indented like on the page."""
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


# -- words broken at line ends


class Vocabulary:
    """Counts of a document's unbroken words, by which `joint` joins a word broken at a line end.

    >>> texts = ["the most efficient one is fine-tuned, the effi-", "cient one too"]
    >>> words = Vocabulary(PdfLine(text, 1, (0, 0, 1, 1), 10, False, "", hyphen=text.endswith("-")) for text in texts)
    >>> words.joint("the effi-", "cient one"), words.joint("is fine-", "tuned"), words.joint("pre-", "and postwar")
    (None, '', ' ')
    """

    def __init__(self, lines: Iterable[PdfLine]) -> None:
        self._counts: Counter[str] = Counter()
        broken = False
        long = hyphened = 0
        for line in lines:
            long += len(line.text) > _LONG
            hyphened += line.hyphen and len(line.text) > _LONG
            words = _WORD.findall(line.text.casefold().replace("\u2010", "-"))
            if broken and words:
                del words[0]  # the rest of a broken word is no word
            if line.hyphen and words:
                del words[-1]
            broken = line.hyphen
            self._counts.update(words)
            self._counts.update(part for word in words if "-" in word for part in word.split("-"))
        self._hyphenates = hyphened >= _HYPHENATED * long

    def joint(self, before: str, after: str) -> str | None:
        """Return what follows the hyphen at a line end: nothing or a space; None: drop the hyphen.

        The hyphen goes if the joined word is more frequent elsewhere than the hyphenated one. If neither occurs, a
        document that hyphenates keeps it between two of its words only; another drops it before a mere suffix only
        (`-tion`). It stays before a capital and after prefixes such as `self-`.

        Args:
            before: text up to and including the hyphen.
            after: text of the next line.
        """
        one, two = _BEFORE.search(before), _AFTER.match(after)
        if not one or not two:
            return ""
        if two[0] in _SHARED:
            return " "
        if two[0][0].isupper() and not one[1].isupper():
            return ""
        left, right = one[1].casefold().replace("\u2010", "-"), two[0].casefold().replace("\u2010", "-")
        joined, hyphened = self._counts[left + right], self._counts[f"{left}-{right}"]
        if joined or hyphened:
            return None if joined > hyphened else ""
        first, second = left.rpartition("-")[2], right.partition("-")[0]
        if len(first) == 1 or (first in _COMPOUND and (self._counts[second] or len(second) > 5)):
            return ""
        if not self._hyphenates:
            return None if _SUFFIX.fullmatch(second) and not self._counts[second] else ""
        return "" if self._counts[first] and self._counts[second] else None
