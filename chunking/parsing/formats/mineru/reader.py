"""Read MinerU's output: content lists of both forms, alone or in the zipped folder they came in.

A folder holds the same document in both forms. The second knows more (language of code, inline formulas, depth of
lists), so it is preferred unless the first has more text: the second is younger, and some parser versions omit unknown
types from it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise

from chunking.errors import ParseError
from chunking.model import BlockType
from chunking.parsing.builder.foreign_tables import read_grid, read_pipes
from chunking.parsing.builder.line_joining import begins_item, goes_on, joint
from chunking.parsing.builder.reader_types import RawFile, Reading
from chunking.parsing.builder.text_builder import Piece, Writer
from chunking.parsing.formats.mineru.content_lists import is_flat, is_paged, read_flat, read_paged
from chunking.parsing.formats.mineru.items import Item, ItemKind, ListEntry, MineruFaults
from chunking.parsing.formats.mineru.mineru_paragraphs import FragmentLayout, Paragraphs
from chunking.parsing.headings.numbered_levels import levels_of
from chunking.parsing.headings.numbering import NumberingKind, numbering_of
from chunking.parsing.safe_input.safe_archives import open_archive, read_entry
from chunking.parsing.safe_input.safe_json import JsonFile, load_json

__all__ = ["content_lists", "read_mineru"]

_NAME = re.compile(
    r"(?!__MACOSX/)(?P<folder>(?:.*/)?)(?!\._)(?P<stem>[^/]*?)_?content_list(?:_v2)?\.json", re.IGNORECASE
)
_ZIP = b"PK"
_TABLE = re.compile(r"<table[\s>]", re.IGNORECASE)

_DEEPEST = 6
_LONGEST = 100
"""Maximum characters of a heading that may continue in the next one."""


def content_lists(names: Iterable[str]) -> list[str]:
    """Return the names of MinerU's content lists among an archive's entries; empty without any.

    >>> content_lists(["a/auto/a_content_list.json", "a/auto/a_middle.json", "a/auto/images/1.jpg"])
    ['a/auto/a_content_list.json']
    """
    return [name for name in names if _NAME.fullmatch(name)]


def read_mineru(raw: RawFile) -> Reading:
    """Read a content list of MinerU, or a zipped output folder, of whose lists the fullest counts.

    Raises:
        ParseError: it is no content list, or an archive without one or with several documents'.
        TooLargeError: over a limit of archives, of JSON, of tables or of texts.
    """
    if not raw.data.startswith(_ZIP):
        return _reading(load_json(raw.data, raw.source, raw.encoding), raw.source)
    archive = open_archive(raw)
    names = content_lists(archive.namelist())
    documents = _documents(names)
    if documents != 1:
        content = (
            f"the output for {documents} documents; add each on its own"
            if documents
            else "no content list of MinerU in it"
        )
        raise ParseError(f"{raw.source} has {content}.", where=raw.source)
    names.sort(key=lambda name: not name.lower().endswith("_v2.json"))
    readings = [_reading(load_json(read_entry(archive, name, raw.source), raw.source), raw.source) for name in names]
    return max(readings, key=_letters)  # the first of equals: the second form


def _documents(names: Iterable[str]) -> int:
    """Number of documents; a content list without a name belongs to its sibling's document."""
    stems: dict[str, set[str]] = {}
    for name in names:
        if match := _NAME.fullmatch(name):
            stems.setdefault(match["folder"], set()).add(match["stem"])
    return sum(max(len(names_in_folder - {""}), 1) for names_in_folder in stems.values())


def _letters(reading: Reading) -> int:
    """Letters and digits of a reading's text, which both forms write alike."""
    return sum(character.isalnum() for character in reading.text)


def _reading(loaded: JsonFile, source: str) -> Reading:
    value, fault = loaded.value, MineruFaults()
    if is_paged(value):
        items = list(read_paged(value, fault))
        pages = len(value)
    elif is_flat(value):
        items = list(read_flat(value, fault))
        pages = max((item.place.page for item in items), default=0)
    else:
        sentence = (
            f"{source} is JSON, but not a content list of MinerU; upload the file whose name ends in "
            f"_content_list.json."
        )
        raise ParseError(sentence, where=source)
    writing = _Writing(source, mark_furniture(map(_as_list, items)), fault)
    writing.run()
    warnings = [*loaded.warnings, *fault.sentences(), *dict.fromkeys(writing.warnings)]
    return writing.writer.finish(encoding=loaded.encoding, warnings=warnings, page_count=pages)


def _as_list(item: Item) -> Item:
    """Turn a text of item lines into a list: some versions write lists as text."""
    lines = item.text.split("\n") if item.kind is ItemKind.TEXT else []
    if sum(map(begins_item, lines)) < 2 or not begins_item(lines[0]):
        return item
    return Item(ItemKind.LIST, item.place, entries=tuple(ListEntry(line) for line in lines))


class _Writing:
    """Writer of one document, item by item."""

    def __init__(self, source: str, items: Sequence[Item], fault: MineruFaults) -> None:
        self.writer = Writer(source)
        self.warnings: list[str] = []
        self._source = source
        self._items = items
        self._fault = fault
        self._headings = headings_of(items)
        self._paragraphs = Paragraphs(self.writer, FragmentLayout(items))

    def run(self) -> None:
        """Write the items in order, headings with levels, furniture as left-out text."""
        levels = iter(heading_levels(list(self._headings.values())))
        for n, item in enumerate(self._items):
            if item.kind is ItemKind.HEADING:
                if n in self._headings:
                    self._paragraphs.finish()
                    self._heading(self._headings[n], next(levels))
            elif item.kind is ItemKind.FURNITURE:
                self.writer.leave_out([Piece(item.text, *item.place)], item.reason)
            elif item.kind is ItemKind.TEXT:
                self._paragraphs.text(item)
            elif item.kind is ItemKind.LIST:
                self._paragraphs.entries(item)
            else:
                self._apart(item)
        self._paragraphs.finish()

    def _apart(self, item: Item) -> None:
        """Write tables and pictures after the current paragraph, code and formulas in place."""
        write = partial(_WRITERS[item.kind], self, item)
        if item.kind in (ItemKind.TABLE, ItemKind.IMAGE):
            self._paragraphs.wait(write)
        else:
            self._paragraphs.finish()
            write()

    def _heading(self, heading: MineruHeading, level: int) -> None:
        self.writer.block(BlockType.HEADING, heading.pieces, level=level)

    def table(self, item: Item) -> None:
        """Write a table between its caption and its notes; a picture of a table has no rows."""
        grid = read_grid(item.table, self._source)
        self.warnings += grid.warnings
        self._fault.tables += not grid.rows
        captions = [*item.captions, *filter(None, [grid.caption])]
        self._notes(item, captions)
        caption = {"caption": " ".join(captions)} if captions else {}
        page, bbox = item.place
        self.writer.table(grid.rows, header_rows=grid.header_rows, page=page, bbox=bbox, meta=caption | dict(item.meta))
        self._notes(item, item.footnotes)

    def image(self, item: Item) -> None:
        """Write a picture's caption, words, notes; a chart with recognised figures as a table."""
        if item.text and (_TABLE.search(item.text) or read_pipes(item.text)):
            self.table(
                Item(
                    ItemKind.TABLE,
                    item.place,
                    table=item.text,
                    captions=item.captions,
                    footnotes=item.footnotes,
                    meta=item.meta,
                )
            )
            return
        words = "\n".join(text for text in (*item.captions, item.text, *item.footnotes) if text)
        self._fault.images += not words
        meta = {"path": item.meta.get("path", ""), "alt": "", "caption": " ".join(item.captions)}
        self.writer.block(BlockType.IMAGE, [Piece(words, *item.place)], meta=meta)

    def equation(self, item: Item) -> None:
        """Write the LaTeX of an equation between double dollars."""
        self.writer.block(BlockType.EQUATION, [Piece(item.text, *item.place)], meta=item.meta)

    def code(self, item: Item) -> None:
        """Write the lines of code unchanged, between caption and notes."""
        self._notes(item, item.captions)
        self.writer.block(
            BlockType.CODE, [Piece(item.text, *item.place)], meta={"fenced": False, "language": "", **item.meta}
        )
        self._notes(item, item.footnotes)

    def _notes(self, item: Item, texts: Sequence[str]) -> None:
        for text in texts:
            self.writer.block(BlockType.PARAGRAPH, [Piece(text, *item.place)])


_WRITERS: dict[ItemKind, Callable[[_Writing, Item], None]] = {
    ItemKind.TABLE: _Writing.table,
    ItemKind.IMAGE: _Writing.image,
    ItemKind.EQUATION: _Writing.equation,
    ItemKind.CODE: _Writing.code,
}


_NEAR = 0.02
"""Maximum distance between the places of a running head on two pages."""
_HEADS_AND_FEET = frozenset({"page header", "page footer"})
_COULD_BE = frozenset({ItemKind.TEXT, ItemKind.HEADING})


def mark_furniture(items: Iterable[Item]) -> list[Item]:
    """Return the items; texts and headings that equal a running head or foot become furniture.

    The head or foot must be at the same height of another page.
    """
    items = list(items)
    heads_and_feet: dict[str, list[Item]] = {}
    for item in items:
        if item.reason in _HEADS_AND_FEET and item.text:
            heads_and_feet.setdefault(item.text, []).append(item)
    return [_marked(item, heads_and_feet.get(item.text, ())) if item.kind in _COULD_BE else item for item in items]


def _marked(item: Item, alike: Sequence[Item]) -> Item:
    for other in alike[:10]:
        here, there = item.place.bbox, other.place.bbox
        if here and there and item.place.page != other.place.page and abs(here[1] - there[1]) <= _NEAR:
            return replace(item, kind=ItemKind.FURNITURE, reason=other.reason)
    return item


# -- heading levels: as in the output if they differ, else from numbers


@dataclass(frozen=True, slots=True)
class MineruHeading:
    """A heading joined from one or more fragments, with its level in the output."""

    pieces: tuple[Piece, ...]
    level: int
    """Level in the output; 1 by default."""

    @property
    def label(self) -> str:
        return "".join(piece.text for piece in self.pieces)


def headings_of(items: Sequence[Item]) -> dict[int, MineruHeading]:
    """Return the headings among items, joined from their fragments, by index of the first one.

    A number on its own line is joined to the heading after it, and so is a heading broken inside a phrase. Furniture
    between the two is ignored.
    """
    headings: dict[int, MineruHeading] = {}
    last: int | None = None
    for n, item in enumerate(items):
        if item.kind is ItemKind.HEADING:
            heading = MineruHeading((Piece(item.text, *item.place),), item.level or 1)
            between = _between(headings[last], heading) if last is not None else None
            if last is not None and between is not None:
                headings[last] = replace(
                    headings[last], pieces=(*headings[last].pieces, Piece(between), *heading.pieces)
                )
            else:
                last = n
                headings[n] = heading
        elif item.kind is not ItemKind.FURNITURE:
            last = None
    return headings


def _between(before: MineruHeading, after: MineruHeading) -> str | None:
    """Separator of two fragments of one heading; None for two headings."""
    if before.level != after.level or numbering_of(after.label) or len(before.label) > _LONGEST:
        return None
    if _is_number_alone(before.label):
        return " "
    return joint(before.label, after.label) if goes_on(before.label, after.label) else None


def heading_levels(headings: Sequence[MineruHeading]) -> list[int]:
    """Return levels 1 to 6 of headings in order: as stated if they differ, else from numbers.

    From numbers too if these contradict most stated changes, or below a title if all other headings state one
    level.
    """
    stated = [heading.level for heading in headings]
    labels = [heading.label for heading in headings]
    titled = len(stated) > 2 and stated[0] < min(stated[1:]) and len(set(stated[1:])) == 1
    if titled:  # a title, and everything else alike under it
        return [1, *(min(level + 1, _DEEPEST) for level in levels_of(labels[1:]))]
    if len(set(stated)) > 1 and not _contradicted(stated, labels):
        return [min(max(level, 1), _DEEPEST) for level in stated]
    return levels_of(labels)


def _is_number_alone(text: str) -> bool:
    """True for a heading that is only a number, such as `第一章` on its own line.

    >>> _is_number_alone("第一章"), _is_number_alone("第一章 总则"), _is_number_alone("Abstract")
    (True, False, False)
    """
    numbering = numbering_of(text)
    return numbering is not None and numbering.text == text.strip()


def _contradicted(stated: Sequence[int], labels: Sequence[str]) -> bool:
    """True if at least half of the stated levels contradict the numbers.

    That is, 1.1 is stated to be no lower than 1.
    """
    numbered = [
        (level, one.depth)
        for level, one in zip(stated, map(numbering_of, labels), strict=True)
        if one and one.kind is NumberingKind.DECIMAL
    ]
    steps = [
        (after - level, deeper - depth) for (level, depth), (after, deeper) in pairwise(numbered) if deeper != depth
    ]
    wrong = sum(rise * deeper <= 0 for rise, deeper in steps)
    return 2 * wrong > len(steps)
